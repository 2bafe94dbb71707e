//! What a console shows of the whole: how many runs began when, and the settings in force.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State;
use serde_json::Value;
use stepwell_journal::UnixMillis;
use stepwell_store::RunQuery;

use crate::access::{Admin, Reader};
use crate::api::{CountBucket, CountsOverTime};
use crate::app::App;
use crate::extract::Params;
use crate::problem::Problem;

/// The most buckets that one answer has: each is a question to the store.
const BUCKETS_MAX: u64 = 120;

const DAY_MS: u64 = 86_400_000;

/// How many runs were created when, and how they stand now, in buckets of equal length.
#[utoipa::path(
    get, path = "/api/run-counts", tag = "runs",
    params(
        ("workflow" = Option<String>, Query, description = "Only runs of this workflow."),
        ("from" = Option<crate::api::Timestamp>, Query, description = "When the first bucket begins; a day before `to` if left out."),
        ("to" = Option<crate::api::Timestamp>, Query, description = "When the last bucket ends; now if left out."),
        ("buckets" = Option<u16>, Query, description = "How many; 24 if left out.", minimum = 1, maximum = 120),
    ),
    responses((status = 200, description = "The buckets, oldest first.", body = CountsOverTime)),
)]
pub async fn counts(
    State(app): State<App>,
    Reader(access): Reader,
    mut params: Params,
) -> Result<Json<CountsOverTime>, Problem> {
    let workflow = params.take("workflow")?;
    let to = params.take_date("to")?.map_or_else(|| app.engine.clock().now(), |at| at.0);
    let from = params.take_date("from")?.map(|at| at.0);
    let n: u64 = params.take_number("buckets")?.unwrap_or(24);
    params.finish(&["workflow", "from", "to", "buckets"])?;
    let from = from.unwrap_or(UnixMillis(to.0.saturating_sub(DAY_MS)));
    if !(1..=BUCKETS_MAX).contains(&n) {
        let said = format!("{n} is not between 1 and {BUCKETS_MAX}");
        return Err(Problem::field("buckets", said));
    }
    if to.0.saturating_sub(from.0) < n {
        return Err(Problem::field(
            "to",
            "it has to lie at least a millisecond for each bucket after `from`",
        ));
    }
    let edge = |at: u64| {
        let passed = u128::from(to.0 - from.0) * u128::from(at) / u128::from(n);
        // At most the difference itself, which fits.
        UnixMillis(from.0 + u64::try_from(passed).unwrap_or(u64::MAX - from.0))
    };
    let mut buckets = Vec::new();
    for at in 0..n {
        let query = RunQuery {
            namespace: Some(access.namespace.clone()),
            workflow: workflow.clone(),
            created_from: Some(edge(at)),
            created_before: Some(edge(at + 1)),
            ..RunQuery::default()
        };
        let counted = app.engine.count(&query).await?;
        let counts: BTreeMap<String, u64> =
            counted.iter().map(|count| (count.status.to_string(), count.n_runs)).collect();
        buckets.push(CountBucket { from: edge(at).into(), counts });
    }
    Ok(Json(CountsOverTime { buckets }))
}

/// The server's settings in force. Secrets are left out.
#[utoipa::path(
    get, path = "/api/settings", tag = "server",
    responses((status = 200, description = "The settings, named as in `stepwell.toml`.", body = serde_json::Value)),
)]
pub async fn settings(
    State(app): State<App>,
    _: Admin,
    params: Params,
) -> Result<Json<Value>, Problem> {
    params.finish(&[])?;
    let mut config = app.config.clone();
    config.telemetry.otlp_endpoint = config.telemetry.otlp_endpoint.map(|url| without_login(&url));
    Ok(Json(serde_json::to_value(&config).unwrap_or_default()))
}

/// An address may carry a name and a password.
fn without_login(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.find('/').unwrap_or(rest.len());
            match rest[..host].rfind('@') {
                Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
                None => url.to_owned(),
            }
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_login() {
        for (url, shown) in [
            ("http://localhost:4318", "http://localhost:4318"),
            ("https://me:secret@traces.example/v1", "https://traces.example/v1"),
            ("https://me:a@b@traces.example", "https://traces.example"),
            ("https://traces.example/a@b", "https://traces.example/a@b"),
        ] {
            assert_eq!(without_login(url), shown);
        }
    }
}
