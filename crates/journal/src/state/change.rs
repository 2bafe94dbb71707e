//! The changes that events are made of.

use std::ops::Range;

use super::{FoldError, MESSAGE_KEYS_KEPT, RunOutcome, RunState, range_below};
use crate::entry::Iterations;
use crate::{
    Entry, EntryKind, EntryStatus, Event, Failure, Location, Message, MessageId, Outcome,
    UnixMillis,
};

impl RunState {
    /// The entry at `location`, made if this is its first event.
    pub(super) fn touch(
        &mut self,
        location: &Location,
        kind: EntryKind,
        event: &Event,
    ) -> Result<&mut Entry, FoldError> {
        if let Some(entry) = self.entries.get(location) {
            if entry.kind != kind {
                let problem = format!("`{location}` was a {}, now it is a {kind}", entry.kind);
                return Err(self.nonsense(event.seq, problem));
            }
            if entry.status.is_ended() {
                return Err(self.nonsense(event.seq, format!("`{location}` had ended")));
            }
        } else {
            self.open.insert(location.clone());
        }
        let entry = self
            .entries
            .entry(location.clone())
            .or_insert_with(|| Entry::new(kind, event.seq, event.at));
        if let Some(at) = entry.wake_at() {
            self.deadlines.remove(&(at, location.clone()));
        }
        entry.n_events += 1;
        Ok(entry)
    }

    /// Puts the entry's date, if it has one, back among the deadlines.
    pub(super) fn reindex(&mut self, location: &Location) {
        if let Some(at) = self.entries.get(location).and_then(Entry::wake_at) {
            self.deadlines.insert((at, location.clone()));
        }
    }

    pub(super) fn end(&mut self, location: &Location, event: &Event, outcome: Outcome) {
        self.open.remove(location);
        if let Some(entry) = self.entries.get_mut(location) {
            entry.status = match &outcome {
                Outcome::Failed(failure) if failure.kind == crate::FailureKind::Cancelled => {
                    EntryStatus::Cancelled
                }
                Outcome::Failed(_) => EntryStatus::Failed,
                Outcome::Skipped(_) => EntryStatus::Skipped,
                Outcome::Value(_)
                | Outcome::Done
                | Outcome::Messages(_)
                | Outcome::TimedOut
                | Outcome::Version(_) => EntryStatus::Completed,
            };
            entry.retry_at = None;
            entry.ended_at = Some(event.at);
            entry.outcome = Some((event.seq, outcome));
        }
    }

    /// Ends a branch or block, and with it whatever was still open in it: a race's losers.
    pub(super) fn end_scope(
        &mut self,
        location: &Location,
        event: &Event,
        failure: Option<&Failure>,
    ) {
        self.cancel_open_below(location, event.at);
        let outcome = match failure {
            Some(failure) => Outcome::Failed(failure.clone()),
            None => Outcome::Done,
        };
        self.end(location, event, outcome);
    }

    pub(super) fn cancel_open_below(&mut self, location: &Location, at: UnixMillis) {
        let open: Vec<Location> = self.open.range(range_below(location)).cloned().collect();
        for location in open {
            self.open.remove(&location);
            if let Some(entry) = self.entries.get_mut(&location) {
                if let Some(wake_at) = entry.wake_at() {
                    self.deadlines.remove(&(wake_at, location.clone()));
                }
                entry.status = EntryStatus::Cancelled;
                entry.ended_at = Some(at);
            }
        }
    }

    pub(super) fn end_run(&mut self, event: &Event, outcome: RunOutcome) {
        self.cancel_open_below(&Location::root(), event.at);
        self.ended_at = Some(event.at);
        self.outcome = Some(outcome);
    }

    /// A question that was sent makes its entry wait for the answer.
    pub(super) fn wait_for_answer(
        &mut self,
        location: &Location,
        event: &Event,
    ) -> Result<(), FoldError> {
        let Some(parent) = location.parent().filter(|parent| parent.sending() == *location) else {
            return Ok(());
        };
        // The answer may be faster than the news that the question was sent.
        if self.entries.get(&parent).is_some_and(|entry| entry.status.is_ended()) {
            return Ok(());
        }
        let entry = self.touch(&parent, EntryKind::Ask, event)?;
        entry.status = EntryStatus::Waiting;
        // The event is about the sending half, and counted there.
        entry.n_events -= 1;
        Ok(())
    }

    pub(super) fn receive(&mut self, message: &Message, received_at: UnixMillis) {
        if let Some(key) = &message.key {
            self.message_keys.push_back(key.clone());
            if self.message_keys.len() > MESSAGE_KEYS_KEPT {
                self.message_keys.pop_front();
            }
        }
        // The wire format has this date once, as the event's: live state must not differ from that.
        self.mailbox.push_back(Message { received_at, ..message.clone() });
    }

    pub(super) fn take(
        &mut self,
        event: &Event,
        ids: &[MessageId],
    ) -> Result<Vec<Message>, FoldError> {
        let mut taken = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(place) = self.mailbox.iter().position(|message| message.id == *id) else {
                return Err(self.nonsense(event.seq, format!("message {id} is not in the mailbox")));
            };
            let Some(message) = self.mailbox.remove(place) else { continue };
            if let Some(reply) = &message.reply {
                self.unanswered.insert(message.id, reply.clone());
            }
            taken.push(message);
        }
        Ok(taken)
    }

    /// Forgets the iterations of the loop at `location` before `trimmed_before`.
    pub(super) fn trim(&mut self, location: &Location, trimmed_before: u64) {
        let Some(entry) = self.entries.get_mut(location) else { return };
        let Some(iterations) = entry.iterations.as_deref_mut() else { return };
        let Iterations { begun, trimmed_before: before } = iterations;
        let gone = *before..trimmed_before.max(*before);
        *before = gone.end;
        let kept = begun.split_off(&gone.end);
        self.n_garbage += begun.len() as u64;
        entry.n_events = entry.n_events.saturating_sub(begun.len() as u32);
        *begun = kept;
        for location in self.locations_of(location, gone) {
            self.open.remove(&location);
            let Some(entry) = self.entries.remove(&location) else { continue };
            if let Some(at) = entry.wake_at() {
                self.deadlines.remove(&(at, location));
            }
            self.n_garbage += u64::from(entry.n_events);
        }
    }

    /// The entries of these iterations of a loop. Costs as much as there are entries, not iterations:
    /// after a compaction, the first advance trims all the iterations that ever were.
    pub(super) fn locations_of(&self, looped: &Location, iterations: Range<u64>) -> Vec<Location> {
        let below = |scope: &Location| self.entries.range(range_below(scope)).map(|(at, _)| at);
        if iterations.end - iterations.start > self.entries.len() as u64 {
            return below(looped)
                .filter(|at| at.iteration_in(looped).is_some_and(|n| iterations.contains(&n)))
                .cloned()
                .collect();
        }
        iterations.flat_map(|n| below(&looped.iteration(n)).cloned().collect::<Vec<_>>()).collect()
    }
}
