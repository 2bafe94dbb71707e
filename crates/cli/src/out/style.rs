//! Colours, where they help.

use std::ffi::OsStr;

use anstyle::{AnsiColor, Style as Ansi};

/// Whether text is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Warn,
    Busy,
}

impl Style {
    #[cfg(test)]
    pub const PLAIN: Style = Style { colour: false };

    pub fn new(colour: bool) -> Style {
        Style { colour }
    }

    /// Whether the environment lets us colour: see <https://no-color.org>.
    pub fn is_wanted(no_color: Option<&OsStr>, term: Option<&OsStr>) -> bool {
        no_color.is_none_or(OsStr::is_empty) && term != Some(OsStr::new("dumb"))
    }

    pub fn paint(self, paint: Paint, text: &str) -> String {
        if !self.colour || paint == Paint::Plain || text.is_empty() {
            return text.to_owned();
        }
        let ansi = paint.ansi();
        format!("{ansi}{text}{ansi:#}")
    }

    /// A run's or an entry's status in its colour.
    pub fn status(self, status: &str) -> String {
        self.paint(Paint::of_status(status), status)
    }
}

impl Paint {
    pub fn of_status(status: &str) -> Paint {
        match status {
            "completed" => Paint::Good,
            "failed" => Paint::Bad,
            "cancelled" | "rolling_back" | "waiting_retry" => Paint::Warn,
            "running" => Paint::Busy,
            "pending" | "skipped" => Paint::Dim,
            _ => Paint::Plain,
        }
    }

    fn ansi(self) -> Ansi {
        match self {
            Paint::Plain => Ansi::new(),
            Paint::Bold => Ansi::new().bold(),
            Paint::Dim => Ansi::new().dimmed(),
            Paint::Good => AnsiColor::Green.on_default(),
            Paint::Bad => AnsiColor::Red.on_default(),
            Paint::Warn => AnsiColor::Yellow.on_default(),
            Paint::Busy => AnsiColor::Cyan.on_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_coloured_only_where_that_is_wanted() {
        assert_eq!(Style::PLAIN.status("failed"), "failed");
        assert_eq!(Style::new(true).status("failed"), "\u{1b}[31mfailed\u{1b}[0m");
        assert!(Style::is_wanted(None, None));
        assert!(Style::is_wanted(Some(OsStr::new("")), None), "an empty NO_COLOR counts as unset");
        assert!(!Style::is_wanted(Some(OsStr::new("1")), None));
        assert!(!Style::is_wanted(None, Some(OsStr::new("dumb"))));
    }
}
