//! The runs of one workflow in one namespace that its limits are about: who is under way, and who waits.
//!
//! ```text
//!   wait ---> queue, per key, by creation --- head of each key ---> eligible --- admit ---> held
//!                                    |                                 ^                      |
//!                                    +--- the key's rate --> delayed --+       release <------+
//! ```
//!
//! Pure: no clock, no lock, no store.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stepwell_journal::{RunId, UnixMillis};
use stepwell_kernel::{Rate, RunLimits};
use stepwell_store::Cursor;
use uuid::Uuid;

use super::window::Window;
use crate::config::QUEUED_MAX;

/// What runs have in common that a limit per key is about: a hash of it, so that it is small.
pub(super) type Key = Uuid;

/// A run that wants to begin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate {
    pub cursor: Cursor,
    pub key: Key,
    pub deadline_at: Option<UnixMillis>,
}

/// What keeps a run from beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    Slots {
        of_key: bool,
        n_max: u32,
        n_held: u32,
        held_by: Vec<RunId>,
    },
    Rate {
        of_key: bool,
        rate: Rate,
        until: UnixMillis,
    },
    /// It is about to be looked at.
    Turn,
}

#[derive(Default)]
pub(super) struct Group {
    pub limits: Arc<RunLimits>,
    /// The runs that have begun and not ended.
    held: BTreeMap<RunId, Key>,
    window: Window,
    keys: BTreeMap<Key, KeyState>,
    /// Everybody who waits and is here.
    waiting: BTreeMap<RunId, Candidate>,
    order: BTreeSet<Cursor>,
    /// The first in each key's queue that only common limits keep from beginning.
    eligible: BTreeSet<(Cursor, Key)>,
    /// The keys whose rate keeps their first one waiting.
    delayed: BTreeSet<(UnixMillis, Key)>,
    deadlines: BTreeSet<(UnixMillis, RunId)>,
    /// When keys that nobody holds or waits for can be forgotten.
    expiries: BTreeSet<(UnixMillis, Key)>,
    /// Later ones than this wait in the store only; none if all are here.
    end: Option<Cursor>,
    /// The latest time that was shown.
    seen: UnixMillis,
}

#[derive(Default)]
struct KeyState {
    n_held: u32,
    window: Window,
    queue: BTreeSet<Cursor>,
    shown: Option<Shown>,
}

/// Where the head of a key's queue stands.
enum Shown {
    Eligible(Cursor),
    Delayed(UnixMillis),
}

impl Group {
    pub fn new(limits: Arc<RunLimits>) -> Group {
        Group { limits, ..Group::default() }
    }

    pub fn holds(&self, run: RunId) -> bool {
        self.held.contains_key(&run)
    }

    pub fn n_waiting(&self) -> usize {
        self.waiting.len()
    }

    pub fn waiting(&self) -> impl Iterator<Item = RunId> {
        self.waiting.keys().copied()
    }

    /// A run is under way, whatever the limits say. With a date, it begins there. True if it waited until now.
    pub fn hold(
        &mut self,
        run: RunId,
        key: Key,
        begins_at: Option<UnixMillis>,
        now: UnixMillis,
    ) -> bool {
        let waited = self.leave_queue(run, now);
        self.let_go(run, now);
        self.held.insert(run, key);
        self.keys.entry(key).or_default().n_held += 1;
        if let Some(at) = begins_at {
            self.began(key, at);
        }
        self.show(key, now);
        waited
    }

    /// A run began at this time, and may have ended since.
    pub fn began(&mut self, key: Key, at: UnixMillis) {
        self.window.begin(self.limits.rate, at);
        let rate = self.key_rate();
        let state = self.keys.entry(key).or_default();
        state.window.begin(rate, at);
        if let Some(over_at) = state.window.over_at(rate) {
            self.expiries.insert((over_at, key));
        }
    }

    /// A run has ended, or does not want to begin any more. True if it was known.
    pub fn release(&mut self, run: RunId, now: UnixMillis) -> bool {
        let waited = self.leave_queue(run, now);
        self.let_go(run, now) || waited
    }

    /// A run wants to begin. False if it is only in the store that it waits.
    pub fn wait(&mut self, mut candidate: Candidate, now: UnixMillis) -> bool {
        let run = candidate.cursor.run;
        if self.holds(run) || self.end.is_some_and(|end| candidate.cursor > end) {
            return self.holds(run);
        }
        if let Some(known) = self.waiting.get(&run) {
            candidate.deadline_at = candidate.deadline_at.or(known.deadline_at);
            if known.key != candidate.key {
                // Limits per key may be about another field than before.
                self.leave_queue(run, now);
            }
        }
        if let Some(at) = candidate.deadline_at {
            self.deadlines.insert((at, run));
        }
        if self.waiting.insert(run, candidate).is_none() {
            self.order.insert(candidate.cursor);
            self.keys.entry(candidate.key).or_default().queue.insert(candidate.cursor);
            self.show(candidate.key, now);
        }
        while self.order.len() > QUEUED_MAX
            && let Some(last) = self.order.last().copied()
        {
            self.leave_queue(last.run, now);
            self.end = self.order.last().copied();
        }
        self.waiting.contains_key(&run)
    }

    /// Those who may begin now, first come first served. They are held from here on.
    pub fn admit(&mut self, now: UnixMillis) -> Vec<RunId> {
        self.tick(now);
        let mut admitted = Vec::new();
        while self.common_block(now).is_none()
            && let Some((cursor, key)) = self.eligible.first().copied()
        {
            self.hold(cursor.run, key, Some(now), now);
            admitted.push(cursor.run);
        }
        admitted
    }

    /// Runs whose deadline has come while they wait.
    pub fn overdue(&mut self, now: UnixMillis) -> Vec<RunId> {
        let mut overdue = Vec::new();
        while let Some((at, run)) = self.deadlines.first().copied()
            && at <= now
        {
            self.leave_queue(run, now);
            self.deadlines.remove(&(at, run));
            overdue.push(run);
        }
        overdue
    }

    /// When somebody may begin, or misses a deadline, without anything else happening.
    pub fn next_date(&mut self, now: UnixMillis) -> Option<UnixMillis> {
        let deadline = self.deadlines.first().map(|(at, _)| *at);
        let delayed = self.delayed.first().map(|(at, _)| *at);
        let rate = self.limits.rate;
        let closed = match self.eligible.is_empty() || self.is_full() {
            true => None,
            false => self.window.closed_until(rate, now),
        };
        [deadline, delayed, closed].into_iter().flatten().min()
    }

    /// Why the run does not begin.
    pub fn block(&mut self, run: RunId, key: Key, now: UnixMillis) -> Option<Block> {
        if self.holds(run) {
            return None;
        }
        Some(self.key_block(key, now).or_else(|| self.common_block(now)).unwrap_or(Block::Turn))
    }

    /// Forgets when runs began, to be told anew.
    pub fn forget_begun(&mut self, now: UnixMillis) {
        self.window = Window::default();
        self.keys.values_mut().for_each(|state| state.window = Window::default());
        self.expiries.clear();
        self.show_all(now);
    }

    pub fn relimit(&mut self, limits: Arc<RunLimits>, now: UnixMillis) {
        self.limits = limits;
        self.show_all(now);
    }

    // --- What is in the store only -----------------------------------------------------------------

    /// Where the store is to be asked for those who wait, if it is to be asked.
    pub fn wants_more(&self) -> Option<Cursor> {
        self.end.filter(|_| self.order.len() <= QUEUED_MAX / 2)
    }

    /// From here on everybody who comes is let in. Call before the store is asked, so that nobody falls
    /// between its answer and [`Group::expect_later`].
    pub fn expect_all(&mut self) {
        self.end = None;
    }

    /// Those after this one are in the store only.
    pub fn expect_later(&mut self, end: Cursor, now: UnixMillis) {
        self.end = Some(self.end.map_or(end, |known| known.min(end)));
        while let Some(last) = self.order.last().copied()
            && last > end
        {
            self.leave_queue(last.run, now);
        }
    }

    // --- Inside ------------------------------------------------------------------------------------

    fn tick(&mut self, now: UnixMillis) {
        if now < self.seen {
            // The clock was set back: dates that were made of the time before are too far off.
            self.show_all(now);
        }
        self.seen = now;
        while let Some((at, key)) = self.delayed.first().copied()
            && at <= now
        {
            self.delayed.remove(&(at, key));
            self.show(key, now);
        }
        while let Some((at, key)) = self.expiries.first().copied()
            && at <= now
        {
            self.expiries.remove(&(at, key));
            self.forget_idle(key, now);
        }
    }

    fn show_all(&mut self, now: UnixMillis) {
        let keys: Vec<Key> = self.keys.keys().copied().collect();
        keys.into_iter().for_each(|key| self.show(key, now));
    }

    /// Puts the head of the key's queue where it belongs.
    fn show(&mut self, key: Key, now: UnixMillis) {
        let concurrency = self.key_concurrency();
        let rate = self.key_rate();
        let Some(state) = self.keys.get_mut(&key) else { return };
        match state.shown.take() {
            Some(Shown::Eligible(cursor)) => drop(self.eligible.remove(&(cursor, key))),
            Some(Shown::Delayed(at)) => drop(self.delayed.remove(&(at, key))),
            None => {}
        }
        let Some(head) = state.queue.first().copied() else {
            return self.forget_idle(key, now);
        };
        if concurrency.is_some_and(|n_max| state.n_held >= n_max) {
            return;
        }
        match state.window.closed_until(rate, now) {
            Some(until) => {
                state.shown = Some(Shown::Delayed(until));
                self.delayed.insert((until, key));
            }
            None => {
                state.shown = Some(Shown::Eligible(head));
                self.eligible.insert((head, key));
            }
        }
    }

    fn forget_idle(&mut self, key: Key, now: UnixMillis) {
        let rate = self.key_rate();
        let is_idle = self.keys.get(&key).is_some_and(|state| {
            let is_over = state.window.over_at(rate).is_none_or(|at| at <= now);
            state.n_held == 0 && state.queue.is_empty() && is_over
        });
        if is_idle {
            self.keys.remove(&key);
        }
    }

    fn let_go(&mut self, run: RunId, now: UnixMillis) -> bool {
        let Some(key) = self.held.remove(&run) else { return false };
        if let Some(state) = self.keys.get_mut(&key) {
            state.n_held = state.n_held.saturating_sub(1);
        }
        self.show(key, now);
        true
    }

    fn leave_queue(&mut self, run: RunId, now: UnixMillis) -> bool {
        let Some(candidate) = self.waiting.remove(&run) else { return false };
        self.order.remove(&candidate.cursor);
        if let Some(at) = candidate.deadline_at {
            self.deadlines.remove(&(at, run));
        }
        if let Some(state) = self.keys.get_mut(&candidate.key) {
            state.queue.remove(&candidate.cursor);
        }
        self.show(candidate.key, now);
        true
    }

    fn is_full(&self) -> bool {
        let n_held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
        self.limits.concurrency.is_some_and(|n_max| n_held >= n_max)
    }

    fn common_block(&mut self, now: UnixMillis) -> Option<Block> {
        if let Some(n_max) = self.limits.concurrency.filter(|_| self.is_full()) {
            let n_held = u32::try_from(self.held.len()).unwrap_or(u32::MAX);
            let held_by = self.held.keys().take(HOLDERS_NAMED).copied().collect();
            return Some(Block::Slots { of_key: false, n_max, n_held, held_by });
        }
        let rate = self.limits.rate?;
        let until = self.window.closed_until(Some(rate), now)?;
        Some(Block::Rate { of_key: false, rate, until })
    }

    fn key_block(&mut self, key: Key, now: UnixMillis) -> Option<Block> {
        let (concurrency, rate) = (self.key_concurrency(), self.key_rate());
        let state = self.keys.get_mut(&key)?;
        let n_held = state.n_held;
        if let Some(n_max) = concurrency.filter(|n_max| n_held >= *n_max) {
            let held_by = self.held.iter().filter(|(_, held)| **held == key);
            let held_by = held_by.take(HOLDERS_NAMED).map(|(run, _)| *run).collect();
            return Some(Block::Slots { of_key: true, n_max, n_held, held_by });
        }
        let until = state.window.closed_until(rate, now)?;
        Some(Block::Rate { of_key: true, rate: rate?, until })
    }

    fn key_concurrency(&self) -> Option<u32> {
        self.limits.per_key.as_ref()?.concurrency
    }

    fn key_rate(&self) -> Option<Rate> {
        self.limits.per_key.as_ref()?.rate
    }
}

/// How many of those who are under way are named to who waits for them.
const HOLDERS_NAMED: usize = 5;

#[cfg(test)]
mod tests;
