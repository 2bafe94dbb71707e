//! What is printed, and where: results on standard output, everything else on standard error.

mod document;
mod json;
mod plan;
mod style;
mod table;
mod text;
mod tree;

use std::io::{IsTerminal, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use stepwell::UnixMillis;

use crate::error::{Error, Result};

pub use document::Document;
pub use json::indented;
pub use plan::plan_text;
pub use style::{Paint, Style};
pub use table::Table;
pub use text::{ago, clean, in_time, pad, short, span_of, truncate};
pub use tree::{EntryLine, entry_lines, entry_text, failure_lines, labels_text, run_text};

/// Where a command prints.
pub struct Out {
    stdout: Box<dyn Write + Send>,
    stderr: Box<dyn Write + Send>,
    /// One JSON document, or a line each for what streams.
    pub json: bool,
    /// For text on standard output.
    pub style: Style,
    /// For text on standard error.
    pub err_style: Style,
    stdout_is_terminal: bool,
    pub stderr_is_terminal: bool,
}

impl Out {
    /// The process's own.
    pub fn of_process(json: bool) -> Out {
        let stdout_is_terminal = std::io::stdout().is_terminal();
        let stderr_is_terminal = std::io::stderr().is_terminal();
        let may_colour = Style::is_wanted(
            std::env::var_os("NO_COLOR").as_deref(),
            std::env::var_os("TERM").as_deref(),
        );
        Out {
            stdout: Box::new(std::io::stdout()),
            stderr: Box::new(std::io::stderr()),
            json,
            style: Style::new(stdout_is_terminal && may_colour),
            err_style: Style::new(stderr_is_terminal && may_colour),
            stdout_is_terminal,
            stderr_is_terminal,
        }
    }

    /// Text for people; a newline is added if it lacks one.
    pub fn print(&mut self, text: &str) -> Result<()> {
        write_lines(&mut self.stdout, text)
    }

    /// Beside the result: progress, advice, errors.
    pub fn say(&mut self, text: &str) -> Result<()> {
        write_lines(&mut self.stderr, text)
    }

    /// The one document of `--json`: indented for a person at a terminal, else as it is.
    pub fn print_json(&mut self, text: &str) -> Result<()> {
        match self.stdout_is_terminal {
            true => self.print(&indented(text)),
            false => self.print(text),
        }
    }

    /// The same for something of our own.
    pub fn print_json_of(&mut self, value: &impl Serialize) -> Result<()> {
        let text = serde_json::to_string(value)
            .map_err(|error| Error::local(format!("no JSON can be made: {error}")))?;
        self.print_json(&text)
    }
}

fn write_lines(to: &mut dyn Write, text: &str) -> Result<()> {
    to.write_all(text.as_bytes())?;
    if !text.ends_with('\n') && !text.is_empty() {
        to.write_all(b"\n")?;
    }
    to.flush()?;
    Ok(())
}

/// The time by this machine's clock.
pub fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
