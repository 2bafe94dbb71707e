//! The engine, as a run sees it.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use stepwell_journal::{Attempt, Json, Location, Message, RunId};
use stepwell_kernel::{
    AttemptEnd, ChildError, Error, Host, LocalBoxFuture, Mock, SendError, WorkflowVersion,
};
use stepwell_store::{InboxId, InboxItem, PostError};

use crate::shared::Shared;
use crate::updates::Subject;

pub(crate) struct RunHost {
    pub shared: Arc<Shared>,
    pub worker: usize,
    pub subject: Subject,
}

impl Host for RunHost {
    fn send(&self, to: RunId, message: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        let shared = Arc::clone(&self.shared);
        Box::pin(async move {
            // The id is the same on every replay, so the inbox recognises a message sent again.
            let id = InboxId(message.id.0);
            let item = InboxItem::Message {
                id: message.id,
                name: message.name,
                body: message.body,
                key: message.key,
                reply: message.reply,
            };
            match shared.post(to, id, item).await {
                Ok(_) => Ok(()),
                Err(PostError::UnknownRun { run }) => Err(SendError::UnknownRun(run)),
                Err(PostError::RunEnded { run, .. }) => Err(SendError::RunEnded(run)),
                Err(error) => Err(SendError::Unavailable(error.to_string())),
            }
        })
    }

    fn child_version(&self, workflow: &str, input: &Json) -> Result<WorkflowVersion, ChildError> {
        let Some(found) = self.shared.registry.current(&self.subject.namespace, workflow) else {
            return Err(ChildError::Unknown { workflow: workflow.to_owned() });
        };
        found.check_input(input)?;
        Ok(WorkflowVersion { version: found.version().to_owned(), pinned: found.is_pinned() })
    }

    fn mock(&self, location: &Location) -> Option<Mock> {
        self.shared.mocks.get(location)
    }

    fn enters_body(&self, location: &Location) {
        let Subject { run, workflow, .. } = &self.subject;
        self.shared.pulses[self.worker].enter(*run, workflow, location);
    }

    fn leaves_body(&self) {
        self.shared.pulses[self.worker].leave();
    }

    fn attempt_begins(&self) -> u64 {
        self.shared.meters.ticks()
    }

    fn attempt_ended(&self, began: u64, end: AttemptEnd) {
        self.shared.meters.attempt_ended(began, end);
    }
}

pub(crate) type MockBody = Arc<dyn Fn(Attempt) -> Result<Json, Error> + Send + Sync>;

/// What a test runs instead of step bodies, by location or by the step's name.
#[derive(Default)]
pub(crate) struct Mocks {
    bodies: RwLock<BTreeMap<String, MockBody>>,
    /// Apart from the bodies, so that a step takes no lock where nothing is mocked.
    any: AtomicBool,
}

impl Mocks {
    pub fn set(&self, step: &str, body: MockBody) {
        self.bodies.write().insert(step.to_owned(), body);
        self.any.store(true, Ordering::Release);
    }

    /// The same mocks for another engine.
    pub fn copy_from(&self, other: &Mocks) {
        self.bodies.write().clone_from(&other.bodies.read());
        self.any.store(other.any.load(Ordering::Acquire), Ordering::Release);
    }

    fn get(&self, location: &Location) -> Option<Mock> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let mocks = self.bodies.read();
        let body = mocks.get(location.as_str()).or_else(|| mocks.get(&location.name()))?.clone();
        Some(Rc::new(move |attempt| body(attempt)))
    }
}
