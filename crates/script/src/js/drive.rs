//! Runs a call from its start to its end: jobs, timers, answers of requests, until there is a result or
//! a verdict, or nothing is left that could bring one.

use std::sync::mpsc::Receiver;
use std::time::Instant;

use rquickjs::function::IntoArgs;
use rquickjs::{ArrayBuffer, Ctx, Error, Function, Object, Result};

use super::fetch::{FetchError, FetchResponse, ResponseHead};
use super::natives::SharedState;
use super::state::{CallEvent, Settled};
use super::watch::{Verdict, Watch};

pub(super) enum End {
    Settled(Settled),
    Over(Verdict),
    NeverSettled,
}

pub(super) struct Drive<'a, 'js> {
    pub(super) ctx: &'a Ctx<'js>,
    /// What `install` in `prelude/main.js` returned.
    pub(super) bridge: &'a Object<'js>,
    pub(super) state: &'a SharedState,
    pub(super) watch: &'a Watch,
    pub(super) events: &'a Receiver<CallEvent>,
}

impl<'js> Drive<'_, 'js> {
    pub(super) fn run(&self, start: impl FnOnce(&Self) -> Result<()>) -> End {
        self.report(start(self));
        let end = self.until_end();
        if let End::Over(verdict) = end {
            self.abort(verdict);
        }
        end
    }

    /// Calls one of the bridge's functions.
    pub(super) fn call(&self, name: &str, args: impl IntoArgs<'js>) -> Result<()> {
        self.bridge.get::<_, Function>(name)?.call(args)
    }

    fn until_end(&self) -> End {
        loop {
            if let Some(end) = self.run_jobs() {
                return end;
            }
            let due = self.state.lock().timers.take_due();
            if let Some(id) = due {
                self.report(self.call("fire", (id,)));
                continue;
            }
            if self.state.lock().is_quiet() {
                return End::NeverSettled;
            }
            match self.wait() {
                Some(CallEvent::Fetched { id, result }) => self.report(self.fetched(id, result)),
                Some(CallEvent::Woken) | None => {}
            }
        }
    }

    /// Runs promise jobs until none is left, or the call is at its end.
    fn run_jobs(&self) -> Option<End> {
        loop {
            if let Some(verdict) = self.watch.stopped() {
                return Some(End::Over(verdict));
            }
            if let Some(settled) = self.state.lock().settled.take() {
                return Some(End::Settled(settled));
            }
            if let Some(verdict) = self.watch.verdict() {
                return Some(End::Over(verdict));
            }
            if !self.ctx.execute_pending_job() {
                // Only now is it certain that nobody listens to what was rejected.
                if !std::mem::take(&mut self.state.lock().has_unheard) {
                    return None;
                }
                self.report(self.call("settleRejected", ()));
            }
        }
    }

    /// Waits for an event, for the next timer, or for the deadline.
    fn wait(&self) -> Option<CallEvent> {
        let next_due_at = self.state.lock().timers.next_due_at();
        self.watch.pause(|deadline| {
            let until = next_due_at.map_or(deadline, |due_at| due_at.min(deadline));
            self.events.recv_timeout(until.saturating_duration_since(Instant::now())).ok()
        })
    }

    fn fetched(
        &self,
        id: u32,
        result: std::result::Result<FetchResponse, FetchError>,
    ) -> Result<()> {
        self.state.lock().end_fetch(id);
        match result {
            Ok(response) => {
                let head = serde_json::to_string(&ResponseHead::from(&response)).ok();
                let body = ArrayBuffer::new_copy(self.ctx.clone(), &response.body)?;
                self.call("fetched", (id, None::<String>, head, body))
            }
            Err(FetchError(problem)) => self.call("fetched", (id, problem)),
        }
    }

    /// An error that no script caught is how the call ends.
    fn report(&self, result: Result<()>) {
        let Err(error) = result else { return };
        let reported = match error {
            Error::Exception => self.call("uncaught", (self.ctx.catch(),)),
            other => Err(other),
        };
        if let Err(error) = reported {
            // Not even describing the error worked: most likely there is no memory left for it.
            self.ctx.catch();
            let settled = Settled { kind: "broken".to_owned(), text: Some(error.to_string()) };
            self.state.lock().settled.get_or_insert(settled);
        }
    }

    /// Lets the script hear of the verdict through its signal. What it does then has no effect.
    fn abort(&self, verdict: Verdict) {
        self.ctx.catch();
        self.watch.begin_grace();
        if self.call("abort", (verdict == Verdict::TimedOut,)).is_err() {
            self.ctx.catch();
        }
        while !self.watch.is_over() && self.ctx.execute_pending_job() {}
    }
}
