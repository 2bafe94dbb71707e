//! The texts that a definition is made of.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stepwell_script::js::{Bundle, BundleLimits, Directory, ModuleSource, join};

use super::library::library;
use crate::problem::{Problem, Problems};

/// The most bytes that the texts of one definition may have, nested files included.
pub const SOURCES_BYTES_MAX: usize = 4 << 20;

/// A file that defines workflows, the files that it nests, and all that they import. Keeps what is needed to make the
/// same workflows again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sources {
    /// The file, relative to the project's root.
    pub(super) entry: String,
    /// The entry and the nested files, each with what it imports.
    pub(super) units: BTreeMap<String, Bundle>,
    /// The nested workflows that were found by name, and whether they are sequences.
    #[serde(default)]
    pub(super) runs: BTreeMap<String, bool>,
}

impl Sources {
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// Every file by its path, as it was read.
    pub fn files(&self) -> BTreeMap<&str, &str> {
        let files = self.units.values().flat_map(|unit| unit.files());
        files.map(|(path, text)| (path.as_str(), text.as_str())).collect()
    }

    /// A hash of every text.
    pub(super) fn hash(&self, root: &str) -> String {
        let mut sha = Sha256::new();
        let mut add = |text: &str| {
            sha.update((text.len() as u64).to_le_bytes());
            sha.update(text);
        };
        add(root);
        add(&self.entry);
        for (path, unit) in &self.units {
            add(path);
            add(&unit.hash());
        }
        sha.finalize().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
    }

    pub(super) fn check_size(&self) -> Result<(), Problems> {
        let n_bytes: usize = self.files().values().map(|text| text.len()).sum();
        if n_bytes <= SOURCES_BYTES_MAX {
            return Ok(());
        }
        let said = format!(
            "the files of {} have {n_bytes} bytes, more than SOURCES_BYTES_MAX = {SOURCES_BYTES_MAX}",
            self.entry
        );
        Err(Problem::new(said).into())
    }
}

/// Where units come from: a folder, or what was kept.
pub(super) enum Shelf<'a> {
    Disk(Directory, BundleLimits),
    Kept(&'a Sources),
}

impl Shelf<'_> {
    pub fn disk(root: &Path, limits: BundleLimits) -> Result<Shelf<'static>, Problems> {
        let directory = Directory::new(root).map_err(|error| {
            Problem::new(format!("the folder {} cannot be opened: {error}", root.display()))
        })?;
        Ok(Shelf::Disk(directory, limits))
    }

    pub fn unit(&self, path: &str) -> Result<Bundle, Problems> {
        match self {
            Shelf::Disk(directory, limits) => {
                Ok(Bundle::collect(path, directory, library(), *limits)?)
            }
            Shelf::Kept(sources) => sources
                .units
                .get(path)
                .cloned()
                .ok_or_else(|| Problem::new(format!("{path} was not kept")).into()),
        }
    }

    fn exists(&self, path: &str) -> bool {
        match self {
            // One that is too large is there, too.
            Shelf::Disk(directory, _) => !matches!(directory.read(path, 0), Ok(None)),
            Shelf::Kept(sources) => sources.units.contains_key(path),
        }
    }

    /// The file that `workflow('./payment')` in another file means.
    pub fn resolve(&self, importer: &str, target: &str) -> Result<String, String> {
        let path = join(importer, target)
            .ok_or_else(|| format!("`{target}` is outside of the project's folder"))?;
        let ends = ["", ".ts", ".mts", ".js", ".mjs", "/index.ts", "/index.js"];
        let candidates = ends.map(|end| format!("{path}{end}"));
        let is_source =
            |path: &str| [".ts", ".mts", ".js", ".mjs"].iter().any(|end| path.ends_with(end));
        let found = candidates.iter().find(|path| is_source(path) && self.exists(path));
        found.cloned().ok_or_else(|| {
            let looked: Vec<&str> =
                candidates.iter().map(String::as_str).filter(|path| is_source(path)).collect();
            format!("the nested workflow `{target}` is not there: looked for {}", looked.join(", "))
        })
    }
}
