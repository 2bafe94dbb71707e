//! The wire format: what is written can be read, and what is damaged is an error and never a panic.

use proptest::collection::vec;
use proptest::prelude::*;
use stepwell_journal::wire::{self, DecodeError};
use stepwell_journal::{
    Attempt, Event, EventKind, FAILURE_DEPTH_MAX, Failure, FailureKind, Location, RunId, RunState,
    Seq, UnixMillis, arbitrary, compact, render_journal,
};
use uuid::Uuid;

fn encode(events: &[Event]) -> Vec<u8> {
    let mut block = Vec::new();
    wire::encode(events, &mut block);
    block
}

/// Does with bytes whatever is ever done with a journal from a disk. Must return, in whatever way.
fn read_all(block: &[u8]) {
    let run = RunId(Uuid::nil());
    if let Ok(events) = wire::decode(block) {
        let _ = render_journal(&events);
        let _ = compact(run, &events);
        if let Ok(state) = RunState::fold(run, &events) {
            let _ = (state.status(), state.waits(), state.wake_at());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn what_was_written_is_read_as_it_was(events in vec(arbitrary::event(), 0..8)) {
        prop_assert_eq!(wire::decode(&encode(&events)).unwrap(), events);
    }

    #[test]
    fn a_cut_block_is_an_error_or_its_first_events(
        events in vec(arbitrary::event(), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let block = encode(&events);
        let cut = &block[..cut.index(block.len())];
        if let Ok(read) = wire::decode(cut) {
            prop_assert_eq!(&read[..], &events[..read.len()]);
            prop_assert!(read.len() < events.len());
        }
    }

    #[test]
    fn a_flipped_bit_never_panics(
        events in vec(arbitrary::event(), 1..4),
        flips in vec((any::<prop::sample::Index>(), 0..8u32), 1..4),
    ) {
        let mut block = encode(&events);
        for (byte, bit) in flips {
            let byte = byte.index(block.len());
            block[byte] ^= 1 << bit;
        }
        read_all(&block);
    }

    #[test]
    fn random_bytes_never_panic(mut block in vec(any::<u8>(), 0..200), known in any::<bool>()) {
        if known && !block.is_empty() {
            block[0] = wire::FORMAT;
        }
        read_all(&block);
    }

    /// Events that are fine one by one and make no sense together.
    #[test]
    fn a_journal_of_nonsense_never_panics(mut kinds in vec(arbitrary::event_kind(UnixMillis(5)), 1..20)) {
        let first = kinds.iter().position(|kind| matches!(kind, EventKind::RunStarted(_)));
        kinds.swap(0, first.unwrap_or(0));
        let events: Vec<Event> = (0u64..)
            .zip(kinds)
            .map(|(n, kind)| Event { seq: Seq(n), at: UnixMillis(5), kind })
            .collect();
        read_all(&encode(&events));
    }
}

#[test]
fn an_event_of_an_unknown_kind_is_named_by_its_number() {
    // Field 1 is the number 7; field 200, a message of no bytes, is a kind of the future.
    let event = [0x08, 7, 0xc2, 0x0c, 0];
    let mut block = vec![wire::FORMAT, event.len() as u8];
    block.extend(event);
    let error = wire::decode(&block).unwrap_err();
    assert!(matches!(error, DecodeError::UnknownKind { seq: Seq(7) }), "{error}");
}

#[test]
fn a_block_of_a_newer_format_is_refused() {
    let mut block = encode(&[]);
    block[0] = wire::FORMAT + 1;
    let error = wire::decode(&block).unwrap_err();
    assert!(matches!(error, DecodeError::NewerFormat { found: 2 }), "{error}");
    assert_eq!(error.to_string(), "the journal has format 2, this version reads up to 1");
}

#[test]
fn an_empty_block_and_zeros_are_cut_off() {
    assert!(matches!(wire::decode(&[]), Err(DecodeError::CutOff)));
    assert!(matches!(wire::decode(&[0; 16]), Err(DecodeError::CutOff)));
    assert_eq!(wire::decode(&[wire::FORMAT]).unwrap(), []);
}

#[test]
fn blocks_follow_one_another() {
    let event = |n| Event {
        seq: Seq(n),
        at: UnixMillis(1_000 + n),
        kind: EventKind::TimerFired { location: Location::root().named("nap").unwrap() },
    };
    let mut read = Vec::new();
    wire::decode_into(&encode(&[event(0), event(1)]), &mut read).unwrap();
    wire::decode_into(&encode(&[event(2)]), &mut read).unwrap();
    assert_eq!(read, [event(0), event(1), event(2)]);
}

#[test]
fn a_fast_step_costs_few_bytes_beside_its_value() {
    let event = Event {
        seq: Seq(300),
        at: UnixMillis(1_794_787_200_000),
        kind: EventKind::StepSucceeded {
            location: Location::root().named("reserve").unwrap(),
            attempt: Attempt(1),
            value: stepwell_journal::Json::parse(r#"{"hold":7}"#).unwrap(),
        },
    };
    assert_eq!(encode(&[event]).len(), 1 + 36);
}

/// A child run's failure is a part of its parent's: a chain of children nests failures without end.
#[test]
fn a_failure_of_any_depth_can_be_read_again() {
    let mut failure = Failure::new(FailureKind::Error, "the innermost");
    for _ in 0..200 {
        failure = Failure { branches: vec![("left".into(), failure)], ..failed() };
    }
    let event =
        |failure| Event { seq: Seq(0), at: UnixMillis(0), kind: EventKind::RunFailed { failure } };
    let read = wire::decode(&encode(&[event(failure.clone())])).unwrap();
    // The bytes hold what a bounded failure has from the beginning.
    let bounded = failed().of_branches(failure.branches);
    assert_eq!(read, [event(bounded.clone())]);
    let mut depth = 0;
    let mut inner = &bounded;
    while let Some((_, next)) = inner.branches.first() {
        (inner, depth) = (next, depth + 1);
    }
    assert_eq!(depth, FAILURE_DEPTH_MAX);
}

fn failed() -> Failure {
    Failure::new(FailureKind::Error, "a branch failed")
}
