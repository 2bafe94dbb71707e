//! Sequences: what a JavaScript step costs beside a Rust step, many runs of them, and loading files.
//!
//! The sketch: a call of a warm script takes tens of microseconds, a commit some hundreds; so a JavaScript step should
//! cost little more than a Rust one where runs are few, and cores should decide where they are many. Loading a file
//! with Zod is dominated by Zod itself, about 10 ms from bytecode.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stepwell::prelude::*;
use stepwell::sequence::{
    RegisterSequence, Registry, Sequence, StepCx, StepError, StepExt, TsOptions,
};
use tokio::sync::{Semaphore, oneshot};

use crate::Outcome;
use crate::report::{Goal, Report, median};

const STEPS: usize = 10;
const RUNS_WARM: usize = 20;
const RUNS_ALONE: usize = 400;
const ROUND_TRIPS: usize = 1_000;
const RUNS: usize = 2_000;
const IN_FLIGHT: usize = 256;
const FILES: usize = 100;

async fn add(cx: StepCx) -> Result<u64, StepError> {
    Ok(cx.last_result::<Option<u64>>()?.unwrap_or(0) + 1)
}

/// The same ten steps in both ways of writing.
fn rust_flow() -> Sequence {
    (0..STEPS).fold(Sequence::new("rust"), |flow, n| flow.step(add.named(&format!("step{n}"))))
}

fn ts_flow() -> String {
    let names: Vec<String> = (0..STEPS).map(|n| format!("step{n}")).collect();
    let mut text = String::from("const add = ({ lastStep }) => (lastStep.result ?? 0) + 1;\n");
    let step = |name: &String| format!("{{ fn: add, name: '{name}' }}");
    let steps: Vec<String> = names.iter().map(step).collect();
    text.push_str(&format!(
        "export const name = 'script';\nexport const steps = [{}];\n",
        steps.join(", ")
    ));
    text
}

/// Microseconds for each step of one run at a time, at the median: the Rust steps' and the JavaScript steps'.
async fn alone(engine: &Engine) -> Result<(f64, f64)> {
    let (mut rust, mut script) = (Vec::new(), Vec::new());
    // In turns, so that a moment in which the disk is slow befalls both.
    for n in 0..RUNS_WARM + RUNS_ALONE {
        for (workflow, times) in [("rust", &mut rust), ("script", &mut script)] {
            let began = Instant::now();
            engine.start(workflow, &()).await?.wait::<u64>().await?;
            if n >= RUNS_WARM {
                times.push(began.elapsed().as_secs_f64() * 1e6 / STEPS as f64);
            }
        }
    }
    Ok((median(&mut rust), median(&mut script)))
}

/// Microseconds to a thread that sleeps and back, at the median: what any call pays that runs on a thread of its own.
async fn round_trip() -> Result<f64> {
    let (ask, asked) = std::sync::mpsc::channel::<oneshot::Sender<()>>();
    let thread = std::thread::spawn(move || {
        for answer in asked {
            let _ = answer.send(());
        }
    });
    let mut times = Vec::new();
    for _ in 0..ROUND_TRIPS {
        // As long as a commit, so that the thread has gone to sleep.
        tokio::time::sleep(Duration::from_millis(1)).await;
        let (answer, answered) = oneshot::channel();
        let began = Instant::now();
        ask.send(answer).map_err(|_| Error::msg("the thread is gone"))?;
        answered.await.map_err(|_| Error::msg("the thread is gone"))?;
        times.push(began.elapsed().as_secs_f64() * 1e6);
    }
    drop(ask);
    thread.join().map_err(|_| Error::msg("the thread panicked"))?;
    Ok(median(&mut times))
}

/// Steps per second of many runs.
async fn many(engine: &Engine, workflow: &'static str) -> Result<f64> {
    let slots = Arc::new(Semaphore::new(IN_FLIGHT));
    let began = Instant::now();
    let mut tasks = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let slot = slots.clone().acquire_owned().await?;
        let engine = engine.clone();
        tasks.push(tokio::spawn(async move {
            let sum = engine.start(workflow, &()).await?.wait::<u64>().await?;
            drop(slot);
            Ok::<u64, Error>(sum)
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok((RUNS * STEPS) as f64 / began.elapsed().as_secs_f64())
}

async fn load(registry: &Registry) -> Result<f64> {
    let dir = tempfile::tempdir()?;
    for n in 0..FILES {
        let text = format!(
            "import {{ z }} from 'zod';\nexport const input = z.object({{ n: z.number() }});\nexport const steps = [function step({{ input }}) {{ return input.n + {n}; }}];\n"
        );
        std::fs::write(dir.path().join(format!("file{n}.ts")), text)?;
    }
    let began = Instant::now();
    let loaded = registry.register_directory(dir.path()).await?;
    if loaded.registered.len() != FILES {
        return Err(Error::msg("not every file was loaded"));
    }
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

async fn measure(report: &mut Report) -> Result<()> {
    let dir = tempfile::tempdir_in(".")?;
    let engine = Engine::open(dir.path().join("sequence.db")).await?;
    rust_flow().register(&engine)?;
    let registry = engine.files(TsOptions::default())?;
    std::fs::write(dir.path().join("flow.ts"), ts_flow())?;
    registry.register_file(dir.path().join("flow.ts")).await?;
    report.plain("sequence: to a sleeping thread and back", round_trip().await?, "us");
    let (rust, script) = alone(&engine).await?;
    report.plain("sequence, 1 run at a time: a Rust step", rust, "us");
    report.beside("sequence, 1 run at a time: a JavaScript step", script, "us", rust, None);
    let overhead = script - rust;
    report.judged("sequence: what JavaScript adds to a step", overhead, "us", Goal::AtMost(60.0));
    let rust = many(&engine, "rust").await?;
    report.plain(&format!("sequence, {RUNS} runs: Rust steps"), rust, "steps/s");
    let script = many(&engine, "script").await?;
    let name = format!("sequence, {RUNS} runs: JavaScript steps");
    report.judged(&name, script, "steps/s", Goal::AtLeast(10_000.0));
    report.plain(
        &format!("sequence: {FILES} files with Zod loaded and kept"),
        load(&registry).await?,
        "ms",
    );
    engine.shutdown().await;
    Ok(())
}

pub async fn sequences(report: &mut Report) -> Outcome {
    Ok(measure(report).await.map_err(|error| error.to_string())?)
}
