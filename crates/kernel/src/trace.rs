//! Trace context after W3C: which trace a run's outgoing calls belong to. Everything here is a function of
//! the run and the place, so that a replay names the same spans.

use std::fmt;
use std::str::FromStr;

use stepwell_journal::{Attempt, Location, RunId, stable_hash};

/// A `traceparent`: a trace, a span of it, and flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    pub trace_id: u128,
    pub span_id: u64,
    pub flags: u8,
}

/// Leave it out, or send what the W3C's recommendation on trace context asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no traceparent: those look like 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
)]
pub struct TraceParentError {
    text: String,
}

/// The flag that says that the trace is recorded.
const SAMPLED: u8 = 1;

impl TraceParent {
    /// The trace that a run belongs to, and the span of the run itself.
    pub fn of_run(run: RunId, trace: Option<&str>) -> TraceParent {
        let from = trace.and_then(|text| text.parse::<TraceParent>().ok());
        TraceParent {
            // Ids of runs are never zero, but who knows who makes one.
            trace_id: from.map_or(run.0.as_u128().max(1), |from| from.trace_id),
            span_id: span_id(&[run.0.as_bytes()]),
            flags: from.map_or(SAMPLED, |from| from.flags),
        }
    }

    /// The span of one attempt of an entry of this run. Attempt 0 stands for the entry itself.
    pub fn attempt(self, location: &Location, attempt: Attempt) -> TraceParent {
        let parts: [&[u8]; 3] =
            [&self.span_id.to_le_bytes(), location.as_str().as_bytes(), &attempt.0.to_le_bytes()];
        TraceParent { span_id: span_id(&parts), ..self }
    }
}

/// Zero is no id.
fn span_id(parts: &[&[u8]]) -> u64 {
    stable_hash(parts).max(1)
}

impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

impl FromStr for TraceParent {
    type Err = TraceParentError;

    fn from_str(text: &str) -> Result<TraceParent, TraceParentError> {
        read(text).ok_or_else(|| TraceParentError { text: text.chars().take(64).collect() })
    }
}

fn read(text: &str) -> Option<TraceParent> {
    let is_hex = |c: char| matches!(c, '0'..='9' | 'a'..='f' | '-');
    if !text.chars().all(is_hex) {
        return None;
    }
    let mut parts = text.split('-');
    let mut part = |len: usize| parts.next().filter(|part| part.len() == len);
    let version = part(2)?;
    let trace_id = u128::from_str_radix(part(32)?, 16).ok()?;
    let span_id = u64::from_str_radix(part(16)?, 16).ok()?;
    let flags = u8::from_str_radix(part(2)?, 16).ok()?;
    // A later version may have more parts behind these; this one has not.
    let is_whole = version != "00" || parts.next().is_none();
    let is_valid = version != "ff" && trace_id != 0 && span_id != 0 && is_whole;
    is_valid.then_some(TraceParent { trace_id, span_id, flags })
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";

    #[test]
    fn what_is_written_can_be_read() {
        let parent: TraceParent = CALLER.parse().unwrap();
        assert_eq!(parent.to_string(), CALLER);
    }

    #[test]
    fn what_is_no_traceparent_is_refused() {
        let cases = [
            "",
            "nonsense",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b70-01",
        ];
        for text in cases {
            assert!(text.parse::<TraceParent>().is_err(), "{text}");
        }
        assert!(
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-00"
                .parse::<TraceParent>()
                .is_ok()
        );
    }

    #[test]
    fn a_run_stays_in_its_callers_trace_and_each_attempt_has_a_span_of_its_own() {
        let run = RunId(Uuid::from_u128(7));
        let of_run = TraceParent::of_run(run, Some(CALLER));
        assert_eq!(of_run.trace_id, 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736);
        assert_eq!(of_run.flags, 0, "the caller decides what is recorded");
        let [a, b] = ["a", "b"].map(Location::from_text);
        let spans = [
            of_run.attempt(&a, Attempt(1)),
            of_run.attempt(&a, Attempt(2)),
            of_run.attempt(&b, Attempt(1)),
            of_run,
        ];
        let distinct: std::collections::BTreeSet<u64> = spans.iter().map(|s| s.span_id).collect();
        assert_eq!(distinct.len(), 4);
        assert_eq!(spans[0], TraceParent::of_run(run, Some(CALLER)).attempt(&a, Attempt(1)));
        assert_eq!(TraceParent::of_run(run, None).trace_id, 7);
    }
}
