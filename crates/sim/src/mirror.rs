//! A run as the store has it, kept beside the store by whoever watches it.

use std::collections::{BTreeMap, BTreeSet};

use stepwell_journal::{
    Epoch, Event, EventKind, FoldError, Location, RunId, RunStarted, RunState, Seq, effective,
};
use stepwell_store::{InboxId, InboxItem};

/// What the commits to a run add up to, and what its bodies did.
pub struct Mirror {
    /// What people call it in the trace.
    pub alias: String,
    /// Everything that was ever written, also what the store has compacted away.
    pub journal: Vec<Event>,
    pub state: RunState,
    /// Steps whose success counts. Unlike the state it knows trimmed iterations, too.
    pub done: BTreeSet<Location>,
    /// Start markers that were written before their body began.
    pub early_markers: BTreeSet<Location>,
    /// Who owns it, where several share the store.
    pub owner: Option<u32>,
    /// Its owner has to give it back: then it limits nobody there any more.
    pub is_leaving: bool,
    /// What the last commit was signed with, where several share the store.
    pub epoch: Epoch,
    /// Bodies that run in the engine that owns the run.
    pub running: BTreeMap<Location, u32>,
    /// What bodies returned, by step.
    pub returned: BTreeMap<Location, BTreeSet<u64>>,
    /// Steps that have an undo handler.
    pub undoable: BTreeSet<Location>,
    /// The step that was undone last.
    pub undone_last: Option<Seq>,
    /// A cancel is in the store.
    pub cancel_stored: bool,
    /// Somebody was told that the cancel is accepted.
    pub cancel_accepted: bool,
    pub n_resumes: u32,
    /// Whether its code has come to do anything: in its journal, or in the engine that lives.
    pub has_begun: bool,
    /// Whether its journal says so. What has begun in memory only may be forgotten, and waits again.
    pub has_written: bool,
    /// It was there when limits changed: it may have begun in memory only.
    pub may_have_begun: bool,
    /// How many events it was created with.
    n_given: usize,
    /// What the inbox holds: the token, if it is a message.
    pub inbox: BTreeMap<InboxId, Option<u64>>,
    /// Which of those are cancels: a store forgets them when the run ends.
    pub cancels: BTreeSet<InboxId>,
    /// The messages that the journal has, by token.
    pub received: BTreeSet<u64>,
    /// Messages that went from the inbox to nowhere because the run ended.
    pub dropped: BTreeSet<u64>,
}

impl Mirror {
    pub fn new(alias: String, run: RunId, journal: &[Event]) -> Result<Mirror, FoldError> {
        let mut mirror = Mirror {
            alias,
            journal: Vec::new(),
            state: RunState::new(run),
            done: BTreeSet::new(),
            early_markers: BTreeSet::new(),
            owner: None,
            is_leaving: false,
            epoch: Epoch(0),
            running: BTreeMap::new(),
            returned: BTreeMap::new(),
            undoable: BTreeSet::new(),
            undone_last: None,
            cancel_stored: false,
            cancel_accepted: false,
            n_resumes: 0,
            has_begun: false,
            has_written: false,
            may_have_begun: false,
            n_given: journal.len(),
            inbox: BTreeMap::new(),
            cancels: BTreeSet::new(),
            received: BTreeSet::new(),
            dropped: BTreeSet::new(),
        };
        for event in journal {
            mirror.apply(event)?;
        }
        Ok(mirror)
    }

    /// What the engine that lived had begun is lost if its journal does not tell.
    pub fn forget_begin(&mut self) {
        self.has_begun = self.journal.iter().skip(self.n_given).any(|event| is_begin(&event.kind));
    }

    pub fn started(&self) -> Option<&RunStarted> {
        self.state.started.as_ref()
    }

    pub fn apply(&mut self, event: &Event) -> Result<(), FoldError> {
        self.journal.push(event.clone());
        if matches!(event.kind, EventKind::RunResumed { .. }) {
            return self.resume();
        }
        self.state.apply(event)?;
        self.follow(&event.kind);
        Ok(())
    }

    fn follow(&mut self, kind: &EventKind) {
        match kind {
            EventKind::StepSucceeded { location, .. } => {
                self.done.insert(location.clone());
                self.early_markers.remove(location);
            }
            EventKind::AttemptStarted { location, .. } if !self.running.contains_key(location) => {
                self.early_markers.insert(location.clone());
            }
            EventKind::AttemptFailed { location, .. } | EventKind::StepFailed { location, .. } => {
                self.early_markers.remove(location);
            }
            EventKind::MessageReceived(message) => {
                self.received.extend(message.body.to::<u64>().ok());
            }
            EventKind::CancelRequested { .. } => self.cancel_stored = true,
            _ => {}
        }
    }

    /// Some of the past is void: look at the rest anew.
    fn resume(&mut self) -> Result<(), FoldError> {
        self.n_resumes += 1;
        self.state = RunState::fold(self.state.run, &self.journal)?;
        self.done.clear();
        self.received.clear();
        self.early_markers.clear();
        self.undone_last = None;
        self.cancel_stored = false;
        self.cancel_accepted = false;
        let kinds: Vec<EventKind> =
            effective(&self.journal).map(|event| event.kind.clone()).collect();
        kinds.iter().for_each(|kind| self.follow(kind));
        Ok(())
    }
}

/// Whether the event tells that code of the run did something.
pub fn is_begin(kind: &EventKind) -> bool {
    kind.location().is_some() || matches!(kind, EventKind::MessageReceived(_))
}

/// The token of a message.
pub fn token_of(item: &InboxItem) -> Option<u64> {
    match item {
        InboxItem::Message { body, .. } => body.to().ok(),
        InboxItem::Cancel { .. }
        | InboxItem::ChildEnded { .. }
        | InboxItem::Answer { .. }
        | InboxItem::Wake => None,
    }
}
