//! Many runs at once.

use std::sync::Arc;
use std::time::Instant;

use stepwell::prelude::*;
use tokio::sync::Semaphore;

use crate::Outcome;
use crate::report::{Goal, Report};

const RUNS: usize = 5_000;
const STEPS: u64 = 5;

async fn five(ctx: Ctx, n: u64) -> Result<u64> {
    let mut sum = n;
    for i in 0..STEPS {
        sum = ctx.step(format!("step-{i}"), async || Ok::<_, Error>(sum + i)).await?;
    }
    Ok(sum)
}

/// Durable steps per second with `in_flight` runs at a time.
async fn steps_per_second(n_runs: usize, in_flight: usize) -> Result<f64> {
    let dir = tempfile::tempdir_in(".")?;
    let engine = Engine::open(dir.path().join("load.db")).await?;
    engine.register(workflow("five", five))?;
    engine.start("five", &0_u64).await?.wait::<u64>().await?;
    let slots = Arc::new(Semaphore::new(in_flight));
    let began = Instant::now();
    let mut tasks = Vec::with_capacity(n_runs);
    for i in 0..n_runs as u64 {
        let slot = slots.clone().acquire_owned().await?;
        let engine = engine.clone();
        tasks.push(tokio::spawn(async move {
            let run = engine.start("five", &i).await?;
            let sum = run.wait::<u64>().await?;
            drop(slot);
            Ok::<u64, Error>(sum)
        }));
    }
    for task in tasks {
        task.await??;
    }
    let rate = (n_runs as u64 * STEPS) as f64 / began.elapsed().as_secs_f64();
    let stats = engine.stats();
    eprintln!("  {in_flight} in flight: {stats:?}");
    engine.shutdown().await;
    Ok(rate)
}

pub async fn throughput(report: &mut Report) -> Outcome {
    let limit = report.value("limit: store alone, 4096 commits waiting").unwrap_or(f64::NAN);
    let mut before = None;
    for (n_runs, in_flight) in
        [(200, 1), (1_000, 16), (RUNS, 256), (RUNS, 4_096), (4 * RUNS, 4_096)]
    {
        let rate = steps_per_second(n_runs, in_flight).await.map_err(|error| error.to_string())?;
        let name = format!("{n_runs} runs of {STEPS} steps, {in_flight} in flight");
        report.beside(&name, rate, "steps/s", limit, None);
        if let Some(before) = before
            && n_runs <= RUNS
        {
            report.beside(
                &format!("{name}: beside fewer in flight"),
                rate,
                "steps/s",
                before,
                Some(Goal::AtLeast(1.0)),
            );
        }
        before = Some(rate);
    }
    let rate = steps_per_second(RUNS, RUNS).await.map_err(|error| error.to_string())?;
    let name = format!("{RUNS} runs of {STEPS} steps, all at once");
    report.beside(&name, rate, "steps/s", limit, Some(Goal::AtLeast(0.4)));
    Ok(())
}
