//! Access tokens, and the namespaces that there are.

use std::collections::{BTreeMap, BTreeSet};

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use stepwell_engine::DEFAULT_NAMESPACE;
use stepwell_store::RunQuery;

use super::runs::no_cursor;
use crate::access::{Admin, Reader};
use crate::api::{CreateToken, CreatedToken, NamespaceList, NamespaceView, TokenList};
use crate::app::App;
use crate::extract::{JsonBody, Params};
use crate::problem::Problem;

/// Makes an access token. It is shown in this answer and never again.
#[utoipa::path(
    post, path = "/api/tokens", tag = "access",
    request_body = CreateToken,
    responses((status = 201, description = "The token.", body = CreatedToken)),
)]
pub async fn create(
    State(app): State<App>,
    Admin(access): Admin,
    params: Params,
    JsonBody(wish): JsonBody<CreateToken>,
) -> Result<(StatusCode, Json<CreatedToken>), Problem> {
    params.finish(&[])?;
    let created = app.gate.create(&access, wish).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Lists the tokens of this namespace, by name. The tokens themselves are not kept.
#[utoipa::path(
    get, path = "/api/tokens", tag = "access",
    responses((status = 200, description = "The tokens.", body = TokenList)),
)]
pub async fn list(
    State(app): State<App>,
    Admin(access): Admin,
    mut params: Params,
) -> Result<Json<TokenList>, Problem> {
    no_cursor(&mut params)?;
    params.finish(&[])?;
    let mut tokens = app.gate.list(&access.namespace).await?;
    if access.is_for_all {
        tokens.extend(app.gate.list(crate::access::ALL_NAMESPACES).await?);
    }
    Ok(Json(TokenList { tokens, next_cursor: None }))
}

/// Revokes a token. It counts at once here, and within seconds on other nodes.
#[utoipa::path(
    delete, path = "/api/tokens/{name}", tag = "access",
    params(("name" = String, Path, description = "The token's name.")),
    responses((status = 204, description = "It is revoked.")),
)]
pub async fn revoke(
    State(app): State<App>,
    Admin(access): Admin,
    Path(name): Path<String>,
    params: Params,
) -> Result<StatusCode, Problem> {
    params.finish(&[])?;
    match app.gate.revoke(&access.namespace, &name).await {
        Err(problem) if access.is_for_all && problem.status == 404 => {
            app.gate.revoke(crate::access::ALL_NAMESPACES, &name).await?;
        }
        revoked => revoked?,
    }
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the namespaces that this request could work in, with how many runs are in each status.
#[utoipa::path(
    get, path = "/api/namespaces", tag = "access",
    responses((status = 200, description = "The namespaces.", body = NamespaceList)),
)]
pub async fn namespaces(
    State(app): State<App>,
    Reader(access): Reader,
    params: Params,
) -> Result<Json<NamespaceList>, Problem> {
    params.finish(&[])?;
    let names: BTreeSet<String> = if access.is_for_all {
        let tallied = app.engine.store().tally().await?;
        let own = [DEFAULT_NAMESPACE.to_owned(), access.namespace];
        tallied.into_iter().map(|tallied| tallied.namespace).chain(own).collect()
    } else {
        BTreeSet::from([access.namespace])
    };
    let mut namespaces = Vec::new();
    for name in names {
        let query = RunQuery { namespace: Some(name.clone()), ..RunQuery::default() };
        let counted = app.engine.count(&query).await?;
        let counts: BTreeMap<String, u64> =
            counted.iter().map(|count| (count.status.to_string(), count.n_runs)).collect();
        namespaces.push(NamespaceView { name, counts });
    }
    Ok(Json(NamespaceList { namespaces }))
}
