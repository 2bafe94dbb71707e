//! The files of the workspace, and what cargo says about it.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The working tree that this crate lies in.
pub struct Tree {
    pub root: PathBuf,
}

impl Tree {
    pub fn here() -> io::Result<Tree> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
        Ok(Tree { root })
    }

    /// The text files of our own that are tracked or about to be, by their paths from the root.
    pub fn files(&self) -> io::Result<Vec<(String, String)>> {
        let args = ["ls-files", "--cached", "--others", "--exclude-standard"];
        let listed = output(Command::new("git").args(args).current_dir(&self.root))?;
        let mut files = Vec::new();
        for path in listed.lines().filter(|path| !is_vendored(path)) {
            // What is deleted but still tracked, or is no text, is none of our business.
            if let Ok(text) = std::fs::read_to_string(self.root.join(path)) {
                files.push((path.to_owned(), text));
            }
        }
        files.sort();
        files.dedup();
        Ok(files)
    }

    pub fn read(&self, path: &str) -> io::Result<String> {
        std::fs::read_to_string(self.root.join(path))
    }

    /// The members of the workspace.
    pub fn members(&self) -> io::Result<Value> {
        self.metadata(&["--no-deps"])
    }

    /// Everything that is built for this machine.
    pub fn packages(&self) -> io::Result<Value> {
        let about = output(Command::new("rustc").arg("-vV"))?;
        let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        self.metadata(&["--locked", "--filter-platform", host])
    }

    fn metadata(&self, args: &[&str]) -> io::Result<Value> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["metadata", "--format-version", "1"]).args(args).current_dir(&self.root);
        Ok(serde_json::from_str(&output(&mut command)?)?)
    }
}

/// Whether others wrote it. How they write is not ours to judge.
fn is_vendored(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|folder| folder == "vendor")
}

fn output(command: &mut Command) -> io::Result<String> {
    let done = command.output()?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(io::Error::other(format!("{command:?} failed: {said}")));
    }
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_folder_of_vendored_code_is_not_ours() {
        assert!(is_vendored("crates/a/vendor/b/c.js"));
        assert!(is_vendored("vendor/b.js"));
        assert!(!is_vendored("crates/vendor.rs"));
        assert!(!is_vendored("crates/vendors/a.rs"));
        assert!(!is_vendored("crates/a/vendor"));
    }
}
