//! What has happened in a flow, in the words of flows: derived from the run's journal, and from nothing else.
//!
//! The journal has what cannot be known otherwise: which entries ended when, and how. What follows from it, a
//! [`FlowState`] tells here as it told the run: which steps started with what, which attributes were set, who was
//! skipped and why.

mod tell;

use serde::Serialize;
use serde_json::{Value, json};
use stepwell_journal::{Event, EventKind, RunId, Seq, UnixMillis, effective};

use crate::state::FactError;
use crate::token::TokenKey;

use tell::Teller;

/// One event of a flow.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowEvent {
    /// Such as `step_completed`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// RFC 3339.
    pub timestamp: String,
    /// The event of the run's journal that it follows from. Several may follow from one.
    pub seq: u64,
    pub data: Value,
}

/// Why a journal cannot be told as a flow's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlowEventsError {
    /// It is the journal of another kind of run.
    #[error("the run is no flow: {problem}")]
    NoFlow { problem: String },
    /// The journal was not written by this interpreter, or is damaged.
    #[error("event {seq} of the journal does not fit the plan: {source}")]
    Misfit { seq: u64, source: FactError },
}

/// The events of a flow so far, oldest first. The journal must be whole.
pub fn flow_events(
    run: RunId,
    journal: &[Event],
    tokens: &TokenKey,
) -> Result<Vec<FlowEvent>, FlowEventsError> {
    let mut events = effective(journal);
    let started = events.next();
    let Some((first, EventKind::RunStarted(started))) = started.map(|it| (it, &it.kind)) else {
        let problem = "its journal has no beginning".to_owned();
        return Err(FlowEventsError::NoFlow { problem });
    };
    let mut teller = Teller::begin(run, Moment::of(first), started, tokens)?;
    for event in events {
        teller.follow(event)?;
    }
    Ok(teller.told)
}

/// Where in the journal we are.
#[derive(Debug, Clone, Copy)]
struct Moment {
    seq: Seq,
    at: UnixMillis,
}

impl Moment {
    fn of(event: &Event) -> Moment {
        Moment { seq: event.seq, at: event.at }
    }

    fn event(self, kind: &'static str, flow: RunId, data: Value) -> FlowEvent {
        let mut all = json!({ "flow_id": flow.to_string() });
        if let (Some(all), Value::Object(data)) = (all.as_object_mut(), data) {
            all.extend(data);
        }
        FlowEvent { kind, timestamp: self.at.rfc3339(), seq: self.seq.0, data: all }
    }
}
