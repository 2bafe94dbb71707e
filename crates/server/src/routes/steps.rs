//! The catalog of steps.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use stepwell_flow::{Changed, StepDefinition};
use stepwell_journal::UnixMillis;

use crate::access::{Admin, Reader};
use crate::api::{
    CatalogEventPage, CatalogEventView, LostProviderView, StepChanged, StepGraph, StepList,
    StepView, Timestamp,
};
use crate::app::App;
use crate::extract::{Params, RawJson, short};
use crate::flows::{step_problem, step_view};
use crate::problem::{Code, Problem, internal};

/// Ids that would hide a route.
const RESERVED: [&str; 2] = ["graph", "events"];

/// Lists the steps of this namespace, by id.
#[utoipa::path(
    get, path = "/api/steps", tag = "steps",
    params(
        ("label" = Option<String>, Query, description = "`key=value`; may be given several times."),
        ("limit" = Option<u16>, Query, description = "How many steps; 200 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before."),
    ),
    responses((status = 200, description = "A page of steps.", body = StepList)),
)]
pub async fn list(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<StepList>, Problem> {
    let mut labels = Vec::new();
    for text in params.take_all("label") {
        match text.split_once('=') {
            Some((key, value)) => labels.push((key.to_owned(), value.to_owned())),
            None => return Err(Problem::field("label", "it has the form `key=value`")),
        }
    }
    let after = params.take("cursor")?;
    let limit = params.take_limit(200)?;
    params.finish(&["label", "limit", "cursor"])?;
    let catalog = app.flows.catalogs.get(&access.namespace).await?;
    let is_wanted = |step: &StepDefinition| {
        labels.iter().all(|(key, value)| step.labels.get(key) == Some(value))
            && after.as_ref().is_none_or(|after| step.id.as_str() > after.as_str())
    };
    let wanted = catalog.steps().filter(|step| is_wanted(step)).take(limit + 1);
    let mut steps: Vec<StepView> = wanted.map(|step| step_view(&catalog, step)).collect();
    let has_more = steps.len() > limit;
    steps.truncate(limit);
    let next_cursor = steps.last().map(|step| step.id.clone()).filter(|_| has_more);
    Ok(Json(StepList { steps, next_cursor }))
}

/// Registers a step.
///
/// An id that is there already with another definition is refused; the same definition changes nothing.
#[utoipa::path(
    post, path = "/api/steps", tag = "steps",
    request_body(content = Object, description = "A definition: docs/reference/flow-steps.md."),
    responses(
        (status = 201, description = "It was registered.", body = StepChanged),
        (status = 200, description = "It was there already.", body = StepChanged),
    ),
)]
pub async fn register(
    State(app): State<App>,
    Admin(access): Admin,
    params: Params,
    RawJson(body): RawJson,
) -> Result<(StatusCode, Json<StepChanged>), Problem> {
    params.finish(&[])?;
    let step = StepDefinition::parse(&body).map_err(step_problem)?;
    check_reserved(step.id.as_str())?;
    let id = step.id.to_string();
    let decide = move |catalog: &stepwell_flow::Catalog, scripts: &stepwell_flow::Scripts| {
        catalog.with_step(step.clone(), scripts)
    };
    let changed = app.flows.catalogs.change(&access.namespace, decide).await?;
    let status = if changed.events.is_empty() { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(view(&changed, &id))))
}

/// One step, with its version and health.
#[utoipa::path(
    get, path = "/api/steps/{step}", tag = "steps",
    params(("step" = String, Path, description = "The step's id.")),
    responses((status = 200, description = "The step.", body = StepView)),
)]
pub async fn get(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<StepView>, Problem> {
    params.finish(&[])?;
    let catalog = app.flows.catalogs.get(&access.namespace).await?;
    match catalog.step(&id) {
        Some(step) => Ok(Json(step_view(&catalog, step))),
        None => {
            let near: Vec<String> =
                catalog.nearest(&id).iter().map(|near| format!("`{near}`")).collect();
            let hint = match near.is_empty() {
                true => String::new(),
                false => format!("; did you mean {}?", near.join(" or ")),
            };
            let detail = format!("there is no step `{}` in this namespace{hint}", short(&id));
            Err(Problem::new(Code::UnknownStep, detail))
        }
    }
}

/// Changes a step, which must be there. Flows that were started before finish as they began.
#[utoipa::path(
    put, path = "/api/steps/{step}", tag = "steps",
    params(("step" = String, Path, description = "The step's id, as in the definition.")),
    request_body(content = Object, description = "A definition: docs/reference/flow-steps.md."),
    responses((status = 200, description = "It is as wished.", body = StepChanged)),
)]
pub async fn update(
    State(app): State<App>,
    Admin(access): Admin,
    Path(id): Path<String>,
    params: Params,
    RawJson(body): RawJson,
) -> Result<Json<StepChanged>, Problem> {
    params.finish(&[])?;
    let step = StepDefinition::parse(&body).map_err(step_problem)?;
    if step.id.as_str() != id {
        let said = format!("it is `{}`, and `{}` in the path", step.id, short(&id));
        return Err(Problem::field("id", said));
    }
    let decide = move |catalog: &stepwell_flow::Catalog, scripts: &stepwell_flow::Scripts| {
        catalog.with_update(step.clone(), scripts)
    };
    let changed = app.flows.catalogs.change(&access.namespace, decide).await?;
    Ok(Json(view(&changed, &id)))
}

/// Removes a step, and says which steps lose a provider.
#[utoipa::path(
    delete, path = "/api/steps/{step}", tag = "steps",
    params(("step" = String, Path, description = "The step's id.")),
    responses((status = 200, description = "It is gone.", body = StepChanged)),
)]
pub async fn remove(
    State(app): State<App>,
    Admin(access): Admin,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<StepChanged>, Problem> {
    params.finish(&[])?;
    let wanted = id.clone();
    let changed = app
        .flows
        .catalogs
        .change(&access.namespace, move |catalog, _| catalog.without_step(&wanted));
    Ok(Json(view(&changed.await?, &id)))
}

/// All steps and attributes as nodes and edges, for drawing.
#[utoipa::path(
    get, path = "/api/steps/graph", tag = "steps",
    responses((status = 200, description = "The graph.", body = StepGraph)),
)]
pub async fn graph(
    State(app): State<App>,
    Reader(access): Reader,
    params: Params,
) -> Result<Json<StepGraph>, Problem> {
    params.finish(&[])?;
    let graph = app.flows.catalogs.get(&access.namespace).await?.graph();
    let value = |it: serde_json::Result<_>| it.map_err(|error| internal(&error.to_string()));
    let nodes = value(serde_json::to_value(&graph.nodes))?;
    let edges = value(serde_json::to_value(&graph.edges))?;
    Ok(Json(StepGraph { nodes, edges }))
}

/// What happened to the catalog, oldest first.
#[utoipa::path(
    get, path = "/api/steps/events", tag = "steps",
    params(
        ("limit" = Option<u16>, Query, description = "How many events; 200 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before."),
    ),
    responses((status = 200, description = "A page of events.", body = CatalogEventPage)),
)]
pub async fn events(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<CatalogEventPage>, Problem> {
    let from: u64 = params.take_number("cursor")?.unwrap_or(0);
    let limit = params.take_limit(200)?;
    params.finish(&["limit", "cursor"])?;
    let (found, next) = app.flows.catalogs.events(&access.namespace, from, limit).await?;
    let mut events = Vec::with_capacity(found.len());
    for (seq, stored) in found {
        let event = serde_json::to_value(&stored.event);
        let mut event = event.map_err(|error| internal(&error.to_string()))?;
        events.push(CatalogEventView {
            seq,
            timestamp: Timestamp(UnixMillis(stored.at)),
            kind: event["type"].as_str().unwrap_or_default().to_owned(),
            data: event["data"].take(),
        });
    }
    let next_cursor = next.map(|next| next.to_string());
    Ok(Json(CatalogEventPage { events, next_cursor }))
}

fn view(changed: &Changed, id: &str) -> StepChanged {
    let lost = changed.lost.iter().map(|lost| LostProviderView {
        step: lost.step.to_string(),
        attribute: lost.attribute.to_string(),
        providers: lost.remaining.iter().map(ToString::to_string).collect(),
    });
    StepChanged {
        step: changed.catalog.step(id).map(|step| step_view(&changed.catalog, step)),
        changed: !changed.events.is_empty(),
        lost: lost.collect(),
    }
}

fn check_reserved(id: &str) -> Result<(), Problem> {
    if !RESERVED.contains(&id) {
        return Ok(());
    }
    let said = format!("`{id}` is the name of a page of the API: use another id");
    Err(Problem::new(Code::InvalidStep, format!("`id`: {said}")).at("id", said))
}
