//! Looking into one run.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use stepwell_engine::{RunView, WaitError};
use stepwell_journal::{Location, RunOutcome, RunState, Seq};
use stepwell_store::{Forget, LogLevel, LogQuery, RunRow, WhyKept};

use crate::access::{Admin, Reader};
use crate::api::{
    Around, EntryView, EventPage, JournalEvent, LogLineView, LogLines, RunDetail, RunOutcomeView,
    WaitView, entry_whole, tree,
};
use crate::app::App;
use crate::extract::{Params, short};
use crate::problem::{Code, Problem};

/// How long a wait may take, and does if nothing is said.
const WAIT_MS_MAX: u64 = 300_000;

const LEVELS: [(&str, LogLevel); 4] = [
    ("debug", LogLevel::Debug),
    ("info", LogLevel::Info),
    ("warn", LogLevel::Warn),
    ("error", LogLevel::Error),
];

/// One run, whole: how it stands, what it waits for, and the tree of its entries.
///
/// With `at` it is shown as of that event of its journal.
#[utoipa::path(
    get, path = "/api/runs/{id}", tag = "runs",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("at" = Option<u64>, Query, description = "The number of the last event that counts."),
    ),
    responses((status = 200, description = "The run.", body = RunDetail)),
)]
pub async fn get(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<RunDetail>, Problem> {
    let at: Option<u64> = params.take_number("at")?;
    params.finish(&["at"])?;
    let row = app.row(&access.namespace, &id).await?;
    let dialect = app.dialect(&row);
    let detail = match at {
        Some(seq) => {
            let state = app.travel.state_at(&app.engine, &row, Seq(seq)).await?;
            let status = state.status().to_string();
            let waiting_for = state.waits().iter().map(WaitView::of).collect();
            RunDetail::of(&state, Around { row: &row, dialect, status, waiting_for })
        }
        None => {
            let RunView { status, row, state, waiting_for } =
                app.engine.handle(&row).state().await?;
            let status = status.to_string();
            let waiting_for = waiting_for.iter().map(WaitView::of).collect();
            RunDetail::of(&state, Around { row: &row, dialect, status, waiting_for })
        }
    };
    Ok(Json(detail))
}

/// Removes a run that has ended, with its journal and its logs.
#[utoipa::path(
    delete, path = "/api/runs/{id}", tag = "runs",
    params(("id" = String, Path, description = "The run's id, or the name it was given.")),
    responses((status = 204, description = "It is gone.")),
)]
pub async fn delete(
    State(app): State<App>,
    Admin(access): Admin,
    Path(id): Path<String>,
    params: Params,
) -> Result<StatusCode, Problem> {
    params.finish(&[])?;
    let row = app.row(&access.namespace, &id).await?;
    let forget = Forget { namespace: Some(access.namespace), ..Forget::runs(vec![row.run]) };
    let forgotten = app.engine.store().forget(forget).await?;
    match forgotten.kept.first() {
        None => Ok(StatusCode::NO_CONTENT),
        Some(kept) => Err(kept_problem(&id, &kept.why)),
    }
}

fn kept_problem(id: &str, why: &WhyKept) -> Problem {
    let code = match why {
        WhyKept::NotEnded { .. } => Code::RunNotEnded,
        WhyKept::HasParent { .. } => Code::RunHasParent,
        _ => return Problem::unknown_run(id),
    };
    Problem::new(code, format!("run `{}` stays: {why}", short(id)))
}

/// One entry with its whole output, or the entries below it.
#[utoipa::path(
    get, path = "/api/runs/{id}/entries", tag = "runs",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("location" = String, Query, description = "The entry's location, such as `outer/~0/inner`."),
        ("at" = Option<u64>, Query, description = "The number of the last event that counts."),
    ),
    responses((status = 200, description = "The entry, with what stands below it.", body = EntryView)),
)]
pub async fn entries(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<EntryView>, Problem> {
    let at: Option<u64> = params.take_number("at")?;
    let location = params.take("location")?;
    params.finish(&["location", "at"])?;
    let Some(location) = location else {
        return Err(Problem::field("location", "it is missing"));
    };
    let row = app.row(&access.namespace, &id).await?;
    let state = match at {
        Some(seq) => app.travel.state_at(&app.engine, &row, Seq(seq)).await?,
        None => std::sync::Arc::new(app.engine.handle(&row).state().await?.state),
    };
    entry(&state, &location).map(Json)
}

fn entry(state: &RunState, text: &str) -> Result<EntryView, Problem> {
    let location = Location::from_text(text);
    let Some(entry) = state.entry(&location) else {
        let detail = format!("the run has no entry at `{}`", short(text));
        return Err(Problem::new(Code::UnknownEntry, detail));
    };
    let mut view = entry_whole(&location, entry);
    view.entries = tree(state, &location).0;
    Ok(view)
}

/// A run's journal, oldest event first.
#[utoipa::path(
    get, path = "/api/runs/{id}/journal", tag = "runs",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("from" = Option<u64>, Query, description = "The number of the first event."),
        ("limit" = Option<u16>, Query, description = "How many events; 200 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before."),
    ),
    responses((status = 200, description = "A page of events.", body = EventPage)),
)]
pub async fn journal(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<EventPage>, Problem> {
    let from: Option<u64> = params.take_number("from")?;
    let cursor: Option<u64> = params.take_number("cursor")?;
    let limit = params.take_limit(200)?;
    params.finish(&["from", "limit", "cursor"])?;
    if from.is_some() && cursor.is_some() {
        return Err(Problem::field("from", "give either this or a cursor"));
    }
    let row = app.row(&access.namespace, &id).await?;
    let first = Seq(cursor.or(from).unwrap_or(0));
    let mut events = app.engine.store().journal(row.run, first, limit + 1).await?;
    let next_cursor = (events.len() > limit).then(|| events[limit].seq.0.to_string());
    events.truncate(limit);
    Ok(Json(EventPage { events: events.iter().map(JournalEvent::from).collect(), next_cursor }))
}

/// What a run logged, oldest first.
#[utoipa::path(
    get, path = "/api/runs/{id}/logs", tag = "runs",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("level" = Option<String>, Query, description = "`debug`, `info`, `warn` or `error`, and what is worse; `debug` if left out."),
        ("location" = Option<String>, Query, description = "Only this entry, and what stands below it."),
        ("limit" = Option<u16>, Query, description = "How many lines; 200 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before, or a `tail_cursor`."),
    ),
    responses((status = 200, description = "A page of lines.", body = LogLines)),
)]
pub async fn logs(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<LogLines>, Problem> {
    let level = params.take_word("level", &LEVELS)?;
    let location = params.take("location")?;
    let after: Option<u64> = params.take_number("cursor")?;
    let limit = params.take_limit(200)?;
    params.finish(&["level", "location", "limit", "cursor"])?;
    let row = app.row(&access.namespace, &id).await?;
    let query = LogQuery {
        level_min: level.unwrap_or(LogLevel::Debug),
        location: location.map(|text| Location::from_text(&text)),
        after,
        limit,
        ..LogQuery::of(row.run)
    };
    let page = app.engine.store().logs(query).await?;
    Ok(Json(LogLines {
        lines: page.lines.into_iter().map(LogLineView::from).collect(),
        next_cursor: page.next.map(|at| at.to_string()),
        tail_cursor: Some(page.end.to_string()),
    }))
}

/// Waits until the run has ended, and says how.
#[utoipa::path(
    get, path = "/api/runs/{id}/wait", tag = "runs",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("timeout_ms" = Option<u64>, Query, description = "How long to wait; five minutes if left out, which is also the most.",
            minimum = 0, maximum = 300000),
    ),
    responses(
        (status = 200, description = "It has ended.", body = RunOutcomeView),
        (status = 408, description = "It has not ended yet.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn wait(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<RunOutcomeView>, Problem> {
    let timeout_ms: u64 = params.take_number("timeout_ms")?.unwrap_or(WAIT_MS_MAX);
    params.finish(&["timeout_ms"])?;
    if timeout_ms > WAIT_MS_MAX {
        let said = format!("{timeout_ms} is more than {WAIT_MS_MAX}: wait several times");
        return Err(Problem::field("timeout_ms", said));
    }
    let row = app.row(&access.namespace, &id).await?;
    let _place = app.reader()?;
    let handle = app.engine.handle(&row);
    let outcome = tokio::select! {
        biased;
        outcome = handle.outcome() => outcome.map_err(Problem::from)?,
        () = tokio::time::sleep(Duration::from_millis(timeout_ms)) => {
            let error = WaitError::TimedOut { run: row.run, after_ms: timeout_ms };
            let detail = format!("{error} (workflow `{}`)", row.workflow);
            return Err(Problem::new(Code::WaitTimedOut, detail));
        }
        () = app.closed() => return Err(Problem::new(Code::ShuttingDown, "the server is shutting down")),
    };
    Ok(Json(outcome_view(&row, outcome)))
}

fn outcome_view(row: &RunRow, outcome: RunOutcome) -> RunOutcomeView {
    let (status, output, error, reason) = match outcome {
        RunOutcome::Completed(output) => ("completed", Some(output), None, None),
        RunOutcome::Failed(failure) => ("failed", None, Some(failure), None),
        RunOutcome::Cancelled(reason) => ("cancelled", None, None, Some(reason)),
    };
    RunOutcomeView {
        run_id: row.run.to_string(),
        workflow: row.workflow.clone(),
        status: status.to_owned(),
        output,
        error,
        reason,
    }
}
