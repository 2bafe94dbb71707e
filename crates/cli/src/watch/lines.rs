//! Progress where nobody looks at a terminal: one line for each change.

use std::collections::HashMap;

use stepwell::UnixMillis;
use stepwell_server::api::{EntryView, RunDetail};

use crate::out::{EntryLine, clean};

/// What was told already.
pub struct Lines {
    told: HashMap<String, Told>,
    trouble: Option<String>,
    /// What has ended before we came is no news.
    skips_ended: bool,
}

#[derive(PartialEq, Eq)]
struct Told {
    status: String,
    attempts: u32,
    has_ended: bool,
}

impl Lines {
    pub fn new(is_new: bool) -> Lines {
        Lines { told: HashMap::new(), trouble: None, skips_ended: !is_new }
    }

    /// A line for each entry that changed since the last look.
    pub fn changes(&mut self, run: &RunDetail, now: UnixMillis) -> String {
        let mut text = String::new();
        let mut n_skipped = 0;
        if self.trouble.take().is_some() {
            text.push_str("the server answers again\n");
        }
        let mut left: Vec<&EntryView> = run.entries.iter().rev().collect();
        while let Some(entry) = left.pop() {
            left.extend(entry.entries.iter().rev());
            let told = Told {
                status: entry.status.clone(),
                attempts: entry.attempts,
                has_ended: entry.ended_at.is_some(),
            };
            // Only steps and waits are worth a line; what they stand in ends with them.
            let is_frame = matches!(
                entry.kind.as_str(),
                "branch" | "iteration" | "note" | "version" | "checkpoint"
            );
            let is_news = self.told.get(&entry.location) != Some(&told);
            let is_skipped = self.skips_ended && told.has_ended;
            self.told.insert(entry.location.clone(), told);
            match (is_frame, is_news, is_skipped) {
                (false, true, false) => text.push_str(&line(entry, now)),
                (false, true, true) => n_skipped += 1,
                _ => {}
            }
        }
        if n_skipped > 0 {
            text.insert_str(0, &format!("{n_skipped} entries ended before\n"));
        }
        self.skips_ended = false;
        text
    }

    /// A line when something goes wrong between us and the server, said once.
    pub fn trouble(&mut self, text: &str) -> String {
        match self.trouble.replace(text.to_owned()) {
            Some(_) => String::new(),
            None => format!("{text}\n"),
        }
    }
}

fn line(entry: &EntryView, now: UnixMillis) -> String {
    let EntryLine { mark, note, .. } = EntryLine::of(entry, 0, now);
    // A step's first line comes when it begins: it has no time to tell yet.
    let note = if entry.status == "running" && entry.attempts <= 1 { String::new() } else { note };
    let status = entry.status.replace('_', " ");
    let note = if note.is_empty() { note } else { format!(": {note}") };
    format!("{mark} {} {status}{note}\n", clean(&entry.location))
}

#[cfg(test)]
mod tests;
