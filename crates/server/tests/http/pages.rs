//! Health, metrics, the OpenAPI document and its pages.

use serde_json::json;
use stepwell_server::Code;

use crate::kit::start;

#[tokio::test]
async fn the_server_says_how_it_is() {
    let server = start().await;
    assert_eq!(server.get("/health/live").await.text, "ok\n");
    assert_eq!(server.get("/health/ready").await.text, "ok\n");
    let run = server.start("order", json!({ "sku": "a", "n": 3 })).await;
    server.wait(&run).await;
    let metrics = server.get("/metrics").await;
    assert!(metrics.headers["content-type"].to_str().unwrap().starts_with("text/plain"));
    for name in [
        "stepwell_runs{status=\"completed\"} 1",
        "stepwell_commits_total",
        "stepwell_events_total",
        "stepwell_attempt_seconds_bucket",
        "stepwell_run_seconds_bucket",
        "stepwell_http_request_seconds_bucket{method=\"POST\",route=\"/api/workflows/{name}/runs\"",
    ] {
        assert!(metrics.text.contains(name), "{name} is missing in:\n{}", metrics.text);
    }
}

#[tokio::test]
async fn every_problem_has_a_page() {
    let server = start().await;
    for code in Code::ALL {
        let page = server.get(&format!("/api/problems/{}", code.as_str())).await;
        assert_eq!(page.status, 200);
        assert!(page.text.contains(code.title()), "{}", page.text);
        assert!(code.page().len() > 30, "{} says too little", code.as_str());
    }
    let problem = server.get("/api/runs/nope").await.json();
    let page = server.get(problem["type"].as_str().unwrap()).await;
    assert_eq!(page.status, 200);
}

#[tokio::test]
async fn the_description_is_whole() {
    let server = start().await;
    let openapi = server.get("/api/openapi.json").await.json();
    assert_eq!(openapi["openapi"], "3.1.0");
    for (path, item) in openapi["paths"].as_object().unwrap() {
        for (verb, operation) in item.as_object().unwrap() {
            assert!(operation["summary"].is_string(), "{verb} {path} has no summary");
            assert!(operation["tags"].is_array(), "{verb} {path} has no tag");
            assert!(
                operation["responses"]["default"].is_object(),
                "{verb} {path} knows no problems"
            );
        }
    }
    let page = server.get("/api/docs").await;
    assert!(page.text.contains("Stepwell API"));
    assert!(
        page.headers["content-security-policy"].to_str().unwrap().contains("default-src 'none'")
    );
}

#[test]
fn the_page_of_problems_lists_all_of_them() {
    let page = include_str!("../../../../docs/reference/problems.md");
    for code in Code::ALL {
        let text: Vec<&str> = code.page().split_whitespace().collect();
        let row =
            format!("| `{}` | {} | {} |", code.as_str(), code.status().as_u16(), text.join(" "));
        assert!(page.contains(&row), "docs/reference/problems.md lacks:\n{row}");
    }
    assert_eq!(page.matches("\n| `").count(), Code::ALL.len(), "it lists one that is gone");
}

#[tokio::test]
async fn the_dashboard_asks_for_figures_that_are_there() {
    let server = start().await;
    let run = server.start("order", json!({ "sku": "a", "n": 3 })).await;
    server.wait(&run).await;
    server.get("/health/live").await;
    let metrics = server.get("/metrics").await.text;
    let dashboard = include_str!("../../../../packaging/grafana-dashboard.json");
    let words = dashboard.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    // The store's own figures are added by whoever knows the store.
    let names =
        words.filter(|word| word.starts_with("stepwell_") && !word.starts_with("stepwell_store_"));
    for name in names {
        assert!(metrics.contains(name), "the dashboard asks for {name}, which nobody tells");
    }
}
