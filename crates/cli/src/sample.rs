//! Runs for tests of what is printed.

use serde_json::{Value, json};
use stepwell::UnixMillis;
use stepwell_server::api::{RunDetail, Timestamp};

pub const NOW: UnixMillis = UnixMillis(1_794_798_317_000);

/// A moment before now.
pub fn ago(ms: u64) -> Timestamp {
    Timestamp(UnixMillis(NOW.0 - ms))
}

/// A moment that is to come.
pub fn ahead(ms: u64) -> Timestamp {
    Timestamp(NOW.plus_ms(ms))
}

/// A run with these fields otherwise than usual.
pub fn run(more: Value) -> RunDetail {
    let usual = json!({
        "run_id": "0192f4c4-0000-7000-8000-000000000001", "workflow": "checkout", "version": "3f2a9c",
        "dialect": "code", "status": "waiting", "cancelling": false, "labels": {}, "description": null,
        "input": null, "output": null, "error": null, "cancel_reason": null, "waiting_for": [],
        "entries": [], "entries_omitted": 0, "mailbox": [], "parent": null, "children": [],
        "replay_of": null, "created_at": ago(0), "updated_at": ago(0), "ended_at": null,
        "duration_ms": null, "deadline_at": null, "n_resumed": 0, "seq": 7,
        "last_seq": 7,
    });
    serde_json::from_value(with(usual, more)).unwrap()
}

/// An entry that began five seconds ago, with these fields otherwise than usual. It has ended if its status says so.
pub fn entry(location: &str, kind: &str, status: &str, more: Value) -> Value {
    let name = location.rsplit('/').next().unwrap_or_default().trim_start_matches('~');
    let has_ended = matches!(status, "completed" | "failed" | "cancelled");
    let usual = json!({
        "location": location, "name": name, "kind": kind, "status": status, "seq": 1,
        "started_at": ago(5_000), "ended_at": has_ended.then(|| ago(0)),
        "duration_ms": has_ended.then_some(152), "attempts": 1,
    });
    with(usual, more)
}

pub fn failure(message: &str) -> Value {
    json!({ "kind": "error", "message": message, "attempts": 2 })
}

fn with(mut usual: Value, more: Value) -> Value {
    if let (Value::Object(usual), Value::Object(more)) = (&mut usual, more) {
        usual.extend(more);
    }
    usual
}
