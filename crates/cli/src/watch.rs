//! Waiting for a run while showing what it does.
//!
//! The server's updates say that something happened; what happened is read from the run itself. Where there are no
//! updates, because a proxy holds them back or the server is busy, the run is asked for every second.

mod lines;
mod screen;

use std::time::{Duration, Instant};

use stepwell_server::api::{RunDetail, RunOutcomeView};

use crate::args;
use crate::client::{Client, Updates};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::{Out, clean, failure_lines, indented, now};

use lines::Lines;
use screen::Screen;

/// Between two looks at the run there is at least this much time, and this many times what a look takes.
const LOOK_EVERY_MIN: Duration = Duration::from_millis(50);
const LOOK_EVERY_MAX: Duration = Duration::from_secs(5);
const LOOK_COST_FACTOR: u32 = 4;

/// How often the run is looked at although nothing is told: what keeps an engine from running it is no event.
const LOOK_ANYWAY: Duration = Duration::from_secs(5);

/// How often it is looked at while nobody tells of changes.
const POLL_MS: u64 = 1_000;

/// How often countdowns and spinners move.
const TICK: Duration = Duration::from_millis(100);

/// How long a server may be away before we give up.
const AWAY_MAX: Duration = Duration::from_secs(60);

/// Where progress goes.
enum View {
    Screen(Box<Screen>),
    Lines(Lines),
    Quiet,
}

/// A run to be waited for.
pub struct Awaited<'a> {
    pub client: &'a Client,
    pub id: &'a str,
    pub options: &'a args::Watch,
    /// We saw it begin, so that all of it is news.
    pub is_new: bool,
}

impl Awaited<'_> {
    /// Waits, and prints how the run ended: its output on standard output, all else on standard error.
    pub async fn finish(&self, out: &mut Out) -> Result<Exit> {
        let outcome = self.ended(out).await?;
        let exit = match outcome.status.as_str() {
            "completed" => Exit::Ok,
            "cancelled" => Exit::Cancelled,
            _ => Exit::RunFailed,
        };
        if out.json {
            out.print_json_of(&outcome)?;
            return Ok(exit);
        }
        let RunOutcomeView { run_id, output, error, reason, .. } = &outcome;
        match (exit, output, error) {
            (Exit::Ok, Some(output), _) => out.print(&indented(output.as_str()))?,
            (Exit::RunFailed, _, Some(failure)) => {
                let error = Error::new(exit, format!("run {run_id} failed"))
                    .hint(format!("`stepwell run show {run_id}` tells more; `stepwell run resume {run_id}` tries what failed again"));
                let text = error.text();
                let (what, hint) = text.split_once('\n').unwrap_or((&text, ""));
                out.say(&format!("{what}: {}\n{hint}", failure_lines(failure).join("\n")))?;
            }
            _ => {
                let reason = reason.as_deref().filter(|reason| !reason.is_empty());
                let reason =
                    reason.map(|reason| format!(": {}", clean(reason))).unwrap_or_default();
                out.say(&format!("run {run_id} was {}{reason}", outcome.status))?;
            }
        }
        Ok(exit)
    }

    async fn ended(&self, out: &mut Out) -> Result<RunOutcomeView> {
        let id = self.id;
        let limit_ms = self.options.timeout.map(|timeout| timeout.ms(now()));
        let limit = async {
            match limit_ms {
                Some(ms) => tokio::time::sleep(Duration::from_millis(ms)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            _ = tokio::signal::ctrl_c() => {
                if out.stderr_is_terminal {
                    // Off the line where the terminal wrote its ^C.
                    out.say("\n")?;
                }
                let error = Error::new(Exit::Interrupted, format!("stopped watching; run {id} goes on"));
                Err(error.hint(format!("`stepwell run wait {id}` goes on watching, `stepwell run cancel {id}` ends the run")))
            }
            run = self.follow(out) => Ok(outcome_of(run?)),
            () = limit => {
                let error = Error::new(Exit::TimedOut, format!("run {id} has not ended in time; it goes on"));
                Err(error.hint(format!("wait again with `stepwell run wait {id}`")))
            }
        }
    }

    async fn follow(&self, out: &mut Out) -> Result<RunDetail> {
        let mut view = match (self.options.quiet, out.stderr_is_terminal) {
            (true, _) => View::Quiet,
            (false, true) => View::Screen(Box::new(Screen::of_terminal(out.err_style)?)),
            (false, false) => View::Lines(Lines::new(self.is_new)),
        };
        let mut updates: Option<Updates> = None;
        let mut answered_at = self.is_new.then(Instant::now);
        loop {
            let looked_at = Instant::now();
            match self.client.run(self.id).await {
                Ok(reply) => {
                    answered_at = Some(Instant::now());
                    view.show(&reply.value, out)?;
                    if is_ended(&reply.value.status) {
                        view.finish();
                        return Ok(reply.value);
                    }
                    let last_seq = reply.value.last_seq;
                    updates.get_or_insert_with(|| {
                        Updates::of_run(self.client, &reply.value.run_id, last_seq)
                    });
                }
                Err(error)
                    if may_pass(&error)
                        && answered_at.is_some_and(|at| at.elapsed() < AWAY_MAX) =>
                {
                    view.trouble(&error, out)?;
                }
                Err(error) => return Err(error),
            }
            let pause =
                (looked_at.elapsed() * LOOK_COST_FACTOR).clamp(LOOK_EVERY_MIN, LOOK_EVERY_MAX);
            tokio::time::sleep(pause).await;
            self.until_changed(updates.as_mut(), &mut view).await;
        }
    }

    /// Until there is a reason to look at the run again.
    async fn until_changed(&self, updates: Option<&mut Updates>, view: &mut View) {
        let is_live = updates.as_ref().is_some_and(|updates| updates.is_live());
        let changed = async {
            match updates {
                Some(updates) => updates.changed().await,
                None => std::future::pending().await,
            }
        };
        let look_anyway = async {
            if is_live {
                return tokio::time::sleep(LOOK_ANYWAY).await;
            }
            let asked_at = Instant::now();
            // Answers as soon as the run has ended, if it answers at all.
            let answer = self.client.wait(self.id, POLL_MS).await;
            let poll = Duration::from_millis(POLL_MS);
            if answer.is_err() {
                tokio::time::sleep(poll.saturating_sub(asked_at.elapsed())).await;
            }
        };
        tokio::pin!(changed, look_anyway);
        let mut ticks = tokio::time::interval(TICK);
        loop {
            tokio::select! {
                () = &mut changed => return,
                () = &mut look_anyway => return,
                _ = ticks.tick() => view.tick(),
            }
        }
    }
}

impl View {
    fn show(&mut self, run: &RunDetail, out: &mut Out) -> Result<()> {
        match self {
            View::Screen(screen) => screen.show(run, now()),
            View::Lines(lines) => out.say(&lines.changes(run, now()))?,
            View::Quiet => {}
        }
        Ok(())
    }

    fn finish(&self) {
        if let View::Screen(screen) = self {
            screen.finish();
        }
    }

    fn trouble(&mut self, error: &Error, out: &mut Out) -> Result<()> {
        let text = format!("{}; trying again", clean(&error.what));
        match self {
            View::Screen(screen) => screen.trouble(&text),
            View::Lines(lines) => out.say(&lines.trouble(&text))?,
            View::Quiet => {}
        }
        Ok(())
    }

    fn tick(&mut self) {
        if let View::Screen(screen) = self {
            screen.tick(now());
        }
    }
}

pub fn is_ended(status: &str) -> bool {
    matches!(status, "completed" | "failed" | "cancelled")
}

/// Whether it may be well again in a moment.
fn may_pass(error: &Error) -> bool {
    matches!(error.exit, Exit::Unreachable | Exit::ServerError)
}

fn outcome_of(run: RunDetail) -> RunOutcomeView {
    let RunDetail { run_id, workflow, status, output, error, cancel_reason, .. } = run;
    let reason = cancel_reason.filter(|_| status == "cancelled");
    RunOutcomeView { run_id, workflow, status, output, error, reason }
}
