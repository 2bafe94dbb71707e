//! Which module an import means: a file of the bundle, or one that is built in.

use super::library::{INTERNAL_PREFIX, Library};
use super::source::{candidates, is_relative, join};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Resolved {
    File(String),
    Builtin(String),
}

impl Resolved {
    pub(super) fn into_name(self) -> String {
        match self {
            Resolved::File(name) | Resolved::Builtin(name) => name,
        }
    }
}

/// `exists` says whether there is such a file, or why it may not be used. The error is a sentence for
/// the author.
pub(super) fn resolve(
    importer: &str,
    specifier: &str,
    library: &Library,
    exists: &mut dyn FnMut(&str) -> Result<bool, String>,
) -> Result<Resolved, String> {
    if !is_relative(specifier) {
        return match library.canonical(specifier) {
            Some(name) if !name.starts_with(INTERNAL_PREFIX) => {
                Ok(Resolved::Builtin(name.to_owned()))
            }
            _ => Err(not_importable(specifier, library)),
        };
    }
    let Some(path) = join(importer, specifier) else {
        return Err(format!("`{specifier}` is outside the project"));
    };
    let candidates = candidates(&path);
    for candidate in &candidates {
        match exists(candidate) {
            Ok(true) => return Ok(Resolved::File(candidate.clone())),
            Ok(false) => {}
            Err(reason) => return Err(format!("`{specifier}` cannot be imported: {reason}")),
        }
    }
    Err(format!("`{specifier}` is not there: looked for {}", candidates.join(", ")))
}

fn not_importable(specifier: &str, library: &Library) -> String {
    let names = library.public_names().join("`, `");
    format!(
        "`{specifier}` cannot be imported: there are no packages here, only files of the project \
         (`./{}`) and `{names}`",
        specifier.rsplit('/').next().unwrap_or(specifier),
    )
}
