//! When a schedule's times are. Pure: whoever asks says what time it is.

use croner::Cron;
use croner::parser::{CronParser, Seconds};
use jiff::tz::TimeZone;
use stepwell_journal::UnixMillis;

use crate::api::{CatchUp, PutSchedule};
use crate::problem::Problem;

/// The shortest and the longest interval.
pub const INTERVAL_MS: std::ops::RangeInclusive<u64> = 1_000..=366 * 86_400_000;

/// The longest cron text.
pub const CRON_CHARS_MAX: usize = 200;

/// The most times that are caught up with.
pub const CATCH_UP_MAX: usize = 100;

/// A time that passed longer ago than this was missed.
pub const LATE_MS: u64 = 60_000;

/// The times of one schedule.
#[derive(Clone)]
pub enum Times {
    Cron {
        cron: Box<Cron>,
        zone: TimeZone,
    },
    /// Every so often, counted from a moment.
    Interval {
        every_ms: u64,
        from: UnixMillis,
    },
}

impl Times {
    pub fn of(schedule: &PutSchedule, from: UnixMillis) -> Result<Times, Problem> {
        match (&schedule.cron, schedule.interval_ms) {
            (Some(text), None) => Times::cron(text, schedule.time_zone.as_deref()),
            (None, Some(every_ms)) => {
                if schedule.time_zone.is_some() {
                    return Err(Problem::field("time_zone", "an interval has no time zone"));
                }
                if !INTERVAL_MS.contains(&every_ms) {
                    let (min, max) = (INTERVAL_MS.start(), INTERVAL_MS.end());
                    let said = format!("{every_ms} is not between {min} and {max}");
                    return Err(Problem::field("interval_ms", said));
                }
                Ok(Times::Interval { every_ms, from })
            }
            _ => Err(Problem::field("cron", "give either cron or interval_ms")),
        }
    }

    fn cron(text: &str, zone: Option<&str>) -> Result<Times, Problem> {
        if text.chars().count() > CRON_CHARS_MAX {
            let said = format!("it has more than {CRON_CHARS_MAX} characters");
            return Err(Problem::field("cron", said));
        }
        let parser = CronParser::builder().seconds(Seconds::Optional).build();
        let cron = parser.parse(text).map_err(|error| {
            let said = format!(
                "{error}: give five fields such as `0 9 * * MON-FRI`, or six with seconds first"
            );
            Problem::field("cron", said)
        })?;
        let zone = match zone {
            None => TimeZone::UTC,
            Some(name) => TimeZone::get(name).map_err(|_| {
                let name = crate::extract::short(name);
                Problem::field(
                    "time_zone",
                    format!("`{name}` is not a time zone: give one such as Europe/Berlin"),
                )
            })?,
        };
        Ok(Times::Cron { cron: Box::new(cron), zone })
    }

    /// The first time after `at`; none if there is none ever.
    pub fn next(&self, at: UnixMillis) -> Option<UnixMillis> {
        match self {
            Times::Cron { cron, zone } => {
                let after = zoned(at, zone)?;
                millis(&cron.find_next_occurrence(&after, false).ok()?)
            }
            Times::Interval { every_ms, from } => {
                let n_past = at.0.saturating_sub(from.0) / every_ms;
                let n_next = if at.0 < from.0 { 0 } else { n_past + 1 };
                Some(from.plus_ms(every_ms.saturating_mul(n_next.max(1))))
            }
        }
    }

    /// The last time at or before `at` and after `after`.
    fn last(&self, after: UnixMillis, at: UnixMillis) -> Option<UnixMillis> {
        let last = match self {
            Times::Cron { cron, zone } => {
                let from = zoned(at, zone)?;
                millis(&cron.find_previous_occurrence(&from, true).ok()?)?
            }
            Times::Interval { every_ms, from } => {
                let n_past = at.0.checked_sub(from.0)? / every_ms;
                if n_past == 0 {
                    return None;
                }
                from.plus_ms(every_ms * n_past)
            }
        };
        (last > after).then_some(last)
    }

    pub fn upcoming(&self, after: UnixMillis, n: usize) -> Vec<UnixMillis> {
        std::iter::successors(self.next(after), |at| self.next(*at)).take(n).collect()
    }

    /// The times after `handled` that have come by `now` and are to start runs, oldest first.
    pub fn due(&self, handled: UnixMillis, now: UnixMillis, catch_up: CatchUp) -> Vec<UnixMillis> {
        let mut due = Vec::new();
        let mut until = now;
        while due.len() < CATCH_UP_MAX {
            let Some(at) = self.last(handled, until) else { break };
            let is_late = now.ms_since(at) > LATE_MS;
            let counts = match catch_up {
                CatchUp::None => !is_late,
                CatchUp::Last => due.is_empty() || !is_late,
                CatchUp::All => true,
            };
            if !counts || at.0 == 0 {
                break;
            }
            due.push(at);
            until = UnixMillis(at.0 - 1);
        }
        due.reverse();
        due
    }
}

fn zoned(at: UnixMillis, zone: &TimeZone) -> Option<jiff::Zoned> {
    let at = jiff::Timestamp::from_millisecond(i64::try_from(at.0).ok()?).ok()?;
    Some(at.to_zoned(zone.clone()))
}

fn millis(at: &jiff::Zoned) -> Option<UnixMillis> {
    u64::try_from(at.timestamp().as_millisecond()).ok().map(UnixMillis)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Timestamp;

    fn at(text: &str) -> UnixMillis {
        Timestamp::parse(text).unwrap().0
    }

    fn texts(times: &[UnixMillis]) -> Vec<String> {
        times.iter().map(|at| at.rfc3339()).collect()
    }

    fn cron(text: &str, zone: &str) -> Times {
        Times::cron(text, Some(zone)).unwrap()
    }

    #[test]
    fn cron_is_in_its_time_zone_also_when_clocks_change() {
        let times = cron("30 2 * * *", "Europe/Berlin");
        let next = times.upcoming(at("2026-10-23T12:00:00Z"), 3);
        // On the 25th half past two comes twice, and counts once.
        assert_eq!(
            texts(&next),
            ["2026-10-24T00:30:00.000Z", "2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"]
        );
        let spring = times.upcoming(at("2026-03-28T12:00:00Z"), 2);
        assert_eq!(spring.len(), 2);
        assert!(spring[0] > at("2026-03-28T12:00:00Z") && spring[0] <= at("2026-03-30T00:30:00Z"));
    }

    #[test]
    fn intervals_count_from_their_beginning() {
        let times = Times::Interval { every_ms: 10_000, from: UnixMillis(1_000) };
        assert_eq!(times.next(UnixMillis(0)), Some(UnixMillis(11_000)));
        assert_eq!(times.next(UnixMillis(1_000)), Some(UnixMillis(11_000)));
        assert_eq!(times.next(UnixMillis(11_000)), Some(UnixMillis(21_000)));
        assert_eq!(times.next(UnixMillis(20_999)), Some(UnixMillis(21_000)));
    }

    #[test]
    fn missed_times_are_caught_up_with_as_asked() {
        let times = cron("0 * * * *", "UTC");
        let handled = at("2026-11-16T00:00:00Z");
        let now = at("2026-11-16T05:00:10Z");
        assert_eq!(texts(&times.due(handled, now, CatchUp::None)), ["2026-11-16T05:00:00.000Z"]);
        assert_eq!(texts(&times.due(handled, now, CatchUp::Last)), ["2026-11-16T05:00:00.000Z"]);
        assert_eq!(times.due(handled, now, CatchUp::All).len(), 5);
        let later = at("2026-11-16T05:30:00Z");
        assert!(times.due(handled, later, CatchUp::None).is_empty());
        assert_eq!(times.due(handled, later, CatchUp::Last).len(), 1);
        let years_later = at("2036-11-16T05:30:00Z");
        assert_eq!(times.due(handled, years_later, CatchUp::All).len(), CATCH_UP_MAX);
        assert!(times.due(now, now, CatchUp::All).is_empty());
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for text in ["", "x", "61 * * * *", "* * *", "* * * * * * * *", &"*".repeat(300)] {
            assert!(Times::cron(text, None).is_err(), "{text}");
        }
        assert!(Times::cron("0 9 * * MON-FRI", Some("Mars/Olympus")).is_err());
        assert!(Times::cron("@daily", None).is_ok());
        assert!(
            cron("0 0 30 2 *", "UTC").next(UnixMillis(0)).is_none(),
            "there is no 30th of February"
        );
    }
}
