//! Random graphs: they always end, and as a naive interpreter says that walks them in order.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use stepwell_journal::{Location, UnixMillis};

use crate::kit::{Played, Reply, START, Scene, TestHost, after, scene, steps};

/// More failures than there are attempts, whatever crashes.
const ALWAYS: u32 = 1_000;

/// The first wait before another attempt.
const BACKOFF_MS: u64 = 100;

#[derive(Debug, Clone)]
struct Spec {
    kind: Kind,
    /// Which of the earlier steps it refers to.
    needs: Vec<Index>,
    when: Option<(Index, Test, u64)>,
    goes_on: Option<bool>,
}

#[derive(Debug, Clone)]
enum Kind {
    Tool { work: Work, attempts: u32 },
    Code { ms: u64, fails: bool },
    Return,
    Sleep { ms: u64 },
    Each { items: Vec<Work>, concurrency: usize, attempts: u32 },
}

#[derive(Debug, Clone, Copy)]
struct Work {
    ms: u64,
    /// How many attempts fail before one succeeds.
    fails: u32,
}

#[derive(Debug, Clone, Copy)]
enum Test {
    Truth,
    Eq,
    Gt,
    Exists,
    NotExists,
}

// --- The graph, and its host -------------------------------------------------------------------------

fn name(n: usize) -> String {
    format!("s{n}")
}

/// The earlier steps that step `n` refers to.
fn needs(specs: &[Spec], n: usize) -> Vec<usize> {
    let mut needs: Vec<usize> = if n == 0 {
        Vec::new()
    } else {
        specs[n].needs.iter().map(|index| index.index(n)).collect()
    };
    needs.sort_unstable();
    needs.dedup();
    needs
}

/// The step that the condition is about; the run's input for the first step.
fn condition(specs: &[Spec], n: usize) -> Option<(Option<usize>, Test, u64)> {
    let (index, test, operand) = specs[n].when?;
    Some(((n > 0).then(|| index.index(n)), test, operand))
}

fn definition(specs: &[Spec], order: &[Index]) -> Value {
    let mut list: Vec<Value> = (0..specs.len()).map(|n| step(specs, n)).collect();
    // Steps may stand in any order.
    for (n, index) in order.iter().enumerate().take(list.len()) {
        let other = index.index(list.len());
        list.swap(n, other);
    }
    steps(json!(list))
}

fn step(specs: &[Spec], n: usize) -> Value {
    let spec = &specs[n];
    let refs: Vec<String> =
        needs(specs, n).into_iter().map(|need| format!("@{}.v?", name(need))).collect();
    let mut step = json!({ "name": name(n), "input": { "refs": refs } });
    let mut config = json!({});
    if let Some(goes_on) = spec.goes_on {
        config["onError"] = json!(if goes_on { "continue" } else { "fail" });
    }
    match &spec.kind {
        Kind::Tool { work, attempts } => {
            step["action"] = json!({ "toolName": "T" });
            step["input"]["ms"] = json!(work.ms);
            step["input"]["fails"] = json!(work.fails);
            step["input"]["v"] = json!(n);
            config["maxAttempts"] = json!(attempts);
            config["backoffMs"] = json!(BACKOFF_MS);
        }
        Kind::Code { ms, fails } => {
            step["action"] = json!({ "code": if *fails { "throw" } else { "ok" } });
            step["input"]["ms"] = json!(ms);
            step["input"]["v"] = json!(n);
        }
        Kind::Return => step["action"] = json!({ "return": true }),
        Kind::Sleep { ms } => step["action"] = json!({ "sleep": ms }),
        Kind::Each { items, concurrency, attempts } => {
            let items: Vec<Value> =
                items.iter().map(|work| json!({ "ms": work.ms, "fails": work.fails })).collect();
            step["action"] = json!({ "toolName": "T" });
            step["forEach"] =
                json!({ "ref": format!("@input.{}", name(n)), "concurrency": concurrency });
            step["input"]["ms"] = json!("@item.ms");
            step["input"]["fails"] = json!("@item.fails");
            step["input"]["v"] = json!("@index");
            step["items"] = json!(items);
            config["maxAttempts"] = json!(attempts);
            config["backoffMs"] = json!(BACKOFF_MS);
        }
    }
    step.as_object_mut().unwrap().remove("items");
    if let Some((of, test, operand)) = condition(specs, n) {
        let of = of.map_or("@input.v".to_owned(), |of| format!("@{}.v?", name(of)));
        step["when"] = match test {
            Test::Truth => json!({ "ref": of }),
            Test::Eq => json!({ "ref": of, "eq": operand }),
            Test::Gt => json!({ "ref": of, "gt": operand }),
            Test::Exists => json!({ "ref": of, "exists": true }),
            Test::NotExists => json!({ "ref": of, "exists": false }),
        };
    }
    step["config"] = config;
    step
}

fn input(specs: &[Spec]) -> Value {
    let mut input = json!({ "v": 3 });
    for (n, spec) in specs.iter().enumerate() {
        if let Kind::Each { items, .. } = &spec.kind {
            let items: Vec<Value> =
                items.iter().map(|work| json!({ "ms": work.ms, "fails": work.fails })).collect();
            input[name(n)] = json!(items);
        }
    }
    input
}

fn host() -> TestHost {
    let ms = |input: &Value| input["ms"].as_u64().unwrap();
    let given = |input: &Value| Reply::Gives(json!({ "v": input["v"], "refs": input["refs"] }));
    TestHost::default()
        .tool("T", move |input, attempt| {
            let fails = u64::from(attempt) <= input["fails"].as_u64().unwrap();
            after(ms(input), if fails { Reply::Fails("no") } else { given(input) })
        })
        .code("ok", move |input, _| after(ms(input), given(input)))
        .code("throw", move |input, _| after(ms(input), Reply::Fails("no")))
}

fn random_scene(specs: &[Spec], order: &[Index]) -> Scene {
    scene(definition(specs, order), host).input(input(specs))
}

// --- The naive interpreter ---------------------------------------------------------------------------

/// A span of time that something happens in: chance decides about a part of each backoff.
#[derive(Debug, Clone, Copy, Default)]
struct Time {
    lo: u64,
    hi: u64,
}

impl Time {
    fn plus(self, other: Time) -> Time {
        Time { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }

    fn max(self, other: Time) -> Time {
        Time { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }
}

#[derive(Debug, Clone)]
enum Result {
    Value(Value),
    Absent,
    /// Ends the run: how, at each of the places where that may happen first.
    Ends(Vec<(String, Time)>),
    /// Never starts, because what it refers to ends the run.
    Never,
}

/// Walks the steps in order, each as if nothing else could end the run.
fn naive(specs: &[Spec]) -> Vec<(Result, Time)> {
    let mut done: Vec<(Result, Time)> = Vec::new();
    for n in 0..specs.len() {
        let all_needs: Vec<usize> = needs(specs, n)
            .into_iter()
            .chain(condition(specs, n).and_then(|(of, ..)| of))
            .collect();
        let start = all_needs.iter().fold(Time::default(), |start, need| start.max(done[*need].1));
        let never =
            all_needs.iter().any(|need| matches!(done[*need].0, Result::Ends(_) | Result::Never));
        let ended = if never {
            (Result::Never, start)
        } else if !holds(specs, n, &done) {
            (Result::Absent, start)
        } else {
            run(specs, n, &done, start)
        };
        done.push(ended);
    }
    done
}

/// `v` of an earlier step, null if it has none.
fn v_of(done: &[(Result, Time)], n: usize) -> Value {
    match &done[n].0 {
        Result::Value(value) => value.get("v").cloned().unwrap_or_default(),
        Result::Absent | Result::Ends(_) | Result::Never => Value::Null,
    }
}

fn holds(specs: &[Spec], n: usize, done: &[(Result, Time)]) -> bool {
    let Some((of, test, operand)) = condition(specs, n) else { return true };
    let value = of.map_or(json!(3), |of| v_of(done, of));
    match test {
        Test::Truth => value.as_u64().is_some_and(|v| v != 0),
        Test::Eq => value == json!(operand),
        Test::Gt => value.as_u64().is_some_and(|v| v > operand),
        Test::Exists => !value.is_null(),
        Test::NotExists => value.is_null(),
    }
}

fn run(specs: &[Spec], n: usize, done: &[(Result, Time)], start: Time) -> (Result, Time) {
    let refs: Vec<Value> = needs(specs, n).into_iter().map(|need| v_of(done, need)).collect();
    let value = |v: usize| json!({ "v": v, "refs": refs });
    let failed = |how: &str, end: Time| {
        if specs[n].goes_on == Some(true) {
            return (Result::Absent, end);
        }
        (
            Result::Ends(vec![(
                format!("failed at `{}`: failed for good: {how}: no", name(n)),
                end,
            )]),
            end,
        )
    };
    let exactly = |ms: u64| start.plus(Time { lo: ms, hi: ms });
    match &specs[n].kind {
        Kind::Tool { work, attempts } => {
            let (took, is_ok) = tried(*work, *attempts);
            let end = start.plus(took);
            if is_ok { (Result::Value(value(n)), end) } else { failed("tool_failed", end) }
        }
        Kind::Code { ms, fails: true } => failed("code", exactly(*ms)),
        Kind::Code { ms, fails: false } => (Result::Value(value(n)), exactly(*ms)),
        Kind::Return => {
            let output = format!("completed {}", json!({ "refs": refs }));
            (Result::Ends(vec![(output, start)]), start)
        }
        Kind::Sleep { ms } => (Result::Value(Value::Null), exactly(*ms)),
        Kind::Each { items, concurrency, attempts } => {
            let ended = each(items, *concurrency, *attempts, start);
            let end = ended.iter().fold(start, |end, (time, _)| end.max(*time));
            let failures: Vec<(String, Time)> = ended
                .iter()
                .enumerate()
                .filter(|(_, (_, is_ok))| !is_ok)
                .map(|(i, (time, _))| {
                    (
                        format!("failed at `{}/{i}`: failed for good: tool_failed: no", name(n)),
                        *time,
                    )
                })
                .collect();
            if specs[n].goes_on == Some(false) && !failures.is_empty() {
                return (Result::Ends(failures), end);
            }
            let output = ended
                .iter()
                .enumerate()
                .map(|(i, (_, ok))| if *ok { value(i) } else { Value::Null });
            (Result::Value(output.collect()), end)
        }
    }
}

/// How long the attempts take, and whether the last one succeeds.
fn tried(work: Work, attempts: u32) -> (Time, bool) {
    let mut took = Time { lo: work.ms, hi: work.ms };
    for failed in 1..=work.fails {
        if failed == attempts {
            return (took, false);
        }
        let wait = BACKOFF_MS << (failed - 1);
        took = took.plus(Time { lo: wait * 8 / 10 + work.ms, hi: wait + work.ms });
    }
    (took, true)
}

/// When each item ends: so many at a time, in order.
fn each(items: &[Work], concurrency: usize, attempts: u32, start: Time) -> Vec<(Time, bool)> {
    let free_at = |ends: Vec<u64>, start: u64| {
        let mut latest = ends;
        latest.sort_unstable_by(|one, other| other.cmp(one));
        latest.get(concurrency - 1).copied().unwrap_or(start)
    };
    let mut ended: Vec<(Time, bool)> = Vec::new();
    for work in items {
        let begins = Time {
            lo: free_at(ended.iter().map(|(time, _)| time.lo).collect(), start.lo),
            hi: free_at(ended.iter().map(|(time, _)| time.hi).collect(), start.hi),
        };
        let (took, is_ok) = tried(*work, attempts);
        ended.push((begins.plus(took), is_ok));
    }
    ended
}

/// All the ways in which the run may end: in time, or at whatever time if `crashes` may hold steps up.
fn outcomes(specs: &[Spec], crashes: bool) -> Vec<String> {
    let done = naive(specs);
    let ends: Vec<&(String, Time)> = done
        .iter()
        .filter_map(|(result, _)| match result {
            Result::Ends(ends) => Some(ends),
            _ => None,
        })
        .flatten()
        .collect();
    let Some(first) = ends.iter().map(|(_, time)| time.hi).min() else {
        return vec![format!("completed {}", output(specs, &done))];
    };
    let in_time = ends.into_iter().filter(|(_, time)| crashes || time.lo <= first);
    in_time.map(|(outcome, _)| outcome.clone()).collect()
}

fn output(specs: &[Spec], done: &[(Result, Time)]) -> Value {
    let is_return = |n: usize| matches!(specs[n].kind, Kind::Return);
    let refers = |n: usize, to: usize| {
        needs(specs, n).contains(&to) || condition(specs, n).and_then(|(of, ..)| of) == Some(to)
    };
    let is_sink = |n: &usize| {
        !is_return(*n) && (0..specs.len()).all(|other| is_return(other) || !refers(other, *n))
    };
    let value = |n: usize| match &done[n].0 {
        Result::Value(value) => value.clone(),
        Result::Absent | Result::Ends(_) | Result::Never => Value::Null,
    };
    let sinks: Vec<usize> = (0..specs.len()).filter(is_sink).collect();
    match sinks.as_slice() {
        [only] => value(*only),
        several => {
            several.iter().map(|n| (name(*n), value(*n))).collect::<serde_json::Map<_, _>>().into()
        }
    }
}

// --- The properties ----------------------------------------------------------------------------------

fn work(fails: &'static [u32]) -> impl Strategy<Value = Work> {
    (0_u64..60, prop::sample::select(fails)).prop_map(|(ms, fails)| Work { ms, fails })
}

fn spec(fails: &'static [u32]) -> impl Strategy<Value = Spec> {
    let kind = prop_oneof![
        6 => (work(fails), 1_u32..4).prop_map(|(work, attempts)| Kind::Tool { work, attempts }),
        3 => (0_u64..60, prop::bool::weighted(0.15)).prop_map(|(ms, fails)| Kind::Code { ms, fails }),
        1 => Just(Kind::Return),
        1 => (0_u64..100).prop_map(|ms| Kind::Sleep { ms }),
        3 => (prop::collection::vec(work(fails), 0..7), 1_usize..4, 1_u32..3)
            .prop_map(|(items, concurrency, attempts)| Kind::Each { items, concurrency, attempts }),
    ];
    let test =
        prop::sample::select(vec![Test::Truth, Test::Eq, Test::Gt, Test::Exists, Test::NotExists]);
    let when = prop::option::weighted(0.4, (any::<Index>(), test, 0_u64..6));
    let needs = prop::collection::vec(any::<Index>(), 0..4);
    (kind, needs, when, prop::option::of(any::<bool>()))
        .prop_map(|(kind, needs, when, goes_on)| Spec { kind, needs, when, goes_on })
}

fn graphs(fails: &'static [u32]) -> impl Strategy<Value = (Vec<Spec>, Vec<Index>)> {
    (prop::collection::vec(spec(fails), 0..10), prop::collection::vec(any::<Index>(), 10))
}

/// Order respects refs, concurrency is never exceeded, no attempt is made twice, and what is skipped stays so.
fn check_calls(specs: &[Spec], played: &Played) -> std::result::Result<(), TestCaseError> {
    let done = naive(specs);
    let mut seen = BTreeSet::new();
    for call in played.host.calls() {
        let n: usize = call.by.split(['/', ' ']).next().unwrap()[1..].parse().unwrap();
        for need in needs(specs, n).into_iter().chain(condition(specs, n).and_then(|(of, ..)| of)) {
            let entry = played.state.entry(&Location::from_text(&name(need)));
            let ended_at = entry.and_then(|entry| entry.ended_at).unwrap_or(UnixMillis(u64::MAX));
            prop_assert!(ended_at.0 <= START + call.at_ms, "{} began before {need} ended", call.by);
        }
        prop_assert!(holds(specs, n, &done), "{} should be skipped", call.by);
        let is_first = seen.insert((call.by.clone(), call.attempt));
        prop_assert!(is_first, "attempt {} of {} twice", call.attempt, call.by);
    }
    for (n, spec) in specs.iter().enumerate() {
        let most = if let Kind::Each { concurrency, .. } = spec.kind { concurrency } else { 1 };
        prop_assert!(played.host.most_at_once(&name(n)) <= most);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn a_random_graph_ends_as_a_naive_interpreter_says((specs, order) in graphs(&[0, 0, 0, 1, 2, ALWAYS])) {
        let played = random_scene(&specs, &order).play();
        let expected = outcomes(&specs, false);
        prop_assert!(
            expected.contains(&played.outcome()),
            "{}\nnot one of {expected:#?}\n{}", played.outcome(), played.text()
        );
        check_calls(&specs, &played)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_crash_anywhere_changes_nothing_but_the_time((specs, order) in graphs(&[0, 0, 0, ALWAYS])) {
        let expected = outcomes(&specs, true);
        let scene = random_scene(&specs, &order).crash_matters();
        for played in scene.play_from_every_cut() {
            prop_assert!(
                expected.contains(&played.outcome()),
                "{}\nnot one of {expected:#?}\n{}", played.outcome(), played.text()
            );
            check_calls(&specs, &played)?;
        }
    }

    #[test]
    fn a_cancel_at_any_time_is_the_end((specs, order) in graphs(&[0, 0, ALWAYS]), at_ms in 0_u64..200) {
        let expected = outcomes(&specs, true);
        let scene = random_scene(&specs, &order).crash_matters().cancel(at_ms);
        for played in scene.play_from_every_cut() {
            let outcome = played.outcome();
            prop_assert!(outcome == "cancelled enough" || expected.contains(&outcome), "{outcome}\n{}", played.text());
            let late = played.host.calls().into_iter().find(|call| call.at_ms > at_ms);
            prop_assert!(late.is_none(), "{late:?} began after the cancel");
        }
    }
}
