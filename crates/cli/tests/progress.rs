//! Waiting for runs: what is shown meanwhile, and what happens when something comes between.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod kit;

use kit::{Going, TestServer};
use serde_json::json;
use stepwell::ServerConfig;

#[tokio::test(flavor = "multi_thread")]
async fn piped_progress_is_a_line_for_each_change_and_the_result_stands_alone() {
    let server = TestServer::start().await;
    let ran = server.run(&["start", "flaky", "--id", "f", "--wait"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "\"answered at attempt 2\"\n"), "{ran:?}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert!(lines[0].starts_with("run "), "{ran:?}");
    // 300 ms lie between the attempts: the retry is seen, and its end is seen once.
    let retry = "↻ call waiting retry: attempt 1 failed: no answer, next in 1s";
    assert_eq!(lines.iter().filter(|line| **line == retry).count(), 1, "{ran:?}");
    let done: Vec<&&str> =
        lines.iter().filter(|line| line.starts_with("✓ call completed: ")).collect();
    assert_eq!(done.len(), 1, "{ran:?}");
    assert!(done[0].ends_with(", 2 attempts"), "{ran:?}");
    assert!(!ran.stderr.contains('\u{1b}'), "{ran:?}");

    let quiet = server.run(&["run", "wait", "f", "--quiet"]).await;
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""), "{quiet:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_when_it_happens() {
    let server = TestServer::start().await;
    let run = server.started(&["word"]).await;
    let mut waiting = Going::new(server.command(&["run", "wait", &run]));
    waiting.until_says("✉ word waiting: for word").await;
    assert_eq!(server.run(&["run", "send", &run, "word", "--body", "\"now\""]).await.code, 0);
    waiting.until_says("✓ word completed").await;
    let ran = waiting.ended().await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "\"now\"\n"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_live_updates_the_run_is_asked_for() {
    let mut config = ServerConfig::default();
    config.limits.readers_max = 0;
    let server = TestServer::with(config).await;
    let run = server.started(&["word"]).await;
    let mut waiting = Going::new(server.command(&["run", "wait", &run]));
    waiting.until_says("✉ word waiting").await;
    assert_eq!(server.run(&["run", "send", &run, "word", "--body", "1"]).await.code, 0);
    let ran = waiting.ended().await;
    assert_eq!(ran.code, 1, "the word is no text: {ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_restarted_is_waited_for() {
    let mut server = TestServer::start().await;
    let run = server.started(&["word"]).await;
    let mut waiting = Going::new(server.command(&["run", "wait", &run]));
    waiting.until_says("✉ word waiting").await;
    server.stop().await;
    waiting.until_says("trying again").await;
    server.resume().await;
    waiting.until_says("the server answers again").await;
    assert_eq!(server.run(&["run", "send", &run, "word", "--body", "\"back\""]).await.code, 0);
    let ran = waiting.ended().await;
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "\"back\"\n"), "{ran:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_stops_the_watching_and_not_the_run() {
    let server = TestServer::start().await;
    let run = server.started(&["word"]).await;
    let mut waiting = Going::new(server.command(&["run", "wait", &run]));
    waiting.until_says("✉ word waiting").await;
    waiting.kill("INT").await;
    let ran = waiting.ended().await;
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.stderr.contains(&format!("stopped watching; run {run} goes on")), "{ran:?}");
    assert!(ran.stderr.contains(&format!("stepwell run wait {run}")), "{ran:?}");
    assert_eq!(server.json(&["run", "show", &run]).await["status"], "waiting");
}

#[tokio::test(flavor = "multi_thread")]
async fn logs_are_printed_and_followed_to_the_end() {
    let server = TestServer::start().await;
    let run = server.started(&["chatty"]).await;
    server.until(&run, |run| run["status"] == "waiting").await;
    let printed = server.run(&["run", "logs", &run]).await;
    assert!(printed.stdout.trim_end().ends_with("info  before the word"), "{printed:?}");

    let mut following = server.command(&["run", "logs", &run, "--follow", "--json"]);
    following.stdout(std::process::Stdio::piped());
    let child = following.spawn().unwrap();
    assert_eq!(server.run(&["run", "send", &run, "word", "--body", "\"x\""]).await.code, 0);
    let output = tokio::time::timeout(kit::LONG, child.wait_with_output()).await.unwrap().unwrap();
    assert!(output.status.success());
    let lines: Vec<serde_json::Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let messages: Vec<&serde_json::Value> = lines.iter().map(|line| &line["message"]).collect();
    assert_eq!(messages, [&json!("before the word"), &json!("after the word")]);

    let warnings = server.run(&["run", "logs", &run, "--level", "warn"]).await;
    assert_eq!(warnings.stdout.lines().count(), 1, "{warnings:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_has_read_enough_is_no_error() {
    let server = TestServer::start().await;
    let run = server.started(&["many", "--input", "1200"]).await;
    assert_eq!(server.run(&["run", "wait", &run, "--quiet"]).await.code, 0);
    let mut command = server.command(&["run", "journal", &run]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = tokio::time::timeout(kit::LONG, child.wait_with_output()).await.unwrap().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
