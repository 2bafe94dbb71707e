//! Starting runs, and finding them.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::IntoResponse;
use stepwell_engine::{Launched, StartOptions};
use stepwell_journal::{RunId, RunStatus, UnixMillis};
use stepwell_store::{Cursor, InputFilter, RunQuery};

use crate::access::{Launcher, Reader};
use crate::api::{RunList, RunSummary, StartRun, StartedRun};
use crate::app::{App, run_id};
use crate::extract::{JsonBody, Params, short, word};
use crate::flows::refuse_plain_start;
use crate::problem::{Code, Problem};

/// How many labels or input fields a list may filter by.
const FILTERS_MAX: usize = 16;

/// The label that keeps the name that a user gave a run.
const NAME_LABEL: &str = "run";

const STATUSES: [(&str, RunStatus); 7] = [
    ("pending", RunStatus::Pending),
    ("running", RunStatus::Running),
    ("waiting", RunStatus::Waiting),
    ("rolling_back", RunStatus::RollingBack),
    ("completed", RunStatus::Completed),
    ("failed", RunStatus::Failed),
    ("cancelled", RunStatus::Cancelled),
];

const FILTERS: &[&str] = &[
    "workflow",
    "status",
    "label",
    "from",
    "to",
    "input.<path>",
    "parent",
    "q",
    "limit",
    "cursor",
];

/// Starts a run.
///
/// Answers when the run is durable, not when it has ended.
#[utoipa::path(
    post, path = "/api/workflows/{name}/runs", tag = "runs",
    params(("name" = String, Path, description = "The workflow.")),
    request_body = StartRun,
    responses(
        (status = 201, description = "The run was created.", body = StartedRun),
        (status = 200, description = "The idempotency key was seen before: this is that run.", body = StartedRun),
    ),
)]
pub async fn start(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(name): Path<String>,
    headers: HeaderMap,
    params: Params,
    JsonBody(wish): JsonBody<StartRun>,
) -> Result<impl IntoResponse, Problem> {
    params.finish(&[])?;
    refuse_plain_start(&name)?;
    let body = launch(&app, &access.namespace, &name, &headers, &wish).await?;
    Ok(answer(body))
}

/// The answer to a start.
pub fn answer(started: StartedRun) -> impl IntoResponse {
    let status = if started.existing { StatusCode::OK } else { StatusCode::CREATED };
    let location = [(header::LOCATION, format!("/api/runs/{}", started.run_id))];
    (status, location, Json(started))
}

/// Starts a run, or finds the one that its idempotency key made.
pub async fn launch(
    app: &App,
    namespace: &str,
    name: &str,
    headers: &HeaderMap,
    wish: &StartRun,
) -> Result<StartedRun, Problem> {
    let options = options(app, namespace, headers, wish)?;
    app.graphs.refresh_for(namespace, name).await?;
    started(app.engine.launch(name, &wish.input, options).await?).await
}

/// What is said of a run that was started, or was there.
pub async fn started(launched: Launched) -> Result<StartedRun, Problem> {
    let Launched { run, is_new } = launched;
    let status = if is_new { RunStatus::Pending } else { run.row().await?.status };
    Ok(StartedRun { run_id: run.id().to_string(), status: status.to_string(), existing: !is_new })
}

pub fn options(
    app: &App,
    namespace: &str,
    headers: &HeaderMap,
    wish: &StartRun,
) -> Result<StartOptions, Problem> {
    let mut labels = wish.labels.clone();
    let run = match &wish.run_id {
        Some(text) => {
            let id = run_id(namespace, text)?;
            if text.parse::<RunId>().is_err() {
                labels.entry(NAME_LABEL.to_owned()).or_insert_with(|| text.clone());
            }
            Some(id)
        }
        None => None,
    };
    let deadline = app.deadline(wish.deadline_ms)?;
    let trace = headers.get("traceparent").and_then(|value| value.to_str().ok());
    Ok(StartOptions {
        run_id: run,
        idempotency_key: wish.idempotency_key.clone(),
        labels,
        namespace: Some(namespace.to_owned()),
        start_at: wish.start_at.map(|at| at.0),
        deadline,
        trace: trace.map(str::to_owned),
    })
}

/// Lists runs, newest first.
#[utoipa::path(
    get, path = "/api/runs", tag = "runs",
    params(
        ("workflow" = Option<String>, Query, description = "Only runs of this workflow."),
        ("status" = Option<String>, Query, description = "Only these statuses, separated by commas."),
        ("label" = Option<String>, Query, description = "`key=value`; may be given several times."),
        ("from" = Option<crate::api::Timestamp>, Query, description = "Created at or after."),
        ("to" = Option<crate::api::Timestamp>, Query, description = "Created before."),
        ("input.path" = Option<String>, Query, description =
            "A field of the input has this value: `input.customer.id=42`. What is JSON is taken as JSON, anything else as text."),
        ("parent" = Option<String>, Query, description = "Only children of this run."),
        ("q" = Option<String>, Query, description =
            "Begins the id, or is part of the workflow's name, the description, a label's value or the error."),
        ("limit" = Option<u16>, Query, description = "How many rows; 50 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before."),
    ),
    responses((status = 200, description = "A page of runs.", body = RunList)),
)]
pub async fn list(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<RunList>, Problem> {
    let query = query(&access.namespace, &mut params)?;
    params.finish(FILTERS)?;
    let counts = match query.after {
        Some(_) => None,
        None => Some(counts(&app, &query).await?),
    };
    let page = app.engine.query(query).await?;
    Ok(Json(RunList {
        runs: page.runs.into_iter().map(RunSummary::from).collect(),
        next_cursor: page.next.map(write_cursor),
        counts,
    }))
}

async fn counts(app: &App, query: &RunQuery) -> Result<BTreeMap<String, u64>, Problem> {
    let counted = app.engine.count(query).await?;
    let mut counts: BTreeMap<String, u64> =
        STATUSES.iter().map(|(name, _)| ((*name).to_owned(), 0)).collect();
    counts.extend(counted.into_iter().map(|count| (count.status.to_string(), count.n_runs)));
    Ok(counts)
}

fn query(namespace: &str, params: &mut Params) -> Result<RunQuery, Problem> {
    let mut statuses = Vec::new();
    for text in params.take_all("status") {
        for text in text.split(',') {
            statuses.push(word("status", text, &STATUSES)?);
        }
    }
    let labels: BTreeMap<String, String> =
        params.take_all("label").iter().map(|text| label(text)).collect::<Result<_, _>>()?;
    let input: Vec<InputFilter> =
        params.take_prefixed("input.").into_iter().map(input_filter).collect::<Result<_, _>>()?;
    if labels.len() > FILTERS_MAX || input.len() > FILTERS_MAX {
        return Err(Problem::field(
            "label",
            format!("at most {FILTERS_MAX} filters of a kind can be given"),
        ));
    }
    let parent = match params.take("parent")? {
        Some(text) => Some(run_id(namespace, &text)?),
        None => None,
    };
    let after = match params.take("cursor")? {
        Some(text) => Some(read_cursor(&text)?),
        None => None,
    };
    Ok(RunQuery {
        namespace: Some(namespace.to_owned()),
        workflow: params.take("workflow")?,
        statuses,
        labels,
        created_from: params.take_date("from")?.map(|at| at.0),
        created_before: params.take_date("to")?.map(|at| at.0),
        input,
        parent,
        text: params.take("q")?.filter(|text| !text.is_empty()),
        after,
        limit: params.take_limit(50)?,
        ..RunQuery::default()
    })
}

fn label(text: &str) -> Result<(String, String), Problem> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => {
            Err(Problem::field("label", format!("`{}` is not of the form key=value", short(text))))
        }
    }
}

fn input_filter((path, text): (String, String)) -> Result<InputFilter, Problem> {
    let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
    if parts.iter().any(String::is_empty) {
        let message = "give a path such as input.customer.id";
        return Err(Problem::field(&format!("input.{}", short(&path)), message));
    }
    let value: serde_json::Value =
        serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
    Ok(InputFilter { path: parts, equals: value.into() })
}

pub fn write_cursor(cursor: Cursor) -> String {
    format!("{:x}.{}", cursor.created_at.0, cursor.run.0.simple())
}

pub fn read_cursor(text: &str) -> Result<Cursor, Problem> {
    let parsed = text.split_once('.').and_then(|(at, run)| {
        let created_at = UnixMillis(u64::from_str_radix(at, 16).ok()?);
        Some(Cursor { created_at, run: run.parse().ok()? })
    });
    parsed.ok_or_else(|| {
        Problem::field("cursor", "give the `next_cursor` of the page before, as it was")
    })
}

/// A list of something that is not paged has no cursors.
pub fn no_cursor(params: &mut Params) -> Result<(), Problem> {
    match params.take("cursor")? {
        Some(_) => Err(Problem::new(Code::InvalidRequest, "this list has one page")
            .at("cursor", "this list has one page")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_were_written() {
        let run = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let cursor = Cursor { created_at: UnixMillis(1_700_000_000_123), run };
        assert_eq!(read_cursor(&write_cursor(cursor)).unwrap(), cursor);
        for text in ["", "x", "1.", ".1", "zz.01890a5dac96774bbcceb302099a8057"] {
            assert!(read_cursor(text).is_err(), "{text}");
        }
    }
}
