//! A stretch of workflow code with names of its own: the run, a branch, a block, a loop's iteration.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use stepwell_journal::Location;

use crate::LocalBoxFuture;
use crate::core::Core;

pub(crate) struct Scope {
    pub location: Location,
    /// Operations of this scope that have begun and not ended.
    n_pending: Cell<usize>,
    n_notes: Cell<u64>,
    n_random: Cell<u64>,
    is_ended: Cell<bool>,
}

impl Scope {
    pub fn new(location: Location) -> Rc<Scope> {
        Rc::new(Scope {
            location,
            n_pending: Cell::new(0),
            n_notes: Cell::new(0),
            n_random: Cell::new(0),
            is_ended: Cell::new(false),
        })
    }

    pub fn next_note(&self) -> u64 {
        self.n_notes.replace(self.n_notes.get() + 1)
    }

    pub fn next_random(&self) -> u64 {
        self.n_random.replace(self.n_random.get() + 1)
    }

    pub fn is_ended(&self) -> bool {
        self.is_ended.get()
    }

    pub fn end(&self) {
        self.is_ended.set(true);
    }

    pub fn operation_began(&self) {
        self.n_pending.set(self.n_pending.get() + 1);
    }

    pub fn operation_ended(&self) {
        self.n_pending.set(self.n_pending.get() - 1);
    }
}

/// Workflow code running in its scope: knows when it waits for something that is no operation.
pub(crate) struct Scoped<'a, T> {
    core: Rc<Core>,
    scope: Rc<Scope>,
    code: LocalBoxFuture<'a, T>,
}

impl<'a, T> Scoped<'a, T> {
    pub fn new(core: Rc<Core>, scope: Rc<Scope>, code: LocalBoxFuture<'a, T>) -> Scoped<'a, T> {
        Scoped { core, scope, code }
    }
}

impl<T> Future for Scoped<'_, T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let outer = this.core.enter_scope(Some(this.scope.clone()));
        let polled = this.code.as_mut().poll(cx);
        this.core.enter_scope(outer);
        match polled {
            Poll::Ready(value) => {
                this.scope.end();
                if this.scope.n_pending.get() > 0 {
                    this.core.left_behind(&this.scope.location);
                }
                this.core.check_all_claimed(&this.scope.location);
                Poll::Ready(value)
            }
            Poll::Pending => {
                if this.scope.n_pending.get() == 0 {
                    this.core.foreign_await(&this.scope.location);
                }
                Poll::Pending
            }
        }
    }
}
