//! The steps of a run whose workflow is a sequence.

use axum::Json;
use axum::extract::{Path, State};
use serde_json::Value;
use stepwell_journal::Seq;
use stepwell_sequence::{Plan, records};

use crate::access::Reader;
use crate::api::StepRecords;
use crate::app::App;
use crate::extract::{Params, short};
use crate::problem::{Code, Problem};

/// The records of a sequence's steps, in the order of its plan: those that are still to come, too.
///
/// With `at` they are as of that event of the run's journal.
#[utoipa::path(
    get, path = "/api/runs/{id}/steps", tag = "runs",
    params(
        ("id" = String, Path, description = "The run's id, or the name it was given."),
        ("at" = Option<u64>, Query, description = "The number of the last event that counts."),
    ),
    responses((status = 200, description = "The steps.", body = StepRecords)),
)]
pub async fn steps(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    mut params: Params,
) -> Result<Json<StepRecords>, Problem> {
    let at: Option<u64> = params.take_number("at")?;
    params.finish(&["at"])?;
    let row = app.row(&access.namespace, &id).await?;
    let state = match at {
        Some(seq) => app.travel.state_at(&app.engine, &row, Seq(seq)).await?,
        None => std::sync::Arc::new(app.engine.handle(&row).state().await?.state),
    };
    let workflow = match &state.started {
        Some(started) => app.engine.workflow_of(started).await.ok().flatten(),
        None => None,
    };
    let Some(plan) = workflow.as_ref().and_then(Plan::of) else {
        let detail = format!("run `{}` is no run of a sequence that is registered", short(&id));
        return Err(Problem::new(Code::UnknownEntry, detail));
    };
    let steps = serde_json::to_value(records(&plan, &state)).unwrap_or(Value::Null);
    Ok(Json(StepRecords { steps }))
}
