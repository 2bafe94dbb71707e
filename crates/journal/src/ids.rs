//! Numbers and names that must not be mistaken for one another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names one run for ever; never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub Uuid);

impl RunId {
    /// The id of the child run that `parent` starts at `location`: the same on every replay.
    pub fn child_of(parent: RunId, location: &str) -> RunId {
        RunId(Uuid::new_v5(&parent.0, location.as_bytes()))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Give the id as `start` printed it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the id of a run: those look like 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct RunIdError {
    text: String,
}

impl FromStr for RunId {
    type Err = RunIdError;

    fn from_str(text: &str) -> Result<RunId, RunIdError> {
        match Uuid::parse_str(text) {
            Ok(id) => Ok(RunId(id)),
            Err(_) => Err(RunIdError { text: text.chars().take(64).collect() }),
        }
    }
}

/// Names one message for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub Uuid);

impl MessageId {
    /// The id of the message that `sender` sends at `location`: the same on every replay, so that a
    /// message sent again after a crash is recognised.
    pub fn sent_by(sender: RunId, location: &str) -> MessageId {
        MessageId(Uuid::new_v5(&sender.0, format!("message:{location}").as_bytes()))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

number! {
    /// The place of an event in its run's journal; the first is 0. A trimmed journal has gaps.
    Seq(u64), "#"
}
number! {
    /// One try of a step; the first is 1.
    Attempt(u32), ""
}
number! {
    /// Who owns a run: a later epoch fences all earlier ones.
    Epoch(u64), "e"
}
number! {
    /// Milliseconds since 1970-01-01 UTC.
    UnixMillis(u64), ""
}

impl Seq {
    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl UnixMillis {
    /// As people read it: `2026-11-16T03:05:17.042Z`.
    pub fn rfc3339(self) -> String {
        let (days, ms_of_day) = (self.0 / 86_400_000, self.0 % 86_400_000);
        let (year, month, day) = date_of(days);
        let (secs, ms) = (ms_of_day / 1_000, ms_of_day % 1_000);
        let (hour, min, sec) = (secs / 3_600, secs / 60 % 60, secs % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{min:02}:{sec:02}.{ms:03}Z")
    }

    pub fn plus_ms(self, ms: u64) -> UnixMillis {
        UnixMillis(self.0.saturating_add(ms))
    }

    /// How long from `earlier` until here; zero if it lies ahead.
    pub fn ms_since(self, earlier: UnixMillis) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// The date so many days after 1970-01-01. Counts in years that begin in March, so that a leap day is a
/// year's last.
fn date_of(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, year) = (if month < 10 { month + 3 } else { month - 9 }, era * 400 + year_of_era);
    (if month <= 2 { year + 1 } else { year }, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let cases = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_700_000_000_000, "2023-11-14T22:13:20.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ];
        for (ms, text) in cases {
            assert_eq!(UnixMillis(ms).rfc3339(), text);
        }
    }

    #[test]
    fn what_is_no_run_id_is_told_how_one_looks() {
        let error = "nonsense".parse::<RunId>().unwrap_err();
        assert!(error.to_string().starts_with("`nonsense` is not the id of a run"), "{error}");
    }
}
