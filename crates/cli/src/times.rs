//! Dates and spans as people type them.

use std::str::FromStr;

use stepwell::UnixMillis;
use stepwell_server::ServerConfig;
use stepwell_server::api::Timestamp;
use stepwell_server::config::Span;

/// A moment: RFC 3339, or from now on as in `+10m`; `-2h` is two hours ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    At(Timestamp),
    After(Span),
    Before(Span),
}

impl When {
    pub fn at(self, now: UnixMillis) -> Timestamp {
        match self {
            When::At(at) => at,
            When::After(span) => Timestamp(UnixMillis(now.0.saturating_add(span.as_ms()))),
            When::Before(span) => Timestamp(UnixMillis(now.0.saturating_sub(span.as_ms()))),
        }
    }
}

impl FromStr for When {
    type Err = String;

    fn from_str(text: &str) -> Result<When, String> {
        match (text.strip_prefix('+'), text.strip_prefix('-')) {
            (Some(span), _) => Span::parse(span).map(When::After),
            (_, Some(span)) => Span::parse(span).map(When::Before),
            (None, None) => Timestamp::parse(text).map(When::At).map_err(|problem| {
                format!("{problem}, or a time from now on such as +10m, +2h or +1d")
            }),
        }
    }
}

/// How long something may take: `90s`, `+90s`, or until a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length(When);

impl Length {
    pub fn ms(self, now: UnixMillis) -> u64 {
        self.0.at(now).0.ms_since(now)
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Length, String> {
        let is_plain =
            text.starts_with(|c: char| c.is_ascii_digit()) && text.ends_with(['s', 'm', 'h', 'd']);
        let when = if is_plain { Span::parse(text).map(When::After)? } else { text.parse()? };
        match when {
            When::After(span) if span.as_ms() == 0 => Err(format!("`{text}` is no time at all")),
            When::Before(_) => Err(format!("`{text}` is in the past")),
            when => Ok(Length(when)),
        }
    }
}

/// The address that clients call unless they are told another: where servers listen by default.
pub fn default_server() -> String {
    format!("http://{}", ServerConfig::default().listen)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_794_798_317_000);

    #[test]
    fn dates_and_times_from_now_on_are_moments() {
        let at = |text: &str| text.parse::<When>().unwrap().at(NOW).to_string();
        assert_eq!(at("2026-11-16T05:05:17+02:00"), "2026-11-16T03:05:17.000Z");
        assert_eq!(at("+10m"), Timestamp(UnixMillis(NOW.0 + 600_000)).to_string());
        assert_eq!(at("-2h"), Timestamp(UnixMillis(NOW.0 - 7_200_000)).to_string());
    }

    #[test]
    fn lengths_are_spans_or_end_at_a_date() {
        let ms = |text: &str| text.parse::<Length>().unwrap().ms(NOW);
        assert_eq!(ms("90s"), 90_000);
        assert_eq!(ms("+1d"), 86_400_000);
        let end = Timestamp(UnixMillis(NOW.0 + 5_000)).to_string();
        assert_eq!(ms(&end), 5_000);
    }

    #[test]
    fn what_is_neither_is_told_how_they_look() {
        for text in ["", "soon", "10", "+", "+10", "10:30", "2026-11-16", "+1w"] {
            assert!(text.parse::<When>().is_err(), "{text}");
        }
        for text in ["", "0s", "-5m", "10", "1.5h"] {
            assert!(text.parse::<Length>().is_err(), "{text}");
        }
    }
}
