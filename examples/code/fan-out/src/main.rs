//! A thousand branches of one join, each with a step of its own.
//!
//! ```text
//! cargo run --release -p fan-out            a thousand
//! cargo run --release -p fan-out -- 10000   ten thousand
//! ```
//!
//! Prints `1000 branches gave 499500`, and how many commits that took: branches share them.

use std::process::ExitCode;

use stepwell::prelude::*;

async fn fan_out(ctx: Ctx, n: u64) -> Result<u64> {
    let branches = (0..n)
        .map(|i| {
            branch(format!("b{i}"), async move |ctx: Ctx| {
                ctx.step("work", async || work(i).await).await
            })
        })
        .collect::<Vec<_>>();
    let results = ctx.join("all", branches).await?;
    Ok(results.iter().sum())
}

async fn work(i: u64) -> Result<u64> {
    tokio::time::sleep(std::time::Duration::from_millis(i % 20)).await;
    Ok(i)
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
    let n = match std::env::args().nth(1) {
        Some(n) => n.parse().map_err(|_| Error::msg(format!("`{n}` is no number")))?,
        None => 1_000,
    };
    let engine = Engine::open("fan-out.db").await?;
    engine.register(workflow("fan-out", fan_out))?;
    let sum: u64 = engine.start("fan-out", &n).await?.wait().await?;
    println!("{n} branches gave {sum}, in {} commits", engine.stats().n_commits);
    engine.shutdown().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use stepwell::testkit::TestEngine;

    use super::*;

    #[tokio::test]
    async fn a_thousand_branches_all_end() {
        let engine = TestEngine::new().await;
        engine.register(workflow("fan-out", fan_out)).unwrap();
        let run = engine.start("fan-out", &1_000_u64).await.unwrap();
        let sum: u64 = engine.wait(&run).await.unwrap();
        assert_eq!(sum, 499_500);
    }
}
