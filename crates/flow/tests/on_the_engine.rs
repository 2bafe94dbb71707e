//! Flows as durable functions: the state machine on `Ctx`, with virtual time and crashes.
//!
//! The interpreter here runs steps that only pretend to work. It shows what the state machine asks of its
//! surroundings, and that a replay of the journal takes it to the same place.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stepwell_engine::testkit::{TestEngine, replay_check};
use stepwell_flow::{
    Arguments, AttributeName, Decision, Fact, FlowOutcome, FlowState, Plan, StepId,
};
use stepwell_kernel::{Ctx, Error, Result, Workflow};

use kit::random::{Asked, Draft, asked, drafts, supplied};

/// A run's input: the frozen plan, the initial state, and how each step will end.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct FlowInput {
    plan: Plan,
    init: BTreeMap<AttributeName, Value>,
    ends: BTreeMap<StepId, End>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct End {
    takes_ms: u64,
    how: How,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum How {
    Completes,
    /// Without its first output.
    GivesLess,
    Fails,
    IsSkipped,
}

/// How often the body of a step ran.
type Count = Arc<AtomicUsize>;

fn interpreter(count: Count) -> Workflow {
    Workflow::without_schema("flow", move |ctx, input: FlowInput| {
        let count = count.clone();
        async move { run_flow(&ctx, input, &count).await }
    })
}

async fn run_flow(ctx: &Ctx, input: FlowInput, count: &Count) -> Result<Value> {
    let (mut state, mut decisions) =
        FlowState::begin(&input.plan, &input.init).map_err(Error::critical)?;
    let mut together = ctx.together();
    loop {
        for decision in decisions {
            match decision {
                Decision::SetAttribute { name, value, provider } => {
                    let fact = json!({"name": name, "value": *value, "provider": provider});
                    ctx.fact("attribute_set", &fact)?;
                }
                Decision::Match { step, attribute, provider, value } => {
                    together.add(run_match(ctx, step, attribute, provider, value));
                }
                Decision::Wait { step, attribute, deadline_ms } => {
                    together.add(run_wait(ctx, step, attribute, deadline_ms));
                }
                Decision::Start { step, inputs } => {
                    let end = input.ends[&step].clone();
                    together.add(run_step(ctx, &input.plan, step, inputs, end, count));
                }
                Decision::Skip { step, reason } => ctx.skip(step.as_str(), reason),
                Decision::Fail { step, error } => {
                    ctx.fact("step_failed", &json!({"step_id": step, "error": error}))?;
                }
                // They go with the set.
                Decision::Stop { .. } => {}
                Decision::End(outcome) => return Ok(told(&state, &outcome)),
            }
        }
        let Some(fact) = together.next().await else {
            return Err(Error::critical(Error::msg("the flow is stuck")));
        };
        decisions = state.apply(fact?).map_err(Error::critical)?;
    }
}

fn run_step<'a>(
    ctx: &'a Ctx,
    plan: &Plan,
    step: StepId,
    inputs: Arguments,
    end: End,
    count: &Count,
) -> impl Future<Output = Result<Fact>> + 'a {
    let outputs: Vec<AttributeName> = plan.steps[&step].outputs().cloned().collect();
    let count = count.clone();
    async move {
        ctx.sleep(format!("{step} works"), Duration::from_millis(end.takes_ms)).await?;
        if let How::IsSkipped = end.how {
            return Ok(Fact::Skipped { step, reason: "predicate returned false".into() });
        }
        let outcome = ctx
            .try_step(step.to_string(), async || {
                count.fetch_add(1, Ordering::Relaxed);
                let less = usize::from(matches!(end.how, How::GivesLess));
                let given = outputs.iter().skip(less);
                let given: BTreeMap<_, _> = given
                    .map(|name| (name.clone(), json!({"of": step, "with": inputs.len()})))
                    .collect();
                match end.how {
                    How::Fails => Err(Error::critical(Error::msg("boom"))),
                    _ => Ok::<_, Error>(given),
                }
            })
            .await?;
        Ok(match outcome {
            Ok(outputs) => Fact::Completed { step, outputs },
            Err(failure) => Fact::Failed { step, error: failure.message },
        })
    }
}

async fn run_wait(
    ctx: &Ctx,
    step: StepId,
    attribute: AttributeName,
    deadline_ms: u64,
) -> Result<Fact> {
    let name = format!("{step} waits for {attribute}");
    ctx.sleep(name, Duration::from_millis(deadline_ms)).await?;
    Ok(Fact::DeadlinePassed { step, attribute })
}

/// A value of an even number of characters matches.
async fn run_match(
    ctx: &Ctx,
    step: StepId,
    attribute: AttributeName,
    provider: Option<StepId>,
    value: Arc<Value>,
) -> Result<Fact> {
    let source = provider.as_ref().map_or("init", StepId::as_str);
    let name = format!("{step} matches {attribute} of {source}");
    let is_match = ctx
        .step(name, async || Ok::<_, Error>(value.to_string().len().is_multiple_of(2)))
        .ephemeral()
        .await?;
    Ok(Fact::Matched { step, attribute, provider, is_match })
}

fn told(state: &FlowState, outcome: &FlowOutcome) -> Value {
    let steps: BTreeMap<&str, String> =
        state.statuses().map(|(id, status)| (id.as_str(), format!("{status:?}"))).collect();
    let attributes: BTreeMap<&str, Option<&StepId>> =
        state.attributes().map(|(name, _, provider)| (name.as_str(), provider)).collect();
    json!({"outcome": format!("{outcome:?}"), "steps": steps, "attributes": attributes})
}

/// A plan that can be run, if the drafts give one.
fn runnable(drafts: &[Draft], asked: &Asked, ends: &[(u64, u8)]) -> Option<FlowInput> {
    let (plan, init) = supplied(drafts, asked);
    let ends = plan.steps.keys().zip(ends.iter().cycle()).map(|(id, (takes_ms, how))| {
        let how = match how % 8 {
            0 => How::Fails,
            1 => How::IsSkipped,
            2 => How::GivesLess,
            _ => How::Completes,
        };
        (id.clone(), End { takes_ms: *takes_ms, how })
    });
    let ends = ends.collect();
    plan.obstacles().is_empty().then_some(FlowInput { plan, init, ends })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_flow_ends_the_same_with_and_without_crashes(
        drafts in drafts(),
        asked in asked(),
        ends in prop::collection::vec((0u64..300, any::<u8>()), 8),
        crashes in prop::collection::vec(0u64..150, 0..4),
    ) {
        let Some(input) = runnable(&drafts, &asked, &ends) else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let count = Count::default();
            let workflow = interpreter(count.clone());
            let engine = TestEngine::new().await;
            engine.register(workflow.clone()).unwrap();
            let run = engine.start("flow", &input).await.unwrap();
            let calm: Value = engine.wait(&run).await.unwrap();
            let n_calm = count.swap(0, Ordering::Relaxed);

            let mut engine = TestEngine::new().await;
            engine.register(workflow.clone()).unwrap();
            let id = engine.start("flow", &input).await.unwrap().id();
            for crash in &crashes {
                engine.advance(Duration::from_millis(*crash)).await;
                engine.restart().await;
            }
            let run = engine.get(id).await.unwrap();
            let stormy: Value = engine.wait(&run).await.unwrap();
            assert_eq!(stormy, calm);
            assert_eq!(count.load(Ordering::Relaxed), n_calm, "no step runs twice");

            let journal = run.journal().await.unwrap();
            for end in 1..=journal.len() {
                if let Err(problem) = replay_check(&journal[..end], &workflow) {
                    panic!("cut at {end}: {problem}");
                }
            }
        });
    }
}
