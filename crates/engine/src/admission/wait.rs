//! What a run that may not begin waits for, in words.

use std::fmt;

use serde::Serialize;
use stepwell_journal::{RunId, UnixMillis};
use stepwell_kernel::RunLimits;
use stepwell_store::RunRow;

use super::group::Block;
use super::{Admission, Lane, Stage, key_of};

/// A limit that keeps a run from beginning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitWait {
    pub workflow: String,
    /// The field of the input that the limit is about, and its value as JSON; none if it is about all runs of
    /// the workflow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<(String, String)>,
    #[serde(flatten)]
    pub limit: LimitKind,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "limit", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitKind {
    /// As many runs are under way as may be.
    Concurrency {
        max: u32,
        in_use: u32,
        /// Some of them.
        held_by: Vec<RunId>,
        /// One of them is the run that started this one, and so may wait for it.
        by_parent: bool,
    },
    /// As many runs have begun as may begin in that time.
    Rate { n_runs: u32, per_ms: u64, until: UnixMillis },
    /// The engine is about to look, or still asks the store who is under way.
    Turn,
}

impl Admission {
    /// What the run waits for, if it is a limit.
    pub fn wait_of(
        &self,
        lane: &Lane,
        limits: Option<&RunLimits>,
        row: &RunRow,
        now: UnixMillis,
    ) -> Option<LimitWait> {
        let limits = limits?;
        let key = key_of(limits, &row.input);
        let mut state = self.state.lock();
        let entry = state.groups.get_mut(lane)?;
        let block = match entry.stage {
            Stage::Known => entry.group.block(row.run, key, now)?,
            Stage::Unknown | Stage::Asking if entry.group.holds(row.run) => return None,
            Stage::Unknown | Stage::Asking => Block::Turn,
        };
        drop(state);
        let (of_key, limit) = match block {
            Block::Slots { of_key, n_max, n_held, held_by } => {
                let parent = row.parent.as_ref().map(|parent| parent.run);
                let by_parent = parent.is_some_and(|parent| held_by.contains(&parent));
                let limit =
                    LimitKind::Concurrency { max: n_max, in_use: n_held, held_by, by_parent };
                (of_key, limit)
            }
            Block::Rate { of_key, rate, until } => {
                let limit = LimitKind::Rate { n_runs: rate.n_runs, per_ms: rate.per_ms, until };
                (of_key, limit)
            }
            Block::Turn => (false, LimitKind::Turn),
        };
        let key = limits.per_key.as_ref().filter(|_| of_key).map(|keyed| {
            let input = row.input.to::<serde_json::Value>().unwrap_or_default();
            (keyed.key.clone(), keyed.key_of(&input))
        });
        Some(LimitWait { workflow: row.workflow.clone(), key, limit })
    }
}

impl fmt::Display for LimitWait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = match &self.key {
            Some((path, value)) => format!("workflow `{}` with {path} = {value}", self.workflow),
            None => format!("workflow `{}`", self.workflow),
        };
        match &self.limit {
            LimitKind::Concurrency { max, in_use, by_parent, .. } => {
                write!(f, "a slot of {whose} ({in_use} of {max} in use")?;
                f.write_str(if *by_parent { ", one by the run that started it)" } else { ")" })
            }
            LimitKind::Rate { n_runs, per_ms, until } => {
                let until = until.rfc3339();
                write!(f, "its turn, at most {n_runs} of {whose} per {}", span(*per_ms))?;
                write!(f, ", until {until}")
            }
            LimitKind::Turn => write!(f, "its turn among the runs of {whose}"),
        }
    }
}

/// `second`, `2 minutes`, `250 ms`.
fn span(ms: u64) -> String {
    let units = [(86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1_000, "second")];
    for (unit_ms, name) in units {
        match ms / unit_ms {
            1 if ms == unit_ms => return name.to_owned(),
            n if n > 1 && ms.is_multiple_of(unit_ms) => return format!("{n} {name}s"),
            _ => {}
        }
    }
    format!("{ms} ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_in_the_largest_unit_that_fits() {
        let cases =
            [(1_000, "second"), (120_000, "2 minutes"), (90_000, "90 seconds"), (250, "250 ms")];
        for (ms, text) in cases {
            assert_eq!(span(ms), text);
        }
    }
}
