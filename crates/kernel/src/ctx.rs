//! What a workflow function is given.

use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;
use stepwell_journal::{
    EntryKind, EntryStatus, EventKind, Failure, FailureKind, Json, Location, Note, RunId,
    UnixMillis, check_name,
};
use uuid::Uuid;

use crate::Result;
use crate::core::{Core, Urgency};
use crate::limits::cut;
use crate::scope::Scope;

/// A run, as its workflow function sees it: every effect, every wait and every chance goes through it.
///
/// A `Ctx` belongs to one scope, in which names are unique: the run, a branch, a block, an iteration.
/// It is cheap to clone, and stays on the thread of its run.
#[derive(Clone)]
pub struct Ctx {
    pub(crate) core: Rc<Core>,
    pub(crate) scope: Rc<Scope>,
}

/// How much a log line matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Ctx {
    pub(crate) fn new(core: Rc<Core>, location: Location) -> Ctx {
        Ctx { core, scope: Scope::new(location) }
    }

    pub fn run_id(&self) -> RunId {
        self.core.run
    }

    /// Where this scope stands in the run's tree.
    pub fn location(&self) -> &Location {
        &self.scope.location
    }

    /// The time of the last event that this run has seen: the same on every replay.
    pub fn now(&self) -> UnixMillis {
        self.core.seen_at()
    }

    /// A number from 0 up to 1: the same on every replay.
    pub fn random(&self) -> f64 {
        (self.random_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A whole number: the same on every replay.
    pub fn random_u64(&self) -> u64 {
        // Elsewhere the count of numbers drawn before would differ on replay.
        self.core.check_place(&self.scope, "a random number");
        self.core.random(&self.scope)
    }

    /// A random UUID: the same on every replay.
    pub fn uuid(&self) -> Uuid {
        let (high, low) = (self.random_u64(), self.random_u64());
        let bytes = ((u128::from(high) << 64) | u128::from(low)).to_be_bytes();
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// Whether recorded events are being replayed: for messages to people, never for decisions.
    pub fn is_replaying(&self) -> bool {
        let inner = self.core.peek();
        !inner.live && !inner.fresh
    }

    /// Says in words what the run is doing now.
    pub fn describe(&self, text: impl Into<String>) {
        let text = cut(text.into(), self.core.limits.text_bytes_max);
        self.note(Note::Described { text });
    }

    /// Sets a label, by which runs can be found.
    pub fn set_label(&self, key: impl Into<String>, value: impl Into<String>) {
        let (key, value) = (key.into(), cut(value.into(), self.core.limits.text_bytes_max));
        if let Err(error) = check_name(&key) {
            let problem = format!("a label has a bad name: {error}");
            return self
                .core
                .fault(Failure::new(FailureKind::Misuse, problem).at(&self.scope.location));
        }
        self.note(Note::LabelSet { key, value });
    }

    /// Records a fact of a dialect, such as an attribute of a flow.
    pub fn fact(&self, name: impl Into<String>, value: &impl Serialize) -> Result<()> {
        let value = Json::of(value)?;
        self.core.check_size("the fact", &value)?;
        self.note(Note::Fact { name: name.into(), value });
        Ok(())
    }

    /// Says that a step does not run, and why.
    pub fn skip(&self, name: &str, reason: impl Into<String>) {
        let Some(location) = self.claim_now(name, EntryKind::Step) else { return };
        let recorded = {
            let inner = self.core.peek();
            let entry = inner.state.entry(&location);
            entry.map(|entry| (entry.status == EntryStatus::Skipped, entry.first_seq))
        };
        match recorded {
            None => {
                let reason = cut(reason.into(), self.core.limits.text_bytes_max);
                self.core.emit(EventKind::StepSkipped { location, reason }, Urgency::Lazy);
            }
            Some((true, _)) => {}
            Some((false, since)) => self.core.fault(
                Failure::new(
                    FailureKind::Divergence,
                    format!(
                        "run {}: at `{location}` the journal has a step that ran (since {since}), the \
                         code skips it",
                        self.core.run
                    ),
                )
                .at(&location),
            ),
        }
    }

    /// Says that an entry which older journals have here is no longer in the code.
    pub fn removed(&self, name: &str, kind: EntryKind) {
        if let Some(location) = self.claim_now(name, kind) {
            let mut inner = self.core.inner();
            let (first, end) = location.below();
            let mut later = inner.unclaimed.split_off(&first);
            inner.unclaimed.append(&mut later.split_off(&end));
        }
    }

    pub fn debug(&self, message: impl Into<String>) {
        self.log(Level::Debug, message);
    }

    pub fn info(&self, message: impl Into<String>) {
        self.log(Level::Info, message);
    }

    pub fn warn(&self, message: impl Into<String>) {
        self.log(Level::Warn, message);
    }

    pub fn error(&self, message: impl Into<String>) {
        self.log(Level::Error, message);
    }

    /// Writes a line into the run's log; a line that was written before is not written again on replay.
    /// Inside a step's body it belongs to the step.
    pub fn log(&self, level: Level, message: impl Into<String>) {
        self.core.log(level, &self.scope.location, message.into(), Json::null());
    }

    /// The same with an object of further fields.
    pub fn log_with(&self, level: Level, message: impl Into<String>, fields: &impl Serialize) {
        let fields = Json::of(fields).unwrap_or_default();
        self.core.log(level, &self.scope.location, message.into(), fields);
    }

    fn note(&self, note: Note) {
        if !self.core.check_place(&self.scope, "a description, label or fact") {
            return;
        }
        let location = self.scope.location.note(self.scope.next_note());
        let recorded = {
            let mut inner = self.core.inner();
            inner.unclaimed.remove(&location);
            inner.state.entry(&location).is_some()
        };
        if !recorded {
            self.core.emit(EventKind::Noted { location, note }, Urgency::Lazy);
        }
    }

    /// Claims an entry that needs no waiting. None after a fault, which ends the run.
    fn claim_now(&self, name: &str, kind: EntryKind) -> Option<Location> {
        let claimed = self
            .scope
            .location
            .named(name)
            .map_err(|error| {
                let problem = format!("a {kind} has a bad name: {error}");
                Failure::new(FailureKind::Misuse, problem).at(&self.scope.location)
            })
            .and_then(|location| {
                self.core.try_claim(&self.scope, &location, kind).map(|()| location)
            });
        match claimed {
            Ok(location) => Some(location),
            Err(failure) => {
                self.core.fault(failure);
                None
            }
        }
    }
}

/// A length of time, short to write.
pub fn millis(n: u64) -> Duration {
    Duration::from_millis(n)
}

pub fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

pub fn mins(n: u64) -> Duration {
    Duration::from_secs(n.saturating_mul(60))
}

pub fn hours(n: u64) -> Duration {
    Duration::from_secs(n.saturating_mul(3_600))
}

pub fn days(n: u64) -> Duration {
    Duration::from_secs(n.saturating_mul(86_400))
}
