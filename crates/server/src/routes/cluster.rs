//! The nodes that share the store.

use axum::Json;
use axum::extract::State;

use crate::access::Reader;
use crate::api::ClusterView;
use crate::app::App;
use crate::extract::Params;
use crate::problem::Problem;

/// Says which nodes share the store, which of them are alive, and who owns what.
#[utoipa::path(
    get, path = "/api/cluster", tag = "server",
    responses((status = 200, description = "The nodes and their shards.", body = ClusterView)),
)]
pub async fn status(
    State(app): State<App>,
    _: Reader,
    params: Params,
) -> Result<Json<ClusterView>, Problem> {
    params.finish(&[])?;
    let Some(cluster) = app.engine.store().cluster() else {
        return Ok(Json(ClusterView { shared: false, nodes: Vec::new(), shards: Vec::new() }));
    };
    Ok(Json(cluster.status().await?.into()))
}
