//! From the code that runs back to the source that its author wrote.

use swc_sourcemap::SourceMap;

/// Maps places in running code, as QuickJS counts them, to the author's: from 1, in characters.
pub(super) struct PositionMap {
    /// Lines that were put before the author's first.
    pub(super) n_lines_before: u32,
    pub(super) text: MappedText,
}

pub(super) enum MappedText {
    /// Every byte stands where its author wrote it.
    Same(String),
    /// The code was rewritten. Source maps count columns in UTF-16 units.
    Rewritten { map: Box<SourceMap>, code: String, source: String },
}

impl PositionMap {
    pub(super) fn same(code: &str) -> PositionMap {
        PositionMap { n_lines_before: 0, text: MappedText::Same(code.to_owned()) }
    }

    /// `None` if the map is none.
    pub(super) fn rewritten(map_json: &str, code: &str, source: &str) -> Option<PositionMap> {
        let map = Box::new(SourceMap::from_slice(map_json.as_bytes()).ok()?);
        let (code, source) = (code.to_owned(), source.to_owned());
        Some(PositionMap { n_lines_before: 0, text: MappedText::Rewritten { map, code, source } })
    }

    /// Of a line and column in a stack.
    pub(super) fn to_source(&self, line: u32, column: u32) -> (u32, u32) {
        // QuickJS counts bytes, in the first line from 0, in others from 1.
        let n_bytes_before = if line <= 1 { column } else { column.saturating_sub(1) };
        self.of_bytes(line, n_bytes_before)
    }

    /// Of a line and column in a syntax error.
    pub(super) fn of_syntax_error(&self, line: u32, column: u32) -> (u32, u32) {
        self.of_bytes(line, column.saturating_sub(1))
    }

    fn of_bytes(&self, line: u32, n_bytes_before: u32) -> (u32, u32) {
        let line0 = line.saturating_sub(1);
        let (line0, column0) = match &self.text {
            MappedText::Same(text) => (line0, chars_of_bytes(line_of(text, line0), n_bytes_before)),
            MappedText::Rewritten { map, code, source } => {
                let n_units = units_of_bytes(line_of(code, line0), n_bytes_before);
                match map.lookup_token(line0, n_units) {
                    Some(token) if token.get_dst_line() == line0 => {
                        let (line0, n_units) = token.get_src();
                        (line0, chars_of_units(line_of(source, line0), n_units))
                    }
                    _ => (line0, n_bytes_before),
                }
            }
        };
        ((line0 + 1).saturating_sub(self.n_lines_before).max(1), column0 + 1)
    }
}

fn line_of(text: &str, line0: u32) -> &str {
    text.split('\n').nth(line0 as usize).unwrap_or_default()
}

/// The characters that begin within the first bytes of a line.
fn begun_within(line: &str, n_bytes: u32) -> impl Iterator<Item = char> {
    line.char_indices().take_while(move |(at, _)| *at < n_bytes as usize).map(|(_, c)| c)
}

fn chars_of_bytes(line: &str, n_bytes: u32) -> u32 {
    begun_within(line, n_bytes).count() as u32
}

fn units_of_bytes(line: &str, n_bytes: u32) -> u32 {
    begun_within(line, n_bytes).map(|c| c.len_utf16() as u32).sum()
}

fn chars_of_units(line: &str, n_units: u32) -> u32 {
    let mut units_seen = 0;
    let before = line.chars().take_while(|c| {
        let is_before = units_seen < n_units;
        units_seen += c.len_utf16() as u32;
        is_before
    });
    before.count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_units_and_characters_are_translated() {
        let line = "a😀b";
        assert_eq!(units_of_bytes(line, 5), 3);
        assert_eq!(chars_of_bytes(line, 5), 2);
        assert_eq!(chars_of_bytes(line, 99), 3);
        assert_eq!(chars_of_units(line, 3), 2);
        assert_eq!(chars_of_units(line, 0), 0);
        assert_eq!(chars_of_units(line, 99), 3);
    }
}
