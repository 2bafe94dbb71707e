//! A step service with axum: what an item is worth.
//!
//! A synchronous step that runs once for each item. The first request for an item is turned away with 503 and
//! `Retry-After`, to show that the engine comes again with the same key.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The keys that were seen.
type Seen = Arc<Mutex<BTreeSet<String>>>;

/// Answers requests until the process ends.
pub async fn serve(listener: TcpListener) -> std::io::Result<()> {
    let router = Router::new()
        .route("/score", post(score))
        .route("/health", get(async || Json(json!({ "status": "ok" }))))
        .with_state(Seen::default());
    axum::serve(listener, router).await
}

async fn score(
    State(seen): State<Seen>,
    headers: HeaderMap,
    Json(inputs): Json<Value>,
) -> Response {
    let key = headers.get("idempotency-key").and_then(|key| key.to_str().ok()).unwrap_or_default();
    let is_new = seen.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned());
    if is_new {
        return (StatusCode::SERVICE_UNAVAILABLE, [("retry-after", "0")]).into_response();
    }
    let item = inputs["items"].as_str().unwrap_or_default();
    Json(json!({ "score": item.len() })).into_response()
}
