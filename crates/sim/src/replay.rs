//! Whether a journal leads code to where it led it before: replayed by the kernel alone.

use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use stepwell_journal::{Event, EventKind, Failure, Json, Message, RunId, UnixMillis, render_event};
use stepwell_kernel::{
    ChildError, Execution, Host, Limits, LocalBoxFuture, SendError, Setup, WorkflowVersion,
};

use crate::interpret::{Env, workflow};
use crate::world::World;

/// Surroundings in which nothing can be done.
struct Nowhere;

impl Host for Nowhere {
    fn send(&self, _to: RunId, _m: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        Box::pin(std::future::pending())
    }

    fn child_version(&self, _: &str, _: &Json) -> Result<WorkflowVersion, ChildError> {
        Ok(WorkflowVersion { version: "1".to_owned(), pinned: false })
    }
}

/// Replays an ended run's journal up to its last event, which the code must decide on again.
pub fn check_end(world: &Arc<World>, run: RunId, journal: &[Event]) -> Result<(), String> {
    let Some((last, before)) = journal.split_last() else { return Ok(()) };
    let events = replay(world, run, before, last.at)?;
    let again = events.iter().find(|event| event.kind.is_outcome());
    if again.map(|event| &event.kind) == Some(&last.kind) {
        return Ok(());
    }
    let again = again.map_or_else(|| "nothing".to_owned(), render_event);
    Err(format!("replayed, the run ends with {again}; recorded is {}", render_event(last)))
}

/// Replays any prefix of a journal: the code must find its way.
pub fn check_prefix(world: &Arc<World>, run: RunId, journal: &[Event]) -> Result<(), String> {
    let now = journal.last().map_or(UnixMillis(0), |event| event.at);
    let events = replay(world, run, journal, now)?;
    let fault = events.iter().find_map(|event| match &event.kind {
        EventKind::RunFailed { failure } if failure.is_fault() => Some(failure),
        _ => None,
    });
    match fault {
        Some(failure) => Err(said(journal, failure)),
        None => Ok(()),
    }
}

fn said(journal: &[Event], failure: &Failure) -> String {
    let last = journal.last().map_or_else(String::new, render_event);
    format!("replayed up to {last}, the run diverges: {failure}")
}

/// What the code decides after the journal, while nothing outside moves.
fn replay(
    world: &Arc<World>,
    run: RunId,
    journal: &[Event],
    now: UnixMillis,
) -> Result<Vec<Event>, String> {
    let Some(Event { kind: EventKind::RunStarted(started), .. }) = journal.first() else {
        return Err("the journal does not begin with the run's start".to_owned());
    };
    let env = Env { world: Arc::clone(world), node: None };
    let setup = Setup {
        run,
        journal,
        workflow: &workflow(&started.workflow, env),
        host: Rc::new(Nowhere),
        limits: Limits::default(),
        careful: false,
        now,
    };
    let mut execution = Execution::load(setup).map_err(|error| error.to_string())?;
    let mut events = Vec::new();
    // A few rounds show where the code goes; a loop that needs nothing would go on for ever.
    for _ in 0..4 {
        execution.poll(now, Waker::noop());
        let Some(batch) = execution.take_batch() else { break };
        events.extend(batch.events);
        execution.batch_committed();
    }
    Ok(events)
}
