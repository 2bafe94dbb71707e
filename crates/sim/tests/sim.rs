//! A slice of the simulator that every test run can afford: fixed seeds, the same simulation twice, and
//! proof that the checks can fail.

use std::sync::Once;

use stepwell_sim::{Options, PANIC_TEXT, Report, Sabotage, simulate};

/// How many simulations the slice has.
const SEEDS: u64 = 400;

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

/// The law that the sabotage makes the checks find broken first.
fn law_broken_by(sabotage: Sabotage) -> Option<u8> {
    let options = Options { sabotage: Some(sabotage), ..quiet() };
    (0..SABOTAGE_SEEDS).find_map(|seed| {
        // Only seeds that are clean without the sabotage prove anything.
        let clean = simulate(seed, Options { sabotage: None, ..options }).violation.is_none();
        let broken = clean.then(|| simulate(seed, options).violation).flatten();
        broken.map(|violation| violation.law)
    })
}

#[test]
fn no_law_is_broken_in_a_slice_of_simulations() {
    let options = quiet();
    for seed in 0..SEEDS {
        let report = simulate(seed, options);
        assert!(report.violation.is_none(), "{}", told(&report));
    }
}

#[test]
fn the_same_seed_is_the_same_simulation() {
    let options = quiet();
    for seed in [0x5eed, 1, 2, 3, 5, 8, 13, 21, 34, 55] {
        let (first, second) = (simulate(seed, options), simulate(seed, options));
        assert_eq!(first.trace_hash, second.trace_hash, "{}", told(&first));
        assert_eq!(first.counts, second.counts);
    }
}

#[test]
fn a_store_that_forgets_a_commit_is_caught() {
    assert!(law_broken_by(Sabotage::DropCommit).is_some());
}

#[test]
fn a_store_that_doubles_a_message_is_caught() {
    assert_eq!(law_broken_by(Sabotage::DoubleMessage), Some(9));
}

#[test]
fn a_store_that_forgets_a_message_is_caught() {
    assert_eq!(law_broken_by(Sabotage::DropMessage), Some(9));
}

#[test]
fn a_store_that_lets_a_fenced_engine_write_is_caught() {
    assert_eq!(law_broken_by(Sabotage::IgnoreFence), Some(5));
}
