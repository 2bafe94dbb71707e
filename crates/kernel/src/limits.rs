//! Bounds on what one run may use.

/// Every bound has a number and a name; exceeding one is a failure that says both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The largest input, output, step result, loop state or message body, in bytes of JSON.
    pub value_bytes_max: usize,
    /// The most events that a journal may hold at one time.
    pub journal_events_max: u64,
    /// The most branches of one join or race.
    pub branches_max: usize,
    /// The most messages that may wait in a run's mailbox; later ones are refused by the engine.
    pub mailbox_messages_max: usize,
    /// The longest text of an error, description or log line, in bytes; longer ones are cut.
    pub text_bytes_max: usize,
    /// The most log lines that a run may write while it is in memory; later ones are dropped.
    pub log_lines_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            value_bytes_max: 4 * 1024 * 1024,
            journal_events_max: 1_000_000,
            branches_max: 100_000,
            mailbox_messages_max: 10_000,
            text_bytes_max: 16 * 1024,
            log_lines_max: 10_000,
        }
    }
}

/// Cuts a text to at most `bytes_max` bytes, at a character's edge, and says so.
pub(crate) fn cut(text: String, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text;
    }
    let said = format!("… (cut, {} bytes)", text.len());
    // With what is said the text is within the limit, so that nobody cuts it again.
    let mut end = bytes_max.saturating_sub(said.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{said}", &text[..end])
}
