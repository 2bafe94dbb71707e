//! Dropping what no replay can need any more.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    Event, EventKind, FoldError, Location, MessageId, Note, RunId, RunState, Seq, effective,
};

/// The same journal without the iterations that its loops have trimmed. It keeps its numbers, so it has
/// gaps; its fold is the same as before.
///
/// Every advance that stays of a loop says how much of it is gone: should a later `RunResumed` void the
/// advance that trimmed it, the loop still begins at its first kept iteration and not anew.
pub fn compact(run: RunId, journal: &[Event]) -> Result<Vec<Event>, FoldError> {
    let state = RunState::fold(run, journal)?;
    let keep = Keep::new(&state, journal);
    let mut kept: Vec<Event> = journal.iter().filter(|event| keep.keeps(event)).cloned().collect();
    for event in &mut kept {
        if let EventKind::LoopAdvanced { location, trimmed_before, .. } = &mut event.kind {
            let before = keep.loops.get(location).copied().unwrap_or(0);
            *trimmed_before = before.max(*trimmed_before);
        }
    }
    Ok(kept)
}

/// What must stay although it belongs to a trimmed iteration.
struct Keep<'a> {
    /// The loops that have trimmed something, and before which iteration.
    loops: BTreeMap<&'a Location, u64>,
    /// Messages taken by trimmed entries that nobody will ask about again.
    forgotten: BTreeSet<MessageId>,
    /// The last checkpoint, description and value of each label among what is trimmed. They stay even
    /// if a later one outdoes them, for that one may be voided yet.
    last: BTreeSet<Seq>,
}

impl<'a> Keep<'a> {
    fn new(state: &'a RunState, journal: &[Event]) -> Keep<'a> {
        let loops = state
            .entries
            .iter()
            .filter_map(|(location, entry)| {
                let trimmed_before = entry.iterations.as_ref()?.trimmed_before;
                (trimmed_before > 0).then_some((location, trimmed_before))
            })
            .collect();
        let mut keep = Keep { loops, forgotten: BTreeSet::new(), last: BTreeSet::new() };
        if keep.loops.is_empty() {
            return keep;
        }
        keep.forgotten = keep.forgotten_messages(state, journal);
        keep.last = keep.last_of_each(journal);
        keep
    }

    fn keeps(&self, event: &Event) -> bool {
        match &event.kind {
            EventKind::MessageReceived(message) => !self.forgotten.contains(&message.id),
            EventKind::MessageAnswered { id, .. } => !self.forgotten.contains(id),
            EventKind::MessageTaken { location, ids } => {
                !self.is_trimmed(location) || ids.iter().any(|id| !self.forgotten.contains(id))
            }
            EventKind::CheckpointSet { location } | EventKind::Noted { location, .. } => {
                !self.is_trimmed(location) || self.last.contains(&event.seq)
            }
            EventKind::LoopAdvanced { location, iteration, .. } => {
                let trimmed = self.loops.get(location).is_some_and(|before| iteration < before);
                !trimmed && !self.is_trimmed(location)
            }
            kind => !kind.location().is_some_and(|location| self.is_trimmed(location)),
        }
    }

    fn is_trimmed(&self, location: &Location) -> bool {
        let is_trimmed_in = |looped: &Location| {
            let before = self.loops.get(looped)?;
            Some(location.iteration_in(looped)? < *before)
        };
        let mut scope = location.parent();
        while let Some(looped) = scope {
            if is_trimmed_in(&looped) == Some(true) {
                return true;
            }
            scope = looped.parent();
        }
        false
    }

    fn forgotten_messages(&self, state: &RunState, journal: &[Event]) -> BTreeSet<MessageId> {
        let keyed: BTreeSet<MessageId> = effective(journal)
            .filter_map(|event| match &event.kind {
                EventKind::MessageReceived(message) => {
                    let key = message.key.as_ref()?;
                    state.remembers_key(key).then_some(message.id)
                }
                _ => None,
            })
            .collect();
        let must_stay = |id: &MessageId| {
            state.unanswered.contains_key(id) || state.answer(*id).is_some() || keyed.contains(id)
        };
        let mut forgotten = BTreeSet::new();
        for event in effective(journal) {
            if let EventKind::MessageTaken { location, ids } = &event.kind
                && self.is_trimmed(location)
                // One message of a batch that must stay keeps the whole batch.
                && !ids.iter().any(must_stay)
            {
                forgotten.extend(ids.iter().copied());
            }
        }
        forgotten
    }

    fn last_of_each(&self, journal: &[Event]) -> BTreeSet<Seq> {
        let mut last = BTreeMap::new();
        for event in effective(journal) {
            if !event.kind.location().is_some_and(|location| self.is_trimmed(location)) {
                continue;
            }
            match &event.kind {
                EventKind::CheckpointSet { .. } => last.insert("checkpoint".to_owned(), event.seq),
                EventKind::Noted { note: Note::Described { .. }, .. } => {
                    last.insert("description".to_owned(), event.seq)
                }
                EventKind::Noted { note: Note::LabelSet { key, .. }, .. } => {
                    last.insert(format!("label {key}"), event.seq)
                }
                _ => None,
            };
        }
        last.into_values().collect()
    }
}
