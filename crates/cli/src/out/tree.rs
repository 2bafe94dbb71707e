//! A run and the tree of its entries.

use stepwell::{Failure, UnixMillis};
use stepwell_server::api::{EntryView, RunDetail, Timestamp};
use unicode_width::UnicodeWidthStr;

use super::{Document, Paint, Style, ago, clean, in_time, indented, pad, short, span_of};

/// The longest value that is shown whole beside its name.
const VALUE_COLUMNS_MAX: usize = 200;

/// The longest error that is shown beside its entry; below the tree it stands whole.
const ERROR_COLUMNS_MAX: usize = 100;

/// One entry in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryLine {
    pub depth: usize,
    pub mark: &'static str,
    pub paint: Paint,
    pub name: String,
    pub kind: String,
    /// How long it took, what it waits for, why it failed.
    pub note: String,
    pub is_running: bool,
    pub has_ended: bool,
}

/// A run as `run show` prints it.
pub fn run_text(run: &RunDetail, now: UnixMillis, style: Style) -> String {
    let mut text = about_run(run, now, style).render(style);
    let lines = entry_lines(&run.entries, now);
    if !lines.is_empty() {
        text.push('\n');
        text.push_str(&tree_text(&lines, style));
    }
    if run.entries_omitted > 0 {
        text.push_str(&format!("… and {} more entries\n", run.entries_omitted));
    }
    text
}

fn about_run(run: &RunDetail, now: UnixMillis, style: Style) -> Document {
    let moment = |at: Timestamp| format!("{} ({at})", ago(at.0, now));
    let mut about = Document::default();
    about.line("run", run.run_id.clone());
    let dialect = run.dialect.as_deref().unwrap_or("not registered");
    about.line(
        "workflow",
        format!(
            "{} ({}, version {})",
            clean(&run.workflow),
            clean(dialect),
            short(&run.version, 16)
        ),
    );
    let cancelling = if run.cancelling { ", and a cancel is under way" } else { "" };
    about.line("status", format!("{}{cancelling}", style.status(&run.status)));
    about.text("about", run.description.as_deref());
    if !run.labels.is_empty() {
        about.line("labels", labels_text(&run.labels));
    }
    about.line("created", moment(run.created_at));
    if let Some(ended_at) = run.ended_at {
        let took = run.duration_ms.map(|ms| format!(", took {}", span_of(ms))).unwrap_or_default();
        about.line("ended", format!("{}{took}", moment(ended_at)));
    }
    if let Some(deadline_at) = run.deadline_at.filter(|_| run.ended_at.is_none()) {
        about.line("deadline", moment(deadline_at));
    }
    about.text("parent", run.parent.as_deref());
    about.text("replay of", run.replay_of.as_deref());
    if run.n_resumed > 0 {
        about.line("resumed", format!("{} times", run.n_resumed));
    }
    if run.seq < run.last_seq {
        about.line("as of", format!("event #{} of #{}", run.seq, run.last_seq));
    }
    for wait in &run.waiting_for {
        about.line("waits for", clean(&wait.text));
    }
    for message in &run.mailbox {
        let body = short(message.body.as_str(), VALUE_COLUMNS_MAX);
        about.line("message", format!("{} {body}, not taken yet", clean(&message.name)));
    }
    about.line("input", short(run.input.as_str(), VALUE_COLUMNS_MAX));
    if let Some(output) = &run.output {
        about.line("output", short(output.as_str(), VALUE_COLUMNS_MAX));
    }
    if let Some(failure) = &run.error {
        for line in failure_lines(failure) {
            about.line("error", style.paint(Paint::Bad, &line));
        }
    }
    about.text("cancelled", run.cancel_reason.as_deref().filter(|reason| !reason.is_empty()));
    about
}

pub fn labels_text(labels: &std::collections::BTreeMap<String, String>) -> String {
    let pairs: Vec<String> = labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    clean(&pairs.join(", "))
}

/// The failure, and below it those of its branches.
pub fn failure_lines(failure: &Failure) -> Vec<String> {
    let mut lines = vec![clean(&failure.to_string())];
    for (branch, failure) in &failure.branches {
        let below = failure_lines(failure).into_iter();
        lines.extend(below.enumerate().map(|(at, line)| match at {
            0 => format!("  in branch {}: {line}", clean(branch)),
            _ => format!("  {line}"),
        }));
    }
    lines
}

/// Lines with names and kinds in columns.
pub fn tree_text(lines: &[EntryLine], style: Style) -> String {
    let width_of = |line: &EntryLine| line.depth * 2 + line.name.width();
    let name_columns = lines.iter().map(width_of).max().unwrap_or(0);
    let kind_columns = lines.iter().map(|line| line.kind.width()).max().unwrap_or(0);
    let mut text = String::new();
    for line in lines {
        let indent = "  ".repeat(line.depth);
        let name = pad(&line.name, name_columns - line.depth * 2);
        let kind = pad(&line.kind, kind_columns);
        let mark = style.paint(line.paint, line.mark);
        let note = if line.paint == Paint::Bad {
            style.paint(Paint::Bad, &line.note)
        } else {
            line.note.clone()
        };
        let line = format!("{indent}{mark} {name}  {}  {note}", style.paint(Paint::Dim, &kind));
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// The entries, outermost first, each before what stands below it.
pub fn entry_lines(entries: &[EntryView], now: UnixMillis) -> Vec<EntryLine> {
    let mut lines = Vec::new();
    // Not by recursion: a run may nest its entries as deep as it likes.
    let mut left: Vec<(usize, &EntryView)> = entries.iter().rev().map(|entry| (0, entry)).collect();
    while let Some((depth, entry)) = left.pop() {
        if entry.kind == "note" {
            // What the run says of itself is its description and its labels.
            continue;
        }
        lines.push(EntryLine::of(entry, depth, now));
        left.extend(entry.entries.iter().rev().map(|entry| (depth + 1, entry)));
    }
    lines
}

impl EntryLine {
    pub fn of(entry: &EntryView, depth: usize, now: UnixMillis) -> EntryLine {
        let status = entry.status.as_str();
        let name = match entry.kind.as_str() {
            "iteration" => format!("#{}", clean(&entry.name)),
            "undo" => "undo".to_owned(),
            _ => clean(&entry.name),
        };
        EntryLine {
            depth,
            mark: mark(entry),
            paint: Paint::of_status(status),
            name,
            kind: clean(&entry.kind),
            note: note(entry, now),
            is_running: status == "running",
            has_ended: entry.ended_at.is_some(),
        }
    }
}

fn mark(entry: &EntryView) -> &'static str {
    match (entry.status.as_str(), entry.kind.as_str()) {
        ("completed", _) => "✓",
        ("failed", _) => "✗",
        ("cancelled", _) => "⊘",
        ("skipped", _) => "–",
        ("waiting_retry", _) => "↻",
        ("waiting", "listen" | "ask") => "✉",
        ("waiting", _) => "◷",
        _ => "●",
    }
}

/// What is to be said of an entry.
fn note(entry: &EntryView, now: UnixMillis) -> String {
    let mut parts: Vec<String> = Vec::new();
    let error = entry.error.as_ref().map(|failure| short(&failure.message, ERROR_COLUMNS_MAX));
    let until = |at: Timestamp| format!("until {at} ({})", in_time(at.0, now));
    match entry.status.as_str() {
        "running" => {
            parts.extend(entry.started_at.map(|at| span_of(now.ms_since(at.0))));
            if entry.attempts > 1 {
                parts.push(format!("attempt {}", entry.attempts));
            }
            parts.extend(error.map(|error| format!("after: {error}")));
        }
        "waiting_retry" => {
            parts.extend(error.map(|error| format!("attempt {} failed: {error}", entry.attempts)));
            parts.extend(entry.retry_at.map(|at| format!("next {}", in_time(at.0, now))));
        }
        "waiting" => {
            if !entry.names.is_empty() {
                parts.push(format!("for {}", clean(&entry.names.join(", "))));
            }
            parts.extend(entry.until.map(until));
        }
        "skipped" => parts.extend(entry.skipped_because.as_deref().map(clean)),
        _ => {
            // A branch has no event of its beginning.
            parts.extend(entry.duration_ms.filter(|_| entry.kind != "branch").map(span_of));
            if entry.attempts > 1 {
                parts.push(format!("{} attempts", entry.attempts));
            }
            let is_failed = entry.status == "failed";
            parts.extend(error.filter(|_| is_failed));
        }
    }
    parts.extend(
        entry
            .child
            .as_ref()
            .map(|child| format!("run {} ({})", child.run_id, clean(&child.workflow))),
    );
    let described = entry.description.as_deref().filter(|_| entry.status != "skipped");
    parts.extend(described.map(|text| short(text, ERROR_COLUMNS_MAX)));
    parts.extend(entry.output_bytes.map(|n_bytes| format!("output of {n_bytes} bytes")));
    parts.join(", ")
}

/// One entry as `run entries` prints it: the tree from there, and its whole output.
pub fn entry_text(entry: &EntryView, now: UnixMillis, style: Style) -> String {
    let mut text = tree_text(&entry_lines(std::slice::from_ref(entry), now), style);
    if let Some(failure) = &entry.error {
        text.push('\n');
        for line in failure_lines(failure) {
            text.push_str(&style.paint(Paint::Bad, &line));
            text.push('\n');
        }
    }
    if let Some(output) = &entry.output {
        text.push_str(&format!("\n{}\n", indented(output.as_str())));
    }
    text
}

#[cfg(test)]
mod tests;
