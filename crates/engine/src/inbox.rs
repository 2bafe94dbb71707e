//! What a run in memory knows of its inbox in the store.

use std::collections::BTreeSet;

use stepwell_journal::{EntryKind, RunState};
use stepwell_kernel::Input;
use stepwell_store::{InboxId, InboxItem, Inboxed, StoreError};
use tokio::sync::oneshot;

use crate::clock::BoxFuture;

/// The look into the inbox that is under way.
pub(crate) struct Reading<'s> {
    pub done: BoxFuture<'s, Result<Vec<Inboxed>, StoreError>>,
    /// Who wants to know that it was read.
    pub acks: Vec<oneshot::Sender<()>>,
}

/// What was found in the inbox and is not out of it yet. An item goes into the execution once, and out of
/// the inbox with the commit that holds what came of it.
#[derive(Default)]
pub(crate) struct Inbox {
    /// Everything that the execution was given and that a look into the inbox may still show.
    seen: BTreeSet<InboxId>,
    /// What the next commit takes out.
    taken: Vec<InboxId>,
    /// What the commit under way takes out.
    leaving: Vec<InboxId>,
    /// Something was seen again that a commit takes out, or took out since the look began.
    may_be_back: bool,
    /// The mailbox is full: some messages stay in the inbox for now.
    left_behind: bool,
    /// How many messages were admitted and are not in the mailbox yet.
    n_admitted: usize,
}

impl Inbox {
    /// Call before each look: what a durable commit has taken out cannot show up any more.
    pub fn forget_what_left(&mut self) {
        self.seen = self.leaving.iter().chain(&self.taken).copied().collect();
        self.n_admitted = 0;
    }

    /// Whether the execution is to be given this item now.
    pub fn admit(&mut self, inboxed: &Inboxed, state: &RunState, messages_max: usize) -> bool {
        if self.seen.contains(&inboxed.id) {
            // Either it is still there, or it was posted once more after it was taken out.
            self.may_be_back |= !self.taken.contains(&inboxed.id);
            return false;
        }
        if let InboxItem::Message { name, .. } = &inboxed.item {
            // However full the mailbox is, a message that somebody waits for must get through.
            let has_room = state.mailbox.len() + self.n_admitted < messages_max;
            if !has_room && !is_awaited(state, name) {
                self.left_behind = true;
                return false;
            }
            self.n_admitted += 1;
        }
        self.seen.insert(inboxed.id);
        self.taken.push(inboxed.id);
        true
    }

    /// Whether the inbox should be looked at again, now that the run can take more.
    pub fn may_admit_more(&mut self) -> bool {
        std::mem::take(&mut self.left_behind)
    }

    pub fn has_taken(&self) -> bool {
        !self.taken.is_empty()
    }

    /// What a commit that begins now takes out.
    pub fn take_out(&mut self) -> Vec<InboxId> {
        let taken = std::mem::take(&mut self.taken);
        self.leaving.clone_from(&taken);
        taken
    }

    /// That commit is durable.
    pub fn taken_out(&mut self) {
        self.leaving.clear();
    }

    /// Whether the inbox must be looked at again, because no commit takes anything out any more.
    pub fn must_look_again(&mut self) -> bool {
        self.leaving.is_empty() && std::mem::take(&mut self.may_be_back)
    }
}

fn is_awaited(state: &RunState, name: &String) -> bool {
    state
        .open_entries()
        .any(|(_, entry)| entry.kind == EntryKind::Listen && entry.names.contains(name))
}

/// What the execution is given; nothing for a mere wake.
pub(crate) fn input_of(inboxed: &Inboxed) -> Option<Input> {
    Some(match &inboxed.item {
        InboxItem::Message { .. } => Input::Message(inboxed.item.message(inboxed.at)?),
        InboxItem::Cancel { reason } => Input::Cancel { reason: reason.clone() },
        InboxItem::ChildEnded { location, child, outcome } => Input::ChildEnded {
            location: location.clone(),
            child: *child,
            outcome: outcome.clone(),
        },
        InboxItem::Answer { location, answer } => {
            Input::Answer { location: location.clone(), answer: answer.clone() }
        }
        InboxItem::Wake => return None,
    })
}
