//! Words, widths and times as people read them.

use stepwell::UnixMillis;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text from elsewhere, fit for a terminal: none of it can move the cursor or pose as a line of its own.
pub fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() { cleaned.extend(c.escape_default()) } else { cleaned.push(c) }
    }
    cleaned
}

/// With spaces after it, up to this many columns.
pub fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(text.width());
    format!("{text}{}", " ".repeat(missing))
}

/// Cut to this many columns, with `…` where something is missing.
pub fn truncate(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        cut.push(c);
    }
    cut.push('…');
    cut
}

/// Cleaned, and cut to this many columns.
pub fn short(text: &str, columns: usize) -> String {
    truncate(&clean(text), columns)
}

/// `3s`, `12m`, `5h`, `40d`: the largest unit alone, for tables.
fn rough(ms: u64) -> String {
    match ms / 1_000 {
        secs @ 0..60 => format!("{secs}s"),
        secs @ 60..3_600 => format!("{}m", secs / 60),
        secs @ 3_600..172_800 => format!("{}h", secs / 3_600),
        secs => format!("{}d", secs / 86_400),
    }
}

/// A moment as seen from now: `3m ago`, `in 2h`, `now`.
pub fn ago(at: UnixMillis, now: UnixMillis) -> String {
    match (now.0.saturating_sub(at.0), at.0.saturating_sub(now.0)) {
        (0..1_000, 0..1_000) => "now".to_owned(),
        (past, 0) => format!("{} ago", rough(past)),
        (_, ahead) => format!("in {}", rough(ahead)),
    }
}

/// How long until then, for countdowns: `in 2s`; `now` once it has come.
pub fn in_time(at: UnixMillis, now: UnixMillis) -> String {
    match at.0.saturating_sub(now.0) {
        0 => "now".to_owned(),
        // Rounded up: a countdown that says 0s has not come to its end.
        ms => format!("in {}", span_of(ms.div_ceil(1_000) * 1_000)),
    }
}

/// How long something took: `152ms`, `2.4s`, `3m05s`, `2h10m`, `3d04h`.
pub fn span_of(ms: u64) -> String {
    let secs = ms / 1_000;
    match ms {
        0..1_000 => format!("{ms}ms"),
        1_000..10_000 if !ms.is_multiple_of(1_000) => format!("{secs}.{}s", ms % 1_000 / 100),
        1_000..60_000 => format!("{secs}s"),
        60_000..3_600_000 => format!("{}m{:02}s", secs / 60, secs % 60),
        3_600_000..86_400_000 => format!("{}h{:02}m", secs / 3_600, secs / 60 % 60),
        _ => format!("{}d{:02}h", secs / 86_400, secs / 3_600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_from_now() {
        let now = UnixMillis(1_000_000_000);
        let at = |ms: i64| UnixMillis((1_000_000_000 + ms).try_into().unwrap());
        for (ms, text) in [
            (0, "now"),
            (-999, "now"),
            (-3_000, "3s ago"),
            (-150_000, "2m ago"),
            (-7_300_000, "2h ago"),
            (-400_000_000, "4d ago"),
            (90_000, "in 1m"),
        ] {
            assert_eq!(ago(at(ms), now), text);
        }
        assert_eq!(in_time(at(1), now), "in 1s");
        assert_eq!(in_time(at(2_000), now), "in 2s");
        assert_eq!(in_time(at(-1), now), "now");
    }

    #[test]
    fn spans_have_two_units_at_most() {
        for (ms, text) in [
            (0, "0ms"),
            (152, "152ms"),
            (2_450, "2.4s"),
            (3_000, "3s"),
            (59_999, "59s"),
            (185_000, "3m05s"),
            (7_800_000, "2h10m"),
            (273_600_000, "3d04h"),
        ] {
            assert_eq!(span_of(ms), text);
        }
    }

    #[test]
    fn text_from_elsewhere_cannot_steer_the_terminal() {
        assert_eq!(clean("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(short("x\u{7}", 80), "x\\u{7}");
    }

    #[test]
    fn cuts_and_pads_count_columns() {
        assert_eq!(truncate("abcdef", 4), "abc…");
        assert_eq!(truncate("abcd", 4), "abcd");
        assert_eq!(truncate("漢字漢字", 5), "漢字…");
        assert_eq!(pad("漢字", 6), "漢字  ");
    }
}
