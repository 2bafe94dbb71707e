//! `stepwell graph ...` and `stepwell recording ...` against a server of their own.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod kit;

use kit::{TestServer, ran, stepwell};
use serde_json::{Value, json};

fn graph() -> Value {
    json!({ "id": "greet", "input_schema": { "type": "object", "required": ["name"] }, "steps": [
        { "name": "hello", "action": { "code": "export default (i) => `Hello, ${i.name}!`" }, "input": { "name": "@input.name" } },
    ] })
}

#[tokio::test]
async fn a_graph_is_checked_saved_run_and_removed() {
    let server = TestServer::start().await;
    let (dir, url) = (tempfile::tempdir().unwrap(), server.url.as_str());
    let file = dir.path().join("greet.json");
    std::fs::write(&file, graph().to_string()).unwrap();
    let file = file.to_str().unwrap();
    let checked = ran(stepwell(&["graph", "check", file, "--server", url])).await;
    assert_eq!(checked.code, 0, "{checked:?}");
    let run = ran(stepwell(&[
        "graph",
        "run",
        file,
        "--input",
        "{\"name\":\"Ada\"}",
        "--wait",
        "--quiet",
        "--server",
        url,
    ]))
    .await;
    assert_eq!((run.code, run.stdout.trim()), (0, "\"Hello, Ada!\""), "{run:?}");
    let saved = ran(stepwell(&["graph", "save", file, "--json", "--server", url])).await;
    let saved: Value = serde_json::from_str(&saved.stdout).unwrap();
    assert_eq!(saved["name"], "greet");
    let schema = ran(stepwell(&["graph", "schema", "--server", url])).await;
    assert!(schema.stdout.contains("toolName"), "{schema:?}");
    let gone = ran(stepwell(&["graph", "delete", "greet", "--server", url])).await;
    assert_eq!(gone.code, 0, "{gone:?}");

    let bad = dir.path().join("bad.json");
    std::fs::write(&bad, json!({ "id": "bad", "steps": [{ "name": "a", "action": { "code": "x" }, "input": "@b" }] }).to_string()).unwrap();
    let bad = bad.to_str().unwrap();
    let checked = ran(stepwell(&["graph", "check", bad, "--server", url])).await;
    assert_eq!(checked.code, 6, "{checked:?}");
    assert!(checked.stdout.contains("steps[0].input (step a): "), "{checked:?}");
    let refused = ran(stepwell(&["graph", "save", bad, "--server", url])).await;
    assert!(refused.code != 0 && refused.stderr.contains("steps[0].input"), "{refused:?}");
    let missing = ran(stepwell(&["graph", "save", "/no/such/file", "--server", url])).await;
    assert_eq!(missing.code, 2, "{missing:?}");
}

#[tokio::test]
async fn a_recording_is_made_on_the_command_line() {
    let server = TestServer::start().await;
    let url = server.url.as_str();
    let with = |args: &[&str]| {
        let mut all: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        all.extend(["--server".to_owned(), url.to_owned()]);
        all
    };
    let run = async |args: &[&str]| {
        let all = with(args);
        ran(stepwell(&all.iter().map(String::as_str).collect::<Vec<_>>())).await
    };
    let started = run(&["recording", "start", "--title", "Fixed"]).await;
    let id = started.stdout.trim().to_owned();
    assert!(started.stderr.contains(&format!("/mcp/recordings/{id}")), "{started:?}");
    assert_eq!(run(&["recording", "name-input", &id, "city", "\"Oslo\""]).await.code, 0);
    let preset = run(&["recording", "preset", &id, "{\"n\": 4711}", "--name", "known"]).await;
    assert!(preset.stdout.contains("recorded known"), "{preset:?}");
    assert_eq!(run(&["recording", "preset", &id, "2", "--name", "spare"]).await.code, 0);
    assert_eq!(run(&["recording", "drop", &id, "spare"]).await.code, 0);
    let twice = run(&["recording", "drop", &id, "spare"]).await;
    assert!(twice.code != 0 && twice.stderr.contains("there is no step `spare`"), "{twice:?}");
    let nobody = run(&["recording", "call", &id, "echo"]).await;
    assert!(
        nobody.code != 0 && nobody.stderr.contains("no MCP server has a tool `echo`"),
        "{nobody:?}"
    );
    assert!(run(&["recording", "propose", &id]).await.stdout.contains("STEP"));
    let shown = run(&["recording", "show", &id]).await;
    assert!(
        shown.stdout.contains("@input.city = \"Oslo\"") && shown.stdout.contains("preset"),
        "{shown:?}"
    );
    let saved = run(&["recording", "save", &id, "fixed"]).await;
    assert!(saved.stdout.contains("start it with: stepwell start fixed"), "{saved:?}");
    assert_eq!(run(&["recording", "finish", &id]).await.code, 0);
    assert!(run(&["recording", "list"]).await.stdout.contains(&id));
    let output =
        run(&["start", "fixed", "--input", "{\"city\":\"Rome\"}", "--wait", "--quiet"]).await;
    assert_eq!(output.stdout.trim(), "{\n  \"n\": 4711\n}", "{output:?}");
    let none = run(&["mcp", "servers"]).await;
    assert!(none.stderr.contains("--mcp-config"), "{none:?}");
}
