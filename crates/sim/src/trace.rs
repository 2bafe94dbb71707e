//! What happened, in words: the end of it for people, all of it as one number.

use std::collections::VecDeque;
use std::io::Write;

use stepwell_journal::stable_hash;

/// How many of the last lines are kept for the report of a violation.
const LINES_KEPT: usize = 150;

#[derive(Debug, Default)]
pub struct Trace {
    hash: u64,
    last: VecDeque<String>,
    is_loud: bool,
}

impl Trace {
    pub fn new(is_loud: bool) -> Trace {
        Trace { is_loud, ..Trace::default() }
    }

    pub fn line(&mut self, line: String) {
        self.hash = stable_hash(&[&self.hash.to_le_bytes(), line.as_bytes()]);
        if self.is_loud {
            // Whoever closed the pipe does not want to know.
            let _ = writeln!(std::io::stdout(), "{line}");
        }
        if self.last.len() == LINES_KEPT {
            self.last.pop_front();
        }
        self.last.push_back(line);
    }

    /// The same for the same lines in the same order.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    pub fn tail(&self) -> Vec<String> {
        self.last.iter().cloned().collect()
    }
}
