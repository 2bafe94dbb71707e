//! Keys and values, one a line.

use super::{Paint, Style, clean, pad};

/// A few facts about one thing, with the names in one column.
#[derive(Default)]
pub struct Document {
    lines: Vec<(&'static str, String)>,
}

impl Document {
    /// Text that is ours, or cleaned already.
    pub fn line(&mut self, name: &'static str, text: impl Into<String>) {
        self.lines.push((name, text.into()));
    }

    /// Text from elsewhere; nothing if there is none.
    pub fn text(&mut self, name: &'static str, text: Option<&str>) {
        if let Some(text) = text {
            self.line(name, clean(text));
        }
    }

    pub fn render(&self, style: Style) -> String {
        let width = self.lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (name, value) in &self.lines {
            text.push_str(&style.paint(Paint::Dim, &pad(name, width)));
            text.push_str(&format!("  {value}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_in_one_column() {
        let mut document = Document::default();
        document.line("run", "7");
        document.text("workflow", Some("a\tb"));
        document.text("parent", None);
        assert_eq!(document.render(Style::PLAIN), "run       7\nworkflow  a\\tb\n");
    }
}
