//! The server's settings: `stepwell.toml`, then the environment, then options; later ones win, and each value
//! remembers where it came from.

mod document;
mod environment;
mod file;
mod flags;
mod kind;
mod known;
mod show;
mod store;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use stepwell_server::ServerConfig;
use toml::Value;

use crate::error::{Error, Result};

pub use document::configuration_page;
pub use environment::CLIENT_NAMES;
pub use flags::SettingFlags;
pub use kind::Kind;
pub use known::{SETTINGS, Setting, default_of, find};
pub use show::{Row, rows, rows_json, rows_text};
pub use store::StoreUrl;

/// The file that is read if it is there and no other is named.
pub const FILE_NAME: &str = "stepwell.toml";

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File { path: PathBuf, line: usize },
    Environment { name: String },
    Flag { flag: &'static str },
}

/// The parts of a setting's name: `access`, `admin_token`.
pub type Path = Vec<String>;

/// A value that somebody set.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub value: Value,
    pub from: Origin,
}

/// Where settings are looked for.
#[derive(Debug, Default)]
pub struct Sources {
    /// The folder whose `stepwell.toml` is read.
    pub dir: PathBuf,
    /// Read instead of that; it must be there.
    pub config: Option<PathBuf>,
    pub environment: Vec<(OsString, OsString)>,
    /// What was given on the command line, by setting.
    pub flags: Vec<(&'static Setting, Vec<String>)>,
}

/// What is in force.
#[derive(Debug, Clone)]
pub struct Settings {
    pub server: ServerConfig,
    pub store: StoreUrl,
    held: BTreeMap<Path, Held>,
}

impl Sources {
    /// Those of this process.
    pub fn of_process(flags: &SettingFlags) -> Sources {
        Sources {
            dir: PathBuf::new(),
            config: flags.config.clone(),
            environment: std::env::vars_os().collect(),
            flags: flags.given.clone(),
        }
    }
}

impl Settings {
    pub fn load(sources: &Sources) -> Result<Settings> {
        let mut held = BTreeMap::new();
        file::read(sources, &mut held)?;
        environment::read(&sources.environment, &mut held)?;
        for (setting, texts) in &sources.flags {
            let flag = setting.flag.unwrap_or_default();
            let value = setting
                .kind
                .of_texts(texts)
                .map_err(|problem| Error::usage(format!("--{flag}: {problem}")))?;
            held.insert(setting.path(), Held { value, from: Origin::Flag { flag } });
        }
        Settings::of(held)
    }

    fn of(held: BTreeMap<Path, Held>) -> Result<Settings> {
        let mut table = toml::Table::new();
        for (path, held) in &held {
            put(&mut table, path, held.value.clone());
        }
        let store = match table.remove("store") {
            Some(value) => StoreUrl::parse(value.as_str().unwrap_or_default()),
            None => Ok(StoreUrl::default()),
        };
        // Every value was looked at when it was read; what is left are values that lack one another.
        let server = serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
            let path = error.path().to_string();
            let problem = error.into_inner().message().to_owned();
            let place = held
                .iter()
                .find(|(held, _)| held.join(".").starts_with(&path))
                .map(|(_, held)| held.from.to_string())
                .unwrap_or_default();
            Error::usage(format!("{place}: `{path}`: {problem}"))
        })?;
        Ok(Settings { server, store: store.map_err(Error::usage)?, held })
    }

    /// The names that somebody set.
    pub fn held(&self) -> impl Iterator<Item = (&Path, &Held)> {
        self.held.iter()
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Environment { name } => f.write_str(name),
            Origin::Flag { flag } => write!(f, "--{flag}"),
        }
    }
}

fn put(table: &mut toml::Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [name] => {
            table.insert(name.clone(), value);
        }
        [section, rest @ ..] => {
            let inner =
                table.entry(section.clone()).or_insert_with(|| Value::Table(toml::Table::new()));
            if let Value::Table(inner) = inner {
                put(inner, rest, value);
            }
        }
    }
}

/// A name as it stands in the file: parts that are no plain words in quotes.
pub fn written(path: &[String]) -> String {
    let is_bare = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    let parts: Vec<String> = path
        .iter()
        .map(
            |part| {
                if is_bare(part) { part.clone() } else { Value::from(part.as_str()).to_string() }
            },
        )
        .collect();
    parts.join(".")
}

#[cfg(test)]
mod tests;
