//! A folder of files, and what changes in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use stepwell_sequence::{Problem, Problems};

use crate::files::{KnownFile, RegisterFileError, Registered, WorkflowFiles, absolute, project_of};

/// The most files that are looked at in one folder.
pub const FILES_MAX: usize = 10_000;

/// How often a folder is looked at. Works on every file system, network ones included.
pub const WATCH_EVERY: Duration = Duration::from_millis(500);

/// How deep folders are looked into.
const DEPTH_MAX: usize = 16;

/// What a look at a folder changed.
#[derive(Debug, Default)]
pub struct Reloaded {
    /// New workflows and new versions.
    pub registered: Vec<(PathBuf, Registered)>,
    /// Workflows that no file defines any more.
    pub removed: Vec<Registered>,
    /// Files that do not load.
    pub failed: Vec<(PathBuf, Problems)>,
}

/// Each source file below a folder, with what tells that it changed.
pub(crate) type Snapshot = BTreeMap<PathBuf, (Option<SystemTime>, u64)>;

impl WorkflowFiles {
    /// Registers what the files of a folder, and those below it, define. Files without `steps` are taken for ones that
    /// others import. One that does not load keeps no other from being registered.
    pub async fn register_directory(&self, folder: impl AsRef<Path>) -> io::Result<Reloaded> {
        let folder = absolute(folder.as_ref());
        // Taken before anything is read: what changes meanwhile is seen by the watch.
        let all = snapshot(&project_of(&folder))?;
        let files = whole_snapshot(&folder)?;
        self.seen.lock().insert(folder.clone(), all);
        let changed = files.keys().cloned().collect();
        Ok(self.reload(&folder, &files, &changed).await)
    }

    /// Looks after a folder until this is dropped. What changed since it was registered is registered again, and said to
    /// `told`.
    pub async fn watch(&self, folder: impl AsRef<Path>, mut told: impl FnMut(Reloaded)) {
        let folder = absolute(folder.as_ref());
        let mut before = self.seen.lock().get(&folder).cloned().unwrap_or_default();
        let mut every = tokio::time::interval(WATCH_EVERY);
        every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            // A folder that cannot be read for a moment has not lost its files.
            let Ok(now) = snapshot(&project_of(&folder)) else { continue };
            if now == before {
                continue;
            }
            let is_new = |(path, mark): &(&PathBuf, &_)| before.get(*path) != Some(*mark);
            let mut changed: BTreeSet<PathBuf> =
                now.iter().filter(is_new).map(|(path, _)| path.clone()).collect();
            changed.extend(before.keys().filter(|path| !now.contains_key(*path)).cloned());
            let own = now.clone().into_iter().filter(|(path, _)| path.starts_with(&folder));
            told(self.reload(&folder, &own.collect(), &changed).await);
            before = now;
        }
    }

    async fn reload(
        &self,
        folder: &Path,
        files: &Snapshot,
        changed: &BTreeSet<PathBuf>,
    ) -> Reloaded {
        let mut reloaded = Reloaded { removed: self.forget(folder, files), ..Reloaded::default() };
        let root = project_of(folder);
        let mut loaded = Vec::new();
        for file in files.keys().filter(|file| self.is_touched(file, changed)) {
            match self.runtime().load_file(&root, file).await {
                Ok(workflows) => loaded.push((file, workflows)),
                Err(problems) => reloaded.failed.push((file.clone(), problems)),
            }
        }
        // Workflows may nest each other by name, whichever comes first.
        let peers: BTreeSet<String> = loaded
            .iter()
            .flat_map(|(_, workflows)| workflows)
            .map(|workflow| workflow.name().to_owned())
            .collect();
        for (file, workflows) in loaded {
            let before: Vec<Registered> = self
                .known
                .lock()
                .get(file)
                .map(|known| known.workflows.clone())
                .unwrap_or_default();
            match self.take(&root, file, workflows, &peers).await {
                Ok(registered) => {
                    let is_new = |workflow: &Registered| !before.contains(workflow);
                    let new = registered.into_iter().filter(is_new);
                    reloaded.registered.extend(new.map(|workflow| (file.clone(), workflow)));
                }
                Err(RegisterFileError::Problems(problems)) => {
                    reloaded.failed.push((file.clone(), problems));
                }
                Err(error @ RegisterFileError::Store(_)) => {
                    reloaded.failed.push((file.clone(), Problem::new(error.to_string()).into()));
                }
            }
        }
        let mut known = self.known.lock();
        for (file, problems) in &reloaded.failed {
            known.entry(file.clone()).or_default().problems = Some(problems.clone());
        }
        reloaded
    }

    /// Lets go of files that are gone.
    fn forget(&self, folder: &Path, files: &Snapshot) -> Vec<Registered> {
        let is_gone = |file: &PathBuf| {
            file.starts_with(folder) && !files.contains_key(file) && !file.exists()
        };
        let mut known = self.known.lock();
        let gone: Vec<PathBuf> = known.keys().filter(|file| is_gone(file)).cloned().collect();
        let gone: Vec<KnownFile> = gone.iter().filter_map(|file| known.remove(file)).collect();
        let removed: Vec<Registered> = gone.into_iter().flat_map(|file| file.workflows).collect();
        for workflow in &removed {
            self.engine.unregister(None, &workflow.name);
        }
        removed
    }

    /// Whether a file has to be loaded again: it or a part of it changed, or it did not load.
    fn is_touched(&self, file: &Path, changed: &BTreeSet<PathBuf>) -> bool {
        if changed.contains(file) {
            return true;
        }
        let known = self.known.lock();
        known.get(file).is_some_and(|known| {
            known.problems.is_some() || known.parts.iter().any(|part| changed.contains(part))
        })
    }
}

pub(crate) fn snapshot(folder: &Path) -> io::Result<Snapshot> {
    let mut files = Snapshot::new();
    look_into(folder, 0, &mut files)?;
    Ok(files)
}

/// The same of a folder whose files are all to be workflows: an error if there are too many.
pub(crate) fn whole_snapshot(folder: &Path) -> io::Result<Snapshot> {
    let files = snapshot(folder)?;
    if files.len() > FILES_MAX {
        let said = format!("it has more than FILES_MAX = {FILES_MAX} files");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, said));
    }
    Ok(files)
}

fn look_into(folder: &Path, depth: usize, files: &mut Snapshot) -> io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with('.') || name == "node_modules" || files.len() > FILES_MAX {
            continue;
        }
        // A file may be gone since the folder was read.
        let Ok(about) = std::fs::metadata(&path) else { continue };
        if about.is_dir() && depth < DEPTH_MAX {
            // A folder below that cannot be read holds nothing for us.
            let _ = look_into(&path, depth + 1, files);
        } else if about.is_file() && is_source(&name) {
            files.insert(path, (about.modified().ok(), about.len()));
        }
    }
    Ok(())
}

/// Not declarations of types, nor tests.
fn is_source(name: &str) -> bool {
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    matches!(end, "ts" | "mts" | "js" | "mjs")
        && ![".d", ".test", ".spec", ".config"].iter().any(|mark| stem.ends_with(mark))
}
