//! Dropping what no replay can need any more.

use std::collections::{BTreeMap, BTreeSet};

use crate::{Event, EventKind, FoldError, Location, MessageId, Note, RunId, RunState, Seq};

/// The same journal without the iterations that its loops have trimmed. It keeps its numbers, so it has
/// gaps; its fold is the same as before.
pub fn compact(run: RunId, journal: &[Event]) -> Result<Vec<Event>, FoldError> {
    let state = RunState::fold(run, journal)?;
    let keep = Keep::new(&state, journal);
    Ok(journal.iter().filter(|event| keep.keeps(event)).cloned().collect())
}

/// What must stay although it belongs to a trimmed iteration.
struct Keep<'a> {
    state: &'a RunState,
    loops: Vec<(&'a Location, u64)>,
    /// Messages taken by trimmed entries that nobody will ask about again.
    forgotten: BTreeSet<MessageId>,
    /// The notes that the run's labels and description come from.
    notes: BTreeSet<Seq>,
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
        let mut keep = Keep { state, loops, forgotten: BTreeSet::new(), notes: BTreeSet::new() };
        keep.forgotten = keep.forgotten_messages(journal);
        keep.notes = last_notes(journal);
        keep
    }

    fn keeps(&self, event: &Event) -> bool {
        match &event.kind {
            EventKind::MessageReceived(message) => !self.forgotten.contains(&message.id),
            EventKind::MessageAnswered { id, .. } => !self.forgotten.contains(id),
            EventKind::MessageTaken { location, ids } => {
                !self.is_trimmed(location) || ids.iter().any(|id| !self.forgotten.contains(id))
            }
            EventKind::CheckpointSet { location } => {
                !self.is_trimmed(location) || self.state.checkpoint == Some(event.seq)
            }
            EventKind::Noted { location, .. } => {
                !self.is_trimmed(location) || self.notes.contains(&event.seq)
            }
            EventKind::LoopAdvanced { location, iteration, .. } => {
                let trimmed = self
                    .loops
                    .iter()
                    .any(|(looped, before)| *looped == location && iteration < before);
                !trimmed && !self.is_trimmed(location)
            }
            kind => !kind.location().is_some_and(|location| self.is_trimmed(location)),
        }
    }

    fn is_trimmed(&self, location: &Location) -> bool {
        self.loops.iter().any(|(looped, before)| {
            location.is_below(looped)
                && location.as_str()[looped.as_str().len() + 1..]
                    .split('/')
                    .next()
                    .and_then(|segment| segment.strip_prefix('~')?.parse::<u64>().ok())
                    .is_some_and(|iteration| iteration < *before)
        })
    }

    fn forgotten_messages(&self, journal: &[Event]) -> BTreeSet<MessageId> {
        let mut taken_by_trimmed = BTreeSet::new();
        for event in journal {
            if let EventKind::MessageTaken { location, ids } = &event.kind
                && self.is_trimmed(location)
            {
                // One message of a batch that must stay keeps the whole batch.
                let keyed = |id: &MessageId| {
                    journal.iter().any(|event| match &event.kind {
                        EventKind::MessageReceived(message) if message.id == *id => {
                            message.key.as_ref().is_some_and(|key| self.state.remembers_key(key))
                        }
                        _ => false,
                    })
                };
                let must_stay = ids.iter().any(|id| {
                    self.state.unanswered.contains_key(id)
                        || self.state.answer(*id).is_some()
                        || keyed(id)
                });
                if !must_stay {
                    taken_by_trimmed.extend(ids.iter().copied());
                }
            }
        }
        taken_by_trimmed
    }
}

/// The last description and the last value of each label.
fn last_notes(journal: &[Event]) -> BTreeSet<Seq> {
    let mut last: BTreeMap<Option<&str>, Seq> = BTreeMap::new();
    for event in journal {
        if let EventKind::Noted { note, .. } = &event.kind {
            match note {
                Note::Described { .. } => last.insert(None, event.seq),
                Note::LabelSet { key, .. } => last.insert(Some(key), event.seq),
                Note::Fact { .. } => None,
            };
        }
    }
    last.into_values().collect()
}
