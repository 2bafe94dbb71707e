//! Callers: what they ask of an engine, and what they conclude from its answers.

use std::sync::Arc;
use std::time::Duration;

use stepwell_engine::{
    AskError, CancelError, Clock, Engine, ReplayTarget, ResumeOptions, RunHandle, SendError,
    StartError, StartOptions, WaitError,
};
use stepwell_journal::{Location, RunId, Seq, UnixMillis};
use stepwell_store::RunQuery;

use crate::program::Program;
use crate::world::{Life, World};

#[derive(Clone)]
pub enum Call {
    Start {
        run: RunId,
        workflow: &'static str,
        program: Arc<Program>,
        key: Option<String>,
        deadline_ms: Option<u64>,
    },
    Send {
        to: RunId,
        name: &'static str,
        token: u64,
        keyed: bool,
    },
    Ask {
        to: RunId,
        token: u64,
    },
    Cancel {
        run: RunId,
    },
    Wake {
        run: RunId,
    },
    Wait {
        run: RunId,
    },
    Look {
        run: RunId,
    },
    Recover {
        run: RunId,
        deadline_ms: Option<u64>,
    },
    ReplayFrom {
        run: RunId,
        at: Location,
        target: ReplayTarget,
        deadline_ms: Option<u64>,
    },
}

/// How long a node waits at least until the owner of a run, on another node, has taken a cancel.
const CANCEL_MS: u64 = 10_000;

/// What a caller knows after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// It happened, or cannot happen.
    Settled,
    /// Perhaps it happened.
    Unknown,
}

/// A caller at one engine.
pub struct Client {
    pub engine: Engine,
    pub world: Arc<World>,
    pub node: u32,
}

impl Call {
    /// Whether the same call may be made again when nobody knows whether it happened.
    pub fn may_repeat(&self) -> bool {
        match self {
            Call::Start { key, .. } => key.is_some(),
            Call::Send { keyed, .. } => *keyed,
            Call::Ask { .. } | Call::Cancel { .. } | Call::Wait { .. } => true,
            Call::Wake { .. }
            | Call::Look { .. }
            | Call::Recover { .. }
            | Call::ReplayFrom { .. } => false,
        }
    }

    pub fn describe(&self, alias: impl Fn(RunId) -> String) -> String {
        match self {
            Call::Start { workflow, key, .. } => format!("start {workflow} {key:?}"),
            Call::Send { to, name, token, .. } => format!("send {} {name} {token:x}", alias(*to)),
            Call::Ask { to, token } => format!("ask {} {token:x}", alias(*to)),
            Call::Cancel { run } => format!("cancel {}", alias(*run)),
            Call::Wake { run } => format!("wake {}", alias(*run)),
            Call::Wait { run } => format!("wait for {}", alias(*run)),
            Call::Look { run } => format!("look at {}", alias(*run)),
            Call::Recover { run, .. } => format!("recover {}", alias(*run)),
            Call::ReplayFrom { run, at, target, .. } => {
                format!("replay {} from `{at}`: {target:?}", alias(*run))
            }
        }
    }
}

impl Client {
    pub async fn perform(&self, call: &Call) -> Answer {
        let run = match call {
            Call::Start { run, workflow, program, key, deadline_ms } => {
                let options = StartOptions {
                    run_id: Some(*run),
                    idempotency_key: key.clone(),
                    deadline: self.date(*deadline_ms),
                    ..StartOptions::default()
                };
                return self.start(workflow, program, options).await;
            }
            Call::Send { to: run, .. }
            | Call::Ask { to: run, .. }
            | Call::Cancel { run }
            | Call::Wake { run }
            | Call::Wait { run }
            | Call::Look { run }
            | Call::Recover { run, .. }
            | Call::ReplayFrom { run, .. } => *run,
        };
        let Ok(handle) = self.engine.get(run).await else { return Answer::Unknown };
        match call {
            Call::Send { name, token, keyed, .. } => self.send(&handle, name, *token, *keyed).await,
            Call::Ask { token, .. } => self.ask(&handle, *token).await,
            Call::Cancel { .. } => self.cancel(&handle).await,
            Call::Wait { .. } => self.wait(&handle).await,
            Call::Wake { .. } => {
                let _ = handle.wake().await;
                Answer::Settled
            }
            Call::Look { .. } => self.look(&handle).await,
            Call::Recover { deadline_ms, .. } => {
                let options = ResumeOptions { deadline: self.date(*deadline_ms) };
                let recovered = handle.recover_with(options).await.is_ok();
                self.world.state().counts.n_resumes += u64::from(recovered);
                Answer::Settled
            }
            Call::ReplayFrom { at, target, deadline_ms, .. } => {
                let options = ResumeOptions { deadline: self.date(*deadline_ms) };
                let replayed = handle.replay_from_with(at, *target, options).await.is_ok();
                self.world.state().counts.n_resumes += u64::from(replayed);
                Answer::Settled
            }
            Call::Start { .. } => Answer::Settled,
        }
    }

    fn date(&self, after_ms: Option<u64>) -> Option<UnixMillis> {
        Some(self.engine.clock().now().plus_ms(after_ms?))
    }

    async fn start(&self, workflow: &str, program: &Program, options: StartOptions) -> Answer {
        let key = options.idempotency_key.clone();
        match self.engine.start_with(workflow, program, options).await {
            Ok(handle) => {
                let mut state = self.world.state();
                let is_stored = state.laws.runs.contains_key(&handle.id());
                state.laws.require(is_stored, 2, handle.id(), || {
                    "a caller was given a run that is not in the store".to_owned()
                });
                if let Some(key) = key {
                    state.laws.keyed(&key, handle.id());
                }
                Answer::Settled
            }
            Err(StartError::RunExists { .. }) => Answer::Settled,
            Err(_) => Answer::Unknown,
        }
    }

    async fn send(&self, handle: &RunHandle, name: &str, token: u64, keyed: bool) -> Answer {
        let sent = match keyed {
            true => handle.send_with_key(name, &token, &format!("key {token}")).await,
            false => handle.send(name, &token).await,
        };
        match sent {
            Ok(_) => {
                self.world.state().laws.sent(handle.id(), token);
                Answer::Settled
            }
            Err(SendError::Store(_)) => Answer::Unknown,
            Err(_) => Answer::Settled,
        }
    }

    async fn ask(&self, handle: &RunHandle, token: u64) -> Answer {
        let limit = Duration::from_secs(7_200);
        let key = format!("key {token}");
        match handle.ask_with_key::<u64>("q0", &token, &key, limit).await {
            Ok(answer) => {
                self.world.check_answer(&[token], answer);
                Answer::Settled
            }
            Err(AskError::Send(SendError::Store(_)) | AskError::Get(_)) => Answer::Unknown,
            Err(_) => Answer::Settled,
        }
    }

    async fn cancel(&self, handle: &RunHandle) -> Answer {
        let run = handle.id();
        let n_resumes = {
            let state = self.world.state();
            state.laws.runs.get(&run).map_or(0, |mirror| mirror.n_resumes)
        };
        let asked_at = self.world.truth.now();
        match handle.cancel("enough").await {
            Ok(()) => {
                let mut state = self.world.state();
                if state.life(self.node) == Life::Live {
                    state.counts.n_cancels += 1;
                    let is_ours = state.counts_for(self.node, run);
                    let took_ms = self.world.truth.now().ms_since(asked_at);
                    let is_taken = is_ours || took_ms < CANCEL_MS;
                    state.laws.cancel_accepted(run, n_resumes, is_taken);
                }
                Answer::Settled
            }
            Err(CancelError::Store(_)) => Answer::Unknown,
            Err(_) => Answer::Settled,
        }
    }

    async fn wait(&self, handle: &RunHandle) -> Answer {
        let said = match handle.wait::<u64>().await {
            Ok(_) => "RunCompleted",
            Err(WaitError::Failed(_)) => "RunFailed",
            Err(WaitError::Cancelled { .. }) => "RunCancelled",
            Err(WaitError::Quarantined { run, problem }) => {
                self.world.state().laws.broken(11, Some(run), problem);
                return Answer::Settled;
            }
            Err(_) => return Answer::Unknown,
        };
        self.world.state().laws.told_outcome(handle.id(), said);
        Answer::Settled
    }

    async fn look(&self, handle: &RunHandle) -> Answer {
        let run = handle.id();
        if let Ok(view) = handle.state().await {
            let is_damaged = view.state.started.is_none();
            let mut state = self.world.state();
            state.laws.require(!is_damaged, 3, run, || "the state has no beginning".to_owned());
        }
        let middle = {
            let state = self.world.state();
            state.laws.runs.get(&run).map_or(Seq(0), |m| Seq(m.state.next_seq.0 / 2))
        };
        let _ = handle.state_at(middle).await;
        let _ = self.engine.query(RunQuery::default()).await;
        Answer::Settled
    }
}
