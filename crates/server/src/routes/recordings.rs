//! Recordings over HTTP. Over MCP they have an endpoint each.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use stepwell_mcp::recording::{Command, RECORDING, RecordingInput, proposals};
use stepwell_store::RunQuery;

use super::runs::{read_cursor, write_cursor};
use crate::access::{Admin, Launcher, Reader};
use crate::api::{
    PlaceRef, ProposalList, RecordCall, RecordPreset, RecordedCallView, RecordedInputView,
    RecordingList, RecordingView, RunSummary, SaveRecording, StartRecording, WorkflowView,
};
use crate::app::App;
use crate::extract::{JsonBody, OptionalBody, Params};
use crate::graphs::Put;
use crate::problem::Problem;
use crate::recordings::RecordedCall;

/// Begins a recording: calls that are made through it become steps of a workflow.
#[utoipa::path(
    post, path = "/api/recordings", tag = "recordings",
    request_body(content = Option<StartRecording>),
    responses((status = 201, description = "The recording.", body = RecordingView)),
)]
pub async fn start(
    State(app): State<App>,
    Launcher(access): Launcher,
    params: Params,
    OptionalBody(wish): OptionalBody<StartRecording>,
) -> Result<(StatusCode, Json<RecordingView>), Problem> {
    params.finish(&[])?;
    let input = RecordingInput { title: wish.title, description: wish.description };
    let run = app.start_recording(&access.namespace, input, wish.labels).await?;
    let view = view(&app, &access.namespace, &run.id().to_string()).await?;
    Ok((StatusCode::CREATED, Json(view)))
}

/// Lists recordings, newest first.
#[utoipa::path(
    get, path = "/api/recordings", tag = "recordings",
    params(
        ("limit" = Option<u16>, Query, description = "How many; 50 if left out.", minimum = 1, maximum = 1000),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before."),
    ),
    responses((status = 200, description = "A page of recordings.", body = RecordingList)),
)]
pub async fn list(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<RecordingList>, Problem> {
    let after = params.take("cursor")?.map(|text| read_cursor(&text)).transpose()?;
    let limit = params.take_limit(50)?;
    params.finish(&["limit", "cursor"])?;
    let query = RunQuery {
        namespace: Some(access.namespace),
        workflow: Some(RECORDING.to_owned()),
        after,
        limit,
        ..RunQuery::default()
    };
    let page = app.engine.query(query).await?;
    Ok(Json(RecordingList {
        recordings: page.runs.into_iter().map(RunSummary::from).collect(),
        next_cursor: page.next.map(write_cursor),
    }))
}

/// What has been recorded so far.
#[utoipa::path(
    get, path = "/api/recordings/{id}", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    responses((status = 200, description = "The recording.", body = RecordingView)),
)]
pub async fn get(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<RecordingView>, Problem> {
    params.finish(&[])?;
    view(&app, &access.namespace, &id).await.map(Json)
}

/// Calls a tool, and records the call. One that fails is recorded as failed, and left out on saving.
#[utoipa::path(
    post, path = "/api/recordings/{id}/calls", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    request_body = RecordCall,
    responses((status = 200, description = "What the tool gave.", body = RecordedCallView)),
)]
pub async fn call(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<RecordCall>,
) -> Result<Json<RecordedCallView>, Problem> {
    params.finish(&[])?;
    let RecordCall { tool, server, input, timeout_ms } = wish;
    record(&app, &access.namespace, &id, Command::Call { tool, server, input, timeout_ms }).await
}

/// Records a result without calling anybody.
#[utoipa::path(
    post, path = "/api/recordings/{id}/presets", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    request_body = RecordPreset,
    responses((status = 200, description = "The step that it became.", body = RecordedCallView)),
)]
pub async fn preset(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<RecordPreset>,
) -> Result<Json<RecordedCallView>, Problem> {
    params.finish(&[])?;
    let RecordPreset { name, tool, server, input, output } = wish;
    let command = Command::Preset { name, tool, server, input, output };
    record(&app, &access.namespace, &id, command).await
}

async fn record(
    app: &App,
    namespace: &str,
    id: &str,
    command: Command,
) -> Result<Json<RecordedCallView>, Problem> {
    let row = app.recording_row(namespace, id).await?;
    let _place = app.reader()?;
    let RecordedCall { step, answer, is_error } = app.record_call(&row, command).await?;
    Ok(Json(RecordedCallView { step, failed: is_error, answer }))
}

/// Takes a step out of the recording.
#[utoipa::path(
    delete, path = "/api/recordings/{id}/steps/{step}", tag = "recordings",
    params(
        ("id" = String, Path, description = "The recording's id."),
        ("step" = String, Path, description = "The step's name."),
    ),
    responses((status = 200, description = "The recording without it.", body = RecordingView)),
)]
pub async fn drop_step(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path((id, step)): Path<(String, String)>,
    params: Params,
) -> Result<Json<RecordingView>, Problem> {
    params.finish(&[])?;
    obey(&app, &access.namespace, &id, Command::Drop { step }).await
}

/// Names an input of the workflow, and says what it is while recording: `@input.user_id`.
#[utoipa::path(
    put, path = "/api/recordings/{id}/inputs/{input}", tag = "recordings",
    params(
        ("id" = String, Path, description = "The recording's id."),
        ("input" = String, Path, description = "The input's name."),
    ),
    request_body = RecordedInputView,
    responses((status = 200, description = "The recording with it.", body = RecordingView)),
)]
pub async fn name_input(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path((id, name)): Path<(String, String)>,
    params: Params,
    JsonBody(wish): JsonBody<RecordedInputView>,
) -> Result<Json<RecordingView>, Problem> {
    params.finish(&[])?;
    let RecordedInputView { value, description } = wish;
    obey(&app, &access.namespace, &id, Command::NameInput { name, value, description }).await
}

/// Lists literals that equal earlier outputs or inputs: they were probably meant as refs.
#[utoipa::path(
    get, path = "/api/recordings/{id}/proposals", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    responses((status = 200, description = "What could be refs.", body = ProposalList)),
)]
pub async fn propose(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<ProposalList>, Problem> {
    params.finish(&[])?;
    let row = app.recording_row(&access.namespace, &id).await?;
    let proposals = proposals(&app.recording(&row).await?);
    Ok(Json(ProposalList { proposals: proposals.into_iter().map(Into::into).collect() }))
}

/// Makes a literal a ref that has the same value.
#[utoipa::path(
    post, path = "/api/recordings/{id}/refs", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    request_body = PlaceRef,
    responses((status = 200, description = "The recording with it.", body = RecordingView)),
)]
pub async fn place_ref(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<PlaceRef>,
) -> Result<Json<RecordingView>, Problem> {
    params.finish(&[])?;
    let PlaceRef { step, pointer, written } = wish;
    obey(&app, &access.namespace, &id, Command::PlaceRef { step, pointer, written }).await
}

/// Ends a recording: it takes no more calls. It can be saved before and after.
#[utoipa::path(
    post, path = "/api/recordings/{id}/finish", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    responses((status = 200, description = "The recording.", body = RecordingView)),
)]
pub async fn finish(
    State(app): State<App>,
    Launcher(access): Launcher,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<RecordingView>, Problem> {
    params.finish(&[])?;
    obey(&app, &access.namespace, &id, Command::Finish).await
}

/// Saves what was recorded as a graph. Failed calls are left out.
#[utoipa::path(
    post, path = "/api/recordings/{id}/save", tag = "recordings",
    params(("id" = String, Path, description = "The recording's id.")),
    request_body = SaveRecording,
    responses(
        (status = 200, description = "The graph was replaced.", body = WorkflowView),
        (status = 201, description = "The graph was made.", body = WorkflowView),
    ),
)]
pub async fn save(
    State(app): State<App>,
    Admin(access): Admin,
    Path(id): Path<String>,
    params: Params,
    JsonBody(wish): JsonBody<SaveRecording>,
) -> Result<(StatusCode, Json<WorkflowView>), Problem> {
    params.finish(&[])?;
    let row = app.recording_row(&access.namespace, &id).await?;
    let put = if wish.replace { Put::Either } else { Put::New };
    let saved = app.save_recording(&row, &wish.workflow, put).await?;
    let (name, version) = (saved.workflow.name(), saved.workflow.version());
    let definition = app.graphs.definition(&row.namespace, name, version).await?;
    let status = if saved.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(WorkflowView::with_definition(&saved.workflow, definition))))
}

async fn obey(
    app: &App,
    namespace: &str,
    id: &str,
    command: Command,
) -> Result<Json<RecordingView>, Problem> {
    let row = app.recording_row(namespace, id).await?;
    app.command(&row, &command).await?;
    view(app, namespace, id).await.map(Json)
}

pub async fn view(app: &App, namespace: &str, id: &str) -> Result<RecordingView, Problem> {
    let row = app.recording_row(namespace, id).await?;
    let recording = app.recording(&row).await?;
    Ok(RecordingView::of(&row, recording))
}
