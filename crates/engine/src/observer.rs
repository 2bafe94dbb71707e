//! Those who follow every committed event: makers of spans, mirrors, audits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use stepwell_journal::Event;

use crate::facts::RunFacts;

/// Sees the events of every run once they are durable: of one run in order and without gaps, as long as the
/// engine lives. Must be quick: the run waits for it.
pub trait Observer: Send + Sync + 'static {
    fn committed(&self, run: &RunFacts, events: &[Event]);
}

/// One that was given, or none.
#[derive(Clone, Default)]
pub(crate) struct Observed(pub Option<Arc<dyn Observer>>);

impl Observed {
    pub fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// A panic there must not hurt the run.
    pub fn committed(&self, run: &RunFacts, events: &[Event]) {
        let Some(observer) = &self.0 else { return };
        if events.is_empty() {
            return;
        }
        if catch_unwind(AssertUnwindSafe(|| observer.committed(run, events))).is_err() {
            tracing::error!(run = %run.run, "the observer panicked");
        }
    }
}
