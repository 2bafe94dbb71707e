//! Which store: `sqlite:PATH`.

use std::path::{Path, PathBuf};

/// Where everything is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreUrl {
    path: PathBuf,
}

impl StoreUrl {
    pub fn parse(text: &str) -> Result<StoreUrl, String> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            // The text may hold a password: it is not repeated.
            return Err("this build keeps its data in SQLite only; PostgreSQL comes later: give sqlite:PATH".to_owned());
        }
        let Some(path) = text.strip_prefix("sqlite:") else {
            return Err(format!(
                "`{text}` is no store: give sqlite:PATH, such as sqlite:stepwell.db"
            ));
        };
        // Both spellings of an absolute path are in use elsewhere.
        let path = path.strip_prefix("//").filter(|path| path.starts_with('/')).unwrap_or(path);
        if path.is_empty() || path.starts_with(':') || path.starts_with("//") {
            return Err(format!(
                "`{text}` names no file: give sqlite:PATH, such as sqlite:stepwell.db"
            ));
        }
        Ok(StoreUrl { path: path.into() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Default for StoreUrl {
    fn default() -> StoreUrl {
        StoreUrl { path: "stepwell.db".into() }
    }
}

impl std::fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sqlite:{}", self.path.display())
    }
}
