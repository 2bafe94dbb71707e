//! One run, whole, now or as of any event of its journal.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stepwell_journal::{
    Entry, EntryKind, Failure, Json, Location, Message, Outcome, RunOutcome, RunState, UnixMillis,
};
use stepwell_sequence::DIALECT;
use stepwell_store::RunRow;
use utoipa::ToSchema;

use super::{Timestamp, sequence::show_answers};

/// The most entries that one answer holds; what came first is shown.
pub const ENTRIES_MAX: usize = 10_000;

/// A result longer than this is not shown in the tree: ask for its entry.
pub const VALUE_SHOWN_BYTES_MAX: usize = 16 * 1024;

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RunDetail {
    pub run_id: String,
    pub workflow: String,
    pub version: String,
    /// `code`, `sequence`, `flow` or `graph`; null if the workflow is not registered.
    pub dialect: Option<String>,
    /// `pending`, `running`, `waiting`, `rolling_back`, `completed`, `failed` or `cancelled`.
    pub status: String,
    pub cancelling: bool,
    pub labels: BTreeMap<String, String>,
    pub description: Option<String>,
    #[schema(value_type = serde_json::Value)]
    pub input: Json,
    #[schema(value_type = serde_json::Value)]
    pub output: Option<Json>,
    #[schema(value_type = Option<Object>)]
    pub error: Option<Failure>,
    /// Why it was cancelled, or is about to be.
    pub cancel_reason: Option<String>,
    /// Everything that it waits for; empty if it is executing or has ended.
    pub waiting_for: Vec<WaitView>,
    /// The run's tree, outermost first, in the order in which entries began.
    pub entries: Vec<EntryView>,
    /// How many entries did not fit.
    pub entries_omitted: usize,
    /// Messages that it received and has not taken.
    pub mailbox: Vec<MessageView>,
    pub parent: Option<String>,
    pub children: Vec<ChildView>,
    /// The run that this one began as a copy of.
    pub replay_of: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub duration_ms: Option<u64>,
    pub deadline_at: Option<Timestamp>,
    /// How often it was resumed after it had ended.
    pub n_resumed: u32,
    /// The event that this is as of.
    pub seq: u64,
    /// The journal's last event now.
    pub last_seq: u64,
}

/// One operation of the run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct EntryView {
    pub location: String,
    pub name: String,
    /// `step`, `sleep`, `listen`, `ask`, `join`, `race`, `block`, `loop`, `iteration`, `branch`, `child`, `version`,
    /// `checkpoint`, `note` or `undo`.
    pub kind: String,
    /// `running`, `waiting`, `waiting_retry`, `completed`, `failed`, `skipped` or `cancelled`.
    pub status: String,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub duration_ms: Option<u64>,
    /// The event that it began with.
    pub seq: u64,
    pub attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = serde_json::Value)]
    pub output: Option<Json>,
    /// The size of an output that is too long to be shown here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<usize>,
    /// Why it failed, or the last failure of an attempt that was retried.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub error: Option<Failure>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped_because: Option<String>,
    /// What a step of a sequence says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When the next attempt begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// When a sleep ends or a listen gives up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// What a listen listens for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The run that a child entry started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<ChildView>,
    /// Iterations of a loop before this one are gone from the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trimmed_before: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(no_recursion)]
    pub entries: Vec<EntryView>,
}

/// Something that a run waits for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WaitView {
    /// In words: `a retry of \`charge\` at 2026-11-16T03:05:17.042Z`.
    pub text: String,
    /// The same for programs: `for` says what, such as `timer`, `messages`, `retry`, `child`, `slot`.
    #[schema(value_type = Object)]
    pub wait: serde_json::Value,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct MessageView {
    pub message_id: String,
    pub name: String,
    #[schema(value_type = serde_json::Value)]
    pub body: Json,
    pub key: Option<String>,
    pub received_at: Timestamp,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ChildView {
    pub run_id: String,
    pub workflow: String,
    pub location: String,
}

/// What is known of a run beside its state.
pub struct Around<'a> {
    pub row: &'a RunRow,
    pub dialect: Option<String>,
    pub status: String,
    pub waiting_for: Vec<WaitView>,
}

impl RunDetail {
    pub fn of(state: &RunState, around: Around<'_>) -> RunDetail {
        let Around { row, dialect, status, waiting_for } = around;
        let (output, error, cancelled) = match &state.outcome {
            Some(RunOutcome::Completed(output)) => (Some(output.clone()), None, None),
            Some(RunOutcome::Failed(failure)) => (None, Some(failure.clone()), None),
            Some(RunOutcome::Cancelled(reason)) => (None, None, Some(reason.clone())),
            None => (None, None, None),
        };
        let started = state.started.as_ref();
        let (mut entries, entries_omitted) = tree(state, &Location::root());
        if dialect.as_deref() == Some(DIALECT) {
            show_answers(&mut entries);
        }
        RunDetail {
            run_id: state.run.to_string(),
            workflow: row.workflow.clone(),
            version: row.version.clone(),
            dialect,
            status,
            cancelling: state.cancel.is_some() && !state.is_ended(),
            labels: state.labels.clone(),
            description: state.description.clone(),
            input: started.map_or_else(Json::null, |started| started.input.clone()),
            output,
            error,
            cancel_reason: cancelled.or_else(|| state.cancel.clone()),
            waiting_for,
            entries,
            entries_omitted,
            mailbox: state.mailbox.iter().map(MessageView::of).collect(),
            parent: row.parent.as_ref().map(|parent| parent.run.to_string()),
            children: children(state),
            replay_of: started.and_then(|started| started.replay_of).map(|run| run.to_string()),
            created_at: row.created_at.into(),
            updated_at: state.last_at.into(),
            ended_at: state.ended_at.map(Into::into),
            duration_ms: state.ended_at.map(|at| at.ms_since(row.created_at)),
            deadline_at: state.deadline_at.map(Into::into),
            n_resumed: state.n_resumed,
            seq: state.next_seq.0.saturating_sub(1),
            last_seq: row.next_seq.0.max(state.next_seq.0).saturating_sub(1),
        }
    }
}

impl MessageView {
    fn of(message: &Message) -> MessageView {
        MessageView {
            message_id: message.id.to_string(),
            name: message.name.clone(),
            body: message.body.clone(),
            key: message.key.clone(),
            received_at: message.received_at.into(),
        }
    }
}

fn children(state: &RunState) -> Vec<ChildView> {
    let mut children: Vec<(u64, ChildView)> = state
        .entries
        .iter()
        .filter_map(|(location, entry)| Some((entry.first_seq.0, child(location, entry)?)))
        .collect();
    children.sort_by_key(|(seq, _)| *seq);
    children.truncate(ENTRIES_MAX);
    children.into_iter().map(|(_, child)| child).collect()
}

fn child(location: &Location, entry: &Entry) -> Option<ChildView> {
    let (run, workflow) = entry.child.as_ref()?;
    let location = location.as_str().to_owned();
    Some(ChildView { run_id: run.to_string(), workflow: workflow.clone(), location })
}

/// The entries below `top` as a tree, oldest first, and how many did not fit.
pub fn tree(state: &RunState, top: &Location) -> (Vec<EntryView>, usize) {
    let mut below: Vec<(&Location, &Entry)> =
        if top.is_root() { state.entries.iter().collect() } else { state.below(top).collect() };
    // Sorted by age, an entry comes after what it stands in.
    below.sort_by_key(|(location, entry)| (entry.first_seq, location.depth()));
    let n_omitted = below.len().saturating_sub(ENTRIES_MAX);
    below.truncate(ENTRIES_MAX);
    let mut of: BTreeMap<Location, Vec<Location>> = BTreeMap::new();
    let mut views: BTreeMap<Location, EntryView> = BTreeMap::new();
    for (location, entry) in below {
        place(&mut of, &mut views, top, location);
        views.insert(location.clone(), EntryView::of(location, entry));
    }
    (grow(&of, &mut views, top), n_omitted)
}

/// Notes where a location stands, with the iterations on the way to it, which have no entries of their own.
fn place(
    of: &mut BTreeMap<Location, Vec<Location>>,
    views: &mut BTreeMap<Location, EntryView>,
    top: &Location,
    location: &Location,
) {
    let mut at = location.clone();
    // What has a view has its place.
    while at != *top && !views.contains_key(&at) {
        let Some(parent) = at.parent() else { return };
        of.entry(parent.clone()).or_default().push(at.clone());
        if at != *location {
            views.insert(at.clone(), EntryView::unrecorded(&at));
        }
        at = parent;
    }
}

fn grow(
    of: &BTreeMap<Location, Vec<Location>>,
    views: &mut BTreeMap<Location, EntryView>,
    at: &Location,
) -> Vec<EntryView> {
    let mut grown = Vec::new();
    for location in of.get(at).into_iter().flatten() {
        let entries = grow(of, views, location);
        if let Some(mut view) = views.remove(location) {
            view.cover(&entries);
            view.entries = entries;
            grown.push(view);
        }
    }
    grown
}

/// An entry with its output, however long.
pub fn entry_whole(location: &Location, entry: &Entry) -> EntryView {
    let output = output_of(entry);
    EntryView { output, output_bytes: None, ..EntryView::of(location, entry) }
}

fn output_of(entry: &Entry) -> Option<Json> {
    match entry.outcome.as_ref().map(|(_, outcome)| outcome)? {
        Outcome::Value(value) => Some(value.clone()),
        Outcome::Messages(messages) => {
            let bodies: Vec<&Json> = messages.iter().map(|message| &message.body).collect();
            Json::of(&bodies).ok()
        }
        Outcome::Version(version) => Json::of(version).ok(),
        Outcome::Failed(_) | Outcome::Skipped(_) | Outcome::Done | Outcome::TimedOut => None,
    }
}

impl WaitView {
    pub fn of<W: Serialize + std::fmt::Display>(wait: &W) -> WaitView {
        let text = wait.to_string();
        WaitView { text, wait: serde_json::to_value(wait).unwrap_or_default() }
    }
}

impl EntryView {
    pub fn of(location: &Location, entry: &Entry) -> EntryView {
        let output = output_of(entry);
        let (mut error, mut skipped_because) = (entry.last_failure.clone(), None);
        match entry.outcome.as_ref().map(|(_, outcome)| outcome) {
            Some(Outcome::Failed(failure)) => error = Some(failure.clone()),
            Some(Outcome::Skipped(reason)) => skipped_because = Some(reason.clone()),
            _ => {}
        }
        let n_bytes = output.as_ref().map(Json::n_bytes);
        let is_long = n_bytes.is_some_and(|n_bytes| n_bytes > VALUE_SHOWN_BYTES_MAX);
        EntryView {
            location: location.as_str().to_owned(),
            name: location.name(),
            kind: entry.kind.as_str().to_owned(),
            status: entry.status.as_str().to_owned(),
            started_at: Some(entry.started_at.into()),
            ended_at: entry.ended_at.map(Into::into),
            duration_ms: entry.ended_at.map(|at| at.ms_since(entry.started_at)),
            seq: entry.first_seq.0,
            attempts: entry.attempts.0,
            output: output.filter(|_| !is_long),
            output_bytes: n_bytes.filter(|_| is_long),
            error,
            skipped_because,
            description: None,
            retry_at: entry.retry_at.map(Into::into),
            until: entry.until.map(Into::into),
            names: entry.names.clone(),
            child: child(location, entry),
            trimmed_before: entry.iterations.as_ref().map(|iterations| iterations.trimmed_before),
            entries: Vec::new(),
        }
    }

    /// An iteration, or a branch of which only the end is recorded.
    fn unrecorded(location: &Location) -> EntryView {
        let (kind, name) = match location.iteration_number() {
            Some(n) => ("iteration", n.to_string()),
            None => (EntryKind::Branch.as_str(), location.name()),
        };
        EntryView {
            location: location.as_str().to_owned(),
            name,
            kind: kind.to_owned(),
            status: "completed".to_owned(),
            started_at: None,
            ended_at: None,
            duration_ms: None,
            seq: 0,
            attempts: 0,
            output: None,
            output_bytes: None,
            error: None,
            skipped_because: None,
            description: None,
            retry_at: None,
            until: None,
            names: Vec::new(),
            child: None,
            trimmed_before: None,
            entries: Vec::new(),
        }
    }

    /// What has no event of its own is as its entries are.
    fn cover(&mut self, entries: &[EntryView]) {
        if self.started_at.is_some() {
            return;
        }
        self.seq = entries.iter().map(|entry| entry.seq).min().unwrap_or_default();
        self.started_at = entries.iter().filter_map(|entry| entry.started_at).min();
        let has_ended = entries.iter().all(|entry| entry.ended_at.is_some());
        self.ended_at =
            entries.iter().filter_map(|entry| entry.ended_at).max().filter(|_| has_ended);
        self.duration_ms = match (self.started_at, self.ended_at) {
            (Some(Timestamp(from)), Some(Timestamp(until))) => {
                Some(UnixMillis::ms_since(until, from))
            }
            _ => None,
        };
        for status in ["running", "waiting_retry", "waiting", "failed", "cancelled"] {
            if entries.iter().any(|entry| entry.status == status) {
                status.clone_into(&mut self.status);
                break;
            }
        }
    }
}
