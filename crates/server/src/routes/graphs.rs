//! Graphs: saving, checking, writing them; and the tools that they call.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde_json::Value;
use stepwell_graph::{graph_schema, refs, roots_for};

use crate::access::{Admin, Reader};
use crate::api::{
    CompleteRef, GraphCheck, GraphProblem, RefCompletions, ToolListView, ToolServerList, ToolView,
    WorkflowView,
};
use crate::app::App;
use crate::extract::{JsonBody, Params};
use crate::graphs::Put;
use crate::problem::Problem;

/// Saves a graph.
///
/// The body is the graph, in the format of `GET /api/schemas/graph`; its `id` is the name in the path. New runs begin with
/// it; runs under way go on with the version that they began with.
#[utoipa::path(
    put, path = "/api/workflows/{name}", tag = "workflows",
    params(("name" = String, Path, description = "The graph's name.")),
    request_body(content = Object, description = "The graph."),
    responses(
        (status = 200, description = "It was changed.", body = WorkflowView),
        (status = 201, description = "It was made.", body = WorkflowView),
    ),
)]
pub async fn put(
    State(app): State<App>,
    Admin(access): Admin,
    Path(name): Path<String>,
    params: Params,
    JsonBody(definition): JsonBody<Value>,
) -> Result<(StatusCode, Json<WorkflowView>), Problem> {
    params.finish(&[])?;
    let saved = app.graphs.put(&access.namespace, &name, &definition, Put::Either).await?;
    let status = if saved.is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(WorkflowView::with_definition(&saved.workflow, Some(definition)))))
}

/// Removes a graph: no more runs of it begin. Runs under way go on.
#[utoipa::path(
    delete, path = "/api/workflows/{name}", tag = "workflows",
    params(("name" = String, Path, description = "The graph's name.")),
    responses((status = 204, description = "It is gone.")),
)]
pub async fn delete(
    State(app): State<App>,
    Admin(access): Admin,
    Path(name): Path<String>,
    params: Params,
) -> Result<StatusCode, Problem> {
    params.finish(&[])?;
    app.graphs.delete(&access.namespace, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Says everything that is wrong with a graph, without saving it.
#[utoipa::path(
    post, path = "/api/graphs/check", tag = "workflows",
    request_body(content = Object, description = "The graph."),
    responses((status = 200, description = "What is wrong with it, if anything.", body = GraphCheck)),
)]
pub async fn check(
    State(app): State<App>,
    _: Reader,
    params: Params,
    JsonBody(definition): JsonBody<Value>,
) -> Result<Json<GraphCheck>, Problem> {
    params.finish(&[])?;
    Ok(Json(match app.graphs.check(&definition).await {
        Ok(graph) => GraphCheck {
            valid: true,
            problems: Vec::new(),
            plan: serde_json::to_value(graph.plan()).ok(),
            version: Some(graph.version().to_owned()),
        },
        Err(problems) => GraphCheck {
            valid: false,
            problems: problems.0.iter().map(GraphProblem::from).collect(),
            plan: None,
            version: None,
        },
    }))
}

/// Says what could be written at the cursor of a text of a graph.
#[utoipa::path(
    post, path = "/api/graphs/completions", tag = "workflows",
    request_body = CompleteRef,
    responses((status = 200, description = "What could be written there.", body = RefCompletions)),
)]
pub async fn completions(
    _: Reader,
    params: Params,
    JsonBody(wish): JsonBody<CompleteRef>,
) -> Result<Json<RefCompletions>, Problem> {
    params.finish(&[])?;
    if !wish.text.is_char_boundary(wish.cursor) {
        return Err(Problem::field("cursor", "it is not between two characters of the text"));
    }
    let roots = roots_for(&wish.definition, &wish.step);
    let none = RefCompletions { start: wish.cursor, end: wish.cursor, candidates: Vec::new() };
    let found = refs::complete(&wish.text, wish.cursor, &roots);
    Ok(Json(found.map_or(none, RefCompletions::from)))
}

/// The JSON Schema of graphs.
#[utoipa::path(
    get, path = "/api/schemas/graph", tag = "workflows",
    responses((status = 200, description = "The schema.", body = Object)),
)]
pub async fn schema(_: Reader, params: Params) -> Result<Json<Value>, Problem> {
    params.finish(&[])?;
    Ok(Json(graph_schema()))
}

/// Lists the tools of the upstream MCP servers. Those that are not connected are.
#[utoipa::path(
    get, path = "/api/tools", tag = "tools",
    params(("server" = Option<String>, Query, description = "Only this server's.")),
    responses((status = 200, description = "The tools.", body = ToolListView)),
)]
pub async fn tools(
    State(app): State<App>,
    _: Reader,
    mut params: Params,
) -> Result<Json<ToolListView>, Problem> {
    let server = params.take("server")?;
    params.finish(&["server"])?;
    let mut view = ToolListView { tools: Vec::new(), unreachable: Default::default() };
    for listed in app.tools.list().await {
        if server.as_ref().is_some_and(|server| *server != listed.server) {
            continue;
        }
        match listed.tools {
            Ok(tools) => view.tools.extend(tools.iter().map(|tool| ToolView::from(&**tool))),
            Err(error) => {
                view.unreachable.insert(listed.server, error.to_string());
            }
        }
    }
    Ok(Json(view))
}

/// How it stands with the upstream MCP servers.
#[utoipa::path(
    get, path = "/api/tools/servers", tag = "tools",
    params(("connect" = Option<bool>, Query, description = "Whether to connect to those that are not connected; they are not if left out.")),
    responses((status = 200, description = "The servers.", body = ToolServerList)),
)]
pub async fn servers(
    State(app): State<App>,
    _: Reader,
    mut params: Params,
) -> Result<Json<ToolServerList>, Problem> {
    let connect = params.take_word("connect", &[("true", true), ("false", false)])?;
    params.finish(&["connect"])?;
    if connect == Some(true) {
        app.tools.list().await;
    }
    let servers = app.tools.status().into_iter().map(Into::into).collect();
    Ok(Json(ToolServerList { servers }))
}
