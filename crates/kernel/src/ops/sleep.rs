//! `sleep` and `sleep_until`: durable timers.

use std::future::IntoFuture;
use std::time::Duration;

use stepwell_journal::{EntryKind, EventKind, UnixMillis};

use super::op::Op;
use crate::core::Urgency;
use crate::policy::millis;
use crate::{Ctx, LocalBoxFuture, Result};

/// A wait for a date. `.await` begins it.
#[must_use = "a sleep does nothing until it is awaited"]
pub struct Sleep {
    ctx: Ctx,
    name: String,
    until: Until,
}

#[derive(Clone, Copy)]
enum Until {
    After(Duration),
    At(UnixMillis),
}

impl Ctx {
    /// Waits for as long as `duration`, through crashes and restarts.
    pub fn sleep(&self, name: impl Into<String>, duration: Duration) -> Sleep {
        Sleep { ctx: self.clone(), name: name.into(), until: Until::After(duration) }
    }

    /// Waits until a date; a past one is over at once.
    pub fn sleep_until(&self, name: impl Into<String>, at: UnixMillis) -> Sleep {
        Sleep { ctx: self.clone(), name: name.into(), until: Until::At(at) }
    }
}

impl Sleep {
    async fn run(self) -> Result<()> {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Sleep).await;
        if op.core.recorded(&op.location).await.is_some() {
            return op.end(Ok(()));
        }
        let fire_at = self.set(&op);
        op.core
            .until(&op.location, |inner| {
                if inner.now < fire_at {
                    inner.arm(fire_at, &op.location);
                    return None;
                }
                (!inner.stopping).then_some(())
            })
            .await;
        let fired = EventKind::TimerFired { location: op.location.clone() };
        let seq = op.core.emit(fired, Urgency::Durable);
        op.core.delivered(&op.location, seq).await;
        op.end(Ok(()))
    }

    /// The date, which is recorded once and never moves.
    fn set(&self, op: &Op) -> UnixMillis {
        let recorded = op.core.peek().state.entry(&op.location).and_then(|entry| entry.until);
        if let Some(fire_at) = recorded {
            return fire_at;
        }
        let now = op.core.now();
        let fire_at = match self.until {
            Until::After(duration) => now.plus_ms(millis(duration)),
            Until::At(at) => at,
        };
        if fire_at > now {
            let location = op.location.clone();
            op.core.emit(EventKind::TimerSet { location, fire_at }, Urgency::Prompt);
        }
        fire_at
    }
}

impl IntoFuture for Sleep {
    type Output = Result<()>;
    type IntoFuture = LocalBoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
