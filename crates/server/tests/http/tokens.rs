//! Access tokens, and who may come in without one.

use serde_json::json;

use crate::kit::{answer, start, start_in, start_with};

const ADMIN: &str = "an admin token for tests";

#[tokio::test]
async fn a_token_is_shown_once_works_and_can_be_revoked() {
    let server = start_with(|config| config.access.admin_token = Some(ADMIN.to_owned())).await;
    let created = server.post("/api/tokens", json!({ "name": "ci", "scope": "launch" })).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let secret = created.json()["token"].as_str().unwrap().to_owned();
    assert!(secret.starts_with("swt_") && secret.len() >= 60);

    let listed = server.get("/api/tokens").await;
    assert!(!listed.text.contains(&secret));
    assert_eq!(listed.json()["tokens"][0]["name"], "ci");
    let taken = server.post("/api/tokens", json!({ "name": "ci", "scope": "read" })).await;
    assert_eq!(taken.problem(), "name_taken");

    let caller = server.with_token(&secret);
    let info = caller.get("/api/info").await.json();
    assert_eq!(
        (&info["scope"], &info["token"], &info["namespace"]),
        (&json!("launch"), &json!("ci"), &json!("default"))
    );
    let run = caller.start("echo", json!("hi")).await;
    assert_eq!(caller.wait(&run).await["output"], "hi");

    assert_eq!(server.delete("/api/tokens/ci").await.status, 204);
    assert_eq!(caller.get("/api/info").await.problem(), "invalid_token");
    assert_eq!(server.delete("/api/tokens/ci").await.problem(), "unknown_token");
    assert_eq!(
        server.post("/api/tokens", json!({ "name": "ci", "scope": "read" })).await.status,
        201
    );
}

#[tokio::test]
async fn tokens_outlive_a_restart_and_end_at_their_date() {
    let with_admin = |config: &mut stepwell_server::ServerConfig| {
        config.access.admin_token = Some(ADMIN.to_owned());
    };
    let server = start_with(with_admin).await;
    let soon = server.engine.clock().now().plus_ms(1_500).rfc3339();
    let short = server
        .post("/api/tokens", json!({ "name": "short", "scope": "read", "expires_at": soon }))
        .await;
    let long = server.post("/api/tokens", json!({ "name": "long", "scope": "read" })).await;
    let dir = server.stop().await;
    let server = start_in(dir, with_admin).await;
    let (short, long) = (short.json(), long.json());
    let long = server.with_token(long["token"].as_str().unwrap());
    let short = server.with_token(short["token"].as_str().unwrap());
    assert_eq!(long.get("/api/info").await.status, 200);
    let begun = std::time::Instant::now();
    while short.get("/api/info").await.status == 200 {
        assert!(begun.elapsed() < crate::kit::PATIENCE);
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert_eq!(short.get("/api/info").await.problem(), "invalid_token");
}

#[tokio::test]
async fn a_token_of_one_namespace_gives_none_for_another() {
    let server = start_with(|config| config.access.admin_token = Some(ADMIN.to_owned())).await;
    let wish = json!({ "name": "boss", "scope": "admin", "namespace": "a" });
    let created = server.post("/api/tokens", wish).await.json();
    let boss = server.with_token(created["token"].as_str().unwrap());
    for namespace in ["b", "*"] {
        let wish = json!({ "name": "spy", "scope": "read", "namespace": namespace });
        assert_eq!(boss.post("/api/tokens", wish).await.problem(), "namespace_forbidden");
    }
    assert_eq!(
        boss.post("/api/tokens", json!({ "name": "own", "scope": "read" })).await.json()["namespace"],
        "a"
    );
    assert_eq!(server.get("/api/tokens").await.json()["tokens"], json!([]), "default has none");
}

#[tokio::test]
async fn pages_of_other_sites_stay_out() {
    let server = start().await;
    let request = |name: &'static str, value: &'static str| {
        server.request(reqwest::Method::GET, "/api/info").header(name, value)
    };
    assert_eq!(
        answer(request("origin", "https://evil.example")).await.problem(),
        "origin_forbidden"
    );
    assert_eq!(answer(request("host", "evil.example")).await.problem(), "origin_forbidden");
    for host in ["localhost:7070", "127.0.0.1", "[::1]:7070", "app.localhost"] {
        assert_eq!(answer(request("host", host)).await.status, 200, "{host}");
    }
    let own = server.url.clone();
    let same = server.request(reqwest::Method::GET, "/api/info").header("origin", own);
    assert_eq!(answer(same).await.status, 200);
    let quiet = server.get("/api/info").await;
    assert!(!quiet.headers.contains_key("access-control-allow-origin"));
    for header in [
        "x-content-type-options",
        "x-frame-options",
        "referrer-policy",
        "cache-control",
        "x-request-id",
    ] {
        assert!(quiet.headers.contains_key(header), "{header}");
    }

    let open =
        start_with(|config| config.access.origins = vec!["https://ops.example".to_owned()]).await;
    let request =
        open.request(reqwest::Method::GET, "/api/info").header("origin", "https://ops.example");
    let allowed = answer(request).await;
    assert_eq!(allowed.status, 200);
    assert_eq!(allowed.headers["access-control-allow-origin"], "https://ops.example");
}
