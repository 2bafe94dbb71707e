//! What subscribers of one engine hear: every event of a run, in order, once.

use std::collections::BTreeMap;

use stepwell_engine::{Update, Updates, UpdatesError};
use stepwell_journal::{RunId, Seq};

use crate::laws::Laws;
use crate::world::{Life, State, World};

/// The last event of each run that was heard of, by engine.
pub type Heard = BTreeMap<(u32, RunId), Seq>;

impl World {
    /// Listens until the engine ends.
    pub async fn listen(&self, node: u32, mut updates: Updates) {
        let mut position = None;
        loop {
            match updates.next().await {
                Ok(update) => {
                    let is_next = position.is_none_or(|last: u64| update.position == last + 1);
                    position = Some(update.position);
                    let mut state = self.state();
                    state.laws.require(is_next, 3, update.run, || "a position is missing".into());
                    state.hear(node, &update);
                }
                Err(UpdatesError::Closed) => return,
                Err(error) => return self.state().laws.broken(3, None, error.to_string()),
            }
        }
    }
}

impl State {
    fn hear(&mut self, node: u32, update: &Update) {
        let (run, seq) = (update.run, update.seq);
        let last = self.heard.insert((node, run), seq);
        let is_copy = self.laws.is_copy(run);
        let follows = match last {
            // Others write to the runs of a fenced engine, and to those that have moved.
            _ if self.life(node) != Life::Live || self.sharing.is_some() => true,
            // A copy keeps the numbers of its original, as far as it is one.
            Some(last) if is_copy => last < seq,
            Some(last) => last.next() == seq,
            None => true,
        };
        self.laws.require(follows, 3, run, || format!("subscribers hear of {seq} after {last:?}"));
        let is_stored = self.laws.runs.get(&run).is_some_and(|run| seq < run.state.next_seq);
        // But not even that can hear of what is not there.
        self.laws.require(is_stored, 2, run, || format!("subscribers hear of {seq} too early"));
    }

    /// When all is quiet, whoever listens has heard everything.
    pub fn check_heard(&mut self) {
        let live = |node: u32| self.life(node) == Life::Live;
        let laws: &Laws = &self.laws;
        let late = self.heard.iter().find_map(|((node, run), last)| {
            let end = laws.runs.get(run)?.state.next_seq;
            (live(*node) && last.next() != end).then(|| (*run, format!("{last} of {end}")))
        });
        if let Some((run, text)) = late {
            let text = format!("subscribers have only heard of {text}");
            self.laws.broken(3, Some(run), text);
        }
    }
}
