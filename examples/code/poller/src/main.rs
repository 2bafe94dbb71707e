//! A poller that never ends: it reads a sensor again and again, and its journal stays short.
//!
//! ```text
//! cargo run -p poller              polls ten times a second until you stop it
//! cargo run -p poller -- 50        ... fifty times, then shows how long its journal is
//! ```
//!
//! Stop it, start it again: it goes on counting where it was. The store is `poller.db`.

use std::process::ExitCode;

use stepwell::StartOptions;
use stepwell::prelude::*;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Poll {
    /// Ends after so many readings; never if there is no number.
    readings: Option<u64>,
    every_ms: u64,
}

#[derive(Serialize, Deserialize, Default)]
struct Seen {
    n: u64,
    highest: f64,
}

async fn poll(ctx: Ctx, poll: Poll) -> Result<f64> {
    ctx.looped("readings", Seen::default(), async |ctx, seen: Seen| {
        let reading = ctx.step("read", async || read_sensor(seen.n).await).await?;
        let seen = Seen { n: seen.n + 1, highest: seen.highest.max(reading) };
        if poll.readings.is_some_and(|n| seen.n >= n) {
            return Ok(Loop::Break(seen.highest));
        }
        ctx.sleep("pause", millis(poll.every_ms)).await?;
        Ok(Loop::Continue(seen))
    })
    .keep(5)
    .await
}

async fn read_sensor(n: u64) -> Result<f64> {
    let reading = 20.0 + (n as f64 / 10.0).sin();
    if n.is_multiple_of(10) {
        println!("reading {n}: {reading:.2}");
    }
    Ok(reading)
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let readings = match std::env::args().nth(1) {
        Some(n) => Some(n.parse().map_err(|_| Error::msg(format!("`{n}` is no number")))?),
        None => None,
    };
    let engine = Engine::open("poller.db").await?;
    engine.register(workflow("poll", poll))?;
    // One endless poller for this store, however often it is started; a counted one is always new.
    let idempotency_key = readings.is_none().then(|| "the poller".to_owned());
    let options = StartOptions { idempotency_key, ..Default::default() };
    let input = Poll { readings, every_ms: if readings.is_some() { 1 } else { 100 } };
    let run = engine.start_with("poll", &input, options).await?;
    let highest: f64 = run.wait().await?;
    let journal = run.journal().await?;
    println!("highest: {highest:.2}; {} events are left in the journal", journal.len());
    engine.shutdown().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use stepwell::testkit::TestEngine;

    use super::*;

    #[tokio::test]
    async fn a_thousand_readings_leave_a_short_journal() {
        let engine = TestEngine::new().await;
        engine.register(workflow("poll", poll)).unwrap();
        let input = Poll { readings: Some(1_000), every_ms: 60_000 };
        let run = engine.start("poll", &input).await.unwrap();
        let highest: f64 = engine.wait(&run).await.unwrap();
        assert!(highest > 20.9);
        let journal = run.journal().await.unwrap();
        assert!(journal.len() < 2_000, "{} events are left of about 4,000", journal.len());
    }
}
