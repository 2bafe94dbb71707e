//! `stepwell config show`.

use serde_json::{Value, json};

use super::{Kind, Origin, SETTINGS, Setting, Settings, StoreUrl, default_of, find, written};
use crate::out::{Paint, Style, Table};

/// What is shown of a secret that is set.
pub const HIDDEN: &str = "(set)";

/// One setting that is in force.
pub struct Row {
    pub key: String,
    /// Null if nothing is set and nothing holds by default.
    pub value: Value,
    /// What holds if there is no value.
    pub unset: &'static str,
    pub from: Origin,
}

/// Every setting in the order of the documentation, then those of single workflows.
pub fn rows(settings: &Settings) -> Vec<Row> {
    let known = SETTINGS.iter().filter(|setting| !setting.is_per_workflow()).map(|setting| {
        let path = setting.path();
        let held = settings.held().find(|(held, _)| **held == path);
        match held {
            Some((_, held)) => row(setting, setting.key.to_owned(), &held.value, held.from.clone()),
            None => Row {
                key: setting.key.to_owned(),
                value: default_of(setting),
                unset: setting.unset,
                from: Origin::Default,
            },
        }
    });
    let of_workflows = settings.held().filter_map(|(path, held)| {
        let setting = find(path).filter(|setting| setting.is_per_workflow())?;
        Some(row(setting, written(path), &held.value, held.from.clone()))
    });
    known.chain(of_workflows).collect()
}

fn row(setting: &Setting, key: String, value: &toml::Value, from: Origin) -> Row {
    let value = match (setting.kind, value.as_str()) {
        _ if setting.is_secret() => Value::from(HIDDEN),
        // An address may hold a password.
        (Kind::Store, Some(text)) => {
            StoreUrl::parse(text).map_or(Value::Null, |url| url.to_string().into())
        }
        _ => serde_json::to_value(value).unwrap_or(Value::Null),
    };
    Row { key, value, unset: setting.unset, from }
}

pub fn rows_text(rows: &[Row], style: Style) -> String {
    let mut table = Table::new(["SETTING", "VALUE", "FROM"]);
    for row in rows {
        let is_default = row.from == Origin::Default;
        let value = plain(&row.value);
        let value = match (value.is_empty(), row.unset) {
            (true, unset) => (Paint::Dim, format!("({unset})")),
            (false, _) => (if is_default { Paint::Plain } else { Paint::Bold }, value),
        };
        let from = if is_default { Paint::Dim } else { Paint::Plain };
        table.row([(Paint::Plain, row.key.clone()), value, (from, row.from.to_string())]);
    }
    table.render(style)
}

pub fn rows_json(rows: &[Row]) -> Value {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| json!({ "key": row.key, "value": row.value, "from": origin(&row.from) }))
        .collect();
    json!({ "settings": rows })
}

fn origin(from: &Origin) -> Value {
    match from {
        Origin::Default => json!({ "source": "default" }),
        Origin::File { path, line } => json!({ "source": "file", "file": path, "line": line }),
        Origin::Environment { name } => json!({ "source": "environment", "name": name }),
        Origin::Flag { flag } => json!({ "source": "flag", "flag": format!("--{flag}") }),
    }
}

/// A value as people write it, without quotes; empty for nothing.
pub fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
