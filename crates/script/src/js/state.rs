//! What one call has going on outside of the engine: timers, requests, lines printed, and its end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::task::AbortHandle;

use super::call::{ConsoleLevel, ConsoleLine, ConsoleSink, EmitSink, Fixed, Grants};
use super::chance::Chance;
use super::fetch::{FetchError, FetchResponse, RequestHead};
use super::program::Program;
use super::text::truncate;

/// Lines of one call that reach the console; a script that prints in a loop should not fill a disk.
const CONSOLE_LINES_MAX: usize = 1_000;
const CONSOLE_LINE_BYTES_MAX: usize = 32 << 10;

/// Things that one call may tell its dialect, and how long they may be in all, as JSON.
const EMITS_MAX: usize = 10_000;
const EMITTED_BYTES_MAX: usize = 32 << 20;

/// Requests that one call may have open at a time.
const FETCHES_MAX: usize = 64;

/// What the top level of modules sees where calls are [`Fixed`].
const FIXED_AT_LOAD: Fixed = Fixed { now_ms: 0, seed: 0 };

pub(super) struct CallState {
    pub(super) program: Option<Arc<Program>>,
    pub(super) settled: Option<Settled>,
    /// A promise was rejected while nobody listened.
    pub(super) has_unheard: bool,
    pub(super) chance: Chance,
    pub(super) timers: Timers,
    grants: Grants,
    runtime: Option<tokio::runtime::Handle>,
    /// `None` where it was refused, and the script is not told yet.
    fetches: BTreeMap<u32, Option<AbortHandle>>,
    n_lines: usize,
    n_emits: usize,
    n_emitted_bytes: usize,
    events: EventSender,
}

/// How a call ended: `kind` is a word of `prelude/main.js`, `text` what goes with it.
pub(super) struct Settled {
    pub(super) kind: String,
    pub(super) text: Option<String>,
}

/// Something that a waiting call is told.
pub(super) enum CallEvent {
    /// Look at the verdict.
    Woken,
    Fetched {
        id: u32,
        result: Result<FetchResponse, FetchError>,
    },
}

#[derive(Clone)]
pub(super) struct EventSender(mpsc::Sender<CallEvent>);

impl EventSender {
    pub(super) fn new() -> (EventSender, mpsc::Receiver<CallEvent>) {
        let (sender, receiver) = mpsc::channel();
        (EventSender(sender), receiver)
    }

    // A call that has ended listens no longer, which is fine.
    pub(super) fn wake(&self) {
        let _ = self.0.send(CallEvent::Woken);
    }

    fn fetched(&self, id: u32, result: Result<FetchResponse, FetchError>) {
        let _ = self.0.send(CallEvent::Fetched { id, result });
    }
}

impl CallState {
    /// Nothing is granted: for loading.
    pub(super) fn idle() -> CallState {
        CallState::new(None, Grants::default(), None, EventSender::new().0)
    }

    /// While modules are loaded, a program has its console and nothing else.
    pub(super) fn loading(
        program: Arc<Program>,
        grants: &Grants,
        events: EventSender,
    ) -> CallState {
        let fixed = grants.fixed.map(|_| FIXED_AT_LOAD);
        let grants = Grants { console: grants.console.clone(), fixed, ..Grants::default() };
        CallState::new(Some(program), grants, None, events)
    }

    pub(super) fn calling(
        program: Arc<Program>,
        grants: Grants,
        runtime: Option<tokio::runtime::Handle>,
        events: EventSender,
    ) -> CallState {
        CallState::new(Some(program), grants, runtime, events)
    }

    fn new(
        program: Option<Arc<Program>>,
        grants: Grants,
        runtime: Option<tokio::runtime::Handle>,
        events: EventSender,
    ) -> CallState {
        CallState {
            program,
            settled: None,
            has_unheard: false,
            chance: Chance::new(grants.fixed),
            timers: Timers::default(),
            grants,
            runtime,
            fetches: BTreeMap::new(),
            n_lines: 0,
            n_emits: 0,
            n_emitted_bytes: 0,
            events,
        }
    }

    /// Nothing is left that could happen.
    pub(super) fn is_quiet(&self) -> bool {
        self.timers.is_empty() && self.fetches.is_empty()
    }

    /// The line to print and whom to tell, if anybody.
    pub(super) fn line(
        &mut self,
        level: &str,
        mut text: String,
    ) -> Option<(ConsoleLine, ConsoleSink)> {
        let sink = self.grants.console.clone()?;
        self.n_lines += 1;
        let level = match level {
            "debug" => ConsoleLevel::Debug,
            "warn" => ConsoleLevel::Warn,
            "error" => ConsoleLevel::Error,
            _ => ConsoleLevel::Info,
        };
        truncate(&mut text, CONSOLE_LINE_BYTES_MAX);
        let line = match self.n_lines {
            n if n <= CONSOLE_LINES_MAX => ConsoleLine { level, text },
            n if n == CONSOLE_LINES_MAX + 1 => ConsoleLine {
                level: ConsoleLevel::Warn,
                text: format!(
                    "more than {CONSOLE_LINES_MAX} lines were printed; the rest is left out"
                ),
            },
            _ => return None,
        };
        Some((line, sink))
    }

    /// Whom to tell what a dialect's module emits.
    pub(super) fn emitting(&mut self, n_bytes: usize) -> Result<Option<EmitSink>, String> {
        self.n_emits += 1;
        self.n_emitted_bytes = self.n_emitted_bytes.saturating_add(n_bytes);
        if self.n_emits > EMITS_MAX {
            return Err(format!("a call may emit {EMITS_MAX} times"));
        }
        if self.n_emitted_bytes > EMITTED_BYTES_MAX {
            return Err(format!("a call may emit {EMITTED_BYTES_MAX} bytes in all"));
        }
        Ok(self.grants.emit.clone())
    }

    /// The answer, or why there is none, comes as an event.
    pub(super) fn start_fetch(&mut self, id: u32, head: &str, body: Option<Vec<u8>>) {
        let task = match self.spawn_fetch(id, head, body) {
            Ok(task) => Some(task),
            Err(reason) => {
                self.events.fetched(id, Err(FetchError(reason)));
                None
            }
        };
        self.fetches.insert(id, task);
    }

    fn spawn_fetch(
        &self,
        id: u32,
        head: &str,
        body: Option<Vec<u8>>,
    ) -> Result<AbortHandle, String> {
        let (Some(host), Some(runtime)) = (self.grants.fetch.clone(), &self.runtime) else {
            return Err("the network is not granted to this script".to_owned());
        };
        if self.fetches.len() >= FETCHES_MAX {
            return Err(format!("{FETCHES_MAX} requests are open already"));
        }
        let head: RequestHead =
            serde_json::from_str(head).map_err(|error| format!("a bad request: {error}"))?;
        let request = head.into_request(body.map(Into::into));
        let events = self.events.clone();
        let task = runtime.spawn(async move {
            let result = host.fetch(request).await;
            events.fetched(id, result);
        });
        Ok(task.abort_handle())
    }

    pub(super) fn end_fetch(&mut self, id: u32) {
        if let Some(Some(task)) = self.fetches.remove(&id) {
            task.abort();
        }
    }
}

impl Drop for CallState {
    fn drop(&mut self) {
        for task in self.fetches.values().flatten() {
            task.abort();
        }
    }
}

/// Timers that are pending, the next first; those of the same time in the order in which they were set.
#[derive(Default)]
pub(super) struct Timers {
    by_time: BTreeSet<(Instant, u64, u32)>,
    by_id: BTreeMap<u32, (Instant, u64)>,
    n_set: u64,
}

impl Timers {
    pub(super) fn set(&mut self, id: u32, ms: u32) {
        self.clear(id);
        self.n_set += 1;
        let due_at = Instant::now() + Duration::from_millis(u64::from(ms));
        self.by_time.insert((due_at, self.n_set, id));
        self.by_id.insert(id, (due_at, self.n_set));
    }

    pub(super) fn clear(&mut self, id: u32) {
        if let Some((due_at, order)) = self.by_id.remove(&id) {
            self.by_time.remove(&(due_at, order, id));
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    pub(super) fn next_due_at(&self) -> Option<Instant> {
        self.by_time.first().map(|(due_at, ..)| *due_at)
    }

    /// A timer whose time has come.
    pub(super) fn take_due(&mut self) -> Option<u32> {
        let &(due_at, _, id) = self.by_time.first()?;
        (due_at <= Instant::now()).then(|| {
            self.clear(id);
            id
        })
    }
}
