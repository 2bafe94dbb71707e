//! What a simulated run does: a tree of operations, which is the input of one workflow.

use serde::{Deserialize, Serialize};
use stepwell_journal::RunId;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Program {
    pub ops: Vec<Op>,
    /// What limits per key are about.
    pub key: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Op {
    Step(StepOp),
    Sleep {
        ms: u64,
        until: bool,
    },
    Listen(ListenOp),
    Send {
        to: RunId,
        message: String,
    },
    Ask {
        to: RunId,
        message: String,
    },
    Join {
        branches: Vec<Vec<Op>>,
    },
    Race {
        branches: Vec<Vec<Op>>,
    },
    Loop {
        n: u64,
        keep: u64,
        commit_every: u64,
        body: Vec<Op>,
    },
    Block {
        catch_rollback: bool,
        body: Vec<Op>,
    },
    Child {
        workflow: String,
        program: Program,
        /// Whether its failure is a value.
        caught: bool,
    },
    Checkpoint,
    Version {
        latest: u32,
    },
    /// A label, a description, a fact and a log line.
    Notes,
    /// `now`, `random` and `uuid`, into the run's output.
    Chance,
    Skip,
    /// An entry that no journal has.
    Removed,
    /// The function itself fails.
    Fail {
        how: How,
    },
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StepOp {
    /// How many bodies fail before one succeeds.
    pub fails: u32,
    pub how: How,
    pub retries: u32,
    pub backoff_ms: u64,
    pub work_ms: u64,
    /// Zero for none.
    pub timeout_ms: u64,
    pub retry_on_timeout: bool,
    pub ephemeral: bool,
    pub undo: Option<UndoOp>,
    pub trying: Option<Trying>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct UndoOp {
    pub fails: u32,
    pub work_ms: u64,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Trying {
    pub catch_rollback: bool,
}

/// How a body fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    Error,
    Critical,
    Rollback,
    Panic,
    /// It takes much longer than its timeout.
    Hang,
    /// It takes the process with it.
    Kill,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ListenOp {
    pub names: Vec<String>,
    pub shape: ListenShape,
    pub timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListenShape {
    One,
    Any,
    Batch { n: usize, at_least: usize },
    Completable { answers: bool },
}

impl Program {
    pub fn has_children(&self) -> bool {
        any(&self.ops, &|op| matches!(op, Op::Child { .. }))
    }
}

fn any(ops: &[Op], wanted: &dyn Fn(&Op) -> bool) -> bool {
    ops.iter().any(|op| {
        wanted(op)
            || match op {
                Op::Join { branches } | Op::Race { branches } => {
                    branches.iter().any(|branch| any(branch, wanted))
                }
                Op::Loop { body, .. } | Op::Block { body, .. } => any(body, wanted),
                _ => false,
            }
    })
}

impl Op {
    /// The entry's name in its scope, which must differ from those of its neighbours. Some have the
    /// characters that locations are made of.
    pub fn name(&self, place: usize) -> String {
        let word = match self {
            Op::Step(_) => "step",
            Op::Sleep { .. } => "sleep",
            Op::Listen(ListenOp { shape: ListenShape::Batch { .. }, .. }) => BATCH_NAME,
            Op::Listen(_) => "listen",
            Op::Send { .. } => SEND_NAME,
            Op::Ask { .. } => "ask",
            Op::Join { .. } => "join",
            Op::Race { .. } => "race",
            Op::Loop { .. } => "loop",
            Op::Block { .. } => "block",
            Op::Child { .. } => "child",
            Op::Checkpoint => "checkpoint",
            Op::Version { .. } => "version",
            Op::Skip => "skip",
            Op::Removed => "removed",
            Op::Notes | Op::Chance | Op::Fail { .. } => "none",
        };
        match place % 7 {
            3 => format!("{word}/{place}"),
            5 => format!("{word}~{place}"),
            _ => format!("{word}{place}"),
        }
    }
}

/// Entries with this name have no body that the ledger knows of.
pub const SEND_NAME: &str = "send";

/// Entries with this name may leave a message of theirs in the mailbox until there are more.
pub const BATCH_NAME: &str = "batch";
