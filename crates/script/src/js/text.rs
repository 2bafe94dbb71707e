//! Lines, columns, and the piece of source that an error shows.

use crate::{Position, ScriptError};

/// Lines shown above the one with the error.
const FRAME_LINES_BEFORE: u32 = 2;

/// A longer line is cut around the column.
const FRAME_COLUMNS: usize = 100;

/// The line and column, from 1 and in characters, of a byte offset. Past the end it is the end's.
pub(super) fn line_column(text: &str, offset: usize) -> (u32, u32) {
    let before = &text[..floor_char_boundary(text, offset)];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let column = 1 + before[line_start..].chars().count();
    (to_u32(line), to_u32(column))
}

pub(super) fn position(file: &str, text: &str, offset: usize) -> Position {
    let (line, column) = line_column(text, offset);
    Position { file: file.to_owned(), line, column }
}

/// The lines up to the position's, numbered, with a caret under the column.
pub(crate) fn frame(text: &str, line: u32, column: u32) -> Option<Box<str>> {
    let first = line.saturating_sub(FRAME_LINES_BEFORE).max(1);
    let shown: Vec<(u32, &str)> = (first..=line)
        .zip(text.lines().skip(first as usize - 1))
        .map(|(number, text)| (number, text.trim_end()))
        .collect();
    if shown.last()?.0 != line {
        return None;
    }
    let width = line.to_string().len();
    // All lines are cut alike, or the caret would stand under another's column.
    let cut = (column as usize).saturating_sub(FRAME_COLUMNS * 3 / 4);
    let mut frame = String::new();
    for (number, text) in shown {
        let text: String = text.chars().skip(cut).take(FRAME_COLUMNS).collect();
        frame.push_str(format!("{number:width$} | {text}").trim_end());
        frame.push('\n');
    }
    let n_spaces = (column as usize).saturating_sub(1 + cut);
    frame.push_str(&format!("{:width$} | {:n_spaces$}^", "", ""));
    Some(frame.into())
}

/// The error with its position and frame in `text`.
pub(super) fn at_offset(
    mut error: ScriptError,
    file: &str,
    text: &str,
    offset: usize,
) -> ScriptError {
    let position = position(file, text, offset);
    error.frame = frame(text, position.line, position.column);
    error.position = Some(position);
    error
}

/// Cuts a text that has more bytes than this, and says so with dots.
pub(super) fn truncate(text: &mut String, bytes_max: usize) {
    if text.len() > bytes_max {
        text.truncate(floor_char_boundary(text, bytes_max));
        text.push_str("...");
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Sources are bounded far below 4 billion lines or columns.
fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let text = "aä😀b\nzwei";
        assert_eq!(line_column(text, 0), (1, 1));
        assert_eq!(line_column(text, text.find('b').unwrap()), (1, 4));
        assert_eq!(line_column(text, text.find('z').unwrap()), (2, 1));
        assert_eq!(line_column(text, 2), (1, 2), "in the midst of a character is at it");
        assert_eq!(line_column(text, 1000), (2, 5));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let cut = |text: &str, n| {
            let mut text = text.to_owned();
            truncate(&mut text, n);
            text
        };
        assert_eq!(cut("aä", 3), "aä");
        assert_eq!(cut("aäb", 3), "aä...");
        assert_eq!(cut("aäb", 2), "a...");
    }

    #[test]
    fn a_frame_shows_the_lines_before_and_a_caret() {
        let text = "one\ntwo\nthree\nfour\n";
        let expected = "2 | two\n3 | three\n4 | four\n  |   ^";
        assert_eq!(frame(text, 4, 3).as_deref(), Some(expected));
        assert_eq!(frame(text, 1, 1).as_deref(), Some("1 | one\n  | ^"));
        assert_eq!(frame(text, 9, 1), None);
    }

    #[test]
    fn a_long_line_is_cut_around_the_caret() {
        let text = format!("{}X{}", "a".repeat(5000), "b".repeat(5000));
        let frame = frame(&text, 1, 5001).unwrap();
        let (line, caret) = frame.split_once('\n').unwrap();
        assert!(line.len() < 120);
        assert_eq!(line.find('X'), caret.find('^'));
    }
}
