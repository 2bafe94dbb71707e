//! The group beside a plain model of what it must do.

use proptest::prelude::*;
use stepwell_kernel::KeyedLimit;

use super::*;

fn run(n: u128) -> RunId {
    RunId(Uuid::from_u128(n))
}

fn key(n: u8) -> Key {
    Uuid::from_u128(u128::from(n) + 1)
}

fn candidate(n: u128, of: u8) -> Candidate {
    // Ids are in another order than creation.
    let cursor = Cursor { created_at: UnixMillis(n as u64), run: run(1_000_000 - n) };
    Candidate { cursor, key: key(of), deadline_at: None }
}

fn group(limits: RunLimits) -> Group {
    Group::new(Arc::new(limits))
}

fn concurrency(n: u32) -> RunLimits {
    RunLimits { concurrency: Some(n), ..RunLimits::default() }
}

const NOW: UnixMillis = UnixMillis(1_000);

#[test]
fn slots_go_to_those_who_came_first() {
    let mut group = group(concurrency(2));
    for n in [5, 3, 4, 1, 2] {
        group.wait(candidate(n, 0), NOW);
    }
    let runs = |ns: &[u128]| ns.iter().map(|n| candidate(*n, 0).cursor.run).collect::<Vec<_>>();
    assert_eq!(group.admit(NOW), runs(&[1, 2]));
    assert_eq!(group.admit(NOW), runs(&[]));
    group.release(runs(&[1])[0], NOW);
    assert_eq!(group.admit(NOW), runs(&[3]));
    let block = group.block(runs(&[4])[0], key(0), NOW);
    let Some(Block::Slots { n_max: 2, n_held: 2, held_by, .. }) = block else {
        panic!("{block:?}")
    };
    assert_eq!(held_by.len(), 2);
}

#[test]
fn a_key_that_is_full_does_not_hold_up_the_others() {
    let keyed = KeyedLimit { key: "k".into(), concurrency: Some(1), rate: None };
    let mut group = group(RunLimits { per_key: Some(keyed), ..RunLimits::default() });
    for n in 0..10 {
        group.wait(candidate(n, u8::from(n == 9)), NOW);
    }
    let admitted = group.admit(NOW);
    assert_eq!(admitted, [candidate(0, 0).cursor.run, candidate(9, 1).cursor.run]);
}

#[test]
fn the_queue_is_bounded_and_its_rest_is_asked_for_when_there_is_room() {
    let mut group = group(concurrency(1));
    group.hold(run(1), key(0), None, NOW);
    for n in 0..QUEUED_MAX as u128 + 500 {
        group.wait(candidate(n, 0), NOW);
    }
    assert_eq!(group.n_waiting(), QUEUED_MAX);
    assert_eq!(group.wants_more(), None, "there is no room yet");
    // One that was there first gets in; the last one goes.
    assert!(group.wait(candidate(0, 0), NOW));
    assert!(!group.wait(candidate(QUEUED_MAX as u128 + 7, 0), NOW));
    let last = candidate(QUEUED_MAX as u128 - 1, 0).cursor;
    let mut holder = run(1);
    for _ in 0..QUEUED_MAX / 2 {
        group.release(holder, NOW);
        holder = group.admit(NOW)[0];
    }
    assert_eq!(group.wants_more(), Some(last));
    group.expect_all();
    assert_eq!(group.wants_more(), None);
    assert!(group.wait(candidate(QUEUED_MAX as u128 + 7, 0), NOW), "nobody falls in between");
    group.expect_later(last, NOW);
    assert_eq!(group.n_waiting(), QUEUED_MAX / 2);
}

#[test]
fn keys_that_nobody_uses_are_forgotten() {
    let rate = Some(Rate { n_runs: 1, per_ms: 100 });
    let keyed = KeyedLimit { key: "k".into(), concurrency: Some(1), rate };
    let mut group = group(RunLimits { per_key: Some(keyed), ..RunLimits::default() });
    for n in 0..100_u8 {
        group.wait(candidate(u128::from(n), n), NOW);
    }
    for run in group.admit(NOW) {
        group.release(run, NOW);
    }
    assert_eq!(group.keys.len(), 100, "their rate must be remembered");
    group.admit(NOW.plus_ms(100));
    assert_eq!((group.keys.len(), group.expiries.len()), (0, 0));
}

#[test]
fn a_run_that_waits_can_get_another_key() {
    let keyed = KeyedLimit { key: "k".into(), concurrency: Some(1), rate: None };
    let mut group = group(RunLimits { per_key: Some(keyed), ..RunLimits::default() });
    group.hold(run(1), key(0), None, NOW);
    group.wait(candidate(2, 0), NOW);
    group.wait(candidate(2, 1), NOW);
    group.hold(run(1), key(2), None, NOW);
    assert_eq!(group.admit(NOW), [candidate(2, 1).cursor.run]);
    assert_eq!(group.keys.len(), 2);
}

#[test]
fn a_deadline_takes_a_run_out_of_the_queue() {
    let mut group = group(concurrency(1));
    group.hold(run(1), key(0), None, NOW);
    let late = Candidate { deadline_at: Some(NOW.plus_ms(50)), ..candidate(3, 0) };
    // At first nobody knew of its deadline.
    group.wait(candidate(3, 0), NOW);
    group.wait(late, NOW);
    assert_eq!(group.next_date(NOW), Some(NOW.plus_ms(50)));
    assert!(group.overdue(NOW.plus_ms(49)).is_empty());
    assert_eq!(group.overdue(NOW.plus_ms(50)), [late.cursor.run]);
    assert_eq!((group.n_waiting(), group.next_date(NOW)), (0, None));
}

/// What a group must do, slowly.
#[derive(Default)]
struct Model {
    limits: RunLimits,
    held: Vec<(RunId, Key)>,
    waiting: Vec<(Cursor, Key)>,
    begun: Vec<(UnixMillis, Key)>,
}

impl Model {
    fn may_begin(&self, of: Key, now: UnixMillis) -> bool {
        let full = |n_max: Option<u32>, n: usize| n_max.is_some_and(|n_max| n >= n_max as usize);
        let keyed = self.limits.per_key.as_ref();
        let of_key = self.held.iter().filter(|(_, held)| *held == of).count();
        let closed = |rate: Option<Rate>, of: Option<Key>| {
            rate.is_some_and(|rate| {
                let begun = self.begun.iter().filter(|(at, key)| {
                    of.is_none_or(|of| of == *key) && at.plus_ms(rate.per_ms) > now
                });
                begun.count() >= rate.n_runs as usize
            })
        };
        !full(self.limits.concurrency, self.held.len())
            && !full(keyed.and_then(|keyed| keyed.concurrency), of_key)
            && !closed(self.limits.rate, None)
            && !closed(keyed.and_then(|keyed| keyed.rate), Some(of))
    }

    fn admit(&mut self, now: UnixMillis) -> Vec<RunId> {
        let mut admitted = Vec::new();
        self.waiting.sort();
        while let Some(place) = self.waiting.iter().position(|(_, key)| self.may_begin(*key, now)) {
            let (cursor, key) = self.waiting.remove(place);
            self.held.push((cursor.run, key));
            self.begun.push((now, key));
            admitted.push(cursor.run);
        }
        admitted
    }
}

#[derive(Debug, Clone)]
enum Op {
    Wait(u128, u8),
    Release(usize),
    Pass(u64),
    /// To the date that the group names, if it names one.
    PassToDate,
    Relimit(RunLimits),
}

fn limits() -> impl Strategy<Value = RunLimits> {
    let rate = || {
        let rate = (1_u32..4, 1_u64..50).prop_map(|(n_runs, per_ms)| Rate { n_runs, per_ms });
        proptest::option::of(rate)
    };
    let keyed = (proptest::option::of(1_u32..4), rate())
        .prop_map(|(concurrency, rate)| KeyedLimit { key: "k".into(), concurrency, rate });
    (proptest::option::of(1_u32..6), rate(), proptest::option::of(keyed))
        .prop_map(|(concurrency, rate, per_key)| RunLimits { concurrency, rate, per_key })
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (0_u128..200, 0_u8..4).prop_map(|(n, of)| Op::Wait(n, of)),
        4 => any::<usize>().prop_map(Op::Release),
        2 => (0_u64..30).prop_map(Op::Pass),
        2 => Just(Op::PassToDate),
        1 => limits().prop_map(Op::Relimit),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn a_group_admits_whom_its_limits_allow_and_nobody_waits_for_nothing(
        first in limits(),
        ops in proptest::collection::vec(op(), 1..120),
    ) {
        // What was longer ago than a rate asks for is not remembered: one that asks for more is told anew.
        let spans = |limits: &RunLimits| {
            let span = |rate: Rate| rate.per_ms;
            let keyed = limits.per_key.as_ref().map(|keyed| keyed.rate.map(span));
            (limits.rate.map(span), keyed)
        };
        let mut group = group(first.clone());
        let mut model = Model { limits: first, ..Model::default() };
        let mut now = NOW;
        for op in ops {
            match op {
                Op::Wait(n, of) => {
                    let candidate = candidate(n, of);
                    let run = candidate.cursor.run;
                    let is_known = model.held.iter().any(|(held, _)| *held == run)
                        || model.waiting.iter().any(|(cursor, _)| cursor.run == run);
                    if !is_known {
                        group.wait(candidate, now);
                        model.waiting.push((candidate.cursor, candidate.key));
                    }
                }
                Op::Release(n) if !model.held.is_empty() => {
                    let (run, _) = model.held.remove(n % model.held.len());
                    prop_assert!(group.release(run, now));
                }
                Op::Release(_) => {}
                Op::Pass(ms) => now = now.plus_ms(ms),
                Op::PassToDate => {
                    let date = group.next_date(now);
                    let could_begin_later = model.waiting.iter().any(|(_, key)| {
                        (0..200).any(|ms| model.may_begin(*key, now.plus_ms(ms)))
                    });
                    prop_assert!(date.is_some() || !could_begin_later, "nobody would wake it");
                    now = date.unwrap_or(now).max(now);
                }
                Op::Relimit(mut limits) => {
                    let (common, keyed) = spans(&model.limits);
                    let same = |rate: Option<Rate>, span: Option<u64>| {
                        let n_runs = rate.map_or(1, |rate| rate.n_runs);
                        span.map(|per_ms| Rate { n_runs, per_ms })
                    };
                    limits.rate = same(limits.rate, common);
                    if let Some(limit) = &mut limits.per_key {
                        limit.rate = same(limit.rate, keyed.flatten());
                    }
                    if limits.per_key.is_some() == model.limits.per_key.is_some() {
                        group.relimit(Arc::new(limits.clone()), now);
                        model.limits = limits;
                    }
                }
            }
            prop_assert_eq!(group.admit(now), model.admit(now));
            prop_assert_eq!(group.n_waiting(), model.waiting.len());
            for (cursor, key) in &model.waiting {
                prop_assert_ne!(group.block(cursor.run, *key, now), Some(Block::Turn));
            }
        }
    }
}
