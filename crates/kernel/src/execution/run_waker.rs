//! How an execution learns that its code wants to be polled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

/// Remembers that the code wants to be polled, and tells the execution's owner.
pub(super) struct RunWaker {
    is_woken: AtomicBool,
    owner: std::sync::Mutex<Option<Waker>>,
}

impl RunWaker {
    pub fn new() -> RunWaker {
        RunWaker { is_woken: AtomicBool::new(true), owner: std::sync::Mutex::new(None) }
    }

    pub fn mark(&self) {
        self.is_woken.store(true, Ordering::Release);
    }

    pub fn take(&self) -> bool {
        self.is_woken.swap(false, Ordering::AcqRel)
    }

    pub fn set_owner(&self, waker: &Waker) {
        let mut owner = self.owner();
        match &mut *owner {
            Some(owner) => owner.clone_from(waker),
            None => *owner = Some(waker.clone()),
        }
    }

    pub fn wake_owner(&self) {
        let owner = self.owner().clone();
        if let Some(owner) = owner {
            owner.wake();
        }
    }

    fn owner(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        self.owner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Wake for RunWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_woken.swap(true, Ordering::AcqRel) {
            self.wake_owner();
        }
    }
}
