//! Sources as the parser gets them.
//!
//! The crate that evaluates paths takes an index from the end of an array (`[-2]`) for no value where a
//! filter compares it or passes it on as a value. The slice `[-2:-1]` is the same item, `value(...)` makes a
//! value of it, and both are evaluated rightly: so `@.a[-2] == 1` becomes `value(@.a[-2:-1]) == 1`.

use super::scan::Mark;

/// A source with some texts put in. Offsets of errors in it lead back to the source.
pub(super) struct Rewritten {
    pub(super) text: String,
    /// For each byte of the text the byte of the source that it comes from.
    offsets: Vec<usize>,
}

impl Rewritten {
    /// `before` is what goes in front of all; `replace` says what stands for a mark, if not itself.
    pub(super) fn new(
        source: &str,
        marks: &[Mark],
        before: &str,
        replace: impl Fn(&Mark) -> Option<&'static str>,
    ) -> Rewritten {
        let mut rewritten = Rewritten { text: before.to_owned(), offsets: vec![0; before.len()] };
        let insertions = from_the_end(source, marks);
        let mut insertions = insertions.iter().peekable();
        let mut marks = marks.iter().peekable();
        for (at, c) in source.char_indices() {
            while let Some((_, text)) = insertions.next_if(|(position, _)| *position == at) {
                rewritten.push(text, at);
            }
            match marks.next_if(|mark| mark.at == at).and_then(&replace) {
                Some(other) => rewritten.push(other, at),
                None => rewritten.push(c.encode_utf8(&mut [0; 4]), at),
            }
        }
        insertions.for_each(|(at, text)| rewritten.push(text, *at));
        rewritten
    }

    pub(super) fn push(&mut self, text: &str, at: usize) {
        self.text.push_str(text);
        self.offsets.resize(self.text.len(), at);
    }

    pub(super) fn offset(&self, offset: usize) -> Option<usize> {
        self.offsets.get(offset).copied()
    }
}

/// What to put in, and where, for paths that stand for a value and count from the end of an array.
fn from_the_end(source: &str, marks: &[Mark]) -> Vec<(usize, String)> {
    let mut insertions = Vec::new();
    for (index, mark) in marks.iter().enumerate() {
        if !matches!(mark.what, '$' | '@') {
            continue;
        }
        let (next, slices) = walk_path(source, marks, index);
        let used_as =
            if slices.is_empty() { Use::Test } else { used_as(source, marks, index, next) };
        match used_as {
            Use::Test => {}
            Use::Nodes => insertions.extend(slices),
            Use::Value => {
                let last = marks[next - 1];
                insertions.push((mark.at, "value(".to_owned()));
                insertions.extend(slices);
                insertions.push((last.at + last.what.len_utf8(), ")".to_owned()));
            }
        }
    }
    insertions
}

/// What a path stands for.
enum Use {
    /// Whether there is a node: evaluated rightly as it is.
    Test,
    /// The nodes, for a function that takes them.
    Nodes,
    Value,
}

/// The mark after a path and, if it leads to one node at most, what makes slices of its indexes from the end.
fn walk_path(source: &str, marks: &[Mark], start: usize) -> (usize, Vec<(usize, String)>) {
    let (mut next, mut slices) = (start + 1, Vec::new());
    loop {
        let at = skip_blanks(marks, next);
        match marks.get(at).map(|mark| mark.what) {
            Some('.') => {
                let name = at + 1;
                let len = marks[name..].iter().take_while(|mark| is_name_char(mark.what)).count();
                if len == 0 {
                    return (name, Vec::new());
                }
                next = name + len;
            }
            Some('[') => {
                let open = marks[at];
                let Some(len) = marks[at..]
                    .iter()
                    .position(|mark| mark.what == ']' && mark.depth == open.depth)
                else {
                    return (at, Vec::new());
                };
                let close = at + len;
                match selector(source[open.at + 1..marks[close].at].trim()) {
                    Selector::Other => return (close + 1, Vec::new()),
                    Selector::NameOrIndex => {}
                    Selector::FromTheEnd(1) => slices.push((marks[close].at, ":".to_owned())),
                    Selector::FromTheEnd(n) => {
                        slices.push((marks[close].at, format!(":-{}", n - 1)))
                    }
                }
                next = close + 1;
            }
            _ => return (next, slices),
        }
    }
}

enum Selector {
    NameOrIndex,
    FromTheEnd(u64),
    /// May lead to several nodes, or is no selector.
    Other,
}

fn selector(text: &str) -> Selector {
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    match text.strip_prefix('-') {
        Some(digits) if is_number(digits) && !digits.starts_with('0') => {
            digits.parse().map_or(Selector::Other, Selector::FromTheEnd)
        }
        Some(_) => Selector::Other,
        None if is_number(text) => Selector::NameOrIndex,
        None => match text.chars().next() {
            // One text, and no second one behind a comma.
            Some(quote @ ('"' | '\'')) if text[1..].find(quote) == Some(text.len() - 2) => {
                Selector::NameOrIndex
            }
            _ => Selector::Other,
        },
    }
}

/// What the path between two marks stands for, by what is around it.
fn used_as(source: &str, marks: &[Mark], start: usize, next: usize) -> Use {
    let before = marks[..start].iter().rev().find(|mark| !mark.what.is_whitespace());
    let after = marks.get(skip_blanks(marks, next));
    if matches!(before.map(|mark| mark.what), Some('=' | '<' | '>'))
        || matches!(after.map(|mark| mark.what), Some('=' | '<' | '>' | '!'))
    {
        return Use::Value;
    }
    let depth = marks[start].depth;
    let around = marks[..start].iter().rev().find(|mark| mark.what == '(' && mark.depth == depth);
    let called = around.map_or("", |bracket| source[..bracket.at].trim_end());
    let is_call_of = |names: &[&str]| names.iter().any(|name| called.ends_with(name));
    if is_call_of(&["length", "match", "search"]) {
        Use::Value
    } else if is_call_of(&["count", "value"]) {
        Use::Nodes
    } else {
        Use::Test
    }
}

fn skip_blanks(marks: &[Mark], from: usize) -> usize {
    from + marks
        .get(from..)
        .unwrap_or_default()
        .iter()
        .take_while(|mark| mark.what.is_whitespace())
        .count()
}

fn is_name_char(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii()
}
