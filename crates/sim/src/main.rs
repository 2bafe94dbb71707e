//! `stepwell-sim --seed 0x5eed --seconds 600`: simulation after simulation until the time is over.
//!
//! ```text
//!   --seed N      the first seed; the others follow from it        --verbose   the whole trace
//!   --seconds N   how long                                         --runs N    how many simulations
//!   --nodes X     `one` owns the whole store at a time, `several` share it, or `either`, as the seed has it
//! ```
//!
//! Without `--seconds` and `--runs` it runs the one simulation of the seed.

use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use stepwell_sim::{Counts, Nodes, Options, PANIC_TEXT, Report, Rng, simulate};

/// How often people are told how far it is.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);

struct Args {
    seed: u64,
    seconds: Option<u64>,
    runs: Option<u64>,
    is_loud: bool,
    nodes: Nodes,
}

fn main() -> ExitCode {
    let args = match parse(std::env::args().skip(1)) {
        Ok(args) => args,
        Err(problem) => {
            say(&problem);
            return ExitCode::from(2);
        }
    };
    say(&format!("seed {:#x}", args.seed));
    quiet_panics();
    match run(&args) {
        None => ExitCode::SUCCESS,
        Some(report) => {
            show(&report, args.nodes);
            ExitCode::FAILURE
        }
    }
}

/// The first simulation that broke a law, if one did.
fn run(args: &Args) -> Option<Report> {
    let began = Instant::now();
    let mut told = began;
    let mut seeds = Rng::new(args.seed);
    let mut seed = args.seed;
    let mut total = Counts::default();
    let mut n = 0;
    let n_max = args.runs.unwrap_or(if args.seconds.is_some() { u64::MAX } else { 1 });
    while n < n_max && args.seconds.is_none_or(|s| began.elapsed() < Duration::from_secs(s)) {
        let report =
            simulate(seed, Options { is_loud: args.is_loud, sabotage: None, nodes: args.nodes });
        total += report.counts;
        n += 1;
        if report.violation.is_some() {
            progress(n, began, &total);
            return Some(report);
        }
        if n_max == 1 {
            say(&format!("trace {:#018x}", report.trace_hash));
        }
        if told.elapsed() >= PROGRESS_EVERY {
            told = Instant::now();
            progress(n, began, &total);
        }
        seed = seeds.next_u64();
    }
    progress(n, began, &total);
    None
}

fn progress(n: u64, began: Instant, total: &Counts) {
    say(&format!(
        "{:>5} s  {n} simulations, {} runs, {} bodies, {} commits, {} crashes, {} faults, {} fenced, \
         {} calls, {} cancels, {} resumes, {} jumps, {} shut-downs, {} replays; of these {} with several nodes: \
         {} take-overs, {} shards moved, {} pauses, {} lost calls",
        began.elapsed().as_secs(),
        total.n_runs,
        total.n_bodies,
        total.n_commits,
        total.n_crashes,
        total.n_faults,
        total.n_fenced,
        total.n_calls,
        total.n_cancels,
        total.n_resumes,
        total.n_jumps,
        total.n_shutdowns,
        total.n_replays,
        total.n_shared,
        total.n_takeovers,
        total.n_moves,
        total.n_pauses,
        total.n_calls_lost,
    ));
}

fn show(report: &Report, nodes: Nodes) {
    for line in &report.tail {
        say(line);
    }
    say("--- journal");
    say(&report.journal);
    if let Some(violation) = &report.violation {
        say(&format!("law {} is broken: {}", violation.law, violation.text));
    }
    let kind = match nodes {
        Nodes::Either => "",
        Nodes::One => " NODES=one",
        Nodes::Several => " NODES=several",
    };
    say(&format!("again: make sim SEED={:#x}{kind}", report.seed));
}

fn parse(mut args: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut parsed =
        Args { seed: 0x5eed, seconds: None, runs: None, is_loud: false, nodes: Nodes::Either };
    while let Some(arg) = args.next() {
        let mut number = || {
            let text = args.next().ok_or_else(|| format!("{arg} wants a number"))?;
            number(&text).ok_or_else(|| format!("{arg} wants a number, not `{text}`"))
        };
        match arg.as_str() {
            "--seed" => parsed.seed = number()?,
            "--seconds" => parsed.seconds = Some(number()?),
            "--runs" => parsed.runs = Some(number()?),
            "--verbose" => parsed.is_loud = true,
            "--nodes" => {
                let text = args.next().unwrap_or_default();
                parsed.nodes = nodes(&text)
                    .ok_or_else(|| format!("--nodes wants one, several or either, not `{text}`"))?;
            }
            _ => return Err(format!("unknown argument `{arg}`")),
        }
    }
    Ok(parsed)
}

fn nodes(text: &str) -> Option<Nodes> {
    match text {
        "one" => Some(Nodes::One),
        "several" => Some(Nodes::Several),
        "either" => Some(Nodes::Either),
        _ => None,
    }
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Bodies panic by design, many times a second; only other panics are worth a line.
fn quiet_panics() {
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let is_ours = info.payload_as_str().is_some_and(|text| text == PANIC_TEXT);
        if !is_ours {
            loud(info);
        }
    }));
}

/// Whoever closed the pipe does not want to know.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
