//! Starting, listing, steering runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stepwell_journal::{Failure, Json};
use stepwell_store::{LogLine, RunRow};
use utoipa::ToSchema;

use super::Timestamp;

#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRun {
    /// Checked against the workflow's input schema. Null if it is left out.
    #[serde(default)]
    #[schema(value_type = serde_json::Value)]
    pub input: Json,
    /// The run's id: a UUID, or a name of your own, of up to 128 characters. Never reused: a second start with it is
    /// refused. Made up if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// A second start of the workflow with this key gives the first run, as long as that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// When it may begin; at once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
    /// How long the run may take, from now on. Past that it fails, and what it does is interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub deadline_ms: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StartedRun {
    pub run_id: String,
    pub status: String,
    /// The idempotency key was seen before: this is the run that it made.
    pub existing: bool,
}

/// A run as lists show it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RunSummary {
    pub run_id: String,
    pub workflow: String,
    pub version: String,
    /// `pending`, `running`, `waiting`, `rolling_back`, `completed`, `failed` or `cancelled`.
    pub status: String,
    /// A cancel was accepted and is not carried out yet.
    pub cancelling: bool,
    pub labels: BTreeMap<String, String>,
    pub description: Option<String>,
    #[schema(value_type = Option<Object>)]
    pub error: Option<Failure>,
    /// The run that waits for this one.
    pub parent: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    /// When a waiting run will be woken, or a pending one begins, if that is a date.
    pub wake_at: Option<Timestamp>,
    /// How many events its journal has had.
    pub n_events: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RunList {
    pub runs: Vec<RunSummary>,
    /// Give it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// How many runs match in each status, whatever `status` asked for. Only with the first page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<BTreeMap<String, u64>>,
}

/// How many runs were created when.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CountsOverTime {
    /// Oldest first. Each ends where the next begins.
    pub buckets: Vec<CountBucket>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CountBucket {
    pub from: Timestamp,
    /// How many of its runs are in each status now; those with none are left out.
    pub counts: BTreeMap<String, u64>,
}

/// How a run ended.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RunOutcomeView {
    pub run_id: String,
    pub workflow: String,
    /// `completed`, `failed` or `cancelled`.
    pub status: String,
    #[schema(value_type = serde_json::Value)]
    pub output: Option<Json>,
    #[schema(value_type = Option<Object>)]
    pub error: Option<Failure>,
    /// Why it was cancelled.
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CancelRun {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeRun {
    /// A new deadline, from now on. A resumed run has none otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub deadline_ms: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// The location of the entry from which on everything is done again.
    pub from: String,
    #[serde(default)]
    pub into: ReplayInto,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReplayInto {
    /// A copy that goes its own way; the old run stays as it is.
    #[default]
    NewRun,
    /// The run itself, which must have ended.
    SameRun,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SendMessage {
    pub name: String,
    #[serde(default)]
    #[schema(value_type = serde_json::Value)]
    pub body: Json,
    /// A second message with this key is the same message, and is dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Wait up to this long for the run's answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 300_000)]
    pub answer_within_ms: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct AnswerView {
    /// None if an answer was waited for.
    pub message_id: Option<String>,
    #[schema(value_type = serde_json::Value)]
    pub answer: Option<Json>,
}

/// What was asked for is durable, and happens.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Accepted {
    pub run_id: String,
    pub status: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LogLineView {
    pub at: Timestamp,
    /// `debug`, `info`, `warn` or `error`.
    pub level: String,
    /// The entry that said it; empty if the workflow itself did.
    pub location: String,
    pub message: String,
    #[schema(value_type = serde_json::Value)]
    pub fields: Json,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LogLines {
    pub lines: Vec<LogLineView>,
    /// Give it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
    /// Give it as `cursor` later, to read only what was logged since.
    pub tail_cursor: Option<String>,
}

impl From<RunRow> for RunSummary {
    fn from(row: RunRow) -> RunSummary {
        RunSummary {
            run_id: row.run.to_string(),
            workflow: row.workflow,
            version: row.version,
            status: row.status.to_string(),
            cancelling: row.cancelling,
            labels: row.labels,
            description: row.description,
            error: row.failure,
            parent: row.parent.map(|parent| parent.run.to_string()),
            created_at: row.created_at.into(),
            updated_at: row.updated_at.into(),
            ended_at: row.ended_at.map(Into::into),
            wake_at: row.wake_at.map(Into::into),
            n_events: row.next_seq.0,
        }
    }
}

impl From<LogLine> for LogLineView {
    fn from(line: LogLine) -> LogLineView {
        LogLineView {
            at: line.at.into(),
            level: line.level.as_str().to_owned(),
            location: line.location.as_str().to_owned(),
            message: line.message,
            fields: line.fields,
        }
    }
}
