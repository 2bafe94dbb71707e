//! Whatever bytes a disk gives back, reading them ends in a journal or an error, and what is read can be
//! written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stepwell_journal::{RunId, RunState, compact, render_journal, wire};

fuzz_target!(|block: &[u8]| {
    let Ok(events) = wire::decode(block) else { return };
    let mut again = Vec::new();
    wire::encode(&events, &mut again);
    let mut bounded = Vec::new();
    let read = wire::decode(&again).expect("what was written can be read");
    wire::encode(&read, &mut bounded);
    assert_eq!(again, bounded);

    let run = RunId(uuid::Uuid::nil());
    let _ = render_journal(&events);
    if let Ok(state) = RunState::fold(run, &events) {
        let _ = (state.status(), state.waits(), state.wake_at());
        compact(run, &events).expect("what folds can be compacted");
    }
});
