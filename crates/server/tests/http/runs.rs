//! Starting runs, finding them, looking into them.

use serde_json::{Value, json};

use crate::kit::start;

#[tokio::test]
async fn a_run_is_started_waited_for_and_shown() {
    let server = start().await;
    let answer =
        server.post("/api/workflows/order/runs", json!({ "input": { "sku": "a", "n": 3 } })).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let run = answer.json()["run_id"].as_str().unwrap().to_owned();
    assert_eq!(answer.headers["location"], format!("/api/runs/{run}"));
    assert_eq!(answer.json()["existing"], false);
    let outcome = server.wait(&run).await;
    assert_eq!((&outcome["status"], &outcome["output"]), (&json!("completed"), &json!(3)));

    let shown = server.get(&format!("/api/runs/{run}")).await.json();
    assert_eq!(shown["status"], "completed");
    assert_eq!(shown["workflow"], "order");
    assert_eq!(shown["dialect"], "code");
    assert_eq!(shown["input"], json!({ "sku": "a", "n": 3 }));
    assert_eq!(shown["waiting_for"], json!([]));
    let names: Vec<&str> = shown["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["pick0", "pick1", "pick2"]);
    assert_eq!(shown["entries"][2]["output"], 2);

    let journal = server.get(&format!("/api/runs/{run}/journal?limit=2")).await.json();
    assert_eq!(journal["events"][0]["event"], "RunStarted");
    assert_eq!(journal["events"][1]["data"]["output"], 0);
    let cursor = journal["next_cursor"].as_str().unwrap();
    let rest = server.get(&format!("/api/runs/{run}/journal?cursor={cursor}")).await.json();
    assert_eq!(rest["events"].as_array().unwrap().last().unwrap()["event"], "RunCompleted");
    assert_eq!(rest["next_cursor"], Value::Null);
}

#[tokio::test]
async fn workflows_are_listed_with_their_schemas() {
    let server = start().await;
    let listed = server.get("/api/workflows").await.json();
    let names: Vec<&str> = listed["workflows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["echo", "failing", "listener", "order", "sleeper", "wide"]);
    let order = server.get("/api/workflows/order").await.json();
    assert_eq!(order["input_schema"]["required"], json!(["sku", "n"]));
    assert_eq!(
        server.get("/api/workflows/echo").await.json()["description"],
        "Says what it hears."
    );
}

#[tokio::test]
async fn an_idempotency_key_gives_the_first_run_and_an_id_is_never_reused() {
    let server = start().await;
    let wish = json!({ "input": 1, "idempotency_key": "k1" });
    let first = server.post("/api/workflows/echo/runs", wish.clone()).await;
    let again = server.post("/api/workflows/echo/runs", wish).await;
    assert_eq!((first.status.as_u16(), again.status.as_u16()), (201, 200));
    assert_eq!(first.json()["run_id"], again.json()["run_id"]);
    assert_eq!(again.json()["existing"], true);

    let named = json!({ "run_id": "order 42 / ü", "input": "x" });
    let made = server.post("/api/workflows/echo/runs", named.clone()).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(server.post("/api/workflows/echo/runs", named).await.problem(), "run_exists");
    let shown = server.get("/api/runs/order%2042%20%2F%20%C3%BC").await.json();
    assert_eq!(shown["run_id"], made.json()["run_id"]);
    assert_eq!(shown["labels"]["run"], "order 42 / ü");
}

#[tokio::test]
async fn runs_are_found_by_what_is_known_of_them() {
    let server = start().await;
    let mut runs = Vec::new();
    for n in 0..5 {
        let wish = json!({ "input": { "sku": "a", "n": n }, "labels": { "team": if n < 2 { "red" } else { "blue" } } });
        let answer = server.post("/api/workflows/order/runs", wish).await.json();
        runs.push(answer["run_id"].as_str().unwrap().to_owned());
    }
    let failed = server.start("failing", json!(null)).await;
    for run in runs.iter().chain([&failed]) {
        server.wait(run).await;
    }
    let found = async |query: &str| -> Vec<String> {
        let list = server.get(&format!("/api/runs?{query}")).await;
        assert_eq!(list.status, 200, "{}", list.text);
        let list = list.json();
        list["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["run_id"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(found("workflow=order").await.len(), 5);
    assert_eq!(found("label=team=red").await.len(), 2);
    assert_eq!(found("label=team=red&workflow=failing").await.len(), 0);
    assert_eq!(found("status=failed,cancelled").await, [failed.as_str()]);
    assert_eq!(found("input.n=3").await, [runs[3].as_str()]);
    assert_eq!(found("input.sku=a&input.n=0").await, [runs[0].as_str()]);
    assert_eq!(found("input.n=%223%22").await.len(), 0, "a text is not a number");
    assert_eq!(found(&format!("q={}", &failed[..20])).await, [failed.as_str()]);
    assert_eq!(found("q=no%20luck").await, [failed.as_str()]);
    assert_eq!(found("to=2020-01-01T00:00:00Z").await.len(), 0);
    assert_eq!(found("from=2020-01-01T00:00:00Z").await.len(), 6);
    let counts = server.get("/api/runs?workflow=order&status=failed").await.json();
    assert_eq!(counts["counts"]["completed"], 5, "counts do not depend on the status asked for");
    assert_eq!(counts["runs"], json!([]));
}

#[tokio::test]
async fn pages_stay_right_while_runs_come_and_go() {
    let server = start().await;
    let mut runs = Vec::new();
    for n in 0..7 {
        runs.push(server.start("echo", json!(n)).await);
    }
    for run in &runs {
        server.wait(run).await;
    }
    let page = server.get("/api/runs?limit=3").await.json();
    let mut seen: Vec<String> = ids(&page);
    for n in 0..5 {
        server.start("echo", json!(n)).await;
    }
    assert_eq!(server.delete(&format!("/api/runs/{}", runs[3])).await.status, 204);
    let mut cursor = page["next_cursor"].clone();
    while let Some(text) = cursor.as_str() {
        let page = server.get(&format!("/api/runs?limit=3&cursor={text}")).await.json();
        assert_eq!(page.get("counts"), None, "counted once, with the first page");
        seen.extend(ids(&page));
        cursor = page["next_cursor"].clone();
    }
    runs.reverse();
    runs.remove(3);
    assert_eq!(seen, runs, "no run twice, none left out, none that came later");
    assert_eq!(server.get(&format!("/api/runs/{}", "x")).await.problem(), "unknown_run");
}

fn ids(page: &Value) -> Vec<String> {
    page["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run_id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn a_waiting_run_says_what_for_and_its_logs_can_be_tailed() {
    let server = start().await;
    let run = server.start("listener", json!(null)).await;
    let shown = server.until(&run, |run| run["status"] == "waiting").await;
    assert_eq!(shown["waiting_for"][0]["wait"]["for"], "messages");
    assert_eq!(shown["waiting_for"][0]["wait"]["names"], json!(["go"]));
    let path = format!("/api/runs/{run}/logs");
    let logs = server.get(&path).await.json();
    assert_eq!(logs["lines"][0]["message"], "listening");
    let tail = logs["tail_cursor"].as_str().unwrap().to_owned();
    let sent = server
        .post(&format!("/api/runs/{run}/messages"), json!({ "name": "go", "body": [1] }))
        .await;
    assert_eq!(sent.status, 202, "{}", sent.text);
    assert_eq!(server.wait(&run).await["output"], json!([1]));
    let later = server.get(&format!("{path}?cursor={tail}")).await.json();
    let lines: Vec<&str> = later["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["message"].as_str().unwrap())
        .collect();
    assert_eq!(lines, ["heard"]);
    let warnings = server.get(&format!("{path}?level=warn")).await.json();
    assert_eq!(warnings["lines"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_wide_run_is_a_tree() {
    let server = start().await;
    let run = server.start("wide", json!(200)).await;
    server.wait(&run).await;
    let shown = server.get(&format!("/api/runs/{run}")).await.json();
    let all = &shown["entries"][0];
    assert_eq!((&all["name"], &all["kind"]), (&json!("all"), &json!("join")));
    let branches = all["entries"].as_array().unwrap();
    assert_eq!(branches.len(), 200);
    assert!(
        branches.iter().all(|branch| branch["entries"].as_array().unwrap().len() == 2),
        "{:#}",
        branches[0]
    );
    let one = server.get(&format!("/api/runs/{run}/entries?location=all/b7")).await.json();
    assert_eq!(one["entries"][0]["name"], "work");
}

#[tokio::test]
async fn a_long_result_is_shown_on_demand() {
    let server = start().await;
    let long = "x".repeat(stepwell_server::api::VALUE_SHOWN_BYTES_MAX + 1);
    let run = server.start("echo", json!(long)).await;
    server.wait(&run).await;
    let entry = server.get(&format!("/api/runs/{run}")).await.json()["entries"][0].clone();
    assert_eq!(entry["output"], Value::Null);
    assert_eq!(entry["output_bytes"], long.len() + 2);
    let whole = server.get(&format!("/api/runs/{run}/entries?location=echo")).await.json();
    assert_eq!(whole["output"], long);
}
