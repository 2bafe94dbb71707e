//! The console at `/`, and what only it asks for.

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, ETAG, IF_NONE_MATCH};
use serde_json::json;

use crate::kit::{start, start_with};

fn is_built() -> bool {
    std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../console/dist/index.html"))
        .exists()
}

#[tokio::test]
async fn the_root_is_a_page_whether_the_console_was_built_or_not() {
    let server = start().await;
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    assert!(page.headers["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(page.text.contains("Stepwell"), "{}", page.text);
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-eval"), "{policy}");
    assert_eq!(page.headers["x-frame-options"], "DENY");
}

#[tokio::test]
async fn addresses_of_the_console_lead_to_it_and_others_are_unknown() {
    let server = start().await;
    let root = server.get("/").await.text;
    let ask = |path: &str| reqwest::Client::new().get(format!("{}{path}", server.url));
    for path in ["/runs", "/runs/a.b.c", "/workflows/x", "/@team-a/runs"] {
        let answer = ask(path).header(ACCEPT, "text/html,*/*;q=0.8").send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        assert_eq!(answer.text().await.unwrap(), root, "{path}");
    }
    for path in ["/api/nope", "/health/nope", "/mcp/x"] {
        let answer = ask(path).header(ACCEPT, "text/html").send().await.unwrap();
        assert_eq!(answer.status(), 404, "{path} is for programs");
    }
    for path in ["/assets/nope.js", "/index.html.gz", "/../Cargo.toml"] {
        assert_eq!(ask(path).send().await.unwrap().status(), 404, "{path}");
    }
    let posted = reqwest::Client::new().post(format!("{}/runs", server.url)).send().await.unwrap();
    assert_eq!(posted.status(), 404);
}

#[tokio::test]
async fn a_file_of_the_console_is_sent_once_and_packed() {
    if !is_built() {
        // `make test` builds it first.
        return;
    }
    let server = start().await;
    let page = server.get("/").await.text;
    let (_, rest) = page.split_once("src=\"/assets/").unwrap();
    let script = format!("{}/assets/{}", server.url, rest.split('"').next().unwrap());
    let client = reqwest::Client::builder().no_gzip().build().unwrap();
    let plain = client.get(&script).send().await.unwrap();
    assert!(plain.headers()["cache-control"].to_str().unwrap().contains("immutable"));
    assert!(plain.headers()["content-type"].to_str().unwrap().starts_with("text/javascript"));
    let packed = client.get(&script).header(ACCEPT_ENCODING, "br, gzip").send().await.unwrap();
    assert_eq!(packed.headers()["content-encoding"], "gzip");
    let tag = packed.headers()[ETAG].clone();
    assert_ne!(tag, plain.headers()[ETAG]);
    let (n_plain, n_packed) =
        (plain.bytes().await.unwrap().len(), packed.bytes().await.unwrap().len());
    assert!(n_packed * 2 < n_plain, "{n_packed} of {n_plain} bytes");
    let known = client
        .get(&script)
        .header(ACCEPT_ENCODING, "gzip")
        .header(IF_NONE_MATCH, tag)
        .send()
        .await
        .unwrap();
    assert_eq!(known.status(), 304);
    let index = client.get(&server.url).send().await.unwrap();
    assert_eq!(index.headers()["cache-control"], "no-cache");
}

#[tokio::test]
async fn the_page_needs_no_token_and_its_data_does() {
    let server = start_with(|config| {
        config.access.admin_token = Some("0123456789abcdef0123456789abcdef".to_owned());
    })
    .await;
    let stranger = server.without_token();
    assert_eq!(stranger.get("/").await.status, 200);
    assert_eq!(stranger.get("/api/settings").await.status, 401);
    assert_eq!(stranger.get("/api/run-counts").await.status, 401);
}

#[tokio::test]
async fn settings_are_shown_without_secrets() {
    let server = start_with(|config| {
        config.access.admin_token = Some("0123456789abcdef0123456789abcdef".to_owned());
        config.limits.readers_max = 77;
    })
    .await;
    let settings = server.get("/api/settings").await;
    assert_eq!(settings.json()["limits"]["readers_max"], 77);
    assert!(!settings.text.contains("0123456789abcdef"), "{}", settings.text);
}

#[tokio::test]
async fn runs_are_counted_by_when_they_began() {
    let server = start().await;
    for n in 0..3 {
        let run = server.start("order", json!({ "sku": "a", "n": n })).await;
        server.wait(&run).await;
    }
    let counted = server.get("/api/run-counts?buckets=6").await.json();
    let buckets = counted["buckets"].as_array().unwrap();
    assert_eq!(buckets.len(), 6);
    assert_eq!(buckets[5]["counts"], json!({ "completed": 3 }));
    assert_eq!(buckets[0]["counts"], json!({}));
    let other = server.get("/api/run-counts?buckets=1&workflow=echo").await.json();
    assert_eq!(other["buckets"][0]["counts"], json!({}));
    for (query, path) in [
        ("buckets=0", "buckets"),
        ("buckets=121", "buckets"),
        ("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
        ("colour=red", "colour"),
    ] {
        let answer = server.get(&format!("/api/run-counts?{query}")).await;
        assert_eq!(answer.status, 400, "{query}");
        assert_eq!(answer.json()["errors"][0]["path"], path, "{query}");
    }
}
