//! A JSON value as text.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A JSON value, kept as the text it was written as: cheap to clone, parsed only by who needs it.
///
/// The text is always valid JSON.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Json(Arc<str>);

impl Json {
    pub fn null() -> Json {
        Json(Arc::from("null"))
    }

    /// Writes a value as JSON. Fails for values JSON has no form for, such as maps with odd keys.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Json, serde_json::Error> {
        serde_json::to_string(value).map(|text| Json(Arc::from(text)))
    }

    /// Takes text that should be JSON.
    pub fn parse(text: &str) -> Result<Json, serde_json::Error> {
        serde_json::from_str::<serde::de::IgnoredAny>(text)?;
        Ok(Json(Arc::from(text)))
    }

    /// Takes text that this program wrote as JSON before, such as a journal's. Text that is not JSON
    /// shows as a decoding error when the value is read.
    pub(crate) fn trusted(text: String) -> Json {
        Json(Arc::from(text))
    }

    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The size that limits count.
    pub fn n_bytes(&self) -> usize {
        self.0.len()
    }
}

impl Default for Json {
    fn default() -> Json {
        Json::null()
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Json {
        Json(Arc::from(value.to_string()))
    }
}

/// As the value itself, not as a string of text. Only `serde_json` can do this.
impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue =
            serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
        Ok(Json(Arc::from(raw.get())))
    }
}
