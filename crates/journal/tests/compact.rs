//! Compaction drops what loops have trimmed, and the fold does not notice.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use proptest::collection::vec;
use proptest::prelude::*;
use stepwell_journal::{
    Attempt, EntryKind, Event, EventKind, Failure, FailureKind, Json, Location, Message, MessageId,
    Note, ReplyTo, RunId, RunStarted, RunState, Seq, SeqRange, UnixMillis, compact, render_journal,
};
use uuid::Uuid;

const RUN: RunId = RunId(Uuid::nil());

/// One thing that a workflow does, or that is done to its run.
#[derive(Debug, Clone)]
enum Op {
    Step {
        n_failures: u32,
    },
    Sleep,
    Receive {
        keyed: bool,
        wants_answer: bool,
    },
    Take {
        n: usize,
    },
    TakeFail,
    Answer,
    Label {
        key: u8,
    },
    Describe,
    Checkpoint,
    Version,
    Ask,
    Child {
        ends: bool,
    },
    EnterLoop,
    Advance {
        kept: u64,
    },
    LeaveLoop,
    /// The run fails and goes on from the place where `back` operations before began.
    Resume {
        back: usize,
    },
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        4 => (0..3u32).prop_map(|n_failures| Op::Step { n_failures }),
        2 => Just(Op::Sleep),
        4 => (any::<bool>(), any::<bool>())
            .prop_map(|(keyed, wants_answer)| Op::Receive { keyed, wants_answer }),
        4 => (1..3usize).prop_map(|n| Op::Take { n }),
        1 => Just(Op::TakeFail),
        2 => Just(Op::Answer),
        3 => (0..3u8).prop_map(|key| Op::Label { key }),
        1 => Just(Op::Describe),
        2 => Just(Op::Checkpoint),
        1 => Just(Op::Version),
        1 => Just(Op::Ask),
        1 => any::<bool>().prop_map(|ends| Op::Child { ends }),
        3 => Just(Op::EnterLoop),
        10 => (1..4u64).prop_map(|kept| Op::Advance { kept }),
        1 => Just(Op::LeaveLoop),
    ]
}

fn op_or_resume() -> impl Strategy<Value = Op> {
    prop_oneof![
        20 => op(),
        1 => (0..12usize).prop_map(|back| Op::Resume { back }),
    ]
}

/// Where a workflow's code stands: what going back restores.
#[derive(Clone)]
struct Place {
    /// The loops that are open, and their iterations.
    loops: Vec<(Location, u64)>,
    n_names: u64,
}

impl Place {
    fn scope(&self) -> Location {
        self.loops.last().map_or(Location::root(), |(looped, n)| looped.iteration(*n))
    }
}

struct Writer {
    journal: Vec<Event>,
    place: Place,
    /// Where each operation began.
    places: Vec<(Seq, Place)>,
    n_messages: u64,
}

impl Writer {
    fn new() -> Writer {
        let mut writer = Writer {
            journal: Vec::new(),
            place: Place { loops: Vec::new(), n_names: 0 },
            places: Vec::new(),
            n_messages: 0,
        };
        writer.write(EventKind::RunStarted(Box::new(RunStarted {
            workflow: "w".into(),
            version: "1".into(),
            namespace: "default".into(),
            input: Json::null(),
            labels: [("k0".to_owned(), "from the start".to_owned())].into(),
            parent: None,
            seed: 7,
            replay_of: None,
            pinned: false,
            deadline_at: None,
            trace: None,
        })));
        writer
    }

    fn write(&mut self, kind: EventKind) -> Seq {
        let seq = Seq(self.journal.len() as u64);
        self.journal.push(Event { seq, at: UnixMillis(1_000 + seq.0), kind });
        seq
    }

    fn new_location(&mut self) -> Location {
        self.place.n_names += 1;
        self.place.scope().named(&format!("e{}", self.place.n_names)).unwrap()
    }

    fn perform(&mut self, op: &Op) {
        self.places.push((Seq(self.journal.len() as u64), self.place.clone()));
        match op {
            Op::Step { n_failures } => self.step(*n_failures),
            Op::Sleep => {
                let location = self.new_location();
                self.write(EventKind::TimerSet {
                    location: location.clone(),
                    fire_at: UnixMillis(9),
                });
                self.write(EventKind::TimerFired { location });
            }
            Op::Receive { keyed, wants_answer } => self.receive(*keyed, *wants_answer),
            Op::Take { n } => self.take(*n),
            Op::TakeFail => {
                let location = self.new_location();
                self.write(EventKind::ListenTimedOut { location });
            }
            Op::Answer => {
                let state = self.fold();
                if let Some(id) = state.unanswered.keys().next() {
                    self.write(EventKind::MessageAnswered { id: *id, body: Json::null() });
                }
            }
            Op::Label { key } => {
                let value = format!("v{}", self.journal.len());
                self.note(Note::LabelSet { key: format!("k{key}"), value });
            }
            Op::Describe => {
                let text = format!("d{}", self.journal.len());
                self.note(Note::Described { text });
            }
            Op::Checkpoint => {
                let location = self.new_location();
                self.write(EventKind::CheckpointSet { location });
            }
            Op::Version => {
                let location = self.new_location();
                self.write(EventKind::VersionChosen { location, version: 2 });
            }
            Op::Ask => {
                let location = self.new_location();
                self.succeed(location.sending(), 1);
                self.write(EventKind::AnswerReceived { location, answer: Ok(Json::null()) });
            }
            Op::Child { ends } => self.child(*ends),
            Op::EnterLoop => {
                if self.place.loops.len() < 3 {
                    let location = self.new_location();
                    let kind = EntryKind::Loop;
                    self.write(EventKind::BlockStarted { location: location.clone(), kind });
                    self.place.loops.push((location, 0));
                }
            }
            Op::Advance { kept } => self.advance(*kept),
            Op::LeaveLoop => {
                if let Some((location, _)) = self.place.loops.pop() {
                    self.write(EventKind::BlockEnded { location, failure: None, winner: None });
                }
            }
            Op::Resume { back } => self.resume(*back),
        }
    }

    fn step(&mut self, n_failures: u32) {
        let location = self.new_location();
        for n in 1..=n_failures {
            self.write(EventKind::AttemptFailed {
                location: location.clone(),
                attempt: Attempt(n),
                failure: Failure::new(FailureKind::Error, "no"),
                retry_at: UnixMillis(5_000),
            });
        }
        self.succeed(location, n_failures + 1);
    }

    fn succeed(&mut self, location: Location, attempt: u32) {
        let attempt = Attempt(attempt);
        self.write(EventKind::StepSucceeded { location, attempt, value: Json::null() });
    }

    fn receive(&mut self, keyed: bool, wants_answer: bool) {
        self.n_messages += 1;
        let n = self.n_messages;
        self.write(EventKind::MessageReceived(Box::new(Message {
            id: MessageId(Uuid::from_u64_pair(1, n)),
            name: "m".into(),
            body: Json::null(),
            key: keyed.then(|| format!("key{n}")),
            reply: wants_answer.then_some(ReplyTo::Caller),
            received_at: UnixMillis(1_000 + self.journal.len() as u64),
        })));
    }

    fn take(&mut self, n: usize) {
        let ids: Vec<MessageId> =
            self.fold().mailbox.iter().take(n).map(|message| message.id).collect();
        if !ids.is_empty() {
            let location = self.new_location();
            self.write(EventKind::ListenStarted {
                location: location.clone(),
                names: vec!["m".into()],
                deadline_at: Some(UnixMillis(9_000)),
            });
            self.write(EventKind::MessageTaken { location, ids });
        }
    }

    fn note(&mut self, note: Note) {
        self.place.n_names += 1;
        let location = self.place.scope().note(self.place.n_names);
        self.write(EventKind::Noted { location, note });
    }

    fn child(&mut self, ends: bool) {
        let location = self.new_location();
        self.write(EventKind::ChildStarted {
            location: location.clone(),
            child: RunId::child_of(RUN, location.as_str()),
            workflow: "c".into(),
            input: Json::null(),
        });
        if ends {
            let outcome = Err(Failure::new(FailureKind::Critical, "broken"));
            self.write(EventKind::ChildEnded { location, outcome });
        }
    }

    fn advance(&mut self, kept: u64) {
        if let Some((location, n)) = self.place.loops.last_mut() {
            *n += 1;
            let (location, iteration) = (location.clone(), *n);
            self.write(EventKind::LoopAdvanced {
                location,
                iteration,
                state: Json::from(serde_json::Value::from(iteration)),
                trimmed_before: iteration.saturating_sub(kept),
            });
        }
    }

    fn resume(&mut self, back: usize) {
        let deadline_at = self.fold().deadline_at;
        if let Some(deadline_at) = deadline_at {
            self.write(EventKind::DeadlinePassed { deadline_at });
        }
        let failure = Failure::new(FailureKind::Error, "the run failed");
        let last = self.write(EventKind::RunFailed { failure });
        let index = self.places.len().saturating_sub(1 + back);
        let (first, place) = self.places[index].clone();
        // Nothing may go back into an iteration that is gone.
        let state = self.fold();
        let is_gone = place.loops.iter().any(|(looped, n)| {
            let entry = state.entry(looped).and_then(|entry| entry.iterations.as_deref());
            entry.is_some_and(|iterations| *n < iterations.trimmed_before)
        });
        let first = match (is_gone, deadline_at) {
            (false, _) => first,
            (true, None) => last,
            (true, Some(_)) => Seq(last.0 - 1),
        };
        if !is_gone {
            self.place = place;
            self.places.truncate(index + 1);
        }
        // A message that was accepted stays accepted.
        let voids: Vec<SeqRange> = self.journal[first.0 as usize..]
            .iter()
            .filter(|event| !matches!(event.kind, EventKind::MessageReceived(_)))
            .map(|event| SeqRange { first: event.seq, last: event.seq })
            .collect();
        // Now with a deadline, now without.
        let deadline_at = back.is_multiple_of(2).then_some(UnixMillis(9_000));
        self.write(EventKind::RunResumed { voids, reason: "try again".into(), deadline_at });
    }

    fn fold(&self) -> RunState {
        RunState::fold(RUN, &self.journal).unwrap()
    }
}

fn journal_of(ops: &[Op]) -> Vec<Event> {
    let mut writer = Writer::new();
    for op in ops {
        writer.perform(op);
    }
    writer.journal
}

fn fold(journal: &[Event]) -> RunState {
    let folded = RunState::fold(RUN, journal);
    let mut state = folded.unwrap_or_else(|error| panic!("{error}\n{}", render_journal(journal)));
    state.n_garbage = 0;
    state
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn the_fold_of_a_compacted_journal_is_the_same(ops in vec(op_or_resume(), 0..80)) {
        let journal = journal_of(&ops);
        let compacted = compact(RUN, &journal).unwrap();
        prop_assert_eq!(fold(&compacted), fold(&journal));
        prop_assert_eq!(&compact(RUN, &compacted).unwrap(), &compacted, "once is enough");
    }

    /// The engine compacts a journal that then goes on.
    #[test]
    fn compacting_in_the_middle_changes_nothing_later(
        ops in vec(op(), 0..80),
        cut in any::<prop::sample::Index>(),
    ) {
        let journal = journal_of(&ops);
        let cut = 1 + cut.index(journal.len());
        let mut compacted = compact(RUN, &journal[..cut]).unwrap();
        compacted.extend_from_slice(&journal[cut..]);
        prop_assert_eq!(fold(&compacted), fold(&journal));
    }

    #[test]
    fn what_is_counted_as_garbage_is_about_what_goes(ops in vec(op(), 0..80)) {
        let journal = journal_of(&ops);
        let n_gone = journal.len() - compact(RUN, &journal).unwrap().len();
        let counted = RunState::fold(RUN, &journal).unwrap().n_garbage as usize;
        let n_messages = journal
            .iter()
            .filter(|event| matches!(
                event.kind,
                EventKind::MessageReceived(_)
                    | EventKind::MessageTaken { .. }
                    | EventKind::MessageAnswered { .. }
                    | EventKind::CheckpointSet { .. }
                    | EventKind::Noted { .. }
            ))
            .count();
        prop_assert!(counted.abs_diff(n_gone) <= n_messages, "{counted} counted, {n_gone} gone");
    }
}

#[test]
fn an_endless_loop_has_a_bounded_journal() {
    let mut writer = Writer::new();
    writer.perform(&Op::EnterLoop);
    let mut lengths = Vec::new();
    for _ in 0..10 {
        for _ in 0..20 {
            writer.perform(&Op::Step { n_failures: 1 });
            writer.perform(&Op::Receive { keyed: false, wants_answer: false });
            writer.perform(&Op::Take { n: 1 });
            writer.perform(&Op::Advance { kept: 3 });
        }
        lengths.push(compact(RUN, &writer.journal).unwrap().len());
    }
    assert_eq!(lengths[1..], vec![lengths[1]; 9]);
}

/// Replay must be linear in what is there, not in what once was.
#[test]
fn a_loop_of_a_million_million_iterations_folds_at_once() {
    let mut writer = Writer::new();
    writer.perform(&Op::EnterLoop);
    writer.place.loops[0].1 = 1_000_000_000_000;
    writer.perform(&Op::Advance { kept: 3 });
    let state = fold(&writer.journal);
    let looped = &writer.place.loops[0].0;
    let iterations = state.entry(looped).unwrap().iterations.as_ref().unwrap();
    assert_eq!(iterations.trimmed_before, 999_999_999_998);
}

/// Otherwise the steps of the iterations that are gone would run again.
#[test]
fn a_loop_whose_last_advances_are_voided_still_begins_at_its_first_kept_iteration() {
    let mut writer = Writer::new();
    writer.perform(&Op::EnterLoop);
    for _ in 0..3 {
        writer.perform(&Op::Step { n_failures: 0 });
        writer.perform(&Op::Label { key: 0 });
        writer.perform(&Op::Checkpoint);
        writer.perform(&Op::Advance { kept: 1 });
    }
    let before = fold(&writer.journal);
    // The third iteration sets another label and checkpoint, and the fourth begins.
    let first = Seq(writer.journal.len() as u64);
    writer.perform(&Op::Label { key: 0 });
    writer.perform(&Op::Checkpoint);
    writer.perform(&Op::Advance { kept: 1 });
    let mut compacted = compact(RUN, &writer.journal).unwrap();

    let last = Seq(writer.journal.len() as u64 - 1);
    let kind = EventKind::RunResumed {
        voids: vec![SeqRange { first, last }],
        reason: "".into(),
        deadline_at: None,
    };
    compacted.push(Event { seq: Seq(last.0 + 1), at: UnixMillis(9_999), kind });
    let after = fold(&compacted);

    let looped = &writer.place.loops[0].0;
    let iterations = after.entry(looped).unwrap().iterations.as_ref().unwrap();
    assert_eq!(iterations.trimmed_before, 3);
    assert_eq!(iterations.begun.keys().copied().collect::<Vec<_>>(), [3]);
    assert_eq!(after.labels, before.labels);
    assert_eq!(after.checkpoint, before.checkpoint);
}

#[test]
fn a_message_that_a_voided_entry_took_is_not_forgotten() {
    let mut writer = Writer::new();
    writer.perform(&Op::Receive { keyed: false, wants_answer: false });
    writer.perform(&Op::EnterLoop);
    writer.perform(&Op::Take { n: 1 });
    writer.perform(&Op::Resume { back: 1 });
    for _ in 0..3 {
        writer.perform(&Op::Advance { kept: 1 });
    }
    assert_eq!(fold(&writer.journal).mailbox.len(), 1);
    let compacted = compact(RUN, &writer.journal).unwrap();
    assert_eq!(fold(&compacted).mailbox.len(), 1);
}
