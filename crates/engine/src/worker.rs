//! A worker: the thread that run tasks live on.
//!
//! ```text
//!   Schedule --- Take(run) ---> work() --- spawns ---> RunTask, RunTask, ...   (one thread)
//!            --- Close ------->    ^                        |
//!                                  +------ ended, panicked -+
//! ```
//!
//! Workflow futures stay on their thread, so a run stays on its worker while it is in memory.

use std::collections::HashMap;
use std::sync::Arc;

use stepwell_journal::RunId;
use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};

use crate::run_task::RunTask;
use crate::schedule::{Assignment, Command, Verdict};
use crate::shared::Shared;
use crate::waiters::Loss;

enum Happening {
    Command(Option<Command>),
    TaskEnded(Result<(Id, ()), JoinError>),
}

/// Runs until it is closed and its last run has left. Must be called within a `LocalSet`.
pub(crate) async fn work(
    shared: Arc<Shared>,
    worker: usize,
    mut commands: mpsc::UnboundedReceiver<Command>,
) {
    let mut tasks = JoinSet::new();
    let mut runs = HashMap::new();
    let mut closing = false;
    while !closing || !tasks.is_empty() {
        let happening = tokio::select! {
            biased;
            Some(ended) = tasks.join_next_with_id() => Happening::TaskEnded(ended),
            command = commands.recv(), if !closing => Happening::Command(command),
        };
        match happening {
            Happening::Command(Some(Command::Take(assignment))) => {
                let run = assignment.run;
                let task = begin(&shared, worker, assignment);
                runs.insert(tasks.spawn_local(task).id(), run);
            }
            Happening::Command(Some(Command::Close) | None) => closing = true,
            Happening::TaskEnded(Ok((task, ()))) => {
                runs.remove(&task);
            }
            Happening::TaskEnded(Err(error)) => {
                if let Some(run) = runs.remove(&error.id())
                    && error.is_panic()
                {
                    quarantine(&shared, run, error);
                }
            }
        }
    }
}

fn begin(
    shared: &Arc<Shared>,
    worker: usize,
    mut assignment: Assignment,
) -> impl Future<Output = ()> + use<> {
    let fresh = assignment.fresh.take();
    RunTask::new(Arc::clone(shared), worker, assignment).run(fresh)
}

/// Workflow code cannot get here, its panics are caught below: this is the engine's own fault, and it
/// must hurt this run only.
fn quarantine(shared: &Shared, run: RunId, error: JoinError) {
    let problem = match error.try_into_panic() {
        Ok(panic) => panic_text(&*panic),
        Err(error) => error.to_string(),
    };
    tracing::error!(%run, problem, "the task of a run panicked");
    if shared.schedule.panicked(run, &problem) == Verdict::Quarantined {
        shared.admission.given_up(run, &shared.schedule, shared.clock.now());
        shared.waiters.lost(run, &Loss::Quarantined(problem));
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_owned();
    }
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic without text".to_owned())
}
