//! Plans, flows, and the webhooks of their steps.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::IntoResponse;
use serde_json::{Map, Value, json};
use stepwell_flow::{PlanRequest, WebhookAnswer};

use super::runs::{answer, options, started};
use crate::access::{Launcher, Reader};
use crate::api::{
    FlowEventPage, FlowEventView, PlanView, PlanWish, StartFlow, StartRun, StartedRun,
};
use crate::app::App;
use crate::extract::{JsonBody, Params, RawJson, parse};
use crate::flows::plan_problem;
use crate::problem::{Problem, internal};

/// Shows the plan for some goals, without running it.
///
/// A goal that cannot be reached shows how far the way goes, and what is required.
#[utoipa::path(
    post, path = "/api/plans", tag = "flows",
    request_body = PlanWish,
    responses((status = 200, description = "The plan.", body = PlanView)),
)]
pub async fn plan(
    State(app): State<App>,
    Reader(access): Reader,
    params: Params,
    RawJson(body): RawJson,
) -> Result<Json<PlanView>, Problem> {
    params.finish(&[])?;
    let request = PlanRequest::parse(&body).map_err(plan_problem)?;
    let plan = app.flows.plan(&access.namespace, request).await?;
    let obstacles: Vec<String> = plan.obstacles().into_iter().map(|it| it.message).collect();
    let can_run = obstacles.is_empty();
    let plan = serde_json::to_value(plan).map_err(|error| internal(&error.to_string()))?;
    Ok(Json(PlanView { plan, can_run, obstacles }))
}

/// Starts a flow: makes the plan for its goals, freezes it, and runs it.
#[utoipa::path(
    post, path = "/api/flows", tag = "flows",
    request_body = StartFlow,
    responses(
        (status = 201, description = "The run was created.", body = StartedRun),
        (status = 200, description = "The idempotency key was seen before: this is that run.", body = StartedRun),
    ),
)]
pub async fn start(
    State(app): State<App>,
    Launcher(access): Launcher,
    headers: HeaderMap,
    params: Params,
    JsonBody(wish): JsonBody<StartFlow>,
) -> Result<impl IntoResponse, Problem> {
    params.finish(&[])?;
    let StartFlow { goals, init, run_id, idempotency_key, labels, start_at, deadline_ms } = wish;
    let request = json!({ "goals": goals, "init": init }).to_string();
    let request = PlanRequest::parse(request.as_bytes()).map_err(plan_problem)?;
    let wish = StartRun {
        input: Default::default(),
        run_id,
        idempotency_key,
        labels,
        start_at,
        deadline_ms,
    };
    let options = options(&app, &access.namespace, &headers, &wish)?;
    let launched = app.flows.start(&access.namespace, request, options).await?;
    Ok(answer(started(launched).await?))
}

/// What has happened in a flow, oldest first.
#[utoipa::path(
    get, path = "/api/flows/{id}/events", tag = "flows",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("limit" = Option<u16>, Query, description = "How many events; 200 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before."),
    ),
    responses((status = 200, description = "A page of events.", body = FlowEventPage)),
)]
pub async fn events(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<FlowEventPage>, Problem> {
    let from: usize = params.take_number("cursor")?.unwrap_or(0);
    let limit = params.take_limit(200)?;
    params.finish(&["limit", "cursor"])?;
    let row = app.row(&access.namespace, &id).await?;
    let all = app.flows.events(&row).await?;
    let end = from.saturating_add(limit);
    let next_cursor = (all.len() > end).then(|| end.to_string());
    let page = all.into_iter().skip(from).take(limit);
    let events = page.map(|event| FlowEventView {
        kind: event.kind.to_owned(),
        timestamp: event.timestamp,
        seq: event.seq,
        data: event.data,
    });
    Ok(Json(FlowEventPage { events: events.collect(), next_cursor }))
}

/// Answers for a work item of an async step. The address is the permission: no token is needed beside it.
///
/// A JSON object is the outputs; a problem document (`application/problem+json`) is the failure. The same answer may
/// come again, another one is refused.
#[utoipa::path(
    post, path = "/webhooks/{run}/{step}/{token}", tag = "flows", security(()),
    params(
        ("run" = String, Path, description = "The run."),
        ("step" = String, Path, description = "The step."),
        ("token" = String, Path, description = "The token of the work item."),
    ),
    request_body(content = Object, description = "The outputs, or a problem document."),
    responses((status = 200, description = "The answer is durable.", body = Object)),
)]
pub async fn webhook(
    State(app): State<App>,
    Path((run, step, token)): Path<(String, String, String)>,
    headers: HeaderMap,
    params: Params,
    RawJson(body): RawJson,
) -> Result<Json<Value>, Problem> {
    params.finish(&[])?;
    let answer: Map<String, Value> = parse(&body, app.config.limits.json_depth_max)?;
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_problem = kind.is_some_and(|kind| kind.to_ascii_lowercase().starts_with(PROBLEM));
    let answer = match is_problem {
        true => WebhookAnswer::Problem(answer),
        false => WebhookAnswer::Outputs(answer),
    };
    app.flows.webhooks.answer((&run, &step, &token), &answer).await?;
    Ok(Json(json!({})))
}

const PROBLEM: &str = "application/problem+json";
