//! What both ways of writing a sequence do, and do alike.

use std::time::Duration;

use serde_json::{Value, json};
use stepwell_engine::RunHandle;
use stepwell_journal::{FailureKind, RunStatus};
use stepwell_sequence::{
    Behavior, FailedCx, ForEach, Growth, ITEMS_MAX, OnTimeout, Sequence, StepCx, StepError,
    StepExt, StepStatus, Steps, delay,
};

use crate::kit::{Case, both};

type Ended = Result<Value, StepError>;

/// Runs both to their end and compares the records with each other and with what is expected.
async fn check(
    cases: &[Case; 2],
    input: Value,
    expected: Value,
) -> Vec<(RunHandle, Result<Value, String>)> {
    let mut ended = Vec::new();
    for case in cases {
        let (run, outcome) = case.run(input.clone()).await;
        assert_eq!(case.plain(&run).await, expected, "{}: {outcome:?}", case.written);
        ended.push((run, outcome.map_err(|failure| failure.message)));
    }
    ended
}

async fn find(cx: StepCx) -> Ended {
    assert_eq!((cx.last_step(), cx.attempt()), (None, 1));
    let input: Value = cx.input()?;
    cx.describe(format!("found {}", input["kind"].as_str().unwrap()));
    cx.set_state("count", &7)?;
    Ok(json!({ "id": format!("{}-1", input["kind"].as_str().unwrap()) }))
}

async fn chop(cx: StepCx) -> Ended {
    let tree: Value = cx.result("find")?;
    let last: Value = cx.last_result()?;
    Ok(json!([
        tree["id"],
        last["id"],
        cx.last_step(),
        cx.state_of("find")["count"],
        cx.status_of("find")
    ]))
}

const IN_ORDER: &str = r#"
function find({ input, lastStep, state, attempt }: any) {
  if (lastStep.result !== undefined || lastStep.stepName !== null || Object.keys(lastStep.state).length !== 0 || attempt !== 1) throw new Error('not the first');
  state.description = `found ${input.kind}`;
  state.count = 7;
  return { id: `${input.kind}-1` };
}
const chop = async (context: any) => {
  const { steps, lastStep } = context;
  return [steps.find.result.id, lastStep.result.id, lastStep.stepName, steps.find.state.count, steps.find.status];
};
export const steps = [find, chop];
"#;

#[tokio::test]
async fn steps_run_in_order_and_see_the_input_and_each_other() {
    let cases = both(IN_ORDER, Sequence::new("flow").step(find).step(chop)).await;
    let last = json!(["oak-1", "oak-1", "find", 7, "completed"]);
    let expected = json!([
        { "name": "find", "status": "completed", "result": { "id": "oak-1" }, "attempts": 1, "description": "found oak" },
        { "name": "chop", "status": "completed", "result": last, "attempts": 1 },
    ]);
    for (_, outcome) in check(&cases, json!({ "kind": "oak" }), expected).await {
        assert_eq!(outcome, Ok(last.clone()), "the last result is the run's");
    }
}

#[tokio::test]
async fn a_step_that_sets_skipped_is_skipped_and_the_workflow_goes_on() {
    async fn alert(cx: StepCx) -> Ended {
        cx.skip("not urgent");
        Ok(Value::Null)
    }
    async fn after(cx: StepCx) -> Ended {
        Ok(json!([cx.status_of("alert"), cx.last_step()]))
    }
    let ts = r#"
        function alert({ state }: any) { state.skipped = true; state.description = 'not urgent'; return null; }
        function after({ steps, lastStep }: any) { return [steps.alert.status, lastStep.stepName]; }
        export const steps = [alert, after];"#;
    let cases = both(ts, Sequence::new("flow").step(alert).step(after)).await;
    let expected = json!([
        { "name": "alert", "status": "skipped", "result": null, "attempts": 1, "description": "not urgent" },
        { "name": "after", "status": "completed", "result": ["skipped", "alert"], "attempts": 1 },
    ]);
    check(&cases, Value::Null, expected).await;
}

async fn ok(_: StepCx) -> Ended {
    Ok(json!("ok"))
}

async fn after(_: StepCx) -> Ended {
    Ok(json!("after"))
}

#[tokio::test]
async fn an_ordinary_error_stops_the_workflow_although_attempts_are_left() {
    async fn bad(_: StepCx) -> Result<Value, StepError> {
        Err(std::io::Error::other("no such tree"))?
    }
    let ts = r#"
        const ok = () => 'ok';
        function bad() { throw new Error('no such tree'); }
        const after = () => 'after';
        export const steps = [ok, { fn: bad, maxAttempts: 5 }, after];"#;
    let sequence = Sequence::new("flow").step(ok).step(bad.max_attempts(5)).step(after);
    let cases = both(ts, sequence).await;
    let expected = json!([
        { "name": "ok", "status": "completed", "result": "ok", "attempts": 1 },
        { "name": "bad", "status": "failed", "result": null, "attempts": 1, "error": "no such tree" },
        { "name": "after", "status": "pending", "result": null, "attempts": 0 },
    ]);
    let ended = check(&cases, Value::Null, expected).await;
    assert_eq!(ended[1].1, Err("flow.ts:3:36: no such tree".to_owned()), "file, line and column");
    let records = cases[1].records(&ended[1].0).await;
    let error = records[1].error.clone().unwrap();
    assert!(error.stack.unwrap().contains("at bad (flow.ts:3:36)"));
    assert!(error.occurred_at.is_some() && error.attempt == 1);
    for (case, (run, _)) in cases.iter().zip(&ended) {
        let state = run.state().await.unwrap().state;
        let Some(stepwell_journal::RunOutcome::Failed(failure)) = state.outcome else { panic!() };
        assert_eq!(failure.source.unwrap().name(), "bad", "{}: the failed step", case.written);
    }
}

#[tokio::test]
async fn an_error_that_says_continue_lets_the_workflow_go_on() {
    async fn shaky(cx: StepCx) -> Ended {
        cx.describe("half done");
        Err(StepError::go_on("never mind"))
    }
    async fn after(cx: StepCx) -> Ended {
        Ok(json!([cx.status_of("shaky"), cx.state_of("shaky")["description"], cx.last_step()]))
    }
    let ts = r#"
        import { StepError } from 'stepwell';
        function shaky({ state }: any) { state.description = 'half done'; throw new StepError('never mind', { behavior: 'continue' }); }
        const after = ({ steps, lastStep }: any) => [steps.shaky.status, steps.shaky.state.description, lastStep.stepName];
        export const steps = [shaky, after];"#;
    let cases = both(ts, Sequence::new("flow").step(shaky).step(after)).await;
    let expected = json!([
        { "name": "shaky", "status": "failed", "result": null, "attempts": 1, "error": "never mind", "description": "half done" },
        { "name": "after", "status": "completed", "result": ["failed", "half done", "shaky"], "attempts": 1 },
    ]);
    check(&cases, Value::Null, expected).await;
}

const RETRIES: &str = r#"
import { StepError } from 'stepwell';
function flaky({ attempt, log }: any) {
  log.info(`said attempt ${attempt}`);
  if (attempt < 3) throw new StepError('not yet', { behavior: 'retry', maxAttempts: 3, backoff: 'exponential' });
  return attempt;
}
export const steps = [flaky];
"#;

async fn flaky(cx: StepCx) -> Ended {
    cx.info(format!("said attempt {}", cx.attempt()));
    if cx.attempt() < 3 {
        return Err(StepError::retry("not yet").max_attempts(3).backoff(Growth::Exponential));
    }
    Ok(json!(cx.attempt()))
}

#[tokio::test]
async fn retries_pass_through_waiting_retry_by_durable_timers() {
    for case in both(RETRIES, Sequence::new("flow").step(flaky)).await {
        let run = case.start(Value::Null).await;
        let started = case.engine.now();
        case.engine.settle().await;
        let waiting = &case.records(&run).await[0];
        assert_eq!(waiting.status, StepStatus::WaitingRetry, "{}", case.written);
        assert_eq!(waiting.retry_at, Some(started.0 + 1_000));
        assert_eq!(waiting.error.as_ref().unwrap().message, "not yet");
        assert_eq!(case.status(&run).await, RunStatus::Waiting);
        assert_eq!(case.end(&run).await, Ok(json!(3)));
        assert_eq!(case.engine.now().ms_since(started), 3_000, "one second, then two");
        assert_eq!(case.said(&run).await, ["attempt 1", "attempt 2", "attempt 3"]);
        assert_eq!(case.records(&run).await[0].attempts, 3);
    }
}

#[tokio::test]
async fn an_error_cannot_ask_for_more_attempts_than_the_step_allows() {
    // (of the step, of the error, attempts made)
    for (config, error, made) in [
        (Some(2), Some(5), 2),
        (Some(5), Some(2), 2),
        (None, Some(3), 3),
        (Some(3), None, 3),
        (None, None, 1),
    ] {
        let step = move |_: StepCx| async move {
            let failed = StepError::retry("again");
            Err::<Value, _>(match error {
                Some(n) => failed.max_attempts(n),
                None => failed,
            })
        };
        let step = step.named("step");
        let step = match config {
            Some(n) => step.max_attempts(n),
            None => step,
        };
        let of_error = error.map_or(String::new(), |n| format!(", maxAttempts: {n}"));
        let of_config = config.map_or(String::new(), |n| format!(", maxAttempts: {n}"));
        let ts = format!(
            "import {{ StepError }} from 'stepwell';
             function step() {{ throw new StepError('again', {{ behavior: 'retry'{of_error} }}); }}
             export const steps = [{{ fn: step{of_config} }}];"
        );
        let cases = both(&ts, Sequence::new("flow").step(step)).await;
        let expected = json!([{ "name": "step", "status": "failed", "result": null, "attempts": made, "error": "again" }]);
        check(&cases, Value::Null, expected).await;
    }
}

const HANGS: &str = r#"
function slow({ attempt }: any) { return attempt < 3 ? new Promise((done) => setTimeout(done, 1e9)) : 'done'; }
"#;

async fn slow(cx: StepCx) -> Ended {
    if cx.attempt() < 3 {
        std::future::pending::<()>().await;
    }
    Ok(json!("done"))
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_stops_the_workflow_by_default() {
    let ts =
        format!("{HANGS} export const steps = [{{ fn: slow, timeout: 30000, maxAttempts: 3 }}];");
    let step = slow.timeout(Duration::from_secs(30)).max_attempts(3);
    for case in both(&ts, Sequence::new("flow").step(step)).await {
        let (run, ended) = case.run(Value::Null).await;
        assert_eq!(ended.unwrap_err().kind, FailureKind::Timeout, "{}", case.written);
        let record = &case.records(&run).await[0];
        assert_eq!((record.status, record.attempts), (StepStatus::Failed, 1));
    }
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_tried_again_if_the_step_says_so() {
    for (attempts, status) in [(3, StepStatus::Completed), (2, StepStatus::Failed)] {
        let ts = format!(
            "{HANGS} export const steps = [{{ fn: slow, timeout: 30000, onTimeout: 'retry', maxAttempts: {attempts} }}];"
        );
        let step = slow
            .timeout(Duration::from_secs(30))
            .on_timeout(OnTimeout::Retry)
            .max_attempts(attempts);
        for case in both(&ts, Sequence::new("flow").step(step)).await {
            let (run, _) = case.run(Value::Null).await;
            let record = &case.records(&run).await[0];
            assert_eq!((record.status, record.attempts), (status, attempts), "{}", case.written);
        }
    }
}

#[tokio::test]
async fn a_cancel_while_a_step_waits_for_its_retry_ends_the_run_at_once() {
    for case in both(RETRIES, Sequence::new("flow").step(flaky).step(after)).await {
        let run = case.start(Value::Null).await;
        case.engine.settle().await;
        let now = case.engine.now();
        run.cancel("enough").await.unwrap();
        case.engine.settle().await;
        assert_eq!(case.status(&run).await, RunStatus::Cancelled, "{}", case.written);
        assert_eq!(case.engine.now(), now);
        assert_eq!(case.said(&run).await, ["attempt 1"], "no further attempt");
        assert_eq!(case.records(&run).await[0].status, StepStatus::Cancelled);
    }
}

async fn own(failed: FailedCx) -> Result<(), StepError> {
    failed.log(stepwell_kernel::Level::Info, format!("said own {}", about(&failed)));
    Ok(())
}

async fn all(failed: FailedCx) -> Result<(), StepError> {
    failed.log(stepwell_kernel::Level::Info, format!("said all {}", about(&failed)));
    Err(StepError::stop("the handler fails"))
}

fn about(failed: &FailedCx) -> String {
    let state = &failed.workflow_state;
    format!(
        "{} {} {} {} {} {}",
        failed.error.message,
        failed.error.attempt,
        failed.failed_step.step_name,
        state.workflow_name,
        state.status,
        state.steps["ok"].result.as_ref().unwrap()
    )
}

#[tokio::test]
async fn error_handlers_run_once_on_the_final_failure_the_steps_first_and_change_nothing() {
    async fn bad(_: StepCx) -> Ended {
        Err(StepError::retry("broken").max_attempts(2))
    }
    let ts = r#"
        import { StepError } from 'stepwell';
        const ok = () => 'ok';
        function bad() { throw new StepError('broken', { behavior: 'retry', maxAttempts: 2 }); }
        const about = ({ error, failedStep, workflowState: w }: any) => `${error.message} ${error.attempt} ${failedStep.stepName} ${w.workflowName} ${w.status} ${JSON.stringify(w.steps.ok.result)}`;
        const own = (failed: any) => { failed.log.info(`said own ${about(failed)}`); };
        export const onError = async (failed: any) => { failed.log.info(`said all ${about(failed)}`); throw new Error('the handler fails'); };
        export const steps = [ok, { fn: bad, onError: own }];"#;
    let sequence = Sequence::new("flow").step(ok).step(bad.on_error(own)).on_error(all);
    for case in both(ts, sequence).await {
        let (run, ended) = case.run(Value::Null).await;
        let failure = ended.unwrap_err();
        assert!(failure.message.ends_with("broken"), "{}: {failure}", case.written);
        let told = "broken 2 bad flow failed \"ok\"";
        assert_eq!(case.said(&run).await, [format!("own {told}"), format!("all {told}")]);
    }
}

fn arm(step: &str) -> Value {
    json!({ "name": step, "status": "completed", "result": step, "attempts": 1 })
}

fn pay_step(name: &'static str) -> stepwell_sequence::StepDef {
    (move |_: StepCx| async move { Ok::<_, StepError>(name) }).named(name)
}

#[tokio::test]
async fn a_branch_takes_one_way_and_skips_the_other() {
    let ts = r#"
        import { branch } from 'stepwell';
        const pay = () => 'pay'; const ship = () => 'ship'; const refuse = () => 'refuse';
        const last = ({ steps, lastStep }: any) => [steps.valid.result, steps.pay.status, steps.refuse.status, lastStep.stepName];
        export const steps = [branch({ name: 'valid', if: ({ input }: any) => input.ok, then: [pay, ship], else: refuse }), last];"#;
    async fn last(cx: StepCx) -> Ended {
        let result: Value = cx.result("valid")?;
        Ok(json!([result, cx.status_of("pay"), cx.status_of("refuse"), cx.last_step()]))
    }
    let condition = |cx: &StepCx| Ok(cx.input::<Value>()?["ok"] == true);
    let sequence = Sequence::new("flow")
        .branch("valid", condition, (pay_step("pay"), pay_step("ship")), pay_step("refuse"))
        .step(last);
    let cases = both(ts, sequence).await;
    let skipped = |name: &str, why: &str| {
        let why = format!("the condition of `valid` was {why}");
        json!({ "name": name, "status": "skipped", "result": null, "attempts": 0, "description": why })
    };
    let result = |values: Value| json!({ "name": "last", "status": "completed", "result": values, "attempts": 1 });
    let valid = |result: &str, steps: Value| json!({ "name": "valid", "status": "completed", "result": result, "attempts": 0, "steps": steps });
    let then = json!([arm("pay"), arm("ship"), skipped("refuse", "true")]);
    let expected =
        json!([valid("ship", then), result(json!(["ship", "completed", "skipped", "valid"]))]);
    check(&cases, json!({ "ok": true }), expected).await;
    let otherwise = json!([skipped("pay", "false"), skipped("ship", "false"), arm("refuse")]);
    let expected = json!([
        valid("refuse", otherwise),
        result(json!(["refuse", "skipped", "completed", "valid"]))
    ]);
    check(&cases, json!({ "ok": false }), expected).await;
}

#[tokio::test]
async fn parallel_steps_run_side_by_side_and_their_results_come_by_name() {
    let ts = r#"
        import { parallel, delayStep } from 'stepwell';
        const mail = () => 'pay'; const sms = () => 'ship';
        const both = ({ steps }: any) => steps.notify.result;
        export const steps = [parallel({ name: 'notify', steps: [delayStep({ name: 'rest', minutes: 1 }), delayStep({ name: 'nap', minutes: 1 }), mail, sms] }), both];"#;
    async fn both_results(cx: StepCx) -> Ended {
        cx.result("notify")
    }
    let minute = Duration::from_secs(60);
    let (mail, sms) = (pay_step("pay").named("mail"), pay_step("ship").named("sms"));
    let sequence = Sequence::new("flow")
        .parallel("notify", (delay("rest", minute), delay("nap", minute), mail, sms))
        .step(both_results.named("both"));
    for case in both(ts, sequence).await {
        let started = case.engine.now();
        let (_, ended) = case.run(Value::Null).await;
        assert_eq!(
            ended.unwrap(),
            json!({ "mail": "pay", "sms": "ship", "rest": null, "nap": null }),
            "{}",
            case.written
        );
        assert_eq!(case.engine.now().ms_since(started), 60_000, "both waits at once");
    }
}

#[tokio::test]
async fn for_each_keeps_the_order_of_its_items_and_bounds_how_many_run() {
    let ts = |concurrency: usize| {
        format!(
            "import {{ forEach, StepError }} from 'stepwell';
             const list = ({{ input }}: any) => input;
             function work({{ item, index, attempt }}: any) {{
               if (attempt <= item) throw new StepError('later', {{ behavior: 'retry', maxAttempts: 9 }});
               return `${{index}}:${{item}}`;
             }}
             export const steps = [list, forEach({{ name: 'each', items: ({{ steps }}: any) => steps.list.result, steps: [work], concurrency: {concurrency} }})];"
        )
    };
    async fn list(cx: StepCx) -> Ended {
        cx.input()
    }
    async fn work(cx: StepCx) -> Ended {
        let item: u32 = cx.item()?;
        if cx.attempt() <= item {
            return Err(StepError::retry("later").max_attempts(9));
        }
        Ok(json!(format!("{}:{item}", cx.index().unwrap())))
    }
    for (concurrency, seconds) in [(1, 3 + 1), (4, 3)] {
        let items = |cx: &StepCx| cx.result::<Vec<u32>>("list");
        let sequence = Sequence::new("flow").step(list).for_each(
            "each",
            items,
            ForEach::parallel(concurrency),
            work,
        );
        for case in both(&ts(concurrency), sequence).await {
            let started = case.engine.now();
            // Item 2 waits one second and two, item 1 one second.
            let (run, ended) = case.run(json!([2, 0, 1, 0])).await;
            assert_eq!(ended.unwrap(), json!(["0:2", "1:0", "2:1", "3:0"]), "{}", case.written);
            assert_eq!(case.engine.now().ms_since(started), seconds * 1_000, "{}", case.written);
            let records = case.records(&run).await;
            let numbers: Vec<_> =
                records[1].steps.iter().map(|step| (step.number, step.attempts)).collect();
            assert_eq!(numbers, [(Some(0), 3), (Some(1), 1), (Some(2), 2), (Some(3), 1)]);
            let (_, ended) = case.run(json!([])).await;
            assert_eq!(ended.unwrap(), json!([]), "no items, no waiting");
        }
    }
}

#[tokio::test]
async fn a_failed_item_fails_the_loop_unless_its_step_says_continue() {
    let ts = |behavior: &str| {
        format!(
            "import {{ forEach, StepError }} from 'stepwell';
             const work = ({{ item }}: any) => {{ if (item === 2) throw new StepError('two', {{ behavior: '{behavior}' }}); return item; }};
             export const steps = [forEach({{ name: 'each', items: () => [1, 2, 3], steps: work }})];"
        )
    };
    for (behavior, text, expected) in [
        (Behavior::Stop, "stop", None),
        (Behavior::Continue, "continue", Some(json!([1, null, 3]))),
    ] {
        let work = move |cx: StepCx| async move {
            match cx.item::<u32>()? {
                2 if behavior == Behavior::Continue => Err(StepError::go_on("two")),
                2 => Err(StepError::stop("two")),
                item => Ok(item),
            }
        };
        let items = |_: &StepCx| Ok(vec![1, 2, 3]);
        let sequence = Sequence::new("flow").for_each(
            "each",
            items,
            ForEach::sequential(),
            work.named("work"),
        );
        for case in both(&ts(text), sequence).await {
            let (run, ended) = case.run(Value::Null).await;
            assert_eq!(ended.clone().ok(), expected, "{}: {ended:?}", case.written);
            let n_items = if expected.is_some() { 3 } else { 2 };
            assert_eq!(case.records(&run).await[0].steps.len(), n_items);
        }
    }
}

#[tokio::test]
async fn a_loop_repeats_until_its_condition_holds_and_keeps_a_short_journal() {
    let ts = r#"
        import { loop } from 'stepwell';
        const take = ({ steps, iteration, lastStep }: any) => ({ n: (steps.take.result?.n ?? 0) + 1, iteration, last: lastStep.stepName });
        const last = ({ steps }: any) => [steps.drain.result, steps.take.result.n];
        export const steps = [loop({ name: 'drain', body: [take], until: ({ steps }: any) => steps.take.result.n >= 50 }), last];"#;
    async fn take(cx: StepCx) -> Ended {
        let before = cx.result::<Value>("take").map_or(0, |take| take["n"].as_u64().unwrap());
        Ok(json!({ "n": before + 1, "iteration": cx.iteration(), "last": cx.last_step() }))
    }
    async fn last(cx: StepCx) -> Ended {
        Ok(json!([cx.result::<Value>("drain")?, cx.result::<Value>("take")?["n"]]))
    }
    let until = |cx: &StepCx| Ok(cx.result::<Value>("take")?["n"].as_u64() >= Some(50));
    let sequence = Sequence::new("flow").repeat("drain", take, until).step(last);
    for case in both(ts, sequence).await {
        let (run, ended) = case.run(Value::Null).await;
        let take = json!({ "n": 50, "iteration": 49, "last": "take" });
        assert_eq!(ended.unwrap(), json!([take, 50]), "{}", case.written);
        let iterations = &case.records(&run).await[0].steps;
        assert!(iterations.len() <= 21, "{} iterations are kept", iterations.len());
        assert_eq!(iterations.last().unwrap().number, Some(49));
        assert_eq!(
            case.records(&run).await[0].result.as_ref().unwrap().to::<Value>().unwrap(),
            take
        );
    }
}

#[tokio::test]
async fn a_loop_that_is_not_done_after_its_max_iterations_fails_and_tells_its_handler() {
    let ts = r#"
        import { loop } from 'stepwell';
        const take = ({ iteration }: any) => iteration;
        export const onError = ({ log, failedStep, error }: any) => { log.info(`said ${failedStep.stepName}: ${error.message}`); };
        export const steps = [loop({ name: 'drain', body: [take], until: () => false, maxIterations: 3 })];"#;
    async fn take(cx: StepCx) -> Ended {
        Ok(json!(cx.iteration()))
    }
    async fn on_error(failed: FailedCx) -> Result<(), StepError> {
        let said = format!("said {}: {}", failed.failed_step.step_name, failed.error.message);
        failed.log(stepwell_kernel::Level::Info, said);
        Ok(())
    }
    let sequence = Sequence::new("flow")
        .repeat_at_most("drain", 3, take, |_: &StepCx| Ok(false))
        .on_error(on_error);
    for case in both(ts, sequence).await {
        let (run, ended) = case.run(Value::Null).await;
        let failure = ended.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Limit, "{}", case.written);
        let message = "loop `drain` was not done after its maxIterations of 3";
        assert_eq!(failure.message, message, "{}", case.written);
        assert_eq!(case.said(&run).await, [format!("drain: {message}")], "{}", case.written);
        assert_eq!(case.records(&run).await[0].steps.len(), 3, "{}", case.written);
    }
}

#[tokio::test]
async fn a_for_each_of_too_many_items_fails_before_its_first() {
    let ts = r#"
        import { forEach } from 'stepwell';
        const touch = () => 1;
        export const steps = [forEach({ name: 'each', items: ({ input }: any) => Array(input.n).fill(0), steps: [touch], concurrency: 100 })];"#;
    async fn touch(_: StepCx) -> Ended {
        Ok(json!(1))
    }
    let items = |cx: &StepCx| {
        let input: Value = cx.input()?;
        Ok(vec![0; usize::try_from(input["n"].as_u64().unwrap()).unwrap()])
    };
    let sequence = Sequence::new("flow").for_each("each", items, ForEach::parallel(100), touch);
    for case in both(ts, sequence).await {
        let (run, ended) = case.run(json!({ "n": ITEMS_MAX + 1 })).await;
        let message = "forEach `each` has 10001 items, more than ITEMS_MAX = 10000";
        assert_eq!(ended.unwrap_err().message, message, "{}", case.written);
        assert_eq!(case.records(&run).await[0].steps.len(), 0, "{}", case.written);
    }
}

#[tokio::test]
async fn a_nested_workflow_sees_its_parents_steps_and_gives_its_last_result() {
    let ts = r#"
        import { createWorkflow } from 'stepwell';
        const order = () => ({ id: 1 });
        const charge = ({ input, steps, lastStep }: any) => [input, steps.order.result.id, lastStep.stepName];
        const receipt = ({ steps }: any) => ({ charged: steps.charge.result });
        const last = ({ steps, lastStep }: any) => [steps.payment.result, steps.charge === undefined, lastStep.stepName];
        export const steps = [order, createWorkflow('payment').step(charge).step(receipt), last];"#;
    async fn order(_: StepCx) -> Ended {
        Ok(json!({ "id": 1 }))
    }
    async fn charge(cx: StepCx) -> Ended {
        Ok(json!([cx.input::<Value>()?, cx.result::<Value>("order")?["id"], cx.last_step()]))
    }
    async fn receipt(cx: StepCx) -> Ended {
        Ok(json!({ "charged": cx.result::<Value>("charge")? }))
    }
    async fn last(cx: StepCx) -> Ended {
        let is_hidden = cx.status_of("charge") == StepStatus::Pending;
        Ok(json!([cx.result::<Value>("payment")?, is_hidden, cx.last_step()]))
    }
    let payment = Sequence::new("payment").step(charge).step(receipt);
    let cases = both(ts, Sequence::new("flow").step(order).nested(payment).step(last)).await;
    for case in &cases {
        let (run, ended) = case.run(json!("in")).await;
        let payment = json!({ "charged": ["in", 1, "order"] });
        assert_eq!(ended.unwrap(), json!([payment, true, "payment"]), "{}", case.written);
        let records = case.records(&run).await;
        assert_eq!(records[1].steps.len(), 2);
        assert_eq!(records[1].steps[0].location, "payment/charge");
    }
}

#[tokio::test]
async fn blocks_lie_in_one_another_in_any_way() {
    let ts = r#"
        import { branch, forEach, loop, parallel } from 'stepwell';
        const one = ({ item, iteration }: any) => item + iteration;
        const two = ({ steps }: any) => steps.one.result * 2;
        export const steps = [parallel({ name: 'all', steps: [
          forEach({ name: 'each', items: () => [10, 20], concurrency: 2, steps: [
            loop({ name: 'twice', body: [branch({ name: 'fork', if: () => true, then: [one, two] })], until: ({ iteration }: any) => iteration === 1 }),
          ] }),
        ] })];"#;
    async fn one(cx: StepCx) -> Ended {
        Ok(json!(cx.item::<u64>()? + cx.iteration().unwrap()))
    }
    async fn two(cx: StepCx) -> Ended {
        Ok(json!(cx.result::<u64>("one")? * 2))
    }
    let fork = Steps::new().branch("fork", |_| Ok(true), (one, two), ());
    let twice = Steps::new().repeat("twice", fork, |cx| Ok(cx.iteration() == Some(1)));
    let each = Steps::new().for_each("each", |_| Ok(vec![10, 20]), ForEach::parallel(2), twice);
    for case in both(ts, Sequence::new("flow").parallel("all", each)).await {
        let (_, ended) = case.run(Value::Null).await;
        assert_eq!(ended.unwrap(), json!({ "each": [22, 42] }), "{}", case.written);
    }
}

#[tokio::test]
async fn a_condition_that_fails_stops_the_workflow_and_tells_its_handler() {
    let ts = r#"
        import { branch } from 'stepwell';
        const ok = () => 'ok';
        export const onError = ({ failedStep, error, log }: any) => log.info(`said ${failedStep.stepName}: ${error.message}`);
        export const steps = [ok, branch({ name: 'fork', if: () => { throw new Error('odd'); }, then: [() => 1] .map((f) => Object.defineProperty(f, 'name', { value: 'x' })) })];"#;
    async fn handler(failed: FailedCx) -> Result<(), StepError> {
        let said = format!("said {}: {}", failed.failed_step.step_name, failed.error.message);
        failed.log(stepwell_kernel::Level::Info, said);
        Ok(())
    }
    let condition = |_: &StepCx| Err(StepError::stop("odd"));
    let sequence = Sequence::new("flow")
        .step(ok)
        .branch("fork", condition, pay_step("x"), ())
        .on_error(handler);
    for case in both(ts, sequence).await {
        let (run, ended) = case.run(Value::Null).await;
        assert!(ended.unwrap_err().message.ends_with("odd"), "{}", case.written);
        assert_eq!(case.said(&run).await, ["fork: odd"]);
    }
}

#[tokio::test]
async fn logs_have_levels_and_fields_and_belong_to_their_step() {
    let ts = r#"
        function talk({ log }: any) { log.debug('one'); log.info({ n: 2 }, 'two'); log.warn('three'); log.error({ e: true }, 'four'); return 0; }
        export const steps = [talk];"#;
    async fn talk(cx: StepCx) -> Ended {
        use stepwell_kernel::Level;
        cx.debug("one");
        cx.log_with(Level::Info, "two", &json!({ "n": 2 }));
        cx.warn("three");
        cx.log_with(Level::Error, "four", &json!({ "e": true }));
        Ok(json!(0))
    }
    for case in both(ts, Sequence::new("flow").step(talk)).await {
        let (run, _) = case.run(Value::Null).await;
        let lines = run.logs().await.unwrap().lines;
        let lines: Vec<String> = lines
            .iter()
            .map(|line| {
                format!("{:?} {} {} {}", line.level, line.location, line.message, line.fields)
            })
            .collect();
        assert_eq!(
            lines,
            [
                "Debug talk one null",
                "Info talk two {\"n\":2}",
                "Warn talk three null",
                "Error talk four {\"e\":true}"
            ],
            "{}",
            case.written
        );
    }
}
