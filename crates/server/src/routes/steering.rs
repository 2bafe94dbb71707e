//! Changing what a run does.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use stepwell_engine::{ReplayTarget, ResumeOptions};
use stepwell_journal::{Json as Value, Location};

use crate::access::Launcher;
use crate::api::{Accepted, AnswerView, CancelRun, Replay, ReplayInto, ResumeRun, SendMessage};
use crate::app::App;
use crate::extract::{JsonBody, OptionalBody, Params};
use crate::problem::Problem;

/// The longest that an answer is waited for.
const ANSWER_MS_MAX: u64 = 300_000;

/// Ends a run. Once this has answered, no step of it begins any more.
///
/// Cancelling twice is fine.
#[utoipa::path(
    post, path = "/api/runs/{id}/cancel", tag = "steering",
    params(("id" = String, Path, description = "The run's id, or the name it was given.")),
    request_body(content = Option<CancelRun>),
    responses((status = 202, description = "The run ends as cancelled.", body = Accepted)),
)]
pub async fn cancel(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    OptionalBody(wish): OptionalBody<CancelRun>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    params.finish(&[])?;
    let row = app.row(&access.namespace, &id).await?;
    let reason = wish.reason.unwrap_or_else(|| "cancelled by a caller".to_owned());
    app.engine.handle(&row).cancel(&reason).await?;
    accepted(&app, &access.namespace, &row.run.to_string()).await
}

/// Lets a run that failed or was cancelled go on: what failed is tried again, what succeeded stays.
#[utoipa::path(
    post, path = "/api/runs/{id}/resume", tag = "steering",
    params(("id" = String, Path, description = "The run's id, or the name it was given.")),
    request_body(content = Option<ResumeRun>),
    responses((status = 202, description = "The run goes on.", body = Accepted)),
)]
pub async fn resume(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    OptionalBody(wish): OptionalBody<ResumeRun>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    params.finish(&[])?;
    let deadline = app.deadline(wish.deadline_ms)?;
    let row = app.row(&access.namespace, &id).await?;
    app.engine.handle(&row).recover_with(ResumeOptions { deadline }).await?;
    accepted(&app, &access.namespace, &row.run.to_string()).await
}

/// Does everything again from one entry on, and keeps what came before it.
#[utoipa::path(
    post, path = "/api/runs/{id}/replay", tag = "steering",
    params(("id" = String, Path, description = "The run's id, or the name it was given.")),
    request_body = Replay,
    responses((status = 202, description = "The run that goes on: a new one, or the same.", body = Accepted)),
)]
pub async fn replay(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<Replay>,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    params.finish(&[])?;
    let row = app.row(&access.namespace, &id).await?;
    let target = match wish.into {
        ReplayInto::NewRun => ReplayTarget::NewRun,
        ReplayInto::SameRun => ReplayTarget::SameRun,
    };
    let from = Location::from_text(&wish.from);
    let run = app.engine.handle(&row).replay_from(&from, target).await?;
    accepted(&app, &access.namespace, &run.id().to_string()).await
}

/// Makes a run look at the clock and its inbox now. Never moves a date.
#[utoipa::path(
    post, path = "/api/runs/{id}/wake", tag = "steering",
    params(("id" = String, Path, description = "The run's id, or the name it was given.")),
    responses((status = 202, description = "It looks.", body = Accepted)),
)]
pub async fn wake(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    params.finish(&[])?;
    let row = app.row(&access.namespace, &id).await?;
    app.engine.handle(&row).wake().await?;
    accepted(&app, &access.namespace, &row.run.to_string()).await
}

/// Sends a run a message. It is durable when this answers, and taken when the run listens for it.
///
/// With `answer_within_ms` the run's answer is waited for.
#[utoipa::path(
    post, path = "/api/runs/{id}/messages", tag = "steering",
    params(("id" = String, Path, description = "The run's id, or the name it was given.")),
    request_body = SendMessage,
    responses(
        (status = 202, description = "The message is durable.", body = AnswerView),
        (status = 200, description = "The run answered.", body = AnswerView),
    ),
)]
pub async fn send(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<SendMessage>,
) -> Result<(StatusCode, Json<AnswerView>), Problem> {
    params.finish(&[])?;
    let row = app.row(&access.namespace, &id).await?;
    let run = app.engine.handle(&row);
    let SendMessage { name, body, key, answer_within_ms } = wish;
    let Some(within_ms) = answer_within_ms else {
        let id = match &key {
            Some(key) => run.send_with_key(&name, &body, key).await?,
            None => run.send(&name, &body).await?,
        };
        let sent = AnswerView { message_id: Some(id.to_string()), answer: None };
        return Ok((StatusCode::ACCEPTED, Json(sent)));
    };
    if within_ms == 0 || within_ms > ANSWER_MS_MAX {
        let said = format!("{within_ms} is not between 1 and {ANSWER_MS_MAX}");
        return Err(Problem::field("answer_within_ms", said));
    }
    let _place = app.reader()?;
    let limit = Duration::from_millis(within_ms);
    let answer: Value = match &key {
        Some(key) => run.ask_with_key(&name, &body, key, limit).await?,
        None => run.ask(&name, &body, limit).await?,
    };
    Ok((StatusCode::OK, Json(AnswerView { message_id: None, answer: Some(answer) })))
}

async fn accepted(
    app: &App,
    namespace: &str,
    id: &str,
) -> Result<(StatusCode, Json<Accepted>), Problem> {
    let row = app.row(namespace, id).await?;
    let accepted = Accepted { run_id: row.run.to_string(), status: row.status.to_string() };
    Ok((StatusCode::ACCEPTED, Json(accepted)))
}
