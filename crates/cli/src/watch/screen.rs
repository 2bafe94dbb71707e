//! Progress on a terminal: a line for each entry, which changes in place.

use std::collections::HashSet;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use stepwell::UnixMillis;
use stepwell_server::api::RunDetail;
use unicode_width::UnicodeWidthStr;

use crate::error::{Error, Result};
use crate::out::{EntryLine, Paint, Style, clean, entry_lines, pad, span_of};

/// What stands above and below the entries: the run's own line, what is hidden, and where the cursor is.
const OTHER_ROWS: usize = 4;
const ENTRY_ROWS_MIN: usize = 3;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/// How much of a terminal there is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub rows: usize,
    pub columns: usize,
}

/// The lines on the screen. They are one message of one bar, so that each change is drawn at once.
pub struct Screen {
    bar: ProgressBar,
    size: Size,
    style: Style,
    run: Option<RunDetail>,
    trouble: Option<String>,
    drawn_at: UnixMillis,
    n_ticks: usize,
}

impl Screen {
    /// On standard error.
    pub fn of_terminal(style: Style) -> Result<Screen> {
        let (rows, columns) = console::Term::stderr().size();
        let size = Size { rows: usize::from(rows), columns: usize::from(columns) };
        Screen::new(ProgressDrawTarget::stderr(), size, style)
    }

    pub fn new(target: ProgressDrawTarget, size: Size, style: Style) -> Result<Screen> {
        let bar = ProgressBar::with_draw_target(None, target);
        let plain = ProgressStyle::with_template("{msg}")
            .map_err(|error| Error::local(format!("the terminal cannot be drawn on: {error}")))?;
        bar.set_style(plain);
        let drawn_at = UnixMillis(0);
        Ok(Screen { bar, size, style, run: None, trouble: None, drawn_at, n_ticks: 0 })
    }

    pub fn show(&mut self, run: &RunDetail, now: UnixMillis) {
        self.trouble = None;
        self.run = Some(run.clone());
        self.tick(now);
    }

    pub fn trouble(&mut self, text: &str) {
        self.trouble = Some(text.to_owned());
    }

    /// Moves spinners and countdowns.
    pub fn tick(&mut self, now: UnixMillis) {
        self.drawn_at = now;
        self.n_ticks += 1;
        self.bar.set_message(self.text(Some(SPINNER[self.n_ticks % SPINNER.len()])));
    }

    /// Draws what was shown last once more, with nothing in it that looks as if it would move.
    pub fn finish(&self) {
        self.bar.abandon_with_message(self.text(None));
    }

    /// All lines. What runs has a spinner, or its mark once nothing moves any more.
    fn text(&self, spinner: Option<&str>) -> String {
        let (Some(run), now) = (&self.run, self.drawn_at) else { return String::new() };
        let mut rows = vec![head(run, now, self.style)];
        let n_entry_rows = self.size.rows.saturating_sub(OTHER_ROWS).max(ENTRY_ROWS_MIN);
        let (entries, n_hidden) = visible(entry_lines(&run.entries, now), n_entry_rows);
        let columns_of = |line: &EntryLine| line.depth * 2 + line.name.width();
        let name_columns = entries.iter().map(columns_of).max().unwrap_or(0);
        rows.extend(entries.iter().map(|line| row(line, name_columns, spinner, self.style)));
        if n_hidden > 0 {
            rows.push(format!("  … and {n_hidden} more"));
        }
        if entries.iter().all(|line| line.has_ended) {
            let waits = run.waiting_for.iter();
            rows.extend(waits.map(|wait| format!("  waits for {}", clean(&wait.text))));
        }
        rows.extend(self.trouble.iter().map(|text| self.style.paint(Paint::Warn, text)));
        let fitting = rows.iter().map(|row| console::truncate_str(row, self.size.columns, "…"));
        fitting.collect::<Vec<_>>().join("\n")
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // What was shown last stays on the screen as it is. Whatever else was written there meanwhile, such as the
        // terminal's own ^C, would make a redraw land on the wrong lines.
        self.bar.set_draw_target(ProgressDrawTarget::hidden());
    }
}

fn head(run: &RunDetail, now: UnixMillis, style: Style) -> String {
    let ms = run.duration_ms.unwrap_or_else(|| now.ms_since(run.created_at.0));
    format!(
        "{} {} {} {}",
        style.paint(Paint::Bold, &clean(&run.workflow)),
        style.paint(Paint::Dim, &run.run_id),
        style.status(&run.status),
        span_of(ms),
    )
}

fn row(line: &EntryLine, name_columns: usize, spinner: Option<&str>, style: Style) -> String {
    let indent = "  ".repeat(line.depth + 1);
    let name = pad(&line.name, name_columns.saturating_sub(line.depth * 2));
    let note = match line.paint {
        Paint::Bad | Paint::Warn => style.paint(line.paint, &line.note),
        _ => style.paint(Paint::Dim, &line.note),
    };
    let mark = spinner.filter(|_| line.is_running).unwrap_or(line.mark);
    format!("{indent}{} {name}  {note}", style.paint(line.paint, mark)).trim_end().to_owned()
}

/// The lines that fit, in their order, and how many do not: what goes on is shown before what ended, and what came
/// last before what came first.
pub fn visible(lines: Vec<EntryLine>, n_rows: usize) -> (Vec<EntryLine>, usize) {
    if lines.len() <= n_rows {
        return (lines, 0);
    }
    let mut order: Vec<usize> = (0..lines.len()).rev().collect();
    order.sort_by_key(|at| lines[*at].has_ended && lines[*at].paint != Paint::Bad);
    let shown: HashSet<usize> = order.into_iter().take(n_rows).collect();
    let n_hidden = lines.len() - shown.len();
    let lines = lines.into_iter().enumerate().filter(|(at, _)| shown.contains(at));
    (lines.map(|(_, line)| line).collect(), n_hidden)
}

#[cfg(test)]
mod tests;
