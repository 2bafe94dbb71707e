//! JSON on the command line: as it is, from a file, or from standard input.

use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;

use stepwell::Json;

use crate::error::{Error, Result};

/// The most that is read from a file or from standard input. A server takes less, unless it is told otherwise.
pub const INPUT_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// `{"a": 1}`, `@file.json` or `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonInput {
    Text(String),
    File(PathBuf),
    Stdin,
}

impl FromStr for JsonInput {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> std::result::Result<JsonInput, Self::Err> {
        Ok(match text.strip_prefix('@') {
            Some(path) => JsonInput::File(path.into()),
            None if text == "-" => JsonInput::Stdin,
            None => JsonInput::Text(text.to_owned()),
        })
    }
}

impl JsonInput {
    /// Reads it, and says in which place it is no JSON.
    pub fn read(&self, what: &str) -> Result<Json> {
        match self {
            JsonInput::Text(text) => parse(what, text),
            JsonInput::File(path) => {
                let file = std::fs::File::open(path).map_err(|error| {
                    Error::usage(format!("{what}: {} cannot be read: {error}", path.display()))
                })?;
                let what = format!("{what} ({})", path.display());
                parse(&what, &read_all(&what, file)?)
            }
            JsonInput::Stdin => {
                let what = format!("{what} (standard input)");
                parse(&what, &read_all(&what, std::io::stdin())?)
            }
        }
    }
}

fn read_all(what: &str, from: impl Read) -> Result<String> {
    let mut bytes = Vec::new();
    from.take(INPUT_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::usage(format!("{what} cannot be read: {error}")))?;
    if bytes.len() as u64 > INPUT_BYTES_MAX {
        return Err(Error::usage(format!("{what} has more than {INPUT_BYTES_MAX} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Error::usage(format!("{what} is not UTF-8, from byte {at} on"))
    })
}

fn parse(what: &str, text: &str) -> Result<Json> {
    let error = match Json::parse(text.trim()) {
        Ok(json) => return Ok(json),
        Err(error) => error,
    };
    let trimmed = text.trim();
    let is_word = trimmed.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let hint = if trimmed.is_empty() {
        "it is empty; for no input at all leave it out, or give null".to_owned()
    } else if is_word && !trimmed.contains(['\n', '"', '\'']) && trimmed.len() < 100 {
        format!("text needs quotes, inside those of the shell: '\"{trimmed}\"'")
    } else if trimmed.contains('\'') && !trimmed.contains('"') {
        "JSON has double quotes: '{\"name\": \"value\"}'".to_owned()
    } else {
        "give JSON as it is, @FILE for a file, or - for standard input".to_owned()
    };
    Err(Error::usage(format!("{what} is not JSON: {error}")).hint(hint))
}

/// `key=value`, for labels and filters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub key: String,
    pub value: String,
}

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Pair, String> {
        match text.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                Ok(Pair { key: key.to_owned(), value: value.to_owned() })
            }
            _ => Err(format!("`{text}` is no pair: give one such as region=eu")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Json> {
        text.parse::<JsonInput>().unwrap().read("--input")
    }

    #[test]
    fn json_is_kept_as_it_was_written() {
        let number = "12345678901234567890.10";
        assert_eq!(read(number).unwrap().as_str(), number);
    }

    #[test]
    fn files_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("in.json");
        std::fs::write(&path, "{\"a\":1}\n").unwrap();
        assert_eq!(read(&format!("@{}", path.display())).unwrap().as_str(), "{\"a\":1}");
        let error = read("@/no/such/file").unwrap_err();
        assert!(error.what.contains("/no/such/file cannot be read"), "{error}");
    }

    #[test]
    fn what_is_no_json_gets_the_place_and_a_hint() {
        for (text, hint) in [
            ("hello", "'\"hello\"'"),
            ("", "leave it out"),
            ("{'a': 1}", "double quotes"),
            ("{\"a\": }", "@FILE"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.what.contains("column"), "{error}");
            assert!(error.hint.as_ref().unwrap().contains(hint), "{error:?}");
        }
    }

    #[test]
    fn a_pair_has_a_key() {
        assert_eq!("a=b=c".parse::<Pair>().unwrap(), Pair { key: "a".into(), value: "b=c".into() });
        assert!("a".parse::<Pair>().is_err());
        assert!("=b".parse::<Pair>().is_err());
    }
}
