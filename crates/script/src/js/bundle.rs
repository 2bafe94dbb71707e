//! A definition with everything that it imports: the files, whole, so that they can be stored and run
//! again as they were.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::library::Library;
use super::resolve::{Resolved, resolve};
use super::source::{Directory, ModuleSource, SourceError};
use super::stack::on_parser_stack;
use super::syntax::{Import, Language, compile_error, parse};
use super::text::at_offset;
use crate::ScriptError;

/// Bounds of what one definition may bring along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundleLimits {
    pub files_max: usize,
    pub file_bytes_max: usize,
    pub total_bytes_max: usize,
}

impl BundleLimits {
    /// 256 files, 1 MB each, 4 MB in all.
    pub const DEFAULT: BundleLimits =
        BundleLimits { files_max: 256, file_bytes_max: 1 << 20, total_bytes_max: 4 << 20 };
}

impl Default for BundleLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// An entry file and the files that it needs at run time, by path. Files of which only types are used
/// are not among them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    entry: String,
    files: BTreeMap<String, String>,
}

impl Bundle {
    /// One file that imports no other.
    pub fn single(file: impl Into<String>, text: impl Into<String>) -> Bundle {
        let entry = file.into();
        Bundle { files: BTreeMap::from([(entry.clone(), text.into())]), entry }
    }

    /// Reads the entry and, from it, everything that it imports. All errors come back at once.
    pub fn collect(
        entry: &str,
        source: &(dyn ModuleSource + Sync),
        library: &Library,
        limits: BundleLimits,
    ) -> Result<Bundle, Vec<ScriptError>> {
        on_parser_stack(|| {
            let mut collector = Collector {
                source,
                library,
                limits,
                files: BTreeMap::new(),
                waiting: VecDeque::new(),
                errors: Vec::new(),
                n_bytes: 0,
            };
            collector.collect(entry);
            if !collector.errors.is_empty() {
                return Err(collector.errors);
            }
            Ok(Bundle { entry: entry.to_owned(), files: collector.files })
        })
    }

    /// [`collect`](Self::collect)s from a directory. Nothing outside `root` is read.
    pub fn from_disk(
        root: &Path,
        entry: &Path,
        library: &Library,
        limits: BundleLimits,
    ) -> Result<Bundle, Vec<ScriptError>> {
        let directory = Directory::new(root).map_err(|error| {
            vec![compile_error(format!("cannot open the directory {}: {error}", root.display()))]
        })?;
        let Some(path) = directory.relative(entry) else {
            let message = if entry.exists() {
                format!("{} is not below {}", entry.display(), root.display())
            } else {
                format!("there is no file {}", entry.display())
            };
            return Err(vec![compile_error(message)]);
        };
        Bundle::collect(&path, &directory, library, limits)
    }

    pub fn entry(&self) -> &str {
        &self.entry
    }

    pub fn files(&self) -> &BTreeMap<String, String> {
        &self.files
    }

    /// The version of the definition: a SHA-256 of all paths and texts, in hexadecimal.
    pub fn hash(&self) -> String {
        let mut sha = Sha256::new();
        let mut add = |text: &str| {
            // The length keeps ("ab", "c") and ("a", "bc") apart.
            sha.update((text.len() as u64).to_le_bytes());
            sha.update(text);
        };
        add(&self.entry);
        for (path, text) in &self.files {
            add(path);
            add(text);
        }
        sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

struct Collector<'a> {
    source: &'a dyn ModuleSource,
    library: &'a Library,
    limits: BundleLimits,
    files: BTreeMap<String, String>,
    waiting: VecDeque<String>,
    errors: Vec<ScriptError>,
    n_bytes: usize,
}

impl Collector<'_> {
    fn collect(&mut self, entry: &str) {
        match self.read(entry) {
            Ok(Some(text)) => self.add(entry, text),
            Ok(None) => self.errors.push(compile_error(format!("there is no file {entry}"))),
            Err(message) => self.errors.push(compile_error(format!("{entry}: {message}"))),
        }
        while let Some(path) = self.waiting.pop_front() {
            let text = self.files.get(&path).cloned().unwrap_or_default();
            let Some(language) = Language::of_path(&path) else {
                let message = "only .ts, .mts, .js, .mjs and .json files can be used".to_owned();
                self.errors.push(at_offset(compile_error(message), &path, &text, 0));
                continue;
            };
            match parse(&path, &text, language) {
                Ok(parsed) => {
                    for import in &parsed.imports {
                        self.follow(&path, &text, import);
                    }
                }
                Err(errors) => self.errors.extend(errors),
            }
        }
    }

    fn follow(&mut self, importer: &str, text: &str, import: &Import) {
        let found = resolve(importer, &import.specifier, self.library, &mut |path| {
            if self.files.contains_key(path) {
                return Ok(true);
            }
            let Some(read) = self.read(path)? else { return Ok(false) };
            self.add(path, read);
            Ok(true)
        });
        match found {
            Ok(Resolved::File(_) | Resolved::Builtin(_)) => {}
            Err(message) => {
                self.errors.push(at_offset(compile_error(message), importer, text, import.offset));
            }
        }
    }

    fn read(&self, path: &str) -> Result<Option<String>, String> {
        let read = self.source.read(path, self.limits.file_bytes_max);
        read.map_err(|error| match error {
            SourceError::Unreadable(cause) => format!("it could not be read: {cause}"),
            error => error.to_string(),
        })
    }

    fn add(&mut self, path: &str, text: String) {
        let BundleLimits { files_max, total_bytes_max, .. } = self.limits;
        self.n_bytes += text.len();
        let is_first_over = |n: usize, max: usize, before: usize| n > max && before <= max;
        if is_first_over(self.files.len() + 1, files_max, self.files.len()) {
            let message = format!("{path} is one file too many: {files_max} are allowed");
            self.errors.push(compile_error(message));
        }
        if is_first_over(self.n_bytes, total_bytes_max, self.n_bytes - text.len()) {
            let message = format!("with {path} the files have more than {total_bytes_max} bytes");
            self.errors.push(compile_error(message));
        }
        if self.files.len() < files_max && self.n_bytes <= total_bytes_max {
            // Editors on some systems begin a file with a mark that is no part of it.
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
            self.files.insert(path.to_owned(), text);
            self.waiting.push_back(path.to_owned());
        }
    }
}
