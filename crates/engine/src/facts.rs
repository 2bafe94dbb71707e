//! What of a run does not change.

use std::sync::Arc;

use stepwell_journal::{Event, EventKind, RunId, RunStarted, UnixMillis};
use stepwell_kernel::TraceParent;
use stepwell_store::LoadedRun;

use crate::updates::Subject;

/// A run as it was started.
#[derive(Debug, Clone)]
pub struct RunFacts {
    pub run: RunId,
    pub started: RunStarted,
    pub started_at: UnixMillis,
    /// Whether a child may exist already when it is started: the run was resumed before.
    pub(crate) resumed: bool,
    pub(crate) subject: Subject,
}

impl RunFacts {
    /// None if the journal does not begin with the run's start.
    pub(crate) fn of(loaded: &LoadedRun) -> Option<RunFacts> {
        let Some(Event { kind: EventKind::RunStarted(started), at, .. }) = loaded.journal.first()
        else {
            return None;
        };
        let is_resumption = |event: &Event| matches!(event.kind, EventKind::RunResumed { .. });
        Some(RunFacts {
            run: loaded.row.run,
            started: (**started).clone(),
            started_at: *at,
            resumed: loaded.journal.iter().any(is_resumption),
            subject: Subject {
                run: loaded.row.run,
                namespace: started.namespace.as_str().into(),
                workflow: started.workflow.as_str().into(),
            },
        })
    }

    pub fn namespace(&self) -> &Arc<str> {
        &self.subject.namespace
    }

    pub fn workflow(&self) -> &Arc<str> {
        &self.subject.workflow
    }

    /// The trace that the run belongs to, and the span of the run itself; [`TraceParent::attempt`] gives
    /// those of its steps, as their outgoing calls name them.
    pub fn trace(&self) -> TraceParent {
        TraceParent::of_run(self.run, self.started.trace.as_deref())
    }
}
