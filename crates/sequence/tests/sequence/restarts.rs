//! Crashes: nothing that was recorded runs again, whichever way the sequence is written.

use serde_json::{Value, json};
use stepwell_engine::testkit::replay_check;
use stepwell_journal::{EventKind, RunState};
use stepwell_sequence::{ForEach, Sequence, StepCx, StepError, Steps, delay};

use crate::kit::{Case, both, both_with};

const TS: &str = r#"
import { branch, delayStep, forEach, loop, parallel } from 'stepwell';
function one({ log, input }: any) { log.info('said one'); return input; }
function work({ item, log }: any) { log.info(`said work ${item}`); return item * 2; }
function left({ log }: any) { log.info('said left'); return 'l'; }
function right({ log }: any) { log.info('said right'); return 'r'; }
function turn({ iteration, log }: any) { log.info(`said turn ${iteration}`); return iteration; }
function last({ steps }: any) { return [steps.one.result, steps.each.result, steps.side.result, steps.turns.result]; }
export const steps = [
  one, delayStep({ name: 'rest', minutes: 5 }),
  forEach({ name: 'each', items: () => [1, 2], concurrency: 2, steps: work }),
  branch({ name: 'fork', if: () => true, then: parallel({ name: 'side', steps: [left, right] }) }),
  loop({ name: 'turns', body: [turn, delayStep({ name: 'nap', seconds: 1 })], until: ({ iteration }: any) => iteration === 2 }),
  last,
];
"#;

fn rust() -> Sequence {
    async fn one(cx: StepCx) -> Result<Value, StepError> {
        cx.info("said one");
        cx.input()
    }
    async fn work(cx: StepCx) -> Result<u32, StepError> {
        let item: u32 = cx.item()?;
        cx.info(format!("said work {item}"));
        Ok(item * 2)
    }
    async fn left(cx: StepCx) -> Result<&'static str, StepError> {
        cx.info("said left");
        Ok("l")
    }
    async fn right(cx: StepCx) -> Result<&'static str, StepError> {
        cx.info("said right");
        Ok("r")
    }
    async fn turn(cx: StepCx) -> Result<Option<u64>, StepError> {
        cx.info(format!("said turn {}", cx.iteration().unwrap_or_default()));
        Ok(cx.iteration())
    }
    async fn last(cx: StepCx) -> Result<Value, StepError> {
        let of = |name: &str| cx.result::<Value>(name);
        Ok(json!([of("one")?, of("each")?, of("side")?, of("turns")?]))
    }
    let minutes = std::time::Duration::from_secs(300);
    let second = std::time::Duration::from_secs(1);
    Sequence::new("flow")
        .step(one)
        .step(delay("rest", minutes))
        .for_each("each", |_| Ok(vec![1, 2]), ForEach::parallel(2), work)
        .branch("fork", |_| Ok(true), Steps::new().parallel("side", (left, right)), ())
        .repeat("turns", (turn, delay("nap", second)), |cx| Ok(cx.iteration() == Some(2)))
        .step(last)
}

async fn check(case: &Case, run: stepwell_engine::RunHandle) {
    let expected = json!(["in", [2, 4], { "left": "l", "right": "r" }, null]);
    assert_eq!(case.end(&run).await, Ok(expected), "{}", case.written);
    let mut said = case.said(&run).await;
    said.sort();
    assert_eq!(said, ["left", "one", "right", "turn 0", "turn 1", "turn 2", "work 1", "work 2"]);
}

#[tokio::test]
async fn a_restart_at_any_moment_runs_no_recorded_step_again() {
    for mut case in both(TS, rust()).await {
        let run = case.start(json!("in")).await;
        let id = run.id();
        for _ in 0..5 {
            case.engine.advance(std::time::Duration::from_secs(61)).await;
            case.engine.restart().await;
        }
        let run = case.engine.get(id).await.unwrap();
        check(&case, run).await;
    }
}

#[tokio::test]
async fn every_prefix_of_a_journal_replays_without_divergence() {
    for case in both(TS, rust()).await {
        let run = case.start(json!("in")).await;
        check(&case, run.clone()).await;
        let journal = run.journal().await.unwrap();
        let workflow = case.engine.workflow("default", "flow").unwrap();
        for end in 1..=journal.len() {
            let cut = &journal[..end];
            replay_check(cut, &workflow)
                .unwrap_or_else(|error| panic!("{} at {end}: {error}", case.written));
            RunState::fold(run.id(), cut).unwrap();
        }
        assert!(matches!(journal.last().unwrap().kind, EventKind::RunCompleted { .. }));
    }
}

#[tokio::test]
async fn a_step_with_one_attempt_is_tried_again_after_a_crash_but_not_for_ever() {
    let ts = "export const steps = [async function hang({ attempt, log }) { log.info('said ' + attempt); await new Promise((done) => setTimeout(done, 1e8)); }];";
    async fn hang(cx: StepCx) -> Result<u32, StepError> {
        cx.info(format!("said {}", cx.attempt()));
        std::future::pending().await
    }
    let grace = std::time::Duration::from_millis(20);
    for mut case in both_with(ts, Sequence::new("flow").step(hang), grace).await {
        let run = case.start(Value::Null).await;
        let id = run.id();
        let mut n_crashes = 0;
        loop {
            case.engine.advance(std::time::Duration::from_secs(120)).await;
            let state = case.engine.get(id).await.unwrap().state().await.unwrap().state;
            if state.is_ended() {
                break;
            }
            n_crashes += 1;
            assert!(n_crashes < 20, "{}: it is tried for ever", case.written);
            case.engine.restart().await;
        }
        assert_eq!(n_crashes, 10, "{}: as CRASH_ATTEMPTS_MAX says", case.written);
    }
}
