//! What others see of an engine at work: its events, its traces.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeMap;
use std::sync::Arc;

use kit::{Trick, TrickStore, secs, trying};
use parking_lot::Mutex;
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_engine::{Observer, RunFacts, StartError, StartOptions};
use stepwell_journal::{Event, RunId, Seq};
use stepwell_kernel::{Backoff, Ctx, Error, Result, TraceParent, workflow};

/// Keeps what it saw.
#[derive(Clone, Default)]
struct Witness {
    seen: Arc<Mutex<BTreeMap<RunId, Vec<Event>>>>,
    panics: bool,
}

impl Observer for Witness {
    fn committed(&self, run: &RunFacts, events: &[Event]) {
        assert!(!events.is_empty());
        assert_eq!(&**run.namespace(), "default");
        self.seen.lock().entry(run.run).or_default().extend_from_slice(events);
        assert!(!self.panics, "an observer's own fault");
    }
}

impl Witness {
    async fn engine(&self, store: TrickStore) -> TestEngine {
        let witness = self.clone();
        let build = Arc::new(move |builder: stepwell_engine::EngineBuilder| {
            builder.observer(witness.clone())
        });
        let options = TestOptions { build, ..TestOptions::default() };
        let engine = TestEngine::with(Arc::new(store), options).await;
        engine.register(workflow("parent", parent)).unwrap();
        engine.register(trying()).unwrap();
        engine
    }
}

async fn parent(ctx: Ctx, (): ()) -> Result<()> {
    ctx.child::<()>("child", "trying", &false).await?;
    ctx.sleep("nap", secs(10)).await?;
    ctx.step("fail", async || Err::<(), _>(Error::critical(Error::msg("no")))).await
}

#[tokio::test]
async fn an_observer_sees_every_event_of_every_run_once_and_in_order() {
    for n in 0..15 {
        let (store, witness) = (TrickStore::default(), Witness::default());
        let engine = witness.engine(store.clone()).await;
        if n > 0 {
            store.on_commit(n, Trick::LoseAnswer);
        }
        let run = engine.start("parent", &()).await.unwrap();
        engine.wait::<()>(&run).await.unwrap_err();
        run.recover().await.unwrap();
        engine.settle().await;
        // A run that waits for its store does not hear of the cancel before time passes.
        let (cancelled, ()) = tokio::join!(run.cancel("too late or not"), engine.run_until_idle());
        cancelled.ok();
        engine.run_until_idle().await;
        let seen = witness.seen.lock().clone();
        assert_eq!(seen.len(), 2, "the run and its child");
        for (run, events) in seen {
            let journal = engine.get(run).await.unwrap().journal().await.unwrap();
            assert_eq!(events, journal, "{n}");
        }
    }
}

#[tokio::test]
async fn an_observer_that_panics_hurts_nobody() {
    let witness = Witness { panics: true, ..Witness::default() };
    let engine = witness.engine(TrickStore::default()).await;
    let run = engine.start("trying", &false).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    let seen = witness.seen.lock()[&run.id()].len();
    assert_eq!(seen, run.journal().await.unwrap().len());
}

const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

#[tokio::test]
async fn a_trace_follows_a_run_into_its_steps_and_its_children() {
    let engine = kit::test_engine().await;
    let traced = workflow("traced", |ctx: Ctx, depth: u64| async move {
        let mut traces: Vec<String> = Vec::new();
        let step = ctx.step_with("call", async |cx| match cx.attempt().0 {
            1 => Err(Error::msg(cx.traceparent())),
            _ => Ok::<_, Error>(cx.traceparent()),
        });
        traces.push(step.backoff(Backoff::fixed(secs(1))).await?);
        if depth > 0 {
            traces.extend(ctx.child::<Vec<String>>("child", "traced", &(depth - 1)).await?);
        }
        Ok::<_, Error>(traces)
    });
    engine.register(traced).unwrap();
    let options = StartOptions { trace: Some(CALLER.to_owned()), ..StartOptions::default() };
    let run = engine.start_with("traced", &2, options).await.unwrap();
    let traces = engine.wait::<Vec<String>>(&run).await.unwrap();
    let traces: Vec<TraceParent> = traces.iter().map(|trace| trace.parse().unwrap()).collect();
    assert_eq!(traces.len(), 3);
    let caller: TraceParent = CALLER.parse().unwrap();
    assert!(traces.iter().all(|trace| trace.trace_id == caller.trace_id));
    let spans: std::collections::BTreeSet<u64> = traces.iter().map(|t| t.span_id).collect();
    assert_eq!(spans.len(), 3);
    // The failed attempt had a span of its own.
    let journal = run.journal().await.unwrap();
    let failed = journal.iter().find_map(|event| match &event.kind {
        stepwell_journal::EventKind::AttemptFailed { failure, .. } => Some(failure.message.clone()),
        _ => None,
    });
    let failed: TraceParent = failed.unwrap().parse().unwrap();
    assert_eq!(failed.trace_id, caller.trace_id);
    assert!(!spans.contains(&failed.span_id));
    assert_eq!(journal[0].seq, Seq(0));
    // Without a caller's trace the run has one of its own.
    let run = engine.start("traced", &0).await.unwrap();
    let own = engine.wait::<Vec<String>>(&run).await.unwrap();
    let own: TraceParent = own[0].parse().unwrap();
    assert_eq!(own.trace_id, run.id().0.as_u128());
    let options = StartOptions { trace: Some("nonsense".to_owned()), ..StartOptions::default() };
    let refused = engine.start_with("traced", &0, options).await;
    assert!(matches!(refused, Err(StartError::Trace(_))));
}
