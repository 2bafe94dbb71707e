//! Short ways to say what these tests say often.

use std::collections::BTreeMap;

use stepwell_journal::{
    Attempt, Epoch, Event, EventKind, Json, Location, RunId, RunStarted, Seq, UnixMillis,
};
use stepwell_store::{Commit, NewRun};
use uuid::Uuid;

pub fn run_id(n: u64) -> RunId {
    RunId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0000 | u128::from(n)))
}

pub fn new_run(n: u64) -> NewRun {
    NewRun {
        run: run_id(n),
        at: UnixMillis(1_000_000 + n),
        started: RunStarted {
            workflow: "order".to_owned(),
            version: "1".to_owned(),
            namespace: "default".to_owned(),
            input: Json::null(),
            labels: BTreeMap::new(),
            parent: None,
            seed: n,
            replay_of: None,
            pinned: false,
            deadline_at: None,
            trace: None,
        },
        idempotency_key: None,
        start_at: None,
        copied: Vec::new(),
    }
}

pub fn step(seq: u64, n_bytes: usize) -> Event {
    let value = Json::of(&"x".repeat(n_bytes)).unwrap();
    let location = Location::root().named(&format!("s{seq}")).unwrap();
    let kind = EventKind::StepSucceeded { location, attempt: Attempt(1), value };
    Event { seq: Seq(seq), at: UnixMillis(2_000_000 + seq), kind }
}

pub fn commit(n: u64, epoch: Epoch, events: Vec<Event>) -> Commit {
    let first_seq = events.first().map_or(Seq(1), |event| event.seq);
    Commit { events, ..Commit::new(run_id(n), epoch, first_seq) }
}
