//! One word per thing, and no notes to self.

/// Words that the glossary refuses, in the names of types and functions.
const REFUSED: &[&str] = &[
    "template",
    "instance",
    "invocation",
    "history",
    "signal",
    "alarm",
    "activity",
    "coordinate",
    "manager",
    "helper",
    "helpers",
    "util",
    "utils",
];

/// The only signals are those that tell running code to stop.
const SIGNAL_OF: &[&str] = &["cancel", "cancellation", "shutdown", "stop", "unix"];

/// Spelled in two parts so that this file may hold them.
const MARKS: &[&str] =
    &[concat!("FIX", "ME"), concat!("X", "XX"), concat!("todo", "!"), concat!("#[", "ignore")];

/// Not our spelling, in whatever word it stands.
const SPELLINGS: &[&str] = &[concat!("cance", "led"), concat!("Cance", "led")];

/// How the text came to be is no part of it. In lower case, spelled in two parts for the same reason.
const MENTIONS: &[&str] = &[
    concat!("clau", "de"),
    concat!("anth", "ropic"),
    concat!("chat", "gpt"),
    concat!("copi", "lot"),
    concat!("ai", "-generated"),
    concat!("ai ", "agent"),
    concat!("ai ", "assistant"),
    concat!("coding ", "agent"),
    concat!("sub", "agent"),
    concat!("language ", "model"),
    concat!("this ", "session"),
    concat!("previous ", "session"),
    concat!("session ", "notes"),
    concat!("the ", "prompt"),
    concat!("system ", "prompt"),
    concat!("user ", "prompt"),
];

/// Names of structs, enums, traits, types and functions that hold a refused word.
pub fn refused_names(path: &str, text: &str) -> Vec<String> {
    if !path.ends_with(".rs") {
        return Vec::new();
    }
    let mut problems = Vec::new();
    for (n, line) in (1..).zip(text.lines()) {
        for name in declared_names(line) {
            if let Some(word) = refused_word(name) {
                problems.push(format!("{path}:{n}: `{name}`: we do not say {word}"));
            }
        }
    }
    problems
}

/// Marks of unfinished work, tests that do not run, and the spelling that is not ours.
pub fn forbidden_marks(path: &str, text: &str) -> Vec<String> {
    let mut problems = find(path, text, MARKS, has_word);
    problems.extend(find(path, text, SPELLINGS, |line, spelling| line.contains(spelling)));
    problems
}

/// Mentions of how the text was made.
pub fn unwanted_mentions(path: &str, text: &str) -> Vec<String> {
    let mut problems = find(path, &text.to_lowercase(), MENTIONS, has_word);
    problems.extend(find(path, &path.to_lowercase(), MENTIONS, has_word));
    problems
}

fn find(
    path: &str,
    text: &str,
    patterns: &[&str],
    holds: impl Fn(&str, &str) -> bool,
) -> Vec<String> {
    let mut problems = Vec::new();
    for (n, line) in (1..).zip(text.lines()) {
        for pattern in patterns.iter().filter(|pattern| holds(line, pattern)) {
            problems.push(format!("{path}:{n}: `{pattern}` has no place here"));
        }
    }
    problems
}

/// Whether the line holds the pattern, not as a part of a longer word.
fn has_word(line: &str, pattern: &str) -> bool {
    let ends_in_word = pattern.ends_with(char::is_alphanumeric);
    line.match_indices(pattern).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + pattern.len()..]);
        let goes_on = ends_in_word && after.starts_with(char::is_alphanumeric);
        !before.ends_with(char::is_alphanumeric) && !goes_on
    })
}

/// Before any text in quotes, and any comment.
fn declared_names(line: &str) -> impl Iterator<Item = &str> {
    let words: Vec<&str> = line
        .split(['"', '/'])
        .next()
        .unwrap_or_default()
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let names: Vec<&str> = words
        .windows(2)
        .filter(|pair| matches!(pair[0], "struct" | "enum" | "trait" | "type" | "fn"))
        .map(|pair| pair[1])
        .collect();
    names.into_iter()
}

fn refused_word(name: &str) -> Option<&'static str> {
    let words = words_of(name);
    REFUSED.iter().copied().find(|refused| {
        let is_excused =
            *refused == "signal" && words.iter().any(|word| SIGNAL_OF.contains(&word.as_str()));
        words.iter().any(|word| word == refused) && !is_excused
    })
}

/// `RunState` and `run_state` are both `run`, `state`.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if c == '_' || c.is_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c != '_') {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_words_are_found_in_names_only() {
        let refused = |text| refused_names("a.rs", text).len();
        assert_eq!(refused("pub struct WorkflowInstance {"), 1);
        assert_eq!(refused("    async fn send_signal(&self) {"), 1);
        assert_eq!(refused("enum RunManager { A }"), 1);
        assert_eq!(refused("type Utils = u8;"), 1);
        assert_eq!(refused("trait History {}"), 1);
        assert_eq!(refused("pub struct CancelSignal;"), 0);
        assert_eq!(refused("// a struct Manager would be wrong"), 0);
        assert_eq!(refused("let instance = 1;"), 0);
        assert_eq!(refused("fn utility() {}"), 0);
    }

    #[test]
    fn marks_are_found() {
        for mark in MARKS {
            assert_eq!(forbidden_marks("a.rs", &format!("x\n  // {mark} y")).len(), 1, "{mark}");
        }
        for spelling in SPELLINGS {
            assert_eq!(forbidden_marks("a.ts", &format!("is{spelling}Error")).len(), 1);
        }
        assert_eq!(forbidden_marks("a.rs", "cancelled, PREFIXME-NOT, todos").len(), 0);
    }

    #[test]
    fn mentions_are_found_in_text_and_paths() {
        for mention in MENTIONS {
            assert_eq!(unwanted_mentions("a.md", &format!("By {mention}.")).len(), 1, "{mention}");
        }
        let name = format!("{}.md", concat!("CLAU", "DE"));
        assert_eq!(unwanted_mentions(&name, "").len(), 1);
        assert_eq!(unwanted_mentions("a.md", "a database session ends promptly").len(), 0);
    }
}
