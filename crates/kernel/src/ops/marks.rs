//! `checkpoint` and `version`: marks that later decisions look back at.

use stepwell_journal::{EntryKind, EventKind, Outcome};

use super::op::Op;
use crate::core::Urgency;
use crate::{Ctx, Result};

impl Ctx {
    /// Rollback stops here: steps that completed before are never undone.
    pub async fn checkpoint(&self, name: &str) -> Result<()> {
        let op = Op::begin(self, name, EntryKind::Checkpoint).await;
        if op.core.recorded(&op.location).await.is_none() {
            let set = EventKind::CheckpointSet { location: op.location.clone() };
            let seq = op.core.emit(set, Urgency::Durable);
            op.core.delivered(&op.location, seq).await;
        }
        op.end(Ok(()))
    }

    /// Which version of the code this run follows here: `latest` for runs that come here for the first
    /// time, what was chosen then for runs that passed here before, and 1 for runs that passed here
    /// before this call was written.
    pub async fn version(&self, name: &str, latest: u32) -> Result<u32> {
        let op = Op::begin(self, name, EntryKind::Version).await;
        let chosen_before = {
            let inner = self.core.peek();
            let is_recorded = inner.state.entry(&op.location).is_some();
            // Something recorded after this place, in the same scope, means that the run went past it
            // when the call was not there yet.
            !is_recorded && inner.unclaimed_below(&self.scope.location).is_some()
        };
        if chosen_before {
            return op.end(Ok(1));
        }
        let version = match op.core.recorded(&op.location).await {
            Some(Outcome::Version(version)) => version,
            Some(_) | None => {
                let location = op.location.clone();
                let chosen = EventKind::VersionChosen { location, version: latest };
                let seq = op.core.emit(chosen, Urgency::Durable);
                op.core.delivered(&op.location, seq).await;
                latest
            }
        };
        op.end(Ok(version))
    }
}
