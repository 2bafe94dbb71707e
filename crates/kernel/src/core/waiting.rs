//! Who waits for what: events, deadlines, the end of replay.

use std::future::poll_fn;
use std::task::{Poll, Waker};

use stepwell_journal::{Location, Outcome, Seq, UnixMillis};

use super::{Core, Inner};

impl Core {
    /// Waits at `location` until `ready` has an answer. It is asked again after each event that is
    /// delivered there, when a deadline armed there is due, and when the run goes live.
    pub async fn until<T>(
        &self,
        location: &Location,
        mut ready: impl FnMut(&mut Inner) -> Option<T>,
    ) -> T {
        let mut waiting = Waiting { core: self, location, has_begun: false };
        poll_fn(|cx| {
            let mut inner = self.inner();
            match ready(&mut inner) {
                Some(answer) => Poll::Ready(answer),
                None => {
                    inner.wait_at(location, cx.waker());
                    waiting.has_begun = true;
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Waits until the event is delivered.
    pub async fn delivered(&self, location: &Location, seq: Seq) {
        self.until(location, |inner| inner.is_delivered(seq).then_some(())).await;
    }

    /// The recorded outcome of the entry, when its turn comes; none once the run is live and there is
    /// nothing recorded, so that the entry may act.
    pub async fn recorded(&self, location: &Location) -> Option<Outcome> {
        self.until(location, |inner| inner.recorded(location)).await
    }

    /// The outcome of an entry that somebody else will end.
    pub async fn outcome(&self, location: &Location) -> Outcome {
        self.until(location, |inner| {
            let (seq, outcome) = inner.state.entry(location)?.outcome.as_ref()?;
            inner.is_delivered(*seq).then(|| outcome.clone())
        })
        .await
    }

    pub fn wait_at(&self, location: &Location, waker: &Waker) {
        self.inner().wait_at(location, waker);
    }

    pub fn stop_waiting_at(&self, location: &Location) {
        let mut inner = self.inner();
        inner.waiters.remove(location);
    }

    pub fn arm(&self, at: UnixMillis, location: &Location) {
        self.inner().deadlines.insert((at, location.clone()));
    }

    pub fn disarm(&self, at: UnixMillis, location: &Location) {
        self.inner().deadlines.remove(&(at, location.clone()));
    }

    pub fn next_deadline(&self) -> Option<UnixMillis> {
        self.peek().deadlines.first().map(|(at, _)| *at)
    }

    /// Sets the clock and wakes whatever is due.
    pub fn tick(&self, now: UnixMillis) {
        let mut inner = self.inner();
        // A clock that is set back must not make events go back in time.
        inner.now = inner.now.max(now);
        let now = inner.now;
        while let Some((at, _)) = inner.deadlines.first()
            && *at <= now
        {
            let Some((_, location)) = inner.deadlines.pop_first() else { break };
            inner.wake(&location);
        }
    }

    pub fn now(&self) -> UnixMillis {
        self.peek().now
    }

    /// The time of the last event that was delivered.
    pub fn seen_at(&self) -> UnixMillis {
        self.peek().cursor_at
    }

    /// New things may begin: whoever waits looks again, in the order in which the code came to them.
    pub fn go_live(&self, careful: bool) {
        let mut inner = self.inner();
        inner.live = true;
        inner.careful = careful;
        let mut waiters: Vec<_> = std::mem::take(&mut inner.waiters).into_iter().collect();
        waiters.sort_by_key(|(location, _)| inner.claimed.get(location));
        for (_, waker) in waiters {
            waker.wake();
        }
    }
}

impl Inner {
    /// `Some(Some)` when the recorded outcome's turn has come, `Some(None)` when the entry may act.
    pub fn recorded(&self, location: &Location) -> Option<Option<Outcome>> {
        match self.state.entry(location).and_then(|entry| entry.outcome.as_ref()) {
            Some((seq, outcome)) => self.is_delivered(*seq).then(|| Some(outcome.clone())),
            None => (self.live && !self.stopping && self.fault.is_none()).then_some(None),
        }
    }

    /// Whether the entry's outcome is known and delivered.
    pub fn has_outcome(&self, location: &Location) -> bool {
        let outcome = self.state.entry(location).and_then(|entry| entry.outcome.as_ref());
        outcome.is_some_and(|(seq, _)| self.is_delivered(*seq))
    }

    /// Sets the one deadline of whoever waits at `location` in [`Core::until`].
    pub fn arm(&mut self, at: UnixMillis, location: &Location) {
        self.deadlines.insert((at, location.clone()));
        self.armed.insert(location.clone(), at);
    }

    pub(super) fn wait_at(&mut self, location: &Location, waker: &Waker) {
        match self.waiters.get_mut(location) {
            Some(known) => known.clone_from(waker),
            None => {
                self.waiters.insert(location.clone(), waker.clone());
            }
        }
    }

    pub(super) fn wake(&mut self, location: &Location) {
        if let Some(waker) = self.waiters.remove(location) {
            waker.wake();
        }
    }
}

/// Whoever waits in [`Core::until`]: leaves nothing behind, also when it is dropped.
struct Waiting<'a> {
    core: &'a Core,
    location: &'a Location,
    has_begun: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.has_begun {
            return;
        }
        let mut inner = self.core.inner();
        inner.waiters.remove(self.location);
        if let Some(at) = inner.armed.remove(self.location) {
            inner.deadlines.remove(&(at, self.location.clone()));
        }
    }
}
