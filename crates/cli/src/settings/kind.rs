//! What settings take, from a file or from text.

use std::net::SocketAddr;

use stepwell_server::config::Span;
use toml::Value;

use super::StoreUrl;

/// What a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Address,
    Store,
    Text,
    /// Text that is never shown.
    Secret,
    Bool,
    Count {
        min: u64,
    },
    Span,
    Texts,
    Word(&'static [&'static str]),
}

/// The largest number that a file of settings can hold.
const COUNT_MAX: u64 = u32::MAX as u64;

impl Kind {
    /// What stands for the value in help texts.
    pub fn value_name(self) -> &'static str {
        match self {
            Kind::Address => "ADDRESS",
            Kind::Store => "URL",
            Kind::Text | Kind::Texts | Kind::Secret => "TEXT",
            Kind::Bool => "true|false",
            Kind::Count { .. } => "N",
            Kind::Span => "SPAN",
            Kind::Word(_) => "WORD",
        }
    }

    /// A value from the environment or the command line.
    pub fn of_text(self, text: &str) -> Result<Value, String> {
        match self {
            Kind::Bool => match text {
                "true" => Ok(Value::Boolean(true)),
                "false" => Ok(Value::Boolean(false)),
                _ => Err(format!("`{text}` is neither true nor false")),
            },
            Kind::Count { .. } => match text.parse() {
                Ok(n) => self.check(Value::Integer(n)),
                Err(_) => Err(format!("`{text}` is no whole number")),
            },
            Kind::Texts => {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                Ok(Value::Array(parts.map(Value::from).collect()))
            }
            _ => self.check(Value::from(text)),
        }
    }

    /// The same from an option that may be given several times.
    pub fn of_texts(self, texts: &[String]) -> Result<Value, String> {
        self.of_text(&texts.join(","))
    }

    /// A value from the file, as it is if it fits.
    pub fn check(self, value: Value) -> Result<Value, String> {
        match (self, &value) {
            (Kind::Bool, Value::Boolean(_)) => Ok(value),
            (Kind::Count { min }, Value::Integer(n)) => match u64::try_from(*n) {
                Ok(n) if n < min => Err(format!("{n} is less than {min}")),
                Ok(n) if n > COUNT_MAX => Err(format!("{n} is more than {COUNT_MAX}")),
                Ok(_) => Ok(value),
                Err(_) => Err(format!("{n} is less than {min}")),
            },
            (Kind::Texts, Value::Array(values)) if values.iter().all(|value| value.is_str()) => {
                Ok(value)
            }
            (Kind::Texts, _) => Err("it takes a list of texts, such as [\"a\", \"b\"]".to_owned()),
            (Kind::Bool, _) => Err("it takes true or false".to_owned()),
            (Kind::Count { .. }, _) => Err("it takes a whole number".to_owned()),
            (_, Value::String(text)) => self.check_text(text).map(|()| value),
            (_, other) => Err(format!("it takes text in quotes, not {}", with_article(other))),
        }
    }

    fn check_text(self, text: &str) -> Result<(), String> {
        match self {
            Kind::Address => match text.parse::<SocketAddr>() {
                Ok(_) => Ok(()),
                Err(_) => Err(format!(
                    "`{text}` is no address: give numbers and a port, such as 127.0.0.1:7070 or [::1]:7070"
                )),
            },
            Kind::Store => StoreUrl::parse(text).map(drop),
            Kind::Span => Span::parse(text).map(drop),
            Kind::Word(words) if !words.contains(&text) => {
                Err(format!("`{text}` is none of {}", words.join(", ")))
            }
            Kind::Text | Kind::Secret if text.is_empty() => Err("it is empty".to_owned()),
            _ => Ok(()),
        }
    }
}

fn with_article(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}
