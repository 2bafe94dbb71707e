//! What must hold when all is over.

use std::collections::BTreeMap;

use stepwell::{Engine, Event, EventKind, RunOutcome, RunState};

use crate::Counts;
use crate::campaign::all_runs;
use crate::load::{Acknowledged, DIALECTS, listens};
use crate::outside::{Effect, Outside};

/// What one server that is stopped may be about to begin in that very moment, for each of its threads.
const BEGINNING_MAX: usize = 4;

/// The marks that journals have, and when each was recorded first, in milliseconds since 1970.
type Recorded = BTreeMap<String, u64>;

pub async fn check(address: &str, runs: &Acknowledged, outside: &Outside, counts: &mut Counts) {
    let engine = Engine::open_postgres(address).await.unwrap();
    // That no epoch wrote after a later one is a part of this.
    assert_eq!(engine.check().await.unwrap().problems, Vec::<String>::new());
    for dialect in DIALECTS {
        assert!(runs.keys().any(|(of, _)| *of == dialect), "no run of {dialect} was started");
    }
    let mut recorded = Recorded::new();
    for run in all_runs(&engine).await {
        counts.runs += 1;
        for event in run.journal().await.unwrap() {
            note_marks(&event, &mut recorded);
        }
    }
    for ((dialect, n), run) in runs {
        let run = engine.get(run.parse().unwrap()).await.unwrap();
        let journal = run.journal().await.unwrap();
        let outcome = RunState::fold(run.id(), &journal).unwrap().outcome;
        let completed = matches!(outcome, Some(RunOutcome::Completed(_)));
        assert!(completed, "{dialect} {n} came to {outcome:?}");
        counts.messages += check_messages(dialect, &journal);
    }
    for (what, effects) in outside.effects() {
        counts.effects += 1;
        check_effects(&what, &effects, &recorded, counts);
    }
    let n_runs = runs.len() / DIALECTS.len();
    assert_eq!(counts.effects, n_runs * (3 + 3 + 2 + 3), "each run does as much as it should");
    assert!(counts.begun_by_stopped <= BEGINNING_MAX * counts.stops as usize, "{counts:?}");
    check_webhooks(outside, &recorded, counts).await;
    engine.shutdown().await;
}

/// Finds marks such as `fx12x` wherever they stand in an event.
fn note_marks(event: &Event, recorded: &mut Recorded) {
    let text = format!("{:?}", event.kind);
    for rest in text.split("fx").skip(1) {
        let n_digits = rest.chars().take_while(char::is_ascii_digit).count();
        if n_digits > 0 && rest[n_digits..].starts_with('x') {
            let mark = format!("fx{}x", &rest[..n_digits]);
            recorded.entry(mark).or_insert(event.at.0);
        }
    }
}

fn check_messages(dialect: &str, journal: &[Event]) -> usize {
    let received = journal.iter().filter(|e| matches!(e.kind, EventKind::MessageReceived(_)));
    let taken = journal.iter().filter(|e| matches!(e.kind, EventKind::MessageTaken { .. }));
    let (received, taken) = (received.count(), taken.count());
    if listens(dialect) {
        assert_eq!((received, taken), (1, 1), "{dialect}: {journal:?}");
        return 1;
    }
    0
}

/// One of the effects for a step is the one that counts, and none began after that was recorded.
fn check_effects(what: &str, effects: &[Effect], recorded: &Recorded, counts: &mut Counts) {
    let found: Vec<(&Effect, u64)> =
        effects.iter().filter_map(|effect| Some((effect, *recorded.get(&effect.mark)?))).collect();
    let [(counting, recorded_at)] = found[..] else {
        panic!("{what} is recorded {} times: {effects:?}", found.len())
    };
    counts.repeated_before_recorded += effects.len() - 1;
    let late = effects.iter().filter(|one| one.mark != counting.mark && one.at > recorded_at);
    counts.begun_by_stopped += late.count();
}

/// A webhook is taken once, and what it said is what was recorded.
async fn check_webhooks(outside: &Outside, recorded: &Recorded, counts: &mut Counts) {
    for (what, called) in outside.webhooks().await {
        counts.webhooks += 1;
        let taken: Vec<_> = called.iter().filter(|called| called.is_first).collect();
        match taken[..] {
            [first] => assert!(recorded.contains_key(&first.mark), "{what}: {called:?}"),
            [] => {
                counts.webhooks_again += 1;
                let n_recorded = called.iter().filter(|one| recorded.contains_key(&one.mark));
                assert_eq!(n_recorded.count(), 1, "{what}: {called:?}");
            }
            _ => panic!("{what} was taken {} times: {called:?}", taken.len()),
        }
    }
}
