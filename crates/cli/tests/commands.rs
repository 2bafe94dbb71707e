//! Every command that calls a server, as people and as programs use it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod kit;

use kit::{ADMIN_TOKEN, TestServer};
use serde_json::{Value, json};
use stepwell::ServerConfig;

fn names<'a>(list: &'a Value, field: &str) -> Vec<&'a str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn workflows_are_listed_and_shown() {
    let server = TestServer::start().await;
    let list = server.json(&["workflow", "list"]).await;
    assert!(names(&list["workflows"], "name").contains(&"double"));
    let shown = server.json(&["workflow", "show", "double"]).await;
    assert_eq!(shown["dialect"], "code");
    assert!(shown["input_schema"].is_object(), "{shown}");

    let listed = server.run(&["workflow", "list"]).await;
    assert!(listed.stdout.starts_with("NAME"), "{listed:?}");
    assert!(listed.stdout.contains("Doubles a number"), "{listed:?}");
    let shown = server.run(&["workflow", "show", "double"]).await;
    assert!(shown.stdout.contains("\"type\": \"integer\""), "{shown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_started_with_everything_that_can_be_said_of_it() {
    let server = TestServer::start().await;
    let args = [
        "start",
        "double",
        "--input",
        "21",
        "--id",
        "mine",
        "--key",
        "k",
        "--label",
        "region=eu",
        "--label",
        "team=a",
        "--start-at",
        "+1h",
        "--deadline",
        "2h",
    ];
    let started = server.json(&args).await;
    assert_eq!((&started["status"], &started["existing"]), (&json!("pending"), &json!(false)));

    let again = server.run(&["start", "double", "--input", "21", "--key", "k"]).await;
    assert_eq!(again.stdout.trim(), started["run_id"].as_str().unwrap());
    assert!(again.stderr.contains("the key was seen before"), "{again:?}");

    let shown = server.json(&["run", "show", "mine"]).await;
    assert_eq!(shown["run_id"], started["run_id"]);
    assert_eq!(shown["labels"]["region"], "eu");
    assert!(shown["deadline_at"].is_string(), "{shown}");
    assert!(shown["waiting_for"][0]["text"].as_str().unwrap().contains("start"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn input_comes_from_the_command_line_a_file_or_standard_input() {
    use tokio::io::AsyncWriteExt;
    let server = TestServer::start().await;
    std::fs::write(server.dir.path().join("in.json"), "4\n").unwrap();
    for input in ["4", "@in.json"] {
        let ran = server.run(&["start", "double", "--wait", "--input", input]).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (0, "8\n"), "{ran:?}");
    }
    let mut command = server.command(&["start", "double", "--wait", "-i", "-"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b" 4 ").await.unwrap();
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "8\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_found_by_what_is_known_of_them() {
    let server = TestServer::start().await;
    for n in ["1", "2", "3"] {
        let ran = server
            .run(&["start", "double", "--wait", "--input", n, "--label", &format!("n={n}")])
            .await;
        assert_eq!(ran.code, 0, "{ran:?}");
    }
    let broken = server.run(&["start", "broken", "--wait"]).await;
    assert_eq!(broken.code, 1, "{broken:?}");

    let count = async |args: &[&str]| {
        let list = server.json(&[&["run", "list"], args].concat()).await;
        list["runs"].as_array().unwrap().len()
    };
    assert_eq!(count(&[]).await, 4);
    assert_eq!(count(&["--workflow", "double"]).await, 3);
    assert_eq!(count(&["--status", "failed"]).await, 1);
    assert_eq!(count(&["--status", "failed,completed"]).await, 4);
    assert_eq!(count(&["--label", "n=2"]).await, 1);
    assert_eq!(count(&["--label", "parity=odd"]).await, 2);
    assert_eq!(count(&["--from", "-1h"]).await, 4);
    assert_eq!(count(&["--to", "-1h"]).await, 0);
    assert_eq!(count(&["--query", "broken"]).await, 1);
    assert_eq!(count(&["--limit", "3"]).await, 3);

    let page = server.json(&["run", "list", "--limit", "3"]).await;
    assert_eq!(page["counts"]["completed"], 3);
    let cursor = page["next_cursor"].as_str().unwrap();
    assert_eq!(count(&["--limit", "3", "--cursor", cursor]).await, 1);
    let all = server.json(&["run", "list", "--all"]).await;
    assert_eq!(all["runs"].as_array().unwrap().len(), 4);
    assert_eq!(all["next_cursor"], Value::Null);

    let listed = server.run(&["run", "list", "--limit", "3"]).await;
    assert!(listed.stdout.starts_with("RUN"), "{listed:?}");
    assert!(listed.stdout.contains("broken") && listed.stdout.contains("failed"), "{listed:?}");
    assert!(listed.stderr.contains("there are more: add --cursor"), "{listed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_shown_as_it_is_and_as_it_was() {
    let server = TestServer::start().await;
    let ran = server.run(&["start", "broken", "--id", "b", "--wait"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    let shown = server.run(&["run", "show", "b"]).await;
    assert!(shown.stdout.contains("✓ first   step"), "{shown:?}");
    assert!(shown.stdout.contains("✗ second"), "{shown:?}");
    assert!(shown.stdout.contains("`second` failed critically: it is broken"), "{shown:?}");
    assert!(!shown.stdout.contains('\u{1b}'), "no colours in a pipe: {shown:?}");

    let journal = server.json(&["run", "journal", "b"]).await;
    assert_eq!(journal["next_cursor"], Value::Null);
    let first = journal["events"]
        .as_array()
        .unwrap()
        .iter()
        .find(|event| event["location"] == "first")
        .unwrap();
    let seq = first["seq"].to_string();
    let then = server.json(&["run", "show", "b", "--at", &seq]).await;
    assert_eq!(then["entries"].as_array().unwrap().len(), 1);
    assert_eq!(then["error"], Value::Null);

    let printed = server.run(&["run", "journal", "b"]).await;
    assert!(printed.stdout.starts_with("#0 RunStarted broken"), "{printed:?}");
    let n_events = journal["events"].as_array().unwrap().len();
    assert_eq!(printed.stdout.lines().count(), n_events);
    let rest = server.run(&["run", "journal", "b", "--from", "1"]).await;
    assert_eq!(rest.stdout.lines().count(), n_events - 1);

    let entry = server.json(&["run", "entries", "b", "--location", "first"]).await;
    assert_eq!(entry["output"], 1);
    let printed = server.run(&["run", "entries", "b", "--location", "first"]).await;
    assert!(printed.stdout.contains("first") && printed.stdout.ends_with("\n1\n"), "{printed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_are_steered() {
    let server = TestServer::start().await;
    let run = server.started(&["word"]).await;
    let woken = server.json(&["run", "wake", &run]).await;
    assert_eq!(woken["run_id"], run);
    let sent =
        server.json(&["run", "send", &run, "word", "--body", "\"hello\"", "--key", "k"]).await;
    assert!(sent["message_id"].is_string(), "{sent}");
    let waited = server.json(&["run", "wait", &run]).await;
    assert_eq!((&waited["status"], &waited["output"]), (&json!("completed"), &json!("hello")));

    let copy = server.run(&["run", "replay", &run, "--from", "word"]).await;
    let copy = copy.stdout.trim();
    assert_ne!(copy, run);
    let cancelled = server.json(&["run", "cancel", copy, "--reason", "not needed"]).await;
    assert_eq!(cancelled["run_id"], copy);
    let waited = server.run(&["run", "wait", copy, "--json"]).await;
    assert_eq!((waited.code, &waited.document()["reason"]), (3, &json!("not needed")));
    let resumed = server.json(&["run", "resume", copy]).await;
    assert_eq!(resumed["run_id"], copy);
    server.until(copy, |run| run["status"] == "waiting").await;
    let resumed = server.run(&["run", "send", copy, "word", "-b", "\"again\""]).await;
    assert_eq!(resumed.code, 0, "{resumed:?}");
    let waited = server.run(&["run", "wait", copy]).await;
    assert_eq!((waited.code, waited.stdout.as_str()), (0, "\"again\"\n"));

    let deleted = server.json(&["run", "delete", copy]).await;
    assert_eq!(deleted["deleted"], copy);
    assert_eq!(server.run(&["run", "show", copy]).await.code, 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered() {
    let server = TestServer::start().await;
    let run = server.started(&["answers"]).await;
    let asked =
        server.run(&["run", "send", &run, "ask", "--body", "41", "--answer-within", "30s"]).await;
    assert_eq!((asked.code, asked.stdout.as_str()), (0, "42\n"), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_are_made_paused_and_removed() {
    let server = TestServer::start().await;
    let put = [
        "schedule",
        "put",
        "nightly",
        "--workflow",
        "double",
        "--input",
        "1",
        "--cron",
        "0 3 * * *",
        "--time-zone",
        "Europe/Berlin",
        "--overlap",
        "queue",
        "--catch-up",
        "none",
        "--label",
        "a=b",
        "--deadline",
        "1h",
    ];
    let made = server.json(&put).await;
    assert_eq!(made["overlap"], "queue");
    assert_eq!(made["deadline_ms"], 3_600_000);
    let paused = server.json(&["schedule", "pause", "nightly"]).await;
    assert_eq!((&paused["paused"], &paused["cron"]), (&json!(true), &json!("0 3 * * *")));
    let shown = server.run(&["schedule", "show", "nightly"]).await;
    assert!(
        shown.stdout.contains("paused") && shown.stdout.contains("(Europe/Berlin)"),
        "{shown:?}"
    );
    let resumed = server.json(&["schedule", "resume", "nightly"]).await;
    assert_eq!(resumed["paused"], false);
    let next = server.json(&["schedule", "next", "nightly"]).await;
    assert!(!next["next_at"].as_array().unwrap().is_empty(), "{next}");
    let list = server.json(&["schedule", "list"]).await;
    assert_eq!(names(&list["schedules"], "name"), ["nightly"]);
    let listed = server.run(&["schedule", "list"]).await;
    assert!(listed.stdout.contains("0 3 * * *"), "{listed:?}");
    let deleted = server.json(&["schedule", "delete", "nightly"]).await;
    assert_eq!(deleted["deleted"], "nightly");
    assert_eq!(server.run(&["schedule", "show", "nightly"]).await.code, 5);

    let tried = server.run(&["schedule", "next", "--cron", "0 9 * * MON-FRI"]).await;
    assert_eq!(tried.stdout.lines().count(), 5, "{tried:?}");
    let every = server
        .json(&["schedule", "put", "often", "--workflow", "double", "-i", "1", "--every", "6h"])
        .await;
    assert_eq!(every["interval_ms"], 21_600_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_are_made_shown_once_and_revoked() {
    let server = TestServer::with_admin_token().await;
    let made = server.run(&["token", "create", "ci", "--scope", "read", "--expires", "+30d"]).await;
    assert_eq!(made.code, 0, "{made:?}");
    let token = made.stdout.trim().to_owned();
    assert!(made.stderr.contains("it is not shown again"), "{made:?}");
    let list = server.run(&["token", "list"]).await;
    assert!(list.stdout.contains("ci") && !list.stdout.contains(&token), "{list:?}");
    assert_eq!(names(&server.json(&["token", "list"]).await["tokens"], "name"), ["ci"]);

    let as_ci = ["--token", token.as_str()];
    let info = server.json(&[&["info"], &as_ci[..]].concat()).await;
    assert_eq!((&info["scope"], &info["token"]), (&json!("read"), &json!("ci")));
    let refused = server.run(&[&["start", "double", "--input", "1"], &as_ci[..]].concat()).await;
    assert_eq!(refused.code, 6, "{refused:?}");
    let revoked = server.json(&["token", "revoke", "ci"]).await;
    assert_eq!(revoked["deleted"], "ci");
    let refused = server.run(&[&["info"], &as_ci[..]].concat()).await;
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains("hint: see --token"), "{refused:?}");

    let made =
        server.json(&["token", "create", "root", "--scope", "admin", "--all-namespaces"]).await;
    assert_eq!(made["namespace"], "*");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_namespace_is_a_world_of_its_own() {
    let server = TestServer::with_admin_token().await;
    let run = server.started(&["word", "--namespace", "other"]).await;
    assert_eq!(server.run(&["run", "show", &run]).await.code, 5);
    assert_eq!(server.run(&["run", "show", &run, "--namespace", "other"]).await.code, 0);
    let mut command = server.command(&["run", "show", &run]);
    command.env("STEPWELL_NAMESPACE", "other");
    assert_eq!(kit::ran(command).await.code, 0);
    let list = server.json(&["namespace", "list"]).await;
    assert_eq!(names(&list["namespaces"], "name"), ["default", "other"]);
    let listed = server.run(&["namespace", "list"]).await;
    assert!(listed.stdout.starts_with("NAMESPACE"), "{listed:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_says_who_it_is_and_whether_it_is_well() {
    let server = TestServer::start().await;
    let info = server.json(&["info"]).await;
    assert_eq!((&info["namespace"], &info["token_required"]), (&json!("default"), &json!(false)));
    let info = server.run(&["info"]).await;
    assert!(info.stdout.contains(&server.url), "{info:?}");
    assert_eq!(server.json(&["health"]).await, json!({ "ready": true }));

    let server = TestServer::with_admin_token().await;
    let mut command = server.command(&["health"]);
    command.env_remove("STEPWELL_TOKEN");
    assert_eq!(kit::ran(command).await.code, 0, "health needs no token");
    let mut command = server.command(&["info"]);
    command.env_remove("STEPWELL_TOKEN");
    let refused = kit::ran(command).await;
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(
        refused.stderr.contains("hint: give a token with --token or STEPWELL_TOKEN"),
        "{refused:?}"
    );
    assert!(!refused.stderr.contains(ADMIN_TOKEN));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_journal_is_not_all_of_it() {
    // More events than one request gives.
    let server = TestServer::with(ServerConfig::default()).await;
    let run = server.started(&["many", "--input", "1200"]).await;
    assert_eq!(server.run(&["run", "wait", &run, "--quiet"]).await.code, 0);
    let journal = server.json(&["run", "journal", &run]).await;
    assert!(journal["events"].as_array().unwrap().len() > 1_200);
    let printed = server.run(&["run", "journal", &run]).await;
    assert_eq!(printed.stdout.lines().count(), journal["events"].as_array().unwrap().len());
}
