//! Four workflows in Rust, served over HTTP: the same API and the same command line as for any other workflow.
//!
//! ```text
//! cargo run --release -p shop-server              listens on http://127.0.0.1:7070, keeps everything in shop.db
//! make run                                        the same, with workflows of the other dialects beside these
//! ```
//!
//! Then, in another terminal:
//!
//! ```text
//! stepwell workflow list
//! stepwell start order --wait --input '{"item": "tea", "n": 2, "cents": 999, "card": "4242"}'
//! stepwell start order --wait --input '{"item": "tea", "n": 2, "cents": 999, "card": "1111"}'    the bank is slow, and is asked again
//! stepwell start order --wait --input '{"item": "tea", "n": 2, "cents": 999, "card": "0000"}'    declined, and everything is undone
//! stepwell start approval --id trip-7 --input '{"euros": 500, "deadline_secs": 600}'
//! stepwell run send trip-7 decide --body '{"yes": true, "by": "Ada"}'
//! stepwell start thumbnails --wait --input '{"pictures": 12}'
//! stepwell start report --id weekly --input '{"sections": ["sales", "stock", "staff"]}'; stepwell run logs weekly --follow
//! ```
//!
//! Kill the server whenever you like, start it again, and every run goes on where it was.

mod approval;
mod order;
mod report;
mod thumbnails;

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use stepwell::prelude::*;
use stepwell::{ServerConfig, Workflow};

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
    let args = Args::parse()?;
    let is_terminal = std::io::stderr().is_terminal();
    tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(is_terminal).init();
    let engine = Engine::open(&args.store).await?;
    for workflow in workflows() {
        engine.register(workflow)?;
    }

    let mut config =
        ServerConfig { listen: args.listen, mcp_config: args.mcp_config, ..Default::default() };
    config.files.dir = args.workflows;
    config.access.admin_token = std::env::var("STEPWELL_ADMIN_TOKEN").ok();
    let server = stepwell::bind(&engine, config).await?;
    let address = server.local_addr()?;
    println!("serving order, approval, thumbnails and report on http://{address}");
    println!("the API is described at http://{address}/api/docs; stop with Ctrl-C");
    // Until SIGTERM or Ctrl-C. A program that needs no more than this calls `stepwell::serve(engine, config)`.
    server.run(stepwell::server::told_to_end()).await?;
    Ok(())
}

fn workflows() -> [Workflow; 4] {
    [
        workflow("order", order::order).described(
            "Reserves, charges and ships; takes everything back when the card is declined",
        ),
        workflow("approval", approval::approval)
            .described("Waits for a person to say yes or no, or for the deadline"),
        workflow("thumbnails", thumbnails::thumbnails)
            .described("Makes a thumbnail of every picture, all of them side by side"),
        workflow("report", report::report)
            .described("Writes a long report, slowly, and logs how it gets on"),
    ]
}

/// Services take their time; in tests, whose clock skips it, they do not.
async fn take_time(ms: u64) {
    if !cfg!(test) {
        tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
    }
}

struct Args {
    store: String,
    listen: SocketAddr,
    /// Workflows that are TypeScript files, beside those of this program.
    workflows: Option<PathBuf>,
    /// The MCP servers whose tools graphs may call.
    mcp_config: Option<PathBuf>,
}

impl Args {
    fn parse() -> Result<Args> {
        let mut args = Args {
            store: "shop.db".to_owned(),
            listen: ServerConfig::default().listen,
            workflows: None,
            mcp_config: None,
        };
        let mut given = std::env::args().skip(1);
        while let Some(arg) = given.next() {
            let value = given.next();
            match (arg.as_str(), value) {
                ("--store", Some(path)) => args.store = path,
                ("--listen", Some(address)) => {
                    args.listen = address
                        .parse()
                        .map_err(|_| Error::msg(format!("`{address}` is no address")))?;
                }
                ("--workflows", Some(dir)) => args.workflows = Some(dir.into()),
                ("--mcp-config", Some(file)) => args.mcp_config = Some(file.into()),
                (other, _) => {
                    let usage = "shop-server [--store FILE] [--listen ADDRESS] [--workflows DIR] [--mcp-config FILE]";
                    return Err(Error::msg(format!("`{other}` is not understood; usage: {usage}")));
                }
            }
        }
        Ok(args)
    }
}

#[cfg(test)]
mod tests;
