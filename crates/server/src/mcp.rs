//! Stepwell as an MCP server: the same access, namespaces and rules as the API, for agents.
//!
//! ```text
//!   POST /mcp ------------------> Gate --> Desk::Main       workflows, runs, recordings, START_WORKFLOW_<NAME>
//!   POST /mcp/recordings/{id} --> Gate --> Desk::Recording  every upstream tool, each call a recorded step
//! ```
//!
//! There are no sessions: every request stands for itself, so a client does not notice when the server restarts
//! between two of them, or when another node answers.

mod answer;
mod desk;
mod progress;
mod recorder;
mod runs;
mod specs;
mod start;
mod workflows;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};

use crate::access::Reader;
use crate::app::App;
use crate::problem::Problem;
use desk::{Desk, Place};

/// `/mcp`
pub async fn main(State(app): State<App>, Reader(access): Reader, request: Request) -> Response {
    let desk = Desk { app, access, place: Place::Main };
    serve(desk, request).await
}

/// `/mcp/recordings/{id}`
pub async fn recording(
    State(app): State<App>,
    Reader(access): Reader,
    Path(id): Path<String>,
    request: Request,
) -> Response {
    let row = app.recording_row(&access.namespace, &id).await;
    match row {
        Ok(row) => serve(Desk { app, access, place: Place::Recording(row.run) }, request).await,
        Err(problem) => Problem::into_response(problem),
    }
}

async fn serve(desk: Desk, request: Request) -> Response {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        // Hosts and origins were looked at before: `access::guard`.
        .disable_allowed_hosts()
        .with_max_request_body_bytes(desk.app.config.limits.body_bytes_max);
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(desk.clone()), sessions, config);
    service.handle(request).await.map(Body::new)
}
