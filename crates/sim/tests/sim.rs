//! A slice of the simulator that every test run can afford: fixed seeds, the same simulation twice, and
//! proof that the checks can fail.

use std::ops::Range;
use std::sync::Once;

use stepwell_sim::{Counts, Nodes, Options, PANIC_TEXT, Report, Sabotage, simulate};

/// The slice, in two halves that run side by side.
const FIRST_HALF: Range<u64> = 0..120;
const SECOND_HALF: Range<u64> = 120..240;

/// How many seeds a sabotage may need until something happens that it spoils.
const SABOTAGE_SEEDS: u64 = 200;

/// Bodies panic by design; only other panics are worth a line.
fn quiet() -> Options {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_ours = info.payload_as_str().is_some_and(|text| text == PANIC_TEXT);
            if !is_ours {
                loud(info);
            }
        }));
    });
    Options::default()
}

fn told(report: &Report) -> String {
    format!(
        "{}\n{}\nseed {:#x}: {:?}",
        report.tail.join("\n"),
        report.journal,
        report.seed,
        report.violation
    )
}

/// Simulates these, of which no law may be broken, and counts what happened.
fn run_slice(seeds: Range<u64>) -> Counts {
    let options = quiet();
    let mut counts = Counts::default();
    for seed in seeds {
        let report = simulate(seed, options);
        assert!(report.violation.is_none(), "{}", told(&report));
        counts += report.counts;
    }
    counts
}

/// The law that the sabotage makes the checks find broken first.
fn law_broken_by(sabotage: Sabotage, nodes: Nodes) -> Option<u8> {
    let options = Options { sabotage: Some(sabotage), nodes, ..quiet() };
    (0..SABOTAGE_SEEDS).find_map(|seed| {
        let broken = simulate(seed, options).violation?;
        // Only seeds that are clean without the sabotage prove anything.
        let clean = simulate(seed, Options { sabotage: None, ..options }).violation.is_none();
        clean.then_some(broken.law)
    })
}

#[test]
fn no_law_is_broken_in_a_slice_of_simulations() {
    let counts = run_slice(FIRST_HALF);
    // Otherwise the slice says nothing of several nodes.
    assert!(counts.n_takeovers > 0 && counts.n_fenced > 0, "{counts:?}");
    assert!(counts.n_pauses > 0 && counts.n_calls_lost > 0, "{counts:?}");
    assert!(counts.n_shared > 0 && counts.n_shared < FIRST_HALF.end, "{counts:?}");
}

#[test]
fn no_law_is_broken_in_another_slice_of_simulations() {
    run_slice(SECOND_HALF);
}

#[test]
fn the_same_seed_is_the_same_simulation() {
    for nodes in [Nodes::One, Nodes::Several] {
        let options = Options { nodes, ..quiet() };
        for seed in [0x5eed, 1, 2, 3, 5, 8, 13, 21] {
            let (first, second) = (simulate(seed, options), simulate(seed, options));
            assert_eq!(first.trace_hash, second.trace_hash, "{nodes:?} {}", told(&first));
            assert_eq!(first.counts, second.counts);
        }
    }
}

#[test]
fn a_store_that_forgets_a_commit_is_caught() {
    assert!(law_broken_by(Sabotage::DropCommit, Nodes::One).is_some());
    assert!(law_broken_by(Sabotage::DropCommit, Nodes::Several).is_some());
}

#[test]
fn a_store_that_doubles_a_message_is_caught() {
    assert_eq!(law_broken_by(Sabotage::DoubleMessage, Nodes::One), Some(9));
    assert_eq!(law_broken_by(Sabotage::DoubleMessage, Nodes::Several), Some(9));
}

#[test]
fn a_store_that_forgets_a_message_is_caught() {
    assert_eq!(law_broken_by(Sabotage::DropMessage, Nodes::One), Some(9));
    assert_eq!(law_broken_by(Sabotage::DropMessage, Nodes::Several), Some(9));
}

#[test]
fn a_store_that_lets_a_fenced_engine_write_is_caught() {
    assert_eq!(law_broken_by(Sabotage::IgnoreFence, Nodes::One), Some(5));
    assert_eq!(law_broken_by(Sabotage::IgnoreFence, Nodes::Several), Some(5));
}

#[test]
fn a_take_over_that_leaves_the_epoch_as_it_was_is_caught() {
    assert_eq!(law_broken_by(Sabotage::KeepEpoch, Nodes::Several), Some(5));
}

#[test]
fn a_store_that_gives_away_shards_of_living_nodes_is_caught() {
    assert_eq!(law_broken_by(Sabotage::TakeFromLiving, Nodes::Several), Some(5));
}

#[test]
fn a_call_that_is_lost_and_not_made_up_for_is_caught() {
    assert!(law_broken_by(Sabotage::LoseCalls, Nodes::Several).is_some());
}
