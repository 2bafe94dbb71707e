//! Undoing what completed steps did, newest first.

use std::rc::Rc;

use stepwell_journal::{EntryKind, Json, Location, Outcome, Seq};

use crate::attempt::{Attempts, Body};
use crate::core::Core;
use crate::ops::AttemptCx;
use crate::scope::Scope;
use crate::{Error, LocalBoxFuture, StepPolicy};

/// How to undo a step, given its result.
#[derive(Clone)]
pub(crate) struct UndoHandler {
    pub undo: Rc<dyn Fn(Json) -> LocalBoxFuture<'static, Result<(), Error>>>,
    pub policy: StepPolicy,
}

/// The completed steps that have a handler and no checkpoint after them, newest first.
pub(crate) fn undoable(core: &Core) -> Vec<(Location, Json, UndoHandler)> {
    let inner = core.peek();
    let mut steps: Vec<(Seq, Location, Json, UndoHandler)> = Vec::new();
    for (location, handler) in &inner.undo {
        let entry = inner.state.entry(location);
        if let Some((seq, Outcome::Value(value))) = entry.and_then(|entry| entry.outcome.as_ref())
            && inner.state.checkpoint.is_none_or(|checkpoint| *seq > checkpoint)
        {
            steps.push((*seq, location.clone(), value.clone(), handler.clone()));
        }
    }
    steps.sort_by_key(|(seq, ..)| std::cmp::Reverse(*seq));
    steps.into_iter().map(|(_, location, value, handler)| (location, value, handler)).collect()
}

/// Runs the handlers, each as a step of its own. One that fails for good is recorded, and the rest go on.
pub(crate) async fn roll_back(core: Rc<Core>, scope: Rc<Scope>) {
    for (location, value, handler) in undoable(&core) {
        let location = location.undo();
        scope.operation_began();
        core.claim(&scope, &location, EntryKind::Undo).await;
        let attempts = Attempts {
            core: &core,
            location: &location,
            policy: &handler.policy,
            ephemeral: false,
        };
        let mut body = UndoBody { undo: handler.undo.clone(), value };
        // The failure is in the journal; the run's error stays the original one.
        let _ = attempts.run(&mut body).await;
        scope.operation_ended();
    }
}

struct UndoBody {
    undo: Rc<dyn Fn(Json) -> LocalBoxFuture<'static, Result<(), Error>>>,
    value: Json,
}

impl Body for UndoBody {
    fn call(&mut self, _cx: AttemptCx) -> LocalBoxFuture<'_, Result<Json, Error>> {
        let undone = (self.undo)(self.value.clone());
        Box::pin(async move {
            undone.await?;
            Ok(Json::null())
        })
    }
}
