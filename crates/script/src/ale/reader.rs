//! From text to forms, with the place of each.
//!
//! The reader keeps its open brackets on a stack of its own and refuses to nest deeper than
//! [`DEPTH_MAX`], so that whoever walks a form may recurse.

use std::sync::Arc;

use super::number::Number;
use crate::{ErrorKind, ScriptError};

/// How deep brackets and quotes may nest.
pub(super) const DEPTH_MAX: usize = 200;

/// A place in the source. Both begin at 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) kind: FormKind,
    pub(super) at: Place,
}

#[derive(Debug, Clone)]
pub(super) enum FormKind {
    Bool(bool),
    Number(Number),
    Text(Arc<str>),
    Keyword(Arc<str>),
    Symbol(Arc<str>),
    /// A name of the language itself, whatever the script calls by that name. No text reads as this;
    /// forms that stand for other forms are written with it.
    Core(&'static str),
    List(Forms),
    /// `(a b . c)`
    Dotted(Forms, Arc<Form>),
    Vector(Forms),
    /// Keys and values in turn.
    Map(Forms),
    Set(Forms),
}

/// Shared, because forms that stand for others are made of their parts.
pub(super) type Forms = Arc<[Form]>;

type Result<T> = std::result::Result<T, ScriptError>;

/// All forms of a source.
pub(super) fn read(source: &str) -> Result<Vec<Form>> {
    let mut reader = Reader { rest: source, at: Place { line: 1, column: 1 }, open: Vec::new() };
    let mut forms = Vec::new();
    while let Some(form) = reader.next_form()? {
        forms.push(form);
    }
    Ok(forms)
}

/// Whether `:name` and `name` read back as that name.
pub(super) fn is_readable_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_name_char)
}

/// Whether a text reads as a symbol, so that something can have it as its name.
pub(super) fn is_symbol(text: &str) -> bool {
    is_readable_name(text)
        && text != "."
        && !text.starts_with(['#', ':', ';', '\'', '`', ',', '@'])
        && !looks_numeric(text)
        && Number::parse(text).is_none()
}

struct Reader<'s> {
    rest: &'s str,
    at: Place,
    open: Vec<Open>,
}

/// Something that is not finished yet.
struct Open {
    bracket: Bracket,
    at: Place,
    items: Vec<Form>,
    /// After how many items a dot was met.
    dot: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bracket {
    List,
    Vector,
    Map,
    Set,
    Quote,
}

impl Bracket {
    fn name(self) -> &'static str {
        match self {
            Bracket::List => "list",
            Bracket::Vector => "vector",
            Bracket::Map => "object",
            Bracket::Set => "set",
            Bracket::Quote => "quote",
        }
    }

    fn closing(self) -> Option<char> {
        match self {
            Bracket::List => Some(')'),
            Bracket::Vector => Some(']'),
            Bracket::Map | Bracket::Set => Some('}'),
            Bracket::Quote => None,
        }
    }
}

impl Reader<'_> {
    /// The next complete form, or nothing at the end of the source.
    fn next_form(&mut self) -> Result<Option<Form>> {
        loop {
            self.skip_ignored()?;
            let at = self.at;
            let Some(c) = self.peek() else {
                return match self.open.last() {
                    None => Ok(None),
                    Some(open) => Err(unfinished(open)),
                };
            };
            let finished = match c {
                '(' => self.begin(Bracket::List, 1)?,
                '[' => self.begin(Bracket::Vector, 1)?,
                '{' => self.begin(Bracket::Map, 1)?,
                '\'' => self.begin(Bracket::Quote, 1)?,
                '#' if self.rest.starts_with("#{") => self.begin(Bracket::Set, 2)?,
                ')' | ']' | '}' => Some(self.end(c)?),
                '"' => Some(Form { kind: self.text()?, at }),
                _ => self.word()?.map(|kind| Form { kind, at }),
            };
            if let Some(form) = finished.and_then(|form| self.place(form)) {
                return Ok(Some(form));
            }
        }
    }

    /// Puts a form where it belongs. Gives it back if it belongs nowhere: then it is one of the source's own.
    fn place(&mut self, form: Form) -> Option<Form> {
        let mut form = form;
        loop {
            match self.open.last_mut() {
                None => return Some(form),
                Some(open) if open.bracket == Bracket::Quote => {
                    let at = open.at;
                    self.open.pop();
                    let quote = Form { kind: FormKind::Core("quote"), at };
                    form = Form { kind: FormKind::List([quote, form].into()), at };
                }
                Some(open) => {
                    open.items.push(form);
                    return None;
                }
            }
        }
    }

    fn begin(&mut self, bracket: Bracket, chars: usize) -> Result<Option<Form>> {
        if self.open.len() >= DEPTH_MAX {
            return Err(error_at(self.at, format!("nested more than {DEPTH_MAX} levels deep")));
        }
        self.open.push(Open { bracket, at: self.at, items: Vec::new(), dot: None });
        for _ in 0..chars {
            self.bump();
        }
        Ok(None)
    }

    fn end(&mut self, c: char) -> Result<Form> {
        let at = self.at;
        self.bump();
        match self.open.pop() {
            Some(open) if open.bracket.closing() == Some(c) => finish(open, at),
            Some(open) if open.bracket == Bracket::Quote => {
                Err(error_at(open.at, "nothing follows the quote"))
            }
            Some(open) => Err(error_at(
                at,
                format!(
                    "`{c}` does not close the {} that begins at {}:{}",
                    open.bracket.name(),
                    open.at.line,
                    open.at.column
                ),
            )),
            None => Err(error_at(at, format!("`{c}` closes nothing"))),
        }
    }

    /// A number, name, keyword or boolean. A dot is noted and gives nothing.
    fn word(&mut self) -> Result<Option<FormKind>> {
        let at = self.at;
        let len = self.rest.find(|c| !is_name_char(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..len];
        match word.chars().next() {
            Some('`' | ',') => {
                return Err(error_at(
                    at,
                    "macros are not part of this Ale: no backquote, no unquote",
                ));
            }
            Some('@') => return Err(error_at(at, "unexpected `@`")),
            _ => {}
        }
        let kind = match word {
            "." => {
                self.bump();
                return self.dot(at).map(|()| None);
            }
            "#t" => FormKind::Bool(true),
            "#f" => FormKind::Bool(false),
            _ if word.starts_with('#') => {
                return Err(error_at(at, format!("`{word}` is not a literal")));
            }
            ":" => FormKind::Symbol(word.into()),
            _ => match (word.strip_prefix(':'), Number::parse(word)) {
                (Some(name), _) => FormKind::Keyword(name.into()),
                (None, Some(number)) => FormKind::Number(number),
                (None, None) if looks_numeric(word) => {
                    return Err(error_at(at, format!("`{word}` is not a number")));
                }
                (None, None) => FormKind::Symbol(word.into()),
            },
        };
        for _ in 0..word.chars().count() {
            self.bump();
        }
        Ok(Some(kind))
    }

    fn dot(&mut self, at: Place) -> Result<()> {
        match self.open.last_mut() {
            Some(Open { bracket: Bracket::List, items, dot, .. })
                if dot.is_none() && !items.is_empty() =>
            {
                *dot = Some(items.len());
                Ok(())
            }
            _ => Err(error_at(at, "a dot stands only before the last item of a list")),
        }
    }

    fn text(&mut self) -> Result<FormKind> {
        let at = self.at;
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                None => return Err(error_at(at, "the text has no closing quote")),
                Some('"') => return Ok(FormKind::Text(text.into())),
                Some('\\') => match self.bump() {
                    None => return Err(error_at(at, "the text has no closing quote")),
                    Some('n') => text.push('\n'),
                    Some('r') => text.push('\r'),
                    Some('t') => text.push('\t'),
                    Some('s') => text.push(' '),
                    Some('b') => text.push('\u{8}'),
                    Some('f') => text.push('\u{c}'),
                    Some(other) => text.push(other),
                },
                Some(other) => text.push(other),
            }
        }
    }

    fn skip_ignored(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(c) if c.is_whitespace() => {
                    self.bump();
                }
                Some(';') => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.bump();
                    }
                }
                Some('#') if self.rest.starts_with("#|") => self.skip_block_comment()?,
                Some('|') if self.rest.starts_with("|#") => {
                    return Err(error_at(self.at, "`|#` ends no comment"));
                }
                _ => return Ok(()),
            }
        }
    }

    fn skip_block_comment(&mut self) -> Result<()> {
        let at = self.at;
        let mut depth = 0usize;
        loop {
            if self.rest.starts_with("#|") {
                depth += 1;
                self.bump();
            } else if self.rest.starts_with("|#") {
                depth -= 1;
                self.bump();
            }
            if self.bump().is_none() {
                return Err(error_at(at, "the comment has no end"));
            }
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.at = Place { line: self.at.line + 1, column: 1 };
        } else {
            self.at.column += 1;
        }
        Some(c)
    }
}

fn finish(open: Open, end: Place) -> Result<Form> {
    let Open { bracket, at, mut items, dot } = open;
    let kind = match bracket {
        Bracket::List => match dot {
            None => FormKind::List(items.into()),
            Some(dot) if dot + 1 == items.len() => match items.pop() {
                // `(a . (b c))` is `(a b c)`.
                Some(Form { kind: FormKind::List(rest), .. }) => {
                    items.extend(rest.iter().cloned());
                    FormKind::List(items.into())
                }
                Some(Form { kind: FormKind::Dotted(rest, last), .. }) => {
                    items.extend(rest.iter().cloned());
                    FormKind::Dotted(items.into(), last)
                }
                Some(last) => FormKind::Dotted(items.into(), last.into()),
                None => FormKind::List(items.into()),
            },
            Some(_) => return Err(error_at(end, "exactly one item follows the dot of a list")),
        },
        Bracket::Vector => FormKind::Vector(items.into()),
        Bracket::Map if items.len() % 2 == 1 => {
            return Err(error_at(
                at,
                "an object has an even number of items: keys and their values",
            ));
        }
        Bracket::Map => FormKind::Map(items.into()),
        Bracket::Set => FormKind::Set(items.into()),
        Bracket::Quote => return Err(error_at(at, "nothing follows the quote")),
    };
    Ok(Form { kind, at })
}

fn unfinished(open: &Open) -> ScriptError {
    match open.bracket {
        Bracket::Quote => error_at(open.at, "nothing follows the quote"),
        bracket => error_at(open.at, format!("the {} is not closed", bracket.name())),
    }
}

pub(super) fn error_at(at: Place, message: impl Into<String>) -> ScriptError {
    ScriptError::new(ErrorKind::Compile, message).at(super::FILE, at.line, at.column)
}

fn is_name_char(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '"')
}

/// Whether a word can only be meant as a number.
fn looks_numeric(word: &str) -> bool {
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let digits = unsigned.strip_prefix('.').unwrap_or(unsigned);
    digits.starts_with(|c: char| c.is_ascii_digit())
}
