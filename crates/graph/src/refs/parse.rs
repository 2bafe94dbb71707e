//! From text to refs.

use std::fmt;

use super::{Key, Part, Ref, Span, is_identifier, is_word};
use crate::limits::REF_PARTS_MAX;

/// A text taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    pub pieces: Vec<Piece>,
    /// What began as a ref and went wrong. The pieces hold it as text.
    pub errors: Vec<SyntaxError>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// As it is meant: `@@` is one `@` here.
    Text(String),
    Ref(Ref),
}

/// What is wrong in a ref, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    pub span: Span,
    pub message: String,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Takes a text apart. `is_root` says which roots are known; `@` before anything else is text.
pub fn parse(text: &str, is_root: &dyn Fn(&str) -> bool) -> Parsed {
    let mut parsed = Parsed::default();
    let mut literal = String::new();
    let mut at = 0;
    while let Some(here) = find_at(text, at) {
        literal.push_str(&text[at..here]);
        at = here + 1;
        if text[at..].starts_with('@') {
            literal.push('@');
            at += 1;
            continue;
        }
        match root_at(text, here).filter(|root| is_root(root)) {
            None => literal.push('@'),
            Some(root) => {
                let (found, error) = ref_at(text, here, root);
                at = found.span.end;
                if !literal.is_empty() {
                    parsed.pieces.push(Piece::Text(std::mem::take(&mut literal)));
                }
                parsed.pieces.push(Piece::Ref(found));
                parsed.errors.extend(error);
            }
        }
    }
    literal.push_str(&text[at..]);
    if !literal.is_empty() {
        parsed.pieces.push(Piece::Text(literal));
    }
    parsed
}

impl Parsed {
    /// The ref, if the text is one ref and nothing else.
    pub fn only_ref(&self) -> Option<&Ref> {
        match self.pieces.as_slice() {
            [Piece::Ref(only)] if self.errors.is_empty() => Some(only),
            _ => None,
        }
    }

    pub fn refs(&self) -> impl Iterator<Item = &Ref> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Ref(found) => Some(found),
            Piece::Text(_) => None,
        })
    }
}

/// The root, if the whole text would be one ref were its root known.
pub fn looks_like_ref(text: &str) -> Option<String> {
    Some(parse(text, &|_| true).only_ref()?.root.clone())
}

/// The number, if the digits are one as people write it.
pub(super) fn index_of(digits: &str) -> Option<usize> {
    let is_plain = digits == "0" || !digits.starts_with('0');
    if !is_plain || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn find_at(text: &str, from: usize) -> Option<usize> {
    text[from..].find('@').map(|place| from + place)
}

/// The root after the `@` at `here`, if the `@` begins a word.
pub(super) fn root_at(text: &str, here: usize) -> Option<&str> {
    let begins_word = here == 0 || !is_word(text.as_bytes()[here - 1]);
    let root = &text[here + 1..word_end(text, here + 1)];
    (begins_word && is_identifier(root)).then_some(root)
}

pub(super) fn word_end(text: &str, start: usize) -> usize {
    let rest = &text.as_bytes()[start..];
    start + rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
}

/// The ref at `here`, as far as it goes, and what is wrong with what follows it.
fn ref_at(text: &str, here: usize, root: &str) -> (Ref, Option<SyntaxError>) {
    let mut found = Ref {
        root: root.to_owned(),
        path: Vec::new(),
        optional: false,
        span: Span { start: here, end: here + 1 + root.len() },
    };
    loop {
        let at = found.span.end;
        match part_at(text, at) {
            Ok(None) => break,
            Ok(Some(_)) if found.path.len() == REF_PARTS_MAX => {
                let message = format!(
                    "the ref has more parts than the limit REF_PARTS_MAX of {REF_PARTS_MAX}"
                );
                return (found, Some(SyntaxError { span: Span { start: here, end: at }, message }));
            }
            Ok(Some(part)) => {
                found.span.end = part.span.end;
                found.path.push(part);
            }
            Err(error) => return (found, Some(error)),
        }
    }
    if text[found.span.end..].starts_with('?') {
        found.optional = true;
        found.span.end += 1;
    }
    (found, None)
}

/// The part of a path that begins at `at`; none if the ref ends there.
pub(super) fn part_at(text: &str, at: usize) -> Result<Option<Part>, SyntaxError> {
    let rest = &text[at..];
    if rest.starts_with('.') {
        let end = word_end(text, at + 1);
        let word = &text[at + 1..end];
        if word.is_empty() {
            // The full stop of a sentence.
            return Ok(None);
        }
        let key = index_of(word).map_or_else(|| Key::Name(word.to_owned()), Key::Index);
        return Ok(Some(Part { key, span: Span { start: at, end } }));
    }
    if !rest.starts_with('[') {
        return Ok(None);
    }
    let error = |end: usize, message: &str| SyntaxError {
        span: Span { start: at, end },
        message: message.to_owned(),
    };
    let (key, end) = if rest[1..].starts_with('"') {
        match string_at(text, at + 1) {
            Some((key, end)) => (Key::Name(key), end),
            None => {
                let problem = "the key in quotes has no end, or is no JSON string";
                return Err(error(text.len(), problem));
            }
        }
    } else {
        let end = word_end(text, at + 1);
        match index_of(&text[at + 1..end]) {
            Some(index) => (Key::Index(index), end),
            None => {
                let problem = "`[` after a ref must be followed by a number, as in `[0]`, or by a key in \
                               double quotes, as in `[\"a key\"]`; to write a bracket as text, put \
                               something between it and the ref";
                return Err(error(close_of(text, at), problem));
            }
        }
    };
    if !text[end..].starts_with(']') {
        return Err(error(close_of(text, at), "the `[` after a ref is not closed by `]`"));
    }
    Ok(Some(Part { key, span: Span { start: at, end: end + 1 } }))
}

/// Up to and with the next `]`, or to the end: what an editor underlines.
fn close_of(text: &str, at: usize) -> usize {
    text[at..].find(']').map_or(text.len(), |place| at + place + 1)
}

/// The JSON string that begins with the quote at `at`, and where it ends.
fn string_at(text: &str, at: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut end = at + 1;
    loop {
        match bytes.get(end)? {
            b'"' => break,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    let key = serde_json::from_str(text.get(at..=end)?).ok()?;
    Some((key, end + 1))
}
