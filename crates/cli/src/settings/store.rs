//! Which store: `sqlite:PATH`, or `postgres://...`.

use std::path::{Path, PathBuf};

/// Where everything is kept. Not to be printed but with its `Display`: an address may hold a password.
#[derive(Clone, PartialEq, Eq)]
pub enum StoreUrl {
    Sqlite(PathBuf),
    /// The address as it was given.
    Postgres(String),
}

impl StoreUrl {
    pub fn parse(text: &str) -> Result<StoreUrl, String> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(StoreUrl::Postgres(text.to_owned()));
        }
        let Some(path) = text.strip_prefix("sqlite:") else {
            return Err(format!(
                "`{text}` is no store: give sqlite:PATH, such as sqlite:stepwell.db, or postgres://USER@HOST/DATABASE"
            ));
        };
        // Both spellings of an absolute path are in use elsewhere.
        let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
        if path.is_empty() || path.starts_with(':') || path.starts_with("//") {
            return Err(format!(
                "`{text}` names no file: give sqlite:PATH, such as sqlite:stepwell.db"
            ));
        }
        Ok(StoreUrl::Sqlite(path.into()))
    }

    /// The file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            StoreUrl::Sqlite(path) => Some(path),
            StoreUrl::Postgres(_) => None,
        }
    }
}

impl Default for StoreUrl {
    fn default() -> StoreUrl {
        StoreUrl::Sqlite("stepwell.db".into())
    }
}

impl std::fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StoreUrl::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            StoreUrl::Postgres(address) => f.write_str(&without_secrets(address)),
        }
    }
}

impl std::fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

/// The address without its password, and without what follows a question mark, where another may be.
fn without_secrets(address: &str) -> String {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    // The last one: a password may have this sign in it.
    match rest.rsplit_once('@') {
        Some((who, place)) => {
            let user = who.split(':').next().unwrap_or_default();
            format!("{scheme}://{user}@{place}")
        }
        None => address.to_owned(),
    }
}
