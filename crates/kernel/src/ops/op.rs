//! An operation under way: claimed, counted, and missed if it is dropped before its end.

use std::rc::Rc;

use stepwell_journal::{EntryKind, Failure, FailureKind, Location};

use crate::Ctx;
use crate::core::Core;
use crate::scope::Scope;

pub(crate) struct Op {
    pub core: Rc<Core>,
    pub location: Location,
    scope: Rc<Scope>,
    kind: EntryKind,
    is_done: bool,
}

impl Op {
    /// Begins the operation `name` in the scope of `ctx`. Does not return if that is against the rules:
    /// the run then ends with a fault.
    pub async fn begin(ctx: &Ctx, name: &str, kind: EntryKind) -> Op {
        let location = match ctx.scope.location.named(name) {
            Ok(location) => location,
            Err(error) => {
                ctx.core.fault(
                    Failure::new(FailureKind::Misuse, format!("a {kind} has a bad name: {error}"))
                        .at(&ctx.scope.location),
                );
                std::future::pending().await
            }
        };
        ctx.scope.operation_began();
        let op =
            Op { core: ctx.core.clone(), location, scope: ctx.scope.clone(), kind, is_done: false };
        op.core.claim(&op.scope, &op.location, kind).await;
        op
    }

    /// A scope inside this operation.
    pub fn inner_ctx(&self, location: Location) -> Ctx {
        Ctx::new(self.core.clone(), location)
    }

    pub fn scope(&self) -> &Rc<Scope> {
        &self.scope
    }

    pub fn end<T>(mut self, result: T) -> T {
        self.is_done = true;
        result
    }
}

impl Drop for Op {
    fn drop(&mut self) {
        self.scope.operation_ended();
        if !self.is_done && !self.core.is_releasing() && !std::thread::panicking() {
            self.core.fault(
                Failure::new(
                    FailureKind::Misuse,
                    format!(
                        "the function moved on while {} `{}` was still under way; await it to its end, \
                         or put it into a branch of `ctx.race`",
                        self.kind, self.location
                    ),
                )
                .at(&self.location),
            );
        }
    }
}
