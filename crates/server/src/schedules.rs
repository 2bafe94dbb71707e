//! Runs that start by the clock.
//!
//! A schedule is a document that says what starts when, and up to which time that is done. When a time has come, a run
//! is started with an idempotency key made of the schedule and the time, and the document moves on: a crash in between,
//! or a second node, starts the same run and not another.

mod clock;
mod times;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepwell_engine::Engine;
use stepwell_journal::{Json, UnixMillis, check_name};
use stepwell_store::Expect;
use tokio::sync::Notify;

use crate::api::{PutSchedule, ScheduleView, Timestamp};
use crate::documents::{Documents, Found};
use crate::flows::refuse_plain_start;
use crate::problem::{Code, Problem};

pub use clock::keep;
pub use times::Times;

/// The most schedules that a namespace may have.
pub const SCHEDULES_MAX: usize = 1_000;

/// How many of the next times are shown.
const NEXT_SHOWN: usize = 5;

/// The schedules of all namespaces.
pub struct Schedules {
    documents: Documents,
    engine: Engine,
    /// Something changed: whoever waits for the next time must look again.
    changed: Arc<Notify>,
}

/// A schedule, and how far it got.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Stored {
    schedule: PutSchedule,
    created_at: u64,
    /// What intervals count from.
    from: u64,
    /// Times up to this one are done with.
    handled: u64,
    /// A time that waits for the last run to end.
    queued: Option<u64>,
    last_at: Option<u64>,
    last_run: Option<String>,
    last_problem: Option<String>,
    n_started: u64,
    n_skipped: u64,
}

impl Schedules {
    pub fn new(engine: Engine) -> Schedules {
        let (store, clock) = (Arc::clone(engine.store()), Arc::clone(engine.clock()));
        let documents = Documents::new(store, clock, "schedule");
        Schedules { documents, engine, changed: Arc::default() }
    }

    fn now(&self) -> UnixMillis {
        self.engine.clock().now()
    }

    pub async fn list(&self, namespace: &str) -> Result<Vec<ScheduleView>, Problem> {
        let found = self.documents.list::<Stored>(Some(namespace)).await?;
        Ok(found.iter().map(|found| found.body.view(&found.key, self.now())).collect())
    }

    pub async fn get(&self, namespace: &str, name: &str) -> Result<ScheduleView, Problem> {
        let found = self.find(namespace, name).await?;
        Ok(found.body.view(name, self.now()))
    }

    async fn find(&self, namespace: &str, name: &str) -> Result<Found<Stored>, Problem> {
        let found = match check_name(name) {
            Ok(()) => self.documents.get::<Stored>(namespace, name).await?,
            Err(_) => None,
        };
        found.ok_or_else(|| {
            let name = crate::extract::short(name);
            Problem::new(
                Code::UnknownSchedule,
                format!("there is no schedule `{name}` in this namespace"),
            )
        })
    }

    /// Makes a schedule, or changes it; says whether it is new.
    pub async fn put(
        &self,
        namespace: &str,
        name: &str,
        wish: PutSchedule,
    ) -> Result<(ScheduleView, bool), Problem> {
        if let Err(error) = check_name(name) {
            return Err(Problem::field("name", error.to_string()));
        }
        let now = self.now();
        self.check(namespace, &wish, now)?;
        let known = self.documents.get::<Stored>(namespace, name).await?;
        if known.is_none()
            && self.documents.list::<Stored>(Some(namespace)).await?.len() >= SCHEDULES_MAX
        {
            let detail = format!(
                "namespace `{namespace}` has {SCHEDULES_MAX} schedules, and may not have more"
            );
            return Err(Problem::new(Code::InvalidRequest, detail));
        }
        let is_new = known.is_none();
        let (stored, expect) = match known {
            None => (Stored::new(wish, now), Expect::Absent),
            Some(found) => (found.body.changed(wish, now), Expect::Revision(found.revision)),
        };
        self.documents.put(namespace, name, &stored, expect).await?;
        self.changed.notify_one();
        Ok((stored.view(name, now), is_new))
    }

    pub async fn delete(&self, namespace: &str, name: &str) -> Result<(), Problem> {
        let found = self.find(namespace, name).await?;
        self.documents.remove(namespace, name, Expect::Revision(found.revision)).await?;
        self.changed.notify_one();
        Ok(())
    }

    /// Everything that can be known to be wrong before the first time.
    fn check(&self, namespace: &str, wish: &PutSchedule, now: UnixMillis) -> Result<(), Problem> {
        let times = Times::of(wish, now)?;
        if times.next(now).is_none() {
            return Err(Problem::field("cron", "there is no such date"));
        }
        if wish.deadline_ms == Some(0) {
            return Err(Problem::field("deadline_ms", "it must be at least 1"));
        }
        refuse_plain_start(&wish.workflow)?;
        let Some(workflow) = self.engine.workflow(namespace, &wish.workflow) else {
            let name = crate::extract::short(&wish.workflow);
            let detail = format!("there is no workflow `{name}` in this namespace");
            return Err(Problem::new(Code::UnknownWorkflow, detail));
        };
        let input = Json::from(wish.input.clone());
        workflow
            .check_input(&input)
            .map_err(|error| Problem::from(stepwell_engine::StartError::Input(error)))
    }
}

impl Stored {
    fn new(schedule: PutSchedule, now: UnixMillis) -> Stored {
        Stored {
            schedule,
            created_at: now.0,
            from: now.0,
            handled: now.0,
            queued: None,
            last_at: None,
            last_run: None,
            last_problem: None,
            n_started: 0,
            n_skipped: 0,
        }
    }

    /// The same schedule with other wishes. Other times begin now; what is past is not started by them.
    fn changed(self, schedule: PutSchedule, now: UnixMillis) -> Stored {
        let timing = |schedule: &PutSchedule| {
            (schedule.cron.clone(), schedule.time_zone.clone(), schedule.interval_ms)
        };
        let is_retimed = timing(&self.schedule) != timing(&schedule);
        let is_unpaused = self.schedule.paused && !schedule.paused;
        Stored {
            from: if is_retimed { now.0 } else { self.from },
            handled: if is_retimed || is_unpaused { now.0 } else { self.handled },
            queued: self.queued.filter(|_| !schedule.paused),
            schedule,
            ..self
        }
    }

    /// Checked when it was stored, so none only if the rules of time zones changed since.
    fn times(&self) -> Option<Times> {
        Times::of(&self.schedule, UnixMillis(self.from)).ok()
    }

    fn view(&self, name: &str, now: UnixMillis) -> ScheduleView {
        let next_at = match self.times() {
            Some(times) if !self.schedule.paused => times.upcoming(now, NEXT_SHOWN),
            _ => Vec::new(),
        };
        let date = |ms: u64| Timestamp(UnixMillis(ms));
        ScheduleView {
            name: name.to_owned(),
            schedule: self.schedule.clone(),
            created_at: date(self.created_at),
            next_at: next_at.into_iter().map(Timestamp).collect(),
            last_at: self.last_at.map(date),
            last_run: self.last_run.clone(),
            last_problem: self.last_problem.clone(),
            n_started: self.n_started,
            n_skipped: self.n_skipped,
        }
    }
}
