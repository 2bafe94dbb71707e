//! Journals.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stepwell_journal::{Event, EventKind, Failure, Json, Note, render_event};
use utoipa::ToSchema;

use super::Timestamp;

/// One event of a run's journal.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct JournalEvent {
    pub seq: u64,
    pub at: Timestamp,
    /// The kind of event, such as `StepSucceeded`.
    pub event: String,
    /// The entry that it is about; null if it is about the run or a message.
    pub location: Option<String>,
    /// The event in one line, for people.
    pub text: String,
    /// What the kind of event says beyond that.
    #[schema(value_type = Object)]
    pub data: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EventPage {
    pub events: Vec<JournalEvent>,
    /// Give it as `cursor` for the next page; null on the last one.
    pub next_cursor: Option<String>,
}

impl From<&Event> for JournalEvent {
    fn from(event: &Event) -> JournalEvent {
        JournalEvent {
            seq: event.seq.0,
            at: event.at.into(),
            event: event.kind.name().to_owned(),
            location: event.kind.location().map(|location| location.as_str().to_owned()),
            text: render_event(event),
            data: data(&event.kind),
        }
    }
}

fn data(kind: &EventKind) -> Value {
    match kind {
        EventKind::RunStarted(started) => json!({
            "workflow": started.workflow,
            "version": started.version,
            "input": value(&started.input),
            "labels": started.labels,
            "parent": started.parent.as_ref().map(|parent| json!({
                "run_id": parent.run.to_string(),
                "location": parent.location.as_str(),
            })),
            "replay_of": started.replay_of.map(|run| run.to_string()),
            "deadline_at": started.deadline_at.map(Timestamp),
        }),
        EventKind::AttemptStarted { attempt, .. } => json!({ "attempt": attempt.0 }),
        EventKind::AttemptFailed { attempt, failure, retry_at, .. } => json!({
            "attempt": attempt.0,
            "error": failure,
            "retry_at": Timestamp(*retry_at),
        }),
        EventKind::StepSucceeded { attempt, value: output, .. } => {
            json!({ "attempt": attempt.0, "output": value(output) })
        }
        EventKind::StepFailed { failure, .. } => json!({ "error": failure }),
        EventKind::StepSkipped { reason, .. } => json!({ "reason": reason }),
        EventKind::TimerSet { fire_at, .. } => json!({ "fire_at": Timestamp(*fire_at) }),
        EventKind::ListenStarted { names, deadline_at, .. } => {
            json!({ "names": names, "deadline_at": deadline_at.map(Timestamp) })
        }
        EventKind::MessageReceived(message) => json!({
            "message_id": message.id.to_string(),
            "name": message.name,
            "body": value(&message.body),
            "key": message.key,
        }),
        EventKind::MessageTaken { ids, .. } => {
            json!({ "message_ids": ids.iter().map(ToString::to_string).collect::<Vec<_>>() })
        }
        EventKind::MessageAnswered { id, body } => {
            json!({ "message_id": id.to_string(), "answer": value(body) })
        }
        EventKind::AnswerReceived { answer: outcome, .. }
        | EventKind::ChildEnded { outcome, .. } => result(outcome),
        EventKind::BlockStarted { kind, .. } => json!({ "kind": kind.as_str() }),
        EventKind::BranchEnded { failure, .. } => json!({ "error": failure }),
        EventKind::BlockEnded { failure, winner, .. } => {
            json!({ "error": failure, "winner": winner })
        }
        EventKind::LoopAdvanced { iteration, state, trimmed_before, .. } => json!({
            "iteration": iteration,
            "state": value(state),
            "trimmed_before": trimmed_before,
        }),
        EventKind::ChildStarted { child, workflow, input, .. } => json!({
            "run_id": child.to_string(),
            "workflow": workflow,
            "input": value(input),
        }),
        EventKind::VersionChosen { version, .. } => json!({ "version": version }),
        EventKind::Noted { note, .. } => match note {
            Note::Described { text } => json!({ "description": text }),
            Note::LabelSet { key, value } => json!({ "label": key, "value": value }),
            Note::Fact { name, value: fact } => json!({ "fact": name, "value": value(fact) }),
        },
        EventKind::UndoStarted { failure } | EventKind::RunFailed { failure } => {
            json!({ "error": failure })
        }
        EventKind::CancelRequested { reason } | EventKind::RunCancelled { reason } => {
            json!({ "reason": reason })
        }
        EventKind::RunResumed { voids, reason, deadline_at } => json!({
            "reason": reason,
            "deadline_at": deadline_at.map(Timestamp),
            "voids": voids.iter().map(|void| [void.first.0, void.last.0]).collect::<Vec<_>>(),
        }),
        EventKind::DeadlinePassed { deadline_at } => {
            json!({ "deadline_at": Timestamp(*deadline_at) })
        }
        EventKind::RunCompleted { output } => json!({ "output": value(output) }),
        EventKind::TimerFired { .. }
        | EventKind::ListenTimedOut { .. }
        | EventKind::CheckpointSet { .. } => json!({}),
    }
}

fn result(outcome: &Result<Json, Failure>) -> Value {
    match outcome {
        Ok(output) => json!({ "output": value(output) }),
        Err(failure) => json!({ "error": failure }),
    }
}

/// What a journal holds is JSON; text that is not would have been refused when it was written.
fn value(json: &Json) -> Value {
    json.to().unwrap_or_else(|_| Value::String(json.as_str().to_owned()))
}
