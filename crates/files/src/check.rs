//! Looking at files without an engine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stepwell_sequence::ts::{Loaded, TsRuntime};
use stepwell_sequence::{DIALECT, Problem, Problems};

use crate::files::{absolute, project_of};
use crate::folder::whole_snapshot;

/// What there is to say of one file.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedFile {
    pub file: String,
    /// The workflows that it defines; none if it is one that others import.
    pub workflows: Vec<CheckedWorkflow>,
    pub problems: Vec<Problem>,
}

#[derive(Debug, Clone, Serialize)]
pub struct CheckedWorkflow {
    pub name: String,
    pub version: String,
    pub n_steps: usize,
    pub has_input_schema: bool,
    /// Nested workflows that none of the files defines: the server must have them.
    pub needs: Vec<String>,
}

/// Loads files, and all files of folders, with their plans and schemas. Everything that is wrong comes back at once.
pub async fn check_files(
    runtime: &TsRuntime,
    paths: &[PathBuf],
) -> Result<Vec<CheckedFile>, Problems> {
    let mut files = BTreeSet::new();
    for path in paths {
        let path = absolute(path);
        if path.is_dir() {
            let found = whole_snapshot(&path).map_err(|error| {
                Problem::new(format!("the folder {} cannot be read: {error}", path.display()))
            })?;
            files.extend(found.into_keys().map(|file| (path.clone(), file)));
        } else if path.is_file() {
            let folder = path.parent().map(Path::to_owned).unwrap_or_default();
            files.insert((folder, path));
        } else {
            return Err(Problem::new(format!("{} is not there", path.display())).into());
        }
    }
    let mut all = Vec::new();
    for (folder, file) in files {
        let loaded = runtime.load_file(&project_of(&folder), &file).await;
        all.push((file, loaded));
    }
    let names: BTreeSet<String> = all
        .iter()
        .filter_map(|(_, loaded)| loaded.as_ref().ok())
        .flatten()
        .map(|loaded| loaded.name().to_owned())
        .collect();
    Ok(all.into_iter().map(|(file, loaded)| checked(&file, loaded, &names)).collect())
}

fn checked(
    file: &Path,
    loaded: Result<Vec<Loaded>, Problems>,
    names: &BTreeSet<String>,
) -> CheckedFile {
    let file = file.display().to_string();
    match loaded {
        Ok(loaded) => {
            let workflows = loaded.into_iter().map(|one| workflow(one, names)).collect();
            CheckedFile { file, workflows, problems: Vec::new() }
        }
        Err(Problems(problems)) => CheckedFile { file, workflows: Vec::new(), problems },
    }
}

fn workflow(mut loaded: Loaded, names: &BTreeSet<String>) -> CheckedWorkflow {
    let needs = std::cell::RefCell::new(BTreeSet::new());
    let known = |name: &str| {
        if !names.contains(name) {
            needs.borrow_mut().insert(name.to_owned());
        }
        Some(DIALECT.to_owned())
    };
    // Every name is found, because those that are not are noted.
    let _ = loaded.resolve(known);
    CheckedWorkflow {
        name: loaded.name().to_owned(),
        version: loaded.version().to_owned(),
        n_steps: loaded.plan().n_steps(),
        has_input_schema: loaded.input_schema().is_some(),
        needs: needs.into_inner().into_iter().collect(),
    }
}
