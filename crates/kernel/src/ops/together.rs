//! `together`: operations side by side, to which more can be added while others run.

use std::future::poll_fn;
use std::rc::Rc;

use crate::branch_set::BranchSet;
use crate::core::Core;
use crate::{Ctx, LocalBoxFuture};

/// Operations of one scope that run side by side. More can be added at any time; the results come one by
/// one, in the order in which the operations end.
///
/// Dropping it gives up those that are still under way, as the losers of a race are: bodies are told by
/// their cancel signal and dropped. Children are asked to end when the scope does.
pub struct Together<'a, T> {
    core: Rc<Core>,
    running: BranchSet<LocalBoxFuture<'a, T>>,
}

impl Ctx {
    /// An empty set of operations. They stand in the scope of this `ctx`, unlike branches: their names are
    /// unique in it.
    pub fn together<'a, T>(&self) -> Together<'a, T> {
        Together { core: self.core.clone(), running: BranchSet::new([]) }
    }
}

impl<'a, T> Together<'a, T> {
    /// Adds code that awaits operations. It begins when `next` is awaited.
    pub fn add(&mut self, code: impl Future<Output = T> + 'a) {
        self.running.push(Box::pin(code));
    }

    /// The result of whichever ends next; none if all have ended.
    pub async fn next(&mut self) -> Option<T> {
        if self.running.is_empty() {
            return None;
        }
        let (_, result) = poll_fn(|cx| self.running.poll_next(cx)).await;
        Some(result)
    }
}

impl<T> Drop for Together<'_, T> {
    fn drop(&mut self) {
        let running = std::mem::replace(&mut self.running, BranchSet::new([]));
        self.core.release(|| drop(running));
    }
}
