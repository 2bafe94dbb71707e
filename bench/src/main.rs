//! `make bench`: how fast Stepwell is beside what the disk can do, and how cost grows.
//!
//! The sketch first. One commit is one fsync, 0.2 to 1 ms on a plain disk; a step that waits for its own
//! commit cannot be faster. Many runs share one fsync, so steps per second should grow with the runs in
//! flight until a core is full. All figures of one table come from one run on one machine: read the
//! ratios. What was measured when, and where the time goes, is in `README.md` beside this program.

mod flow;
mod graph;
mod http;
mod limits;
mod load;
mod postgres;
mod report;
mod rest;
mod sequence;
mod single;

use report::Report;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The parts, in the order in which they run. A later part may look at figures of an earlier one.
const PARTS: [&str; 12] = [
    "limits",
    "latency",
    "throughput",
    "growth",
    "replay",
    "asleep",
    "startup",
    "http",
    "sequence",
    "flow",
    "graph",
    "postgres",
];

fn main() -> Outcome {
    let only = only()?;
    let wants = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut report = Report::new();
    runtime.block_on(async {
        // Everything is beside the limits of this disk, so they are measured in every run.
        limits::measure(&mut report).await?;
        if wants("latency") {
            single::latency(&mut report).await?;
        }
        if wants("throughput") {
            load::throughput(&mut report).await?;
        }
        if wants("growth") {
            single::growth(&mut report).await?;
        }
        if wants("replay") {
            single::replay(&mut report)?;
        }
        if wants("asleep") {
            rest::asleep(&mut report).await?;
        }
        if wants("startup") {
            rest::start_up(&mut report).await?;
        }
        if wants("http") {
            http::launches(&mut report).await?;
        }
        if wants("sequence") {
            sequence::sequences(&mut report).await?;
        }
        if wants("flow") {
            flow::flows(&mut report).await?;
        }
        if wants("graph") {
            graph::graphs(&mut report).await?;
        }
        if wants("postgres") {
            postgres::cluster(&mut report).await?;
        }
        Outcome::Ok(())
    })?;
    report.finish()
}

fn only() -> Result<Option<String>, String> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.as_slice() {
        [] => Ok(None),
        [flag, part] if flag == "--only" && PARTS.contains(&part.as_str()) => {
            Ok(Some(part.clone()))
        }
        _ => Err(format!("usage: stepwell-bench [--only {}]", PARTS.join("|"))),
    }
}
