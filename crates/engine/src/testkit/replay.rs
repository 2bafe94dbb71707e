//! Replaying a saved journal against today's code.

use std::rc::Rc;
use std::task::Waker;

use stepwell_journal::{
    Event, EventKind, Failure, FailureKind, Json, Location, Message, RunId, UnixMillis, effective,
};
use stepwell_kernel::{
    ChildError, Error, Execution, Host, Limits, LocalBoxFuture, Mock, ReplayError, SendError,
    Setup, Workflow, WorkflowVersion,
};
use uuid::Uuid;

/// Why a journal and the code do not fit.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayProblem {
    /// The code asks for something else than was recorded, or broke a rule on the way.
    #[error("the code does not match the journal: {failure}")]
    Diverged { failure: Failure },
    /// The same events lead to another end.
    #[error("the journal ends with {recorded}, the code with {replayed}")]
    OtherOutcome { recorded: String, replayed: String },
    /// The journal has the run's end, and the code wants to do more.
    #[error("the journal ends with {recorded}, the code goes on with {next}")]
    GoesOn { recorded: String, next: String },
    #[error(transparent)]
    Journal(#[from] ReplayError),
}

/// Replays a journal, of a run that has ended or not, through the workflow as it is now. Nothing is done
/// for real: no step that is not recorded runs.
pub fn replay_check(journal: &[Event], workflow: &Workflow) -> Result<(), ReplayProblem> {
    let events: Vec<Event> = effective(journal).cloned().collect();
    let end = events.iter().position(|event| event.kind.is_outcome());
    let (recorded, rest) = events.split_at(end.unwrap_or(events.len()));
    let now = events.last().map_or(UnixMillis(0), |event| event.at);
    let mut execution = Execution::load(Setup {
        // Ids of children and messages are in the journal already.
        run: RunId(Uuid::nil()),
        journal: recorded,
        workflow,
        host: Rc::new(Nowhere),
        limits: Limits::default(),
        careful: true,
        now,
    })?;
    execution.poll(now, Waker::noop());
    let next: Vec<Event> = execution.take_batch().map(|batch| batch.events).unwrap_or_default();
    compare(rest.first(), &next)
}

fn compare(recorded: Option<&Event>, next: &[Event]) -> Result<(), ReplayProblem> {
    let failed = next.iter().find_map(|event| match &event.kind {
        EventKind::RunFailed { failure } if failure.is_fault() => Some(failure),
        _ => None,
    });
    let was_fault = recorded.is_some_and(|event| match &event.kind {
        EventKind::RunFailed { failure } => failure.is_fault(),
        _ => false,
    });
    if let Some(failure) = failed
        && !was_fault
    {
        return Err(ReplayProblem::Diverged { failure: failure.clone() });
    }
    let Some(recorded) = recorded else { return Ok(()) };
    let says = stepwell_journal::render_event;
    // Notes that nobody waited for may have been written together with the end.
    let end = next.iter().find(|event| event.kind.is_outcome());
    match (end, next.first()) {
        (Some(end), _) if end.kind == recorded.kind || was_fault => Ok(()),
        (Some(end), _) => {
            Err(ReplayProblem::OtherOutcome { recorded: says(recorded), replayed: says(end) })
        }
        (None, Some(first)) => {
            Err(ReplayProblem::GoesOn { recorded: says(recorded), next: says(first) })
        }
        (None, None) => Err(ReplayProblem::GoesOn {
            recorded: says(recorded),
            next: "something that it waits for".to_owned(),
        }),
    }
}

/// Surroundings in which nothing happens.
struct Nowhere;

impl Host for Nowhere {
    fn send(&self, to: RunId, _: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        Box::pin(async move { Err(SendError::UnknownRun(to)) })
    }

    fn child_version(&self, _: &str, _: &Json) -> Result<WorkflowVersion, ChildError> {
        Ok(WorkflowVersion { version: String::new(), pinned: false })
    }

    /// A step that is not recorded must not run, whatever its body.
    fn mock(&self, location: &Location) -> Option<Mock> {
        let location = location.clone();
        Some(Rc::new(move |_| {
            let failure = Failure::new(FailureKind::Critical, "replay does not run steps");
            Err(Error::from(failure.at(&location)))
        }))
    }
}
