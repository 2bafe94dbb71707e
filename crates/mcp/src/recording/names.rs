//! Names of recorded steps: the tool's, and a number.

use std::collections::BTreeSet;

use stepwell_graph::limits::STEP_NAME_BYTES_MAX;

/// How many bytes of a step's name come from its tool; the rest is for the number.
const STEM_BYTES_MAX: usize = STEP_NAME_BYTES_MAX - 8;

/// `GET_USER` becomes `get_user_1`, then `get_user_2`.
pub(super) fn step_name(tool: &str, taken: &BTreeSet<String>) -> String {
    let stem = stem(tool);
    let mut n = 1;
    loop {
        let name = format!("{stem}_{n}");
        if !taken.contains(&name) {
            return name;
        }
        n += 1;
    }
}

/// The tool's name as an identifier.
fn stem(tool: &str) -> String {
    let mut stem = String::new();
    for c in tool.chars() {
        let c = if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        if stem.len() < STEM_BYTES_MAX && !(c == '_' && stem.ends_with('_')) {
            stem.push(c);
        }
    }
    let stem = stem.trim_matches('_');
    match stem.as_bytes().first() {
        None => "step".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("step_{stem}"),
        Some(_) => stem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_never_given_twice() {
        let none = BTreeSet::new();
        let mut taken = BTreeSet::from(["get_user_1".to_owned(), "get_user_3".to_owned()]);
        assert_eq!(step_name("GET_USER", &taken), "get_user_2");
        taken.insert("get_user_2".to_owned());
        assert_eq!(step_name("GET_USER", &taken), "get_user_4");
        assert_eq!(step_name("read-file.v2", &none), "read_file_v2_1");
        assert_eq!(step_name("2fa", &none), "step_2fa_1");
        assert_eq!(step_name("読む", &none), "step_1");
        assert!(step_name(&"x".repeat(200), &none).len() <= STEP_NAME_BYTES_MAX);
    }
}
