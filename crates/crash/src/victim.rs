//! The process that gets killed. It starts runs, sends messages and runs steps that write to a ledger
//! outside of Stepwell, and says in another file what was acknowledged to it.
//!
//! `stepwell-crash-victim DIR INCARNATION RUNS [finish]`: works on `DIR/store.db` until it is killed; with
//! `finish` until every run has ended. If `CRASH_STORE` is the address of a database, it works on that, together with
//! others, and its clock is fast by `CRASH_SKEW_MS`.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use stepwell::prelude::*;
use stepwell::{
    BoxFuture, Clock, SendError, StartError, StartOptions, SystemClock, UnixMillis, WaitError,
};

/// Lines that outlive a SIGKILL: one `write` each, in append mode.
struct Outside {
    ledger: Mutex<File>,
    acknowledged: Mutex<File>,
    incarnation: u64,
}

/// Short, so that a campaign sees many leases run out.
const LEASE: Duration = Duration::from_secs(2);

static OUTSIDE: OnceLock<Outside> = OnceLock::new();

fn outside() -> &'static Outside {
    OUTSIDE.get().expect("set by main")
}

/// A body that says when it began, takes a moment, and returns the incarnation that it ran in.
async fn effect(ctx: &Ctx, step: &str) -> Result<u64> {
    let incarnation = outside().incarnation;
    let at = SystemTime::now().duration_since(UNIX_EPOCH)?.as_millis();
    say(&outside().ledger, &format!("{} {step} {incarnation} {at}", ctx.run_id()));
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
    let engine = match std::env::var("CRASH_STORE") {
        Ok(address) => {
            let skew_ms = std::env::var("CRASH_SKEW_MS")?.parse()?;
            open_shared(&address, Skewed { skew_ms }).await
        }
        Err(_) => Engine::open(dir.join("store.db")).await?,
    };
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

/// A clock that is wrong, always by as much.
#[derive(Clone, Copy)]
struct Skewed {
    skew_ms: i64,
}

impl Clock for Skewed {
    fn now(&self) -> UnixMillis {
        UnixMillis(SystemClock.now().0.saturating_add_signed(self.skew_ms))
    }

    fn sleep_until(&self, at: UnixMillis) -> BoxFuture<'static, ()> {
        SystemClock.sleep_until(UnixMillis(at.0.saturating_add_signed(-self.skew_ms)))
    }
}

/// A database that is away comes back.
async fn open_shared(address: &str, clock: Skewed) -> Engine {
    loop {
        let options = Engine::options()
            .postgres(|store| store.shared(LEASE))
            .engine(move |engine| engine.clock(clock));
        match options.open_postgres(address).await {
            Ok(engine) => return engine,
            Err(error) => {
                eprintln!("the database is away: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn one(engine: &Engine, n: u64, finish: bool) -> Result<()> {
    let options = StartOptions { idempotency_key: Some(format!("run-{n}")), ..Default::default() };
    let run = loop {
        match engine.start_with("torn", &n, options.clone()).await {
            Ok(run) => break run,
            // A database that is away comes back; the key makes it one run.
            Err(StartError::Store(_)) => tokio::time::sleep(Duration::from_millis(100)).await,
            Err(error) => return Err(error.into()),
        }
    };
    say(&outside().acknowledged, &format!("run {n} {}", run.id()));
    if n.is_multiple_of(3) {
        // The key makes a message that is sent in every incarnation one message. A run that ended has
        // taken it before.
        loop {
            match run.send_with_key("go", &1_u64, &format!("go-{n}")).await {
                Ok(_) => say(&outside().acknowledged, &format!("message {n} {}", run.id())),
                Err(SendError::RunEnded { .. }) => {}
                Err(SendError::Store(_)) => {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
                Err(error) => return Err(error.into()),
            }
            break;
        }
    }
    if !finish {
        return Ok(());
    }
    loop {
        match run.wait::<u64>().await {
            Ok(_) | Err(WaitError::Failed(_)) => return Ok(()),
            Err(WaitError::Store(_)) => tokio::time::sleep(Duration::from_millis(100)).await,
            Err(error) => return Err(error.into()),
        }
    }
}

fn append(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().create(true).append(true).open(path)
}

fn say(file: &Mutex<File>, line: &str) {
    let mut file = file.lock().expect("nobody panics with it");
    file.write_all(format!("{line}\n").as_bytes()).expect("the disk of a test has room");
}
