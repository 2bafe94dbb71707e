//! A server that gets killed under load.
//!
//! `stepwell-crash-server DIR`: serves `DIR/store.db` on a free port, and writes its address to `DIR/address`.

use std::path::PathBuf;

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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = PathBuf::from(std::env::args().nth(1).ok_or("which folder?")?);
    let engine = Engine::open(dir.join("store.db")).await?;
    engine.register(workflow("five", five))?;
    let config = ServerConfig { listen: "127.0.0.1:0".parse()?, ..ServerConfig::default() };
    let server = stepwell::bind(&engine, config).await?;
    // Whoever reads it sees all of it or nothing.
    std::fs::write(dir.join("address.new"), server.local_addr()?.to_string())?;
    std::fs::rename(dir.join("address.new"), dir.join("address"))?;
    server.run(told_to_end()).await?;
    Ok(())
}
