//! Whether the server is well, and how it does.

use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;

use crate::access::Reader;
use crate::api::{ServerInfo, Timestamp};
use crate::app::App;
use crate::extract::Params;
use crate::problem::{Code, Problem};

/// Says that the process lives.
#[utoipa::path(
    get, path = "/health/live", tag = "server", security(()),
    responses((status = 200, description = "It lives.", body = String, content_type = "text/plain")),
)]
pub async fn live() -> &'static str {
    "ok\n"
}

/// Says whether the server can take work: its store answers, it is not going down, and, where the store is shared,
/// the others count on it.
#[utoipa::path(
    get, path = "/health/ready", tag = "server", security(()),
    responses(
        (status = 200, description = "It can take work.", body = String, content_type = "text/plain"),
        (status = 503, description = "It cannot.", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub async fn ready(State(app): State<App>) -> Result<&'static str, Problem> {
    if *app.closing.borrow() {
        return Err(Problem::new(Code::ShuttingDown, "the server is shutting down"));
    }
    app.engine.store().runnable(None, 1).await?;
    if let Some(cluster) = app.engine.store().cluster()
        && !cluster.status().await?.nodes.iter().any(|node| node.is_self && node.is_alive)
    {
        let detail = "this node has no lease: it could not tell the database that it lives";
        return Err(Problem::new(Code::StoreUnavailable, detail));
    }
    Ok("ok\n")
}

/// Figures for Prometheus, in its text format.
#[utoipa::path(
    get, path = "/metrics", tag = "server",
    responses((status = 200, description = "Figures.", body = String, content_type = "text/plain")),
)]
pub async fn metrics(State(app): State<App>, _: Reader) -> Result<impl IntoResponse, Problem> {
    let text = app.metrics.render(&app.engine).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text))
}

/// Who answers, and what this request may do.
#[utoipa::path(
    get, path = "/api/info", tag = "server",
    responses((status = 200, description = "The server.", body = ServerInfo)),
)]
pub async fn info(
    State(app): State<App>,
    Reader(access): Reader,
    params: Params,
) -> Result<Json<ServerInfo>, Problem> {
    params.finish(&[])?;
    Ok(Json(ServerInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        namespace: access.namespace,
        scope: access.scope,
        token: access.token,
        token_required: app.gate.is_token_needed(),
        started_at: app.started_at.into(),
        now: Timestamp(app.engine.clock().now()),
    }))
}
