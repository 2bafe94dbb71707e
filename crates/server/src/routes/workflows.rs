//! Definitions.

use axum::Json;
use axum::extract::{Path, State};

use super::runs::no_cursor;
use crate::access::Reader;
use crate::api::{FailedFile, WorkflowList, WorkflowView};
use crate::app::App;
use crate::extract::{Params, short};
use crate::graphs::DIALECT;
use crate::problem::{Code, Problem};

/// Lists the workflows of this namespace, by name.
#[utoipa::path(
    get, path = "/api/workflows", tag = "workflows",
    responses((status = 200, description = "The workflows.", body = WorkflowList)),
)]
pub async fn list(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<WorkflowList>, Problem> {
    no_cursor(&mut params)?;
    params.finish(&[])?;
    app.graphs.refresh().await?;
    let workflows = app.workflows_in(&access.namespace);
    let failed_files = failed_files(&app);
    let view = |workflow| WorkflowView::of(workflow, &failed_files);
    let workflows = workflows.iter().map(view).collect();
    Ok(Json(WorkflowList { workflows, failed_files, next_cursor: None }))
}

/// One workflow, with the JSON Schema of its input and its plan.
#[utoipa::path(
    get, path = "/api/workflows/{name}", tag = "workflows",
    params(("name" = String, Path, description = "The workflow's name.")),
    responses((status = 200, description = "The workflow.", body = WorkflowView)),
)]
pub async fn get(
    State(app): State<App>,
    Reader(access): Reader,
    Path(name): Path<String>,
    params: Params,
) -> Result<Json<WorkflowView>, Problem> {
    params.finish(&[])?;
    app.graphs.refresh_for(&access.namespace, &name).await?;
    match app.engine.workflow(&access.namespace, &name) {
        Some(workflow) => {
            let version = workflow.version();
            let definition = match workflow.dialect() {
                DIALECT => app.graphs.definition(&access.namespace, &name, version).await?,
                _ => None,
            };
            let view = WorkflowView::of(&workflow, &failed_files(&app));
            Ok(Json(WorkflowView { definition, ..view }))
        }
        None => {
            let detail = format!("there is no workflow `{}` in this namespace", short(&name));
            Err(Problem::new(Code::UnknownWorkflow, detail))
        }
    }
}

fn failed_files(app: &App) -> Vec<FailedFile> {
    app.files.troubles().iter().map(FailedFile::from).collect()
}
