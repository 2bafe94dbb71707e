//! Events on their way: decided, made durable, delivered.

use stepwell_journal::{Event, EventKind, FailureKind, Location, Seq};

use super::{Core, Inner, Urgency};

impl Core {
    /// Decides an event. It is delivered in its turn, by [`Core::deliver_next`].
    pub fn emit(&self, kind: EventKind, urgency: Urgency) -> Seq {
        let mut inner = self.inner();
        let seq = inner.next_seq;
        if inner.was_stopped {
            return seq;
        }
        let at = inner.now;
        inner.next_seq = seq.next();
        inner.n_events += 1;
        if let EventKind::ChildStarted { location, child, .. } = &kind {
            inner.open_children.insert(location.clone(), *child);
        }
        let event = Event { seq, at, kind };
        inner.outbox.push(event.clone());
        inner.outbox_urgency = inner.outbox_urgency.max(Some(urgency));
        inner.undelivered.push_back((event, urgency));
        seq
    }

    /// Applies the next event that may be seen, and wakes who waits for it. False if there is none.
    pub fn deliver_next(&self) -> bool {
        let mut inner = self.inner();
        let Some((event, urgency)) = inner.undelivered.front() else { return false };
        if *urgency == Urgency::Durable && event.seq >= inner.durable_to {
            return false;
        }
        let Some((event, _)) = inner.undelivered.pop_front() else { return false };
        let n_garbage = inner.state.n_garbage;
        if let Err(error) = inner.state.apply(&event) {
            // We made this event ourselves: that it makes no sense is a bug in this crate.
            panic!("{error}");
        }
        inner.n_events = inner.n_events.saturating_sub(inner.state.n_garbage - n_garbage);
        if inner.careful && event.seq < inner.durable_to && ends_attempt(&event.kind) {
            inner.careful = false;
        }
        inner.arrive(&event);
        true
    }

    /// The same for an event that was recorded before: the fold has it already.
    pub fn deliver_recorded(&self, event: &Event) {
        self.inner().arrive(event);
    }

    pub fn all_delivered(&self) -> bool {
        self.peek().undelivered.is_empty()
    }
}

impl Inner {
    pub fn is_delivered(&self, seq: Seq) -> bool {
        self.cursor.is_some_and(|cursor| seq <= cursor)
    }

    /// Moves the cursor to the event and wakes who waits for it.
    pub(super) fn arrive(&mut self, event: &Event) {
        self.cursor = Some(event.seq);
        self.cursor_at = event.at;
        match &event.kind {
            EventKind::MessageReceived(message) => {
                self.arriving.remove(&message.id);
                if let Some(key) = &message.key {
                    self.arriving_keys.remove(key);
                }
                // In the order in which they began to listen: the first takes the message.
                for location in self.listeners.clone() {
                    self.wake(&location);
                }
            }
            EventKind::MessageTaken { ids, .. } => {
                for id in ids {
                    self.reserved.remove(id);
                }
            }
            EventKind::ChildEnded { location, .. } => {
                self.open_children.remove(location);
            }
            _ => {}
        }
        match event.kind.location() {
            Some(location) => self.wake(location),
            None => self.wake(&Location::root()),
        }
    }
}

/// Whether an attempt came to its own end with this event, so that it did not kill the process.
fn ends_attempt(kind: &EventKind) -> bool {
    match kind {
        EventKind::StepSucceeded { .. } => true,
        EventKind::StepFailed { failure, .. } | EventKind::AttemptFailed { failure, .. } => {
            failure.kind != FailureKind::Interrupted
        }
        _ => false,
    }
}
