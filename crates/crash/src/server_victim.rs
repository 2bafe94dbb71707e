//! A server that gets killed under load.
//!
//! `stepwell-crash-server DIR`: serves `DIR/store.db` on a free port, and writes its address to `DIR/address`. If
//! `CRASH_STORE` is the address of a database, it serves that, together with others, and leases runs for
//! `CRASH_LEASE_MS`. What several servers do to the world outside is in the folder `CRASH_OUTSIDE`, or known to the service
//! `CRASH_SERVICE`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use stepwell::ServerConfig;
use stepwell::prelude::*;
use stepwell::server::told_to_end;

async fn five(ctx: Ctx, n: u64) -> Result<u64> {
    let mut total = n;
    for step in ["a", "b", "c", "d", "e"] {
        total += ctx.step(step, async || Ok::<_, Error>(1)).await?;
    }
    Ok(total)
}

/// Says a word that somebody sends.
async fn word(ctx: Ctx, _: u64) -> Result<String> {
    ctx.listen("word").await
}

/// A step that stays under way until it may end, and one after it. Says which processes did them.
async fn held(ctx: Ctx, _: u64) -> Result<[u32; 2]> {
    let outside = PathBuf::from(std::env::var("CRASH_OUTSIDE")?);
    let run = ctx.run_id();
    let hold = ctx
        .step("hold", async || {
            say(&outside, &format!("{run} hold"))?;
            while !outside.join(format!("go-{run}")).exists() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Ok::<_, Error>(std::process::id())
        })
        .await?;
    let after = ctx
        .step("after", async || {
            say(&outside, &format!("{run} after"))?;
            Ok::<_, Error>(std::process::id())
        })
        .await?;
    Ok([hold, after])
}

/// What an `outside` run does.
#[derive(Debug, Clone, serde::Deserialize, schemars::JsonSchema)]
struct Wish {
    what: String,
    n: u64,
    listens: bool,
}

/// Three steps that do something outside, and a message if it is wished. Gives what the world outside made of it.
async fn outside(ctx: Ctx, wish: Wish) -> Result<Vec<String>> {
    let service = std::env::var("CRASH_SERVICE")?;
    let mut marks = Vec::new();
    for step in ["a", "b", "c"] {
        let what = format!("{}-{}/{step}", wish.what, wish.n);
        let act = async || act(&service, &what).await;
        let policy = StepPolicy {
            retries: 1_000,
            backoff: Backoff::fixed(millis(20)),
            ..StepPolicy::default()
        };
        marks.push(ctx.step(step, act).policy(policy).await?);
    }
    if wish.listens {
        ctx.listen::<u64>("go").await?;
    }
    Ok(marks)
}

/// Asks the service outside, and gives its mark.
async fn act(service: &str, what: &str) -> Result<String> {
    let request = reqwest::Client::new().post(format!("{service}/effect"));
    let body = serde_json::json!({ "what": what }).to_string();
    let request = request.header("content-type", "application/json").body(body);
    let answer = request.send().await?.text().await?;
    let answer: serde_json::Value = serde_json::from_str(&answer)?;
    Ok(answer["mark"].as_str().unwrap_or_default().to_owned())
}

/// A line in a file that all processes append to.
fn say(outside: &Path, what: &str) -> std::io::Result<()> {
    let ledger = outside.join("ledger");
    let mut ledger = std::fs::OpenOptions::new().create(true).append(true).open(ledger)?;
    ledger.write_all(format!("{what} {}\n", std::process::id()).as_bytes())
}

async fn open(dir: &Path) -> Result<Engine, Box<dyn std::error::Error>> {
    let Ok(address) = std::env::var("CRASH_STORE") else {
        return Ok(Engine::open(dir.join("store.db")).await?);
    };
    let lease = Duration::from_millis(std::env::var("CRASH_LEASE_MS")?.parse()?);
    let name = dir.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let options = Engine::options().postgres(|store| store.shared(lease).name(name));
    Ok(options.open_postgres(&address).await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    let engine = open(&dir).await?;
    engine.register(workflow("five", five))?;
    engine.register(workflow("word", word))?;
    engine.register(workflow("held", held))?;
    engine.register(workflow("outside", outside))?;
    let mut config = ServerConfig { listen: "127.0.0.1:0".parse()?, ..ServerConfig::default() };
    config.files.dir = Some(dir.join("workflows")).filter(|workflows| workflows.is_dir());
    let server = stepwell::bind(&engine, config).await?;
    // Whoever reads it sees all of it or nothing.
    std::fs::write(dir.join("address.new"), server.local_addr()?.to_string())?;
    std::fs::rename(dir.join("address.new"), dir.join("address"))?;
    server.run(told_to_end()).await?;
    Ok(())
}
