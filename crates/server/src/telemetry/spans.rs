//! A run as spans of a trace: the run, its entries, and the attempts of its steps.
//!
//! Made from the journal when the run has ended, so times and parents are exact, nothing is measured twice, and a run
//! that took a month is one trace. Ids follow from the run and the place: a step that passes its `traceparent` on is the
//! parent of what the called service records.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stepwell_journal::{
    Attempt, Entry, EntryStatus, Event, EventKind, Failure, Location, RunOutcome, RunState,
    UnixMillis, effective,
};
use stepwell_kernel::TraceParent;

/// The most spans that one run is told as. What came first is kept.
pub const SPANS_PER_RUN_MAX: usize = 2_000;

const INTERNAL: u8 = 1;
const OK: u8 = 1;
const ERROR: u8 = 2;

/// Everything that a span is.
struct Span<'a> {
    of: TraceParent,
    parent: Option<u64>,
    name: String,
    from: UnixMillis,
    until: UnixMillis,
    failure: Option<&'a Failure>,
    attributes: Vec<Value>,
}

/// The spans of a run that has ended, in the JSON form of OTLP. Empty if its caller does not want it recorded.
pub fn spans(state: &RunState, journal: &[Event]) -> Vec<Value> {
    let (Some(started), Some(ended_at)) = (&state.started, state.ended_at) else {
        return Vec::new();
    };
    let of_run = TraceParent::of_run(state.run, started.trace.as_deref());
    if of_run.flags & 1 == 0 {
        return Vec::new();
    }
    let failure = match &state.outcome {
        Some(RunOutcome::Failed(failure)) => Some(failure),
        _ => None,
    };
    let caller = started.trace.as_deref().and_then(|text| text.parse::<TraceParent>().ok());
    let mut spans = vec![write(Span {
        of: of_run,
        parent: caller.map(|caller| caller.span_id),
        name: started.workflow.clone(),
        from: state.started_at,
        until: ended_at,
        failure,
        attributes: vec![
            text("stepwell.run_id", &state.run.to_string()),
            text("stepwell.namespace", &started.namespace),
            text("stepwell.version", &started.version),
            text("stepwell.status", state.status().as_str()),
        ],
    })];
    let mut entries: Vec<(&Location, &Entry)> = state.entries.iter().collect();
    entries.sort_by_key(|(location, entry)| (entry.first_seq, location.depth()));
    for (location, entry) in entries {
        spans.push(of_entry(state, of_run, location, entry, ended_at));
    }
    spans.extend(attempts(of_run, journal));
    spans.truncate(SPANS_PER_RUN_MAX);
    spans
}

fn of_entry(
    state: &RunState,
    of_run: TraceParent,
    location: &Location,
    entry: &Entry,
    ended_at: UnixMillis,
) -> Value {
    let above = std::iter::successors(location.parent(), Location::parent);
    let parent = above.into_iter().find(|above| state.entries.contains_key(above));
    let parent = parent.map_or(of_run, |parent| of_run.attempt(&parent, Attempt(0)));
    let is_failed = entry.status == EntryStatus::Failed;
    write(Span {
        of: of_run.attempt(location, Attempt(0)),
        parent: Some(parent.span_id),
        name: location.name(),
        from: entry.started_at,
        until: entry.ended_at.unwrap_or(ended_at),
        failure: entry.last_failure.as_ref().filter(|_| is_failed),
        attributes: vec![
            text("stepwell.location", location.as_str()),
            text("stepwell.kind", entry.kind.as_str()),
            text("stepwell.status", entry.status.as_str()),
        ],
    })
}

/// One span for each attempt whose end is recorded.
fn attempts(of_run: TraceParent, journal: &[Event]) -> Vec<Value> {
    let mut spans = Vec::new();
    let mut begun: BTreeMap<&Location, UnixMillis> = BTreeMap::new();
    let mut before = journal.first().map_or(UnixMillis(0), |event| event.at);
    for event in effective(journal) {
        let ended = match &event.kind {
            EventKind::AttemptStarted { location, .. } => {
                begun.insert(location, event.at);
                None
            }
            EventKind::AttemptFailed { location, attempt, failure, .. } => {
                Some((location, *attempt, Some(failure)))
            }
            EventKind::StepSucceeded { location, attempt, .. } => Some((location, *attempt, None)),
            EventKind::StepFailed { location, failure } => {
                Some((location, failure.attempts, Some(failure)))
            }
            _ => None,
        };
        if let Some((location, attempt, failure)) = ended.filter(|(_, attempt, _)| attempt.0 > 0) {
            spans.push(write(Span {
                of: of_run.attempt(location, attempt),
                parent: Some(of_run.attempt(location, Attempt(0)).span_id),
                name: format!("{}, attempt {attempt}", location.name()),
                // A quick attempt has no start of its own in the journal: it began after what was before it.
                from: begun.remove(location).unwrap_or(before),
                until: event.at,
                failure,
                attributes: vec![text("stepwell.location", location.as_str())],
            }));
        }
        before = event.at;
    }
    spans
}

fn write(span: Span<'_>) -> Value {
    let status = match span.failure {
        Some(failure) => json!({ "code": ERROR, "message": failure.message }),
        None => json!({ "code": OK }),
    };
    let mut value = json!({
        "traceId": format!("{:032x}", span.of.trace_id),
        "spanId": format!("{:016x}", span.of.span_id),
        "name": span.name,
        "kind": INTERNAL,
        "startTimeUnixNano": nanos(span.from),
        "endTimeUnixNano": nanos(span.until),
        "attributes": span.attributes,
        "status": status,
    });
    if let (Some(parent), Some(fields)) = (span.parent, value.as_object_mut()) {
        fields.insert("parentSpanId".to_owned(), json!(format!("{parent:016x}")));
    }
    value
}

/// As text: JSON's numbers would lose the last digits.
fn nanos(at: UnixMillis) -> String {
    format!("{}000000", at.0)
}

fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// What is sent to a collector.
pub fn request(service: &str, spans: &[Value]) -> Value {
    json!({ "resourceSpans": [{
        "resource": { "attributes": [text("service.name", service)] },
        "scopeSpans": [{
            "scope": { "name": "stepwell", "version": env!("CARGO_PKG_VERSION") },
            "spans": spans,
        }],
    }] })
}
