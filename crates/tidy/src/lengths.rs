//! A file fits a sitting, a function fits a screen. Exceptions are listed, and their numbers only fall.

use std::collections::BTreeMap;

const FILE_LINES_MAX: usize = 400;
const FN_LINES_MAX: usize = 70;

/// How much shorter than listed something may be before the table must follow.
const SLACK_LINES: usize = 20;

/// What is too long: a file's path, or a path and a function, with its lines.
pub type Long = BTreeMap<String, usize>;

/// What is too long in one file of Rust, tests not counted.
pub fn too_long(path: &str, text: &str) -> Long {
    let mut long = Long::new();
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    if !path.ends_with(".rs") || is_test {
        return long;
    }
    let lines: Vec<&str> = without_tests(text);
    if lines.len() > FILE_LINES_MAX {
        long.insert(path.to_owned(), lines.len());
    }
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        // rustfmt puts the closing brace where the function's first line begins.
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = lines[start..].iter().position(|line| {
            line.strip_prefix(indent)
                .is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with(' '))
        });
        let n_lines = end.map_or(0, |end| end + 1);
        if n_lines > FN_LINES_MAX {
            let longest = long.entry(format!("{path} fn {name}")).or_default();
            *longest = n_lines.max(*longest);
        }
    }
    long
}

/// What has grown, is new, or has fallen without the table following.
pub fn ratchet_problems(listed: &Long, found: &Long) -> Vec<String> {
    let mut problems = Vec::new();
    for (what, n_lines) in found {
        match listed.get(what) {
            None => problems.push(format!("{what} has {n_lines} lines: make it shorter")),
            Some(n) if n_lines > n => {
                problems
                    .push(format!("{what} had {n} lines and has {n_lines}: it may only shrink"));
            }
            Some(n) if n_lines + SLACK_LINES < *n => {
                problems.push(format!("{what} has shrunk to {n_lines}: run with UPDATE_TIDY=1"));
            }
            Some(_) => {}
        }
    }
    for what in listed.keys().filter(|what| !found.contains_key(*what)) {
        problems.push(format!("{what} is no longer too long: run with UPDATE_TIDY=1"));
    }
    problems
}

/// One exception a line: the number of lines, then what has them.
pub fn read_table(text: &str) -> Long {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| {
            let (n_lines, what) = line.trim().split_once(' ')?;
            Some((what.to_owned(), n_lines.parse().ok()?))
        })
        .collect()
}

pub fn write_table(long: &Long) -> String {
    let mut text = String::from(
        "# Files over 400 lines and functions over 70, tests not counted. The numbers may only fall.\n\
         # UPDATE_TIDY=1 cargo test -p stepwell-tidy writes this file.\n",
    );
    for (what, n_lines) in long {
        text.push_str(&format!("{n_lines} {what}\n"));
    }
    text
}

/// The lines before the first module of tests, which stands last in a file.
fn without_tests(text: &str) -> Vec<&str> {
    text.lines().take_while(|line| *line != "#[cfg(test)]").collect()
}

fn function_name(line: &str) -> Option<&str> {
    let code = line.trim_start();
    let (before, after) = code.split_once("fn ")?;
    let is_head = before.split_whitespace().all(|word| {
        matches!(word, "pub" | "async" | "const" | "unsafe" | "extern") || word.starts_with("pub(")
    });
    let end = after.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (is_head && end > 0).then(|| &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(n_lines: usize) -> String {
        format!(
            "    pub(crate) async fn long(&self) {{\n{}    }}\n",
            "        x;\n".repeat(n_lines - 2)
        )
    }

    #[test]
    fn a_long_file_is_found_and_its_tests_are_not_counted() {
        let text = "x\n".repeat(401);
        assert_eq!(too_long("a/src/b.rs", &text), Long::from([("a/src/b.rs".into(), 401)]));
        assert_eq!(too_long("a/tests/b.rs", &text), Long::new());
        let tests = format!("x\n#[cfg(test)]\n{text}");
        assert_eq!(too_long("a/src/b.rs", &tests), Long::new());
    }

    #[test]
    fn a_long_function_is_found() {
        let found = too_long("a/src/b.rs", &function(71));
        assert_eq!(found, Long::from([("a/src/b.rs fn long".into(), 71)]));
        assert_eq!(too_long("a/src/b.rs", &function(70)), Long::new());
    }

    #[test]
    fn a_function_without_a_body_ends_at_its_semicolon() {
        let text = format!("    fn short();\n{}", "    x\n".repeat(100));
        assert_eq!(too_long("a/src/b.rs", &text), Long::new());
    }

    #[test]
    fn numbers_may_only_fall() {
        let table = |n| Long::from([("a".to_owned(), n)]);
        assert_eq!(ratchet_problems(&table(500), &table(500)).len(), 0);
        assert_eq!(ratchet_problems(&table(500), &table(490)).len(), 0);
        assert_eq!(ratchet_problems(&table(500), &table(501)).len(), 1, "grown");
        assert_eq!(ratchet_problems(&Long::new(), &table(501)).len(), 1, "new");
        assert_eq!(ratchet_problems(&table(500), &table(410)).len(), 1, "the table must follow");
        assert_eq!(ratchet_problems(&table(500), &Long::new()).len(), 1, "gone");
    }

    #[test]
    fn the_table_reads_as_it_was_written() {
        let long = Long::from([("a/src/b.rs".into(), 500), ("a/src/b.rs fn long".into(), 90)]);
        assert_eq!(read_table(&write_table(&long)), long);
    }
}
