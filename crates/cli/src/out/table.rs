//! Aligned columns.

use unicode_width::UnicodeWidthStr;

use super::{Paint, Style, clean, pad, truncate};

/// A cell that is longer is cut, unless it is in the last column.
const CELL_COLUMNS_MAX: usize = 48;

/// Rows under a header, each column as wide as its widest cell.
pub struct Table<const N: usize> {
    header: [&'static str; N],
    rows: Vec<[(Paint, String); N]>,
}

impl<const N: usize> Table<N> {
    pub fn new(header: [&'static str; N]) -> Table<N> {
        Table { header, rows: Vec::new() }
    }

    pub fn row(&mut self, cells: [(Paint, String); N]) {
        self.rows.push(cells.map(|(paint, text)| (paint, clean(&text))));
    }

    pub fn render(&self, style: Style) -> String {
        let mut widths = self.header.map(UnicodeWidthStr::width);
        for row in &self.rows {
            for (width, (_, text)) in widths.iter_mut().zip(row) {
                *width = text.width().min(CELL_COLUMNS_MAX).max(*width);
            }
        }
        let header = self.header.map(|name| (Paint::Dim, name.to_owned()));
        let mut text = String::new();
        for row in std::iter::once(&header).chain(&self.rows) {
            text.push_str(&line(row, &widths, style));
            text.push('\n');
        }
        text
    }
}

fn line<const N: usize>(row: &[(Paint, String); N], widths: &[usize; N], style: Style) -> String {
    let mut line = String::new();
    let n_used = row.iter().rposition(|(_, text)| !text.is_empty()).map_or(0, |last| last + 1);
    for (at, ((paint, text), width)) in row.iter().zip(widths).take(n_used).enumerate() {
        if at > 0 {
            line.push_str("  ");
        }
        let is_last = at + 1 == N;
        let text = if is_last { text.clone() } else { truncate(text, CELL_COLUMNS_MAX) };
        let padding = if at + 1 == n_used {
            String::new()
        } else {
            pad("", width.saturating_sub(text.width()))
        };
        line.push_str(&style.paint(*paint, &text));
        line.push_str(&padding);
    }
    line
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_spaces_at_their_ends() {
        let mut table = Table::new(["NAME", "STATUS", "ABOUT"]);
        let plain = |text: &str| (Paint::Plain, text.to_owned());
        table.row([plain("a"), plain("completed"), plain("one\nline")]);
        table.row([plain("a longer name"), plain(""), plain("")]);
        expect![[r"
            NAME           STATUS     ABOUT
            a              completed  one\nline
            a longer name
        "]]
        .assert_eq(&table.render(Style::PLAIN));
    }
}
