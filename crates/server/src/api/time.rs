//! Moments, as RFC 3339 in UTC.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stepwell_journal::UnixMillis;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A moment, to the millisecond: `2026-11-16T03:05:17.042Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(pub UnixMillis);

impl Timestamp {
    /// Any RFC 3339 date with an offset; dates before 1970 are refused.
    pub fn parse(text: &str) -> Result<Timestamp, String> {
        let moment: jiff::Timestamp = text.parse().map_err(|_| {
            format!("`{text}` is not a date: give one such as 2026-11-16T03:05:17Z")
        })?;
        match u64::try_from(moment.as_millisecond()) {
            Ok(ms) => Ok(Timestamp(UnixMillis(ms))),
            Err(_) => Err(format!("`{text}` is before 1970")),
        }
    }
}

impl From<UnixMillis> for Timestamp {
    fn from(at: UnixMillis) -> Timestamp {
        Timestamp(at)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.rfc3339())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        Timestamp::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl PartialSchema for Timestamp {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime)))
            .description(Some("A moment in UTC, to the millisecond."))
            .into()
    }
}

impl ToSchema for Timestamp {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_with_any_offset_become_utc() {
        let parsed = Timestamp::parse("2026-11-16T05:05:17.042+02:00").unwrap();
        assert_eq!(parsed.to_string(), "2026-11-16T03:05:17.042Z");
    }

    #[test]
    fn what_is_no_date_is_told_how_one_looks() {
        for text in ["", "tomorrow", "2026-13-01T00:00:00Z", "2026-11-16", "1969-12-31T00:00:00Z"] {
            assert!(Timestamp::parse(text).is_err(), "{text}");
        }
    }
}
