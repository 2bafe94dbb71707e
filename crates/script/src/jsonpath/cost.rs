//! How long a query may take on a value.
//!
//! No interrupt stops a query, so that one which could run for long is refused before it starts. The
//! estimate is an upper bound: a step to all descendants visits a node once for each of its ancestors in the
//! list at hand, a filter walks below each node that it sees, and a path from the root inside a filter is
//! walked anew for each.

use serde_json::Value;

use super::scan::Mark;
use crate::{ErrorKind, ScriptError};

/// Most steps that a query may take: a few seconds of them.
pub const PATH_WORK_MAX: u64 = 500_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Steps to all descendants, and filters: each multiplies by the value's depth.
    descents: u32,
    /// Paths from the root inside filters that lead to many nodes: each multiplies by their number.
    inner_roots: u32,
}

impl Cost {
    pub(super) fn of(source: &str, marks: &[Mark]) -> Cost {
        let adjacent = |pair: &&[Mark]| {
            pair[0].what == '.' && pair[1].what == '.' && pair[1].at == pair[0].at + 1
        };
        let n_descents = marks.windows(2).filter(adjacent).count();
        let n_filters = marks.iter().filter(|mark| mark.what == '?').count();
        let inner_roots = marks
            .iter()
            .filter(|mark| mark.what == '$' && mark.square > 0 && is_broad(&source[mark.at + 1..]));
        Cost { descents: (n_descents + n_filters) as u32, inner_roots: inner_roots.count() as u32 }
    }

    pub(super) fn check(self, value: &Value) -> Result<(), ScriptError> {
        if self.descents == 0 && self.inner_roots == 0 {
            return Ok(());
        }
        let (nodes, depth) = extent(value);
        let work = nodes
            .saturating_mul(depth.saturating_pow(self.descents))
            .saturating_mul(nodes.saturating_pow(self.inner_roots));
        if work > PATH_WORK_MAX {
            let message = format!(
                "the path may take {work} steps on a value of {nodes} nodes, more than {PATH_WORK_MAX}: \
                 use fewer `..`, filters, or paths from `$` inside filters"
            );
            return Err(ScriptError::new(ErrorKind::TimedOut, message));
        }
        Ok(())
    }
}

/// Whether what follows a `$` can lead to more than one node.
fn is_broad(rest: &str) -> bool {
    let mut in_brackets = false;
    let mut previous = ' ';
    for c in rest.chars() {
        match c {
            '[' => in_brackets = true,
            ']' if in_brackets => in_brackets = false,
            '*' | '?' | ':' | ',' if in_brackets => return true,
            '*' if previous == '.' => return true,
            '.' if previous == '.' => return true,
            _ if in_brackets || c == '.' || c == '_' || c.is_alphanumeric() => {}
            _ => return false,
        }
        previous = c;
    }
    false
}

/// How many nodes a value has, and how deep they nest.
fn extent(value: &Value) -> (u64, u64) {
    let (mut nodes, mut deepest) = (0, 1);
    let mut pending = vec![(value, 1)];
    while let Some((value, depth)) = pending.pop() {
        nodes += 1;
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(members) => {
                pending.extend(members.values().map(|item| (item, depth + 1)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    (nodes, deepest)
}
