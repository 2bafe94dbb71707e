//! The process that gets killed. It starts runs, sends messages and runs steps that write to a ledger
//! outside of Stepwell, and says in another file what was acknowledged to it.
//!
//! `stepwell-crash-victim DIR INCARNATION RUNS [finish]`: works on `DIR/store.db` until it is killed; with
//! `finish` until every run has ended.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use stepwell::prelude::*;
use stepwell::{StartOptions, WaitError};

/// Lines that outlive a SIGKILL: one `write` each, in append mode.
struct Outside {
    ledger: Mutex<File>,
    acknowledged: Mutex<File>,
    incarnation: u64,
}

static OUTSIDE: OnceLock<Outside> = OnceLock::new();

fn outside() -> &'static Outside {
    OUTSIDE.get().expect("set by main")
}

/// A body that says when it began, takes a moment, and returns the incarnation that it ran in.
async fn effect(ctx: &Ctx, step: &str) -> Result<u64> {
    let incarnation = outside().incarnation;
    say(&outside().ledger, &format!("{} {step} {incarnation}", ctx.run_id()));
    let moment = step.len() as u64 % 4;
    if moment > 0 {
        tokio::time::sleep(Duration::from_millis(moment * 3)).await;
    }
    Ok(incarnation)
}

/// An attempt that is killed counts, and some are killed many times: that must not fail the run here.
fn patient() -> StepPolicy {
    StepPolicy { retries: 1_000, backoff: Backoff::fixed(millis(2)), ..StepPolicy::default() }
}

/// All operations that a crash could tear apart.
async fn torn(ctx: Ctx, n: u64) -> Result<u64> {
    let mut total = 0;
    for i in 0..3 {
        let step = format!("step-{i}");
        total += ctx.step(&step, async || effect(&ctx, &step).await).policy(patient()).await?;
    }
    let (a, b) = ctx
        .join(
            "both",
            (
                branch("a", async |ctx| {
                    ctx.step("s", async || effect(&ctx, "both/a/s").await).policy(patient()).await
                }),
                branch("b", async |ctx| {
                    ctx.sleep("nap", millis(5 + n % 40)).await?;
                    ctx.step("s", async || effect(&ctx, "both/b/s").await).policy(patient()).await
                }),
            ),
        )
        .await?;
    total += a + b;
    total += ctx
        .looped("rounds", 0_u64, async |ctx, round| {
            let at = format!("rounds/~{round}/s");
            ctx.step("s", async || effect(&ctx, &at).await).policy(patient()).await?;
            Ok(if round >= 4 { Loop::Break(round) } else { Loop::Continue(round + 1) })
        })
        .keep(2)
        .await?;
    if n.is_multiple_of(3) {
        total += ctx.listen::<u64>("go").await?;
    }
    if n.is_multiple_of(4) {
        total += ctx.child::<u64>("nested", "leaf", &n).await?;
    }
    if n.is_multiple_of(5) {
        // Fails for good: what was done before is taken back.
        ctx.step("kept", async || effect(&ctx, "kept").await)
            .policy(patient())
            .undo(async |_: u64| Ok::<_, Error>(()))
            .await?;
        return Err(Error::critical(Error::msg("as planned")));
    }
    Ok(total)
}

async fn leaf(ctx: Ctx, n: u64) -> Result<u64> {
    ctx.step("leaf", async || effect(&ctx, "leaf").await).policy(patient()).await?;
    Ok(n)
}

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [dir, incarnation, n_runs, rest @ ..] = args.as_slice() else {
        return Err(Error::msg("usage: stepwell-crash-victim DIR INCARNATION RUNS [finish]"));
    };
    let dir = Path::new(dir);
    let outside = Outside {
        ledger: Mutex::new(append(&dir.join("ledger"))?),
        acknowledged: Mutex::new(append(&dir.join("acknowledged"))?),
        incarnation: incarnation.parse()?,
    };
    let _ = OUTSIDE.set(outside);
    let engine = Engine::open(dir.join("store.db")).await?;
    engine.register(workflow("torn", torn))?;
    engine.register(workflow("leaf", leaf))?;
    let finish = rest.first().is_some_and(|word| word == "finish");
    let mut tasks = tokio::task::JoinSet::new();
    // The newest first: the older ones were started by earlier incarnations.
    for n in (0..n_runs.parse::<u64>()?).rev() {
        let engine = engine.clone();
        tasks.spawn(async move { one(&engine, n, finish).await });
    }
    while let Some(ended) = tasks.join_next().await {
        ended??;
    }
    if finish {
        engine.shutdown().await;
        return Ok(());
    }
    // Waits to be killed.
    std::future::pending().await
}

async fn one(engine: &Engine, n: u64, finish: bool) -> Result<()> {
    let options = StartOptions { idempotency_key: Some(format!("run-{n}")), ..Default::default() };
    let run = engine.start_with("torn", &n, options).await?;
    say(&outside().acknowledged, &format!("run {n} {}", run.id()));
    if n.is_multiple_of(3) {
        // The key makes a message that is sent in every incarnation one message. A run that ended has
        // taken it before.
        match run.send_with_key("go", &1_u64, &format!("go-{n}")).await {
            Ok(_) => say(&outside().acknowledged, &format!("message {n} {}", run.id())),
            Err(stepwell::SendError::RunEnded { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if !finish {
        return Ok(());
    }
    match run.wait::<u64>().await {
        Ok(_) | Err(WaitError::Failed(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn append(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn say(file: &Mutex<File>, line: &str) {
    let mut file = file.lock().expect("nobody panics with it");
    file.write_all(format!("{line}\n").as_bytes()).expect("the disk of a test has room");
}
