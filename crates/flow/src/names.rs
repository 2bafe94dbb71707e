//! Names: of steps, of attributes, and of what scripts call their arguments.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepwell_script::js::RESERVED_WORDS;
use stepwell_script::lua::KEYWORDS;

use crate::limits::{ATTRIBUTE_NAME_BYTES_MAX, ID_BYTES_MAX};
use crate::step::Language;

macro_rules! name_type {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> $name {
                $name(Arc::from(text))
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }
    };
}

name_type! {
    /// What a step is called in goals, plans and webhooks. Unique in its catalog.
    StepId
}

name_type! {
    /// What a value is called in a flow. Steps that name the same attribute mean the same value.
    AttributeName
}

/// What is wrong with a step's id, if anything. Ids stand in URLs.
pub(crate) fn id_problem(id: &str) -> Option<String> {
    name_problem(id, ID_BYTES_MAX, "a letter or a digit", |c| c.is_ascii_alphanumeric())
}

/// What is wrong with an attribute's name, if anything.
pub(crate) fn attribute_problem(name: &str) -> Option<String> {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name_problem(name, ATTRIBUTE_NAME_BYTES_MAX, "a letter or `_`", is_start)
}

fn name_problem(
    name: &str,
    bytes_max: usize,
    start: &str,
    is_start: impl Fn(char) -> bool,
) -> Option<String> {
    if let Some(problem) = text_problem(name, bytes_max) {
        return Some(problem);
    }
    if !name.starts_with(is_start) {
        return Some(format!("`{name}` must begin with {start}"));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let odd = name.chars().find(|c| !is_part(*c))?;
    Some(format!("`{name}` has {odd:?}: use letters, digits, `_`, `-` and `.`"))
}

/// What is wrong with a name that may have any characters a person can see.
pub(crate) fn text_problem(text: &str, bytes_max: usize) -> Option<String> {
    if text.is_empty() {
        return Some("this may not be empty".to_owned());
    }
    if text.len() > bytes_max {
        return Some(format!("this has {} bytes, at most {bytes_max} are allowed", text.len()));
    }
    let odd = text.chars().find(|c| c.is_control())?;
    Some(format!("this has the control character {odd:?}"))
}

/// Whether a script of this language can have an argument of this name.
pub(crate) fn is_argument_name(language: Language, name: &str) -> bool {
    let reserved = match language {
        Language::Lua => &KEYWORDS[..],
        Language::Js => RESERVED_WORDS,
        // Symbols may have any characters of our names, and JSONPath has no arguments.
        Language::Ale | Language::JsonPath => return true,
    };
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(is_start) && name.chars().all(is_part) && !reserved.contains(&name)
}
