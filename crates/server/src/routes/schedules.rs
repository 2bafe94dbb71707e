//! Schedules.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;

use super::runs::no_cursor;
use crate::access::{Admin, Reader};
use crate::api::{PutSchedule, ScheduleList, ScheduleView, Timestamp, UpcomingTimes};
use crate::app::App;
use crate::extract::{JsonBody, Params};
use crate::problem::Problem;
use crate::schedules::Times;

/// Lists the schedules of this namespace, by name.
#[utoipa::path(
    get, path = "/api/schedules", tag = "schedules",
    responses((status = 200, description = "The schedules.", body = ScheduleList)),
)]
pub async fn list(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<ScheduleList>, Problem> {
    no_cursor(&mut params)?;
    params.finish(&[])?;
    let schedules = app.schedules.list(&access.namespace).await?;
    Ok(Json(ScheduleList { schedules, next_cursor: None }))
}

/// One schedule, with its next times.
#[utoipa::path(
    get, path = "/api/schedules/{name}", tag = "schedules",
    params(("name" = String, Path, description = "The schedule's name.")),
    responses((status = 200, description = "The schedule.", body = ScheduleView)),
)]
pub async fn get(
    State(app): State<App>,
    Reader(access): Reader,
    Path(name): Path<String>,
    params: Params,
) -> Result<Json<ScheduleView>, Problem> {
    params.finish(&[])?;
    app.schedules.get(&access.namespace, &name).await.map(Json)
}

/// Makes a schedule, or changes it.
///
/// The workflow must exist, and take the input. Times that have passed are not made up for by a change.
#[utoipa::path(
    put, path = "/api/schedules/{name}", tag = "schedules",
    params(("name" = String, Path, description = "The schedule's name.")),
    request_body = PutSchedule,
    responses(
        (status = 200, description = "It was changed.", body = ScheduleView),
        (status = 201, description = "It was made.", body = ScheduleView),
    ),
)]
pub async fn put(
    State(app): State<App>,
    Admin(access): Admin,
    Path(name): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<PutSchedule>,
) -> Result<(StatusCode, Json<ScheduleView>), Problem> {
    params.finish(&[])?;
    app.graphs.refresh_for(&access.namespace, &wish.workflow).await?;
    let (view, is_new) = app.schedules.put(&access.namespace, &name, wish).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(view)))
}

/// Removes a schedule. Its runs stay as they are.
#[utoipa::path(
    delete, path = "/api/schedules/{name}", tag = "schedules",
    params(("name" = String, Path, description = "The schedule's name.")),
    responses((status = 204, description = "It is gone.")),
)]
pub async fn delete(
    State(app): State<App>,
    Admin(access): Admin,
    Path(name): Path<String>,
    params: Params,
) -> Result<StatusCode, Problem> {
    params.finish(&[])?;
    app.schedules.delete(&access.namespace, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The next times of a cron text or an interval, without making a schedule.
#[utoipa::path(
    get, path = "/api/schedule-times", tag = "schedules",
    params(
        ("cron" = Option<String>, Query, description = "Five fields, or six with seconds first."),
        ("time_zone" = Option<String>, Query, description = "Such as `Europe/Berlin`; UTC if left out."),
        ("interval_ms" = Option<u64>, Query, description = "Instead of cron.", minimum = 1000),
        ("n" = Option<u16>, Query, description = "How many; 5 if left out.", minimum = 1, maximum = 100),
    ),
    responses((status = 200, description = "The next times.", body = UpcomingTimes)),
)]
pub async fn preview(
    State(app): State<App>,
    _: Reader,
    mut params: Params,
) -> Result<Json<UpcomingTimes>, Problem> {
    let wish = PutSchedule {
        workflow: String::new(),
        input: serde_json::Value::Null,
        cron: params.take("cron")?,
        time_zone: params.take("time_zone")?,
        interval_ms: params.take_number("interval_ms")?,
        overlap: Default::default(),
        catch_up: Default::default(),
        paused: false,
        labels: Default::default(),
        deadline_ms: None,
    };
    let n: usize = params.take_number("n")?.unwrap_or(5);
    params.finish(&["cron", "time_zone", "interval_ms", "n"])?;
    if !(1..=100).contains(&n) {
        return Err(Problem::field("n", format!("{n} is not between 1 and 100")));
    }
    let now = app.engine.clock().now();
    let next = Times::of(&wish, now)?.upcoming(now, n);
    Ok(Json(UpcomingTimes { next_at: next.into_iter().map(Timestamp).collect() }))
}
