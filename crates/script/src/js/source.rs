//! Where files come from, and which file an import means.
//!
//! Paths are relative to a root, with `/` between names, without `.` and `..`: `steps/tree-steps.ts`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files by their path.
pub trait ModuleSource {
    /// The text of a file; `None` if there is no such file. `bytes_max` bounds what is read.
    fn read(&self, path: &str, bytes_max: usize) -> Result<Option<String>, SourceError>;
}

/// Why a file that is there was not read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("it is outside {root}, through a symbolic link")]
    Outside { root: String },
    #[error("it has more than {bytes_max} bytes")]
    TooLarge { bytes_max: usize },
    #[error("it is not UTF-8 text")]
    NotText,
    #[error("it could not be read")]
    Unreadable(#[source] io::Error),
}

impl ModuleSource for BTreeMap<String, String> {
    fn read(&self, path: &str, bytes_max: usize) -> Result<Option<String>, SourceError> {
        match self.get(path) {
            Some(text) if text.len() > bytes_max => Err(SourceError::TooLarge { bytes_max }),
            text => Ok(text.cloned()),
        }
    }
}

/// Files below a directory. What lies outside is never read, whatever links point to it.
#[derive(Debug, Clone)]
pub struct Directory {
    root: PathBuf,
}

impl Directory {
    pub fn new(root: &Path) -> io::Result<Directory> {
        Ok(Directory { root: root.canonicalize()? })
    }

    /// The path of a file relative to the root, for a file that is below it.
    pub fn relative(&self, file: &Path) -> Option<String> {
        let file = file.canonicalize().ok()?;
        let names = file.strip_prefix(&self.root).ok()?.components();
        let names: Option<Vec<&str>> = names.map(|name| name.as_os_str().to_str()).collect();
        Some(names?.join("/"))
    }
}

impl ModuleSource for Directory {
    fn read(&self, path: &str, bytes_max: usize) -> Result<Option<String>, SourceError> {
        let file = match self.root.join(path).canonicalize() {
            Ok(file) => file,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(SourceError::Unreadable(error)),
        };
        if !file.starts_with(&self.root) {
            return Err(SourceError::Outside { root: self.root.display().to_string() });
        }
        if !file.is_file() {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        fs::File::open(&file)
            .and_then(|file| file.take(bytes_max as u64 + 1).read_to_end(&mut bytes))
            .map_err(SourceError::Unreadable)?;
        if bytes.len() > bytes_max {
            return Err(SourceError::TooLarge { bytes_max });
        }
        String::from_utf8(bytes).map(Some).map_err(|_| SourceError::NotText)
    }
}

/// Also a path that goes on below a file.
fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Where an import of a file points to, before extensions are tried. `None` if that is above the root.
pub fn join(importer: &str, specifier: &str) -> Option<String> {
    let mut names: Vec<&str> = importer.split('/').collect();
    names.pop();
    for name in specifier.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

/// The files that an import may mean, in the order in which they are looked for.
pub(super) fn candidates(path: &str) -> Vec<String> {
    let mut candidates = Vec::new();
    if super::syntax::Language::of_path(path).is_some() {
        candidates.push(path.to_owned());
    }
    // `./x.js` is how TypeScript wants `x.ts` to be imported.
    for (from, to) in [(".js", ".ts"), (".mjs", ".mts")] {
        candidates.extend(path.strip_suffix(from).map(|stem| format!("{stem}{to}")));
    }
    candidates.extend([".ts", ".mts", ".js", ".mjs", ".json"].map(|end| format!("{path}{end}")));
    let directory = if path.is_empty() { String::new() } else { format!("{path}/") };
    candidates.extend(["index.ts", "index.js"].map(|name| format!("{directory}{name}")));
    candidates
}

pub(super) fn is_relative(specifier: &str) -> bool {
    specifier == "." || specifier == ".." || ["./", "../"].iter().any(|p| specifier.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_joined_to_the_importer() {
        let check = |importer, specifier| join(importer, specifier).unwrap();
        assert_eq!(check("flows/a.ts", "./b"), "flows/b");
        assert_eq!(check("flows/a.ts", "../steps/./tree.ts"), "steps/tree.ts");
        assert_eq!(check("a.ts", "./steps//tree"), "steps/tree");
        assert_eq!(check("flows/a.ts", ".."), "");
        assert_eq!(join("a.ts", "../b"), None);
        assert_eq!(join("flows/a.ts", "../../b"), None);
    }

    #[test]
    fn the_file_itself_comes_first_then_extensions_then_the_index() {
        assert_eq!(
            candidates("x"),
            ["x.ts", "x.mts", "x.js", "x.mjs", "x.json", "x/index.ts", "x/index.js"]
        );
        assert_eq!(candidates("x.js")[..2], ["x.js", "x.ts"]);
        assert_eq!(candidates("").last().unwrap(), "index.js");
    }
}
