//! One run by itself: the latency of a step, long runs, replay.

use std::rc::Rc;
use std::sync::Mutex;
use std::time::Instant;

use stepwell::prelude::*;
use stepwell_journal::{
    Attempt, Event, EventKind, Json, Location, Message, RunId, RunState, Seq, UnixMillis,
};
use stepwell_kernel::{
    ChildError, Execution, Host, Limits, LocalBoxFuture, SendError, Setup, WorkflowVersion,
};

use crate::Outcome;
use crate::limits::new_run;
use crate::report::{Goal, Report, median, percentile};

/// When each step of the run under measurement ended.
static ENDS: Mutex<Vec<Instant>> = Mutex::new(Vec::new());

async fn trivial(ctx: Ctx, n: u64) -> Result<u64> {
    for i in 0..n {
        ctx.step(format!("step-{i}"), async || Ok::<_, Error>(i)).await?;
        if let Ok(mut ends) = ENDS.lock() {
            ends.push(Instant::now());
        }
    }
    Ok(n)
}

/// The time each step took, in microseconds.
async fn step_times(n: u64) -> Result<Vec<f64>> {
    let dir = tempfile::tempdir_in(".")?;
    let engine = Engine::open(dir.path().join("single.db")).await?;
    engine.register(workflow("trivial", trivial))?;
    // A first run warms everything up.
    engine.start("trivial", &50_u64).await?.wait::<u64>().await?;
    if let Ok(mut ends) = ENDS.lock() {
        ends.clear();
    }
    engine.start("trivial", &n).await?.wait::<u64>().await?;
    engine.shutdown().await;
    let ends = ENDS.lock().map(|ends| ends.clone()).unwrap_or_default();
    Ok(ends.windows(2).map(|pair| (pair[1] - pair[0]).as_secs_f64() * 1e6).collect())
}

pub async fn latency(report: &mut Report) -> Outcome {
    let mut times = step_times(1_000).await.map_err(|error| error.to_string())?;
    let fdatasync = report.value("limit: append 256 B + fdatasync, median").unwrap_or(f64::NAN);
    let goal = Some(Goal::AtMost(2.5));
    report.beside(
        "1 run, 1,000 steps: step latency, median",
        median(&mut times),
        "us",
        fdatasync,
        goal,
    );
    report.plain("1 run, 1,000 steps: step latency, p99", percentile(&mut times, 0.99), "us");
    Ok(())
}

pub async fn growth(report: &mut Report) -> Outcome {
    let times = step_times(10_000).await.map_err(|error| error.to_string())?;
    let total = |times: &[f64]| times.iter().sum::<f64>() / 1e6;
    let n = times.len();
    let first = total(&times[..1_000]);
    report.plain("1 run, 10,000 steps: the first 1,000", first, "s");
    report.plain("1 run, 10,000 steps: the middle 1,000", total(&times[n / 2..n / 2 + 1_000]), "s");
    let last = total(&times[n - 1_000..]);
    report.beside("1 run, 10,000 steps: the last 1,000", last, "s", first, Some(Goal::AtMost(1.2)));
    Ok(())
}

pub fn replay(report: &mut Report) -> Outcome {
    for n in [1_000_u64, 10_000, 100_000] {
        let journal = long_journal(n);
        let run = new_run().run;
        let mut rates = Vec::new();
        for _ in 0..5 {
            let began = Instant::now();
            let execution = Execution::load(Setup {
                run,
                journal: &journal,
                workflow: &workflow("trivial", replayed),
                host: Rc::new(Nowhere),
                limits: Limits::default(),
                careful: false,
                now: UnixMillis(1_700_000_000_000),
            })?;
            rates.push(journal.len() as f64 / began.elapsed().as_secs_f64());
            drop(execution);
        }
        let name = format!("replay of a journal of {n} steps");
        report.judged(&name, median(&mut rates), "events/s", Goal::AtLeast(300_000.0));
        let began = Instant::now();
        RunState::fold(run, &journal)?;
        let fold = journal.len() as f64 / began.elapsed().as_secs_f64();
        report.plain(&format!("fold of a journal of {n} steps (time travel)"), fold, "events/s");
    }
    Ok(())
}

/// As `trivial`, and then it waits: replay stops at the journal's end.
async fn replayed(ctx: Ctx, n: u64) -> Result<u64> {
    for i in 0..n {
        ctx.step(format!("step-{i}"), async || Ok::<_, Error>(i)).await?;
    }
    ctx.listen("end").await
}

fn long_journal(n: u64) -> Vec<Event> {
    let mut new = new_run();
    new.started.workflow = "trivial".to_owned();
    new.started.input = Json::from(serde_json::json!(n));
    let mut journal = new.journal();
    journal.extend((0..n).map(|i| Event {
        seq: Seq(i + 1),
        at: new.at,
        kind: EventKind::StepSucceeded {
            location: Location::from_text(&format!("step-{i}")),
            attempt: Attempt(1),
            value: Json::from(serde_json::json!(i)),
        },
    }));
    journal
}

/// A host for runs that ask nothing of it.
struct Nowhere;

impl Host for Nowhere {
    fn send(&self, to: RunId, _: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        Box::pin(async move { Err(SendError::UnknownRun(to)) })
    }

    fn child_version(&self, workflow: &str, _: &Json) -> Result<WorkflowVersion, ChildError> {
        Err(ChildError::Unknown { workflow: workflow.to_owned() })
    }
}
