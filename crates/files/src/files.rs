//! Files, and what they make known to an engine.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::Serialize;
use stepwell_engine::{DEFAULT_NAMESPACE, Engine, RegisterError};
use stepwell_sequence::ts::{Loaded, TsOptions, TsRuntime};
use stepwell_sequence::{DIALECT, Problem, Problems};
use stepwell_store::DocumentError;

use crate::folder::Snapshot;
use crate::kept::KeptVersions;

/// Names of files that mark a project's folder: imports may reach everything below it.
const PROJECT_MARKS: [&str; 3] = ["package.json", "tsconfig.json", "stepwell.toml"];

/// The workflows of files, registered with an engine. Cheap to clone.
#[derive(Clone)]
pub struct WorkflowFiles {
    pub(crate) engine: Engine,
    pub(crate) kept: KeptVersions,
    pub(crate) known: Arc<Mutex<BTreeMap<PathBuf, KnownFile>>>,
    /// Folders as they were when they were registered.
    pub(crate) seen: Arc<Mutex<BTreeMap<PathBuf, Snapshot>>>,
}

/// A file that was loaded, or could not be.
#[derive(Default)]
pub(crate) struct KnownFile {
    /// What it registered.
    pub workflows: Vec<Registered>,
    /// Every file that it is made of.
    pub parts: BTreeSet<PathBuf>,
    /// Why its text of today is not what is registered.
    pub problems: Option<Problems>,
}

/// A workflow that a file registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registered {
    pub name: String,
    pub version: String,
}

/// A file whose text of today does not load. What it registered before stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileTrouble {
    pub file: String,
    /// What is still registered of it; empty if it never loaded.
    pub workflows: Vec<Registered>,
    pub problems: Problems,
}

/// Why a file's workflows were not registered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterFileError {
    /// Mend the file.
    #[error("{0}")]
    Problems(#[from] Problems),
    /// Nothing was registered. Try again when the store answers.
    #[error("the version could not be kept")]
    Store(#[source] DocumentError),
}

impl WorkflowFiles {
    /// Older versions that are kept in the engine's store can be found from here on.
    pub fn new(engine: &Engine, options: TsOptions) -> std::io::Result<WorkflowFiles> {
        let runtime = TsRuntime::new(options)?;
        let kept = KeptVersions { store: Arc::clone(engine.store()), runtime };
        engine.add_definitions(kept.clone());
        let (known, seen) = (Arc::default(), Arc::default());
        Ok(WorkflowFiles { engine: engine.clone(), kept, known, seen })
    }

    pub fn runtime(&self) -> &TsRuntime {
        &self.kept.runtime
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Registers what one file defines.
    pub async fn register_file(
        &self,
        file: impl AsRef<Path>,
    ) -> Result<Vec<Registered>, RegisterFileError> {
        let file = absolute(file.as_ref());
        let folder = file.parent().map(Path::to_owned).unwrap_or_default();
        let root = project_of(&folder);
        let loaded = self.runtime().load_file(&root, &file).await?;
        if loaded.is_empty() {
            let said = format!(
                "{} is no workflow: it has no `export const steps = [...]`",
                file.display()
            );
            return Err(Problems::from(Problem::new(said)).into());
        }
        self.take(&root, &file, loaded, &BTreeSet::new()).await
    }

    /// Files whose text of today does not load.
    pub fn troubles(&self) -> Vec<FileTrouble> {
        let known = self.known.lock();
        let trouble = |(file, known): (&PathBuf, &KnownFile)| {
            let problems = known.problems.clone()?;
            let workflows = known.workflows.clone();
            Some(FileTrouble { file: file.display().to_string(), workflows, problems })
        };
        known.iter().filter_map(trouble).collect()
    }

    /// Keeps and registers what a file defines. `peers` are workflows that are about to be registered.
    pub(crate) async fn take(
        &self,
        root: &Path,
        file: &Path,
        mut loaded: Vec<Loaded>,
        peers: &BTreeSet<String>,
    ) -> Result<Vec<Registered>, RegisterFileError> {
        let mut parts = BTreeSet::new();
        for loaded in &mut loaded {
            self.check_name(file, loaded.name())?;
            let own = loaded.name().to_owned();
            loaded.resolve(|name| {
                if peers.contains(name) || name == own {
                    return Some(DIALECT.to_owned());
                }
                let known = self.engine.workflow(DEFAULT_NAMESPACE, name);
                known.map(|workflow| workflow.dialect().to_owned())
            })?;
            parts.extend(loaded.sources().files().keys().map(|path| root.join(path)));
        }
        let mut workflows = Vec::new();
        for loaded in &loaded {
            let now = self.engine.clock().now();
            self.kept.keep(loaded, now).await.map_err(RegisterFileError::Store)?;
            let (name, version) = (loaded.name().to_owned(), loaded.version().to_owned());
            let current = self.engine.workflow(DEFAULT_NAMESPACE, &name);
            if current.is_none_or(|current| current.version() != version) {
                self.engine.register(loaded.workflow()).map_err(refused)?;
            }
            workflows.push(Registered { name, version });
        }
        let known = KnownFile { workflows: workflows.clone(), parts, problems: None };
        let before = self.known.lock().insert(file.to_owned(), known);
        for gone in before.into_iter().flat_map(|before| before.workflows) {
            if !workflows.iter().any(|workflow| workflow.name == gone.name) {
                self.engine.unregister(None, &gone.name);
            }
        }
        Ok(workflows)
    }

    /// A name belongs to one file.
    fn check_name(&self, file: &Path, name: &str) -> Result<(), Problems> {
        let known = self.known.lock();
        let other = known.iter().find(|(other, known)| {
            other.as_path() != file && known.workflows.iter().any(|workflow| workflow.name == name)
        });
        let Some((other, _)) = other else { return Ok(()) };
        let said = format!(
            "workflow `{name}` of {} is defined by {} already: give one of them another `name`",
            file.display(),
            other.display()
        );
        Err(Problem::new(said).into())
    }
}

fn refused(error: RegisterError) -> Problems {
    Problem::new(error.to_string()).into()
}

/// The folder that imports may reach: the nearest that is a project's, or the one itself.
pub(crate) fn project_of(folder: &Path) -> PathBuf {
    let is_project = |folder: &&Path| PROJECT_MARKS.iter().any(|mark| folder.join(mark).is_file());
    folder.ancestors().find(is_project).unwrap_or(folder).to_owned()
}

pub(crate) fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().or_else(|_| std::path::absolute(path)).unwrap_or_else(|_| path.to_owned())
}
