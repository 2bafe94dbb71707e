//! Runs that start by the clock.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Timestamp;

/// What starts, when, and what happens if the last run has not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutSchedule {
    pub workflow: String,
    #[serde(default)]
    pub input: serde_json::Value,
    /// Five fields, or six with seconds first: `0 9 * * MON-FRI`; also `@daily` and the like. Either this or
    /// `interval_ms`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cron: Option<String>,
    /// The name of a time zone that the cron fields are in, such as `Europe/Berlin`; UTC if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Counted from the schedule's creation. Either this or `cron`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1000)]
    pub interval_ms: Option<u64>,
    #[serde(default)]
    pub overlap: Overlap,
    #[serde(default)]
    pub catch_up: CatchUp,
    /// Nothing starts while this is set.
    #[serde(default)]
    pub paused: bool,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// How long each run may take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub deadline_ms: Option<u64>,
}

/// What happens when the time has come and the schedule's last run has not ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// This time is left out.
    #[default]
    Skip,
    /// The next run starts when the last one has ended; at most one waits.
    Queue,
    /// They run side by side.
    Allow,
}

/// What happens with the times that passed while no server ran.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CatchUp {
    /// They are left out.
    None,
    /// One run for the latest of them.
    #[default]
    Last,
    /// One run for each, up to 100 of them, the latest.
    All,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ScheduleView {
    pub name: String,
    #[serde(flatten)]
    pub schedule: PutSchedule,
    pub created_at: Timestamp,
    /// The next times, soonest first; none while it is paused.
    pub next_at: Vec<Timestamp>,
    pub last_at: Option<Timestamp>,
    pub last_run: Option<String>,
    /// Why the last time did not start a run, if it didn't.
    pub last_problem: Option<String>,
    pub n_started: u64,
    pub n_skipped: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ScheduleList {
    pub schedules: Vec<ScheduleView>,
    pub next_cursor: Option<String>,
}

/// The next times of a cron text or an interval, to try one out.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UpcomingTimes {
    pub next_at: Vec<Timestamp>,
}
