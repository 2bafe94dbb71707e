//! What we are built from: where it comes from and under which licence. `deny.toml` says what is allowed;
//! these checks hold where cargo-deny is not installed.

use serde_json::Value;

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// The lines of Cargo.lock that name a source other than crates.io.
pub fn source_problems(lock: &str) -> Vec<String> {
    let sources = lock.lines().filter_map(|line| line.strip_prefix("source = "));
    let elsewhere = sources.filter(|source| source.trim_matches('"') != CRATES_IO);
    elsewhere.map(|source| format!("Cargo.lock has a package from {source}")).collect()
}

/// The list `allow` in deny.toml's section on licences.
pub fn allowed_licences(deny: &str) -> Vec<String> {
    let list = deny.split_once("[licenses]").and_then(|(_, rest)| rest.split_once("allow = ["));
    let Some((_, rest)) = list else { return Vec::new() };
    let list = rest.split(']').next().unwrap_or_default();
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The packages of `cargo metadata` whose licence is not allowed.
pub fn licence_problems(metadata: &Value, allowed: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let used: Vec<&Value> = metadata["resolve"]["nodes"]
        .as_array()
        .map(|nodes| nodes.iter().map(|node| &node["id"]).collect())
        .unwrap_or_default();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let licence = package["license"].as_str().unwrap_or("none");
        if used.contains(&&package["id"]) && !is_allowed(licence, allowed) {
            problems.push(format!("{} has the licence {licence}", package["name"]));
        }
    }
    problems
}

/// Whether one choice that the expression leaves us consists of allowed licences only. `/` is an old
/// way of writing `OR`.
pub fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let text = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    parser.any() && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a [String],
}

impl Parser<'_> {
    fn any(&mut self) -> bool {
        let mut is_allowed = self.all();
        while self.eat("OR") {
            is_allowed |= self.all();
        }
        is_allowed
    }

    fn all(&mut self) -> bool {
        let mut is_allowed = self.one();
        while self.eat("AND") {
            is_allowed &= self.one();
        }
        is_allowed
    }

    fn one(&mut self) -> bool {
        if self.eat("(") {
            let is_allowed = self.any();
            return self.eat(")") && is_allowed;
        }
        let [licence, rest @ ..] = self.words else { return false };
        self.words = rest;
        let mut licence = (*licence).to_owned();
        if self.eat("WITH")
            && let [exception, rest @ ..] = self.words
        {
            self.words = rest;
            licence = format!("{licence} WITH {exception}");
        }
        self.allowed.contains(&licence)
    }

    fn eat(&mut self, word: &str) -> bool {
        let is_next = self.words.first() == Some(&word);
        if is_next {
            self.words = &self.words[1..];
        }
        is_next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_other_than_crates_io_is_found() {
        let good = format!("name = \"a\"\nsource = \"{CRATES_IO}\"\n");
        assert_eq!(source_problems(&good).len(), 0);
        assert_eq!(source_problems("source = \"git+https://example.org/a#1\"").len(), 1);
    }

    #[test]
    fn licences_are_read_as_expressions() {
        let allowed = ["MIT".to_owned(), "Apache-2.0 WITH LLVM-exception".to_owned()];
        let is_allowed = |text| is_allowed(text, &allowed);
        assert!(is_allowed("MIT"));
        assert!(is_allowed("GPL-3.0 OR MIT"));
        assert!(is_allowed("GPL-3.0/MIT"));
        assert!(is_allowed("(GPL-3.0 OR MIT) AND Apache-2.0 WITH LLVM-exception"));
        assert!(!is_allowed("GPL-3.0"));
        assert!(!is_allowed("MIT AND GPL-3.0"));
        assert!(!is_allowed("Apache-2.0"));
        assert!(!is_allowed("none"));
        assert!(!is_allowed(""));
    }

    #[test]
    fn a_package_with_another_licence_is_found() {
        let metadata = serde_json::json!({
            "resolve": { "nodes": [{ "id": "a" }, { "id": "b" }] },
            "packages": [
                { "id": "a", "name": "a", "license": "MIT" },
                { "id": "b", "name": "b", "license": "BUSL-1.1" },
                { "id": "c", "name": "not built here", "license": null },
            ],
        });
        assert_eq!(licence_problems(&metadata, &["MIT".to_owned()]).len(), 1);
    }

    #[test]
    fn the_list_is_read_from_the_configuration() {
        let deny = "[licenses]\nallow = [\n  \"MIT\",\n  \"ISC\",\n]\n[bans]\nallow = [\"x\"]\n";
        assert_eq!(allowed_licences(deny), ["MIT", "ISC"]);
    }
}
