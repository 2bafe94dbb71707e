//! Spans of time as people write them: `30d`, `12h`, `90s`, `250ms`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    ms: u64,
}

const UNITS: [(&str, u64); 5] =
    [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl Span {
    pub const fn from_ms(ms: u64) -> Span {
        Span { ms }
    }

    pub const fn as_ms(self) -> u64 {
        self.ms
    }

    pub fn parse(text: &str) -> Result<Span, String> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, unit) = text.split_at(digits);
        let ms_each = UNITS.iter().find(|(name, _)| *name == unit.trim()).map(|(_, ms)| *ms);
        match (number.parse::<u64>().ok(), ms_each) {
            (Some(n), Some(ms_each)) => match n.checked_mul(ms_each) {
                Some(ms) => Ok(Span { ms }),
                None => Err(format!("`{text}` is too long")),
            },
            _ => Err(format!(
                "`{text}` is not a span of time: give one such as 30d, 12h, 5m, 90s or 250ms"
            )),
        }
    }
}

impl std::fmt::Display for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let fits = |(_, ms_each): &&(&str, u64)| self.ms.is_multiple_of(*ms_each);
        let (unit, ms_each) = match UNITS.iter().rev().find(fits) {
            Some(unit) if self.ms > 0 => *unit,
            _ => ("ms", 1),
        };
        write!(f, "{}{unit}", self.ms / ms_each)
    }
}

impl std::str::FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Span, String> {
        Span::parse(text)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        let text = String::deserialize(deserializer)?;
        Span::parse(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_read_and_written_alike() {
        for (text, ms) in [("250ms", 250), ("90s", 90_000), ("5m", 300_000), ("36h", 129_600_000)] {
            assert_eq!(Span::parse(text).unwrap().as_ms(), ms);
            assert_eq!(Span::from_ms(ms).to_string(), text);
        }
        assert_eq!(Span::from_ms(0).to_string(), "0ms");
    }

    #[test]
    fn what_is_no_span_is_told_how_one_looks() {
        for text in
            ["", "5", "d", "-1s", "1.5h", "1w", "99999999999999999999d", "18446744073709551615d"]
        {
            assert!(Span::parse(text).is_err(), "{text}");
        }
    }
}
