//! One text for every way of writing the same definition, and its hash.

use std::fmt::Write;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

use crate::definition::Definition;

/// How much of the hash is kept: 128 bits, which nobody hits by chance.
const HASH_BYTES: usize = 16;

pub(crate) fn text(definition: &Definition) -> String {
    let mut text = String::new();
    write(&mut text, &serde_json::to_value(definition).unwrap_or_default());
    text
}

pub(crate) fn hash(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter().take(HASH_BYTES).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Keys in order, whatever kind of map a build of serde_json has.
fn write(text: &mut String, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
            sorted.sort_by_key(|(key, _)| *key);
            text.push('{');
            for (n, (key, inner)) in sorted.into_iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                let _ = write!(text, "{}:", Value::from(key.as_str()));
                write(text, inner);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                if n > 0 {
                    text.push(',');
                }
                write(text, item);
            }
            text.push(']');
        }
        Value::Number(number) => write_number(text, number),
        Value::Null | Value::Bool(_) | Value::String(_) => {
            let _ = write!(text, "{value}");
        }
    }
}

/// `2.0` and `2` are the same number.
fn write_number(text: &mut String, number: &Number) {
    let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
    let _ = match whole.filter(|float| float.abs() < 9_007_199_254_740_992.0) {
        Some(float) => write!(text, "{}", float as i64),
        None => write!(text, "{number}"),
    };
}
