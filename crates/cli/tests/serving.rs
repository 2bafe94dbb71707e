//! `stepwell serve` as a process, and the commands that work on its files.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod kit;

use std::process::Stdio;

use kit::{LONG, Ran, ran, stepwell};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// A server process, and what it said when it was ready.
struct Served {
    child: Child,
    said: Value,
}

impl Served {
    async fn start(mut command: Command) -> Served {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(LONG, lines.next_line()).await.unwrap().unwrap();
        Served { child, said: serde_json::from_str(&line.unwrap()).unwrap() }
    }

    fn url(&self) -> &str {
        self.said["url"].as_str().unwrap()
    }

    async fn stop(self, signal: &str) -> Ran {
        let pid = self.child.id().unwrap().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().await.unwrap().success());
        let output =
            tokio::time::timeout(LONG, self.child.wait_with_output()).await.unwrap().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

fn within(dir: &TempDir, args: &[&str]) -> Command {
    let mut command = stepwell(args);
    command.current_dir(dir.path());
    command
}

fn serve(dir: &TempDir) -> Command {
    within(dir, &["serve", "--listen", "127.0.0.1:0", "--json"])
}

#[tokio::test]
async fn a_server_tells_its_address_and_goes_down_when_it_is_told_to() {
    for signal in ["-TERM", "-INT"] {
        let dir = TempDir::new().unwrap();
        let served = Served::start(serve(&dir)).await;
        let url = served.url().to_owned();
        assert_eq!(ran(stepwell(&["health", "--server", &url])).await.code, 0);
        let list = ran(stepwell(&["workflow", "list", "--server", &url])).await;
        assert!(list.stderr.contains("stepwell::serve"), "{list:?}");
        let ended = served.stop(signal).await;
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(dir.path().join("stepwell.db").is_file());
        for line in ended.stderr.lines() {
            let line: Value = serde_json::from_str(line).expect("log lines are JSON in a pipe");
            assert!(line["level"] != "ERROR" && line["level"] != "WARN", "{line}");
        }
    }
}

#[tokio::test]
async fn a_server_says_where_it_is_and_how_to_go_on() {
    let dir = TempDir::new().unwrap();
    let mut command = within(&dir, &["serve", "--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = Vec::new();
    while said.len() < 6 {
        said.push(tokio::time::timeout(LONG, lines.next_line()).await.unwrap().unwrap().unwrap());
    }
    child.kill().await.unwrap();
    let said = said.join("\n");
    let store = dir.path().canonicalize().unwrap().join("stepwell.db");
    assert!(said.contains("listening  http://127.0.0.1:"), "{said}");
    assert!(said.contains(&format!("sqlite:{}", store.display())), "{said}");
    assert!(said.contains("/api/docs"), "{said}");
}

#[tokio::test]
async fn other_machines_are_not_served_without_a_token() {
    let dir = TempDir::new().unwrap();
    let refused = ran(within(&dir, &["serve", "--listen", "0.0.0.0:0"])).await;
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.stderr.contains("can be reached from other machines"), "{refused:?}");
    assert!(
        refused.stderr.contains("hint: make one with `export STEPWELL_ADMIN_TOKEN="),
        "{refused:?}"
    );
    assert!(!dir.path().join("stepwell.db").exists(), "nothing was opened");
    let mut weak = within(&dir, &["serve", "--listen", "0.0.0.0:0"]);
    weak.env("STEPWELL_ADMIN_TOKEN", "short");
    let weak = ran(weak).await;
    assert_eq!(weak.code, 2, "{weak:?}");
    assert!(!weak.stderr.contains("short;"), "{weak:?}");
}

#[tokio::test]
async fn an_admin_token_from_the_environment_is_wanted_from_callers() {
    let dir = TempDir::new().unwrap();
    let mut command = serve(&dir);
    command.env("STEPWELL_ADMIN_TOKEN", kit::ADMIN_TOKEN);
    let served = Served::start(command).await;
    let url = served.url().to_owned();
    assert_eq!(ran(stepwell(&["info", "--server", &url])).await.code, 6);
    assert_eq!(
        ran(stepwell(&["info", "--server", &url, "--token", kit::ADMIN_TOKEN])).await.code,
        0
    );
    let ended = served.stop("-TERM").await;
    assert!(!ended.stderr.contains(kit::ADMIN_TOKEN), "{ended:?}");
}

#[tokio::test]
async fn what_a_server_cannot_have_is_told_with_a_hint() {
    let dir = TempDir::new().unwrap();
    let served = Served::start(serve(&dir)).await;
    let second = ran(serve(&dir)).await;
    assert_eq!(second.code, 9, "{second:?}");
    let error: Value = serde_json::from_str(&second.stderr).unwrap();
    assert!(
        error["error"].as_str().unwrap().contains("in use by another process (process "),
        "{error}"
    );

    let elsewhere = TempDir::new().unwrap();
    let address = served.url().trim_start_matches("http://").to_owned();
    let same_port = ran(within(&elsewhere, &["serve", "--listen", &address])).await;
    assert_eq!(same_port.code, 9, "{same_port:?}");
    assert!(same_port.stderr.contains("hint: something listens on"), "{same_port:?}");

    let file = dir.path().join("stepwell.db");
    for args in [&["store", "check"][..], &["store", "backup", "copy.db"]] {
        let busy = ran(within(&dir, args)).await;
        assert_eq!(busy.code, 9, "{busy:?}");
        assert!(busy.stderr.contains("hint: a server has it open: stop that first"), "{busy:?}");
    }
    assert!(file.is_file() && !dir.path().join("copy.db").exists());
    assert_eq!(served.stop("-TERM").await.code, 0);
}

#[tokio::test]
async fn a_store_is_checked_and_copied() {
    let dir = TempDir::new().unwrap();
    let nothing = ran(within(&dir, &["store", "check"])).await;
    assert_eq!(nothing.code, 9, "{nothing:?}");
    assert!(nothing.stderr.contains("there is no store at stepwell.db"), "{nothing:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing was made");

    Served::start(serve(&dir)).await.stop("-TERM").await;
    let checked = ran(within(&dir, &["store", "check"])).await;
    assert_eq!(checked.code, 0, "{checked:?}");
    assert!(
        checked.stdout.contains("0 runs, 0 events") && checked.stdout.contains("all is well"),
        "{checked:?}"
    );
    let copied = ran(within(&dir, &["store", "backup", "copy.db", "--json"])).await;
    assert_eq!(copied.code, 0, "{copied:?}");
    assert_eq!(copied.document()["backup"], "copy.db");
    let again = ran(within(&dir, &["store", "backup", "copy.db"])).await;
    assert_eq!(again.code, 9, "{again:?}");
    assert_eq!(ran(within(&dir, &["store", "backup", "copy.db", "--force"])).await.code, 0);
    let itself = ran(within(&dir, &["store", "backup", "stepwell.db", "--force"])).await;
    assert_eq!(itself.code, 2, "{itself:?}");
    let of_copy =
        ran(within(&dir, &["store", "check", "--store", "sqlite:copy.db", "--json"])).await;
    assert_eq!(of_copy.document()["problems"], serde_json::json!([]));

    let path = dir.path().join("copy.db");
    let mut bytes = std::fs::read(&path).unwrap();
    // The second half of the file, whatever is there.
    let half = bytes.len() / 2;
    bytes[half..].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let damaged = ran(within(&dir, &["store", "check", "--store", "sqlite:copy.db"])).await;
    assert_eq!(damaged.code, 9, "{damaged:?}");
}

#[tokio::test]
async fn settings_are_shown_with_where_they_came_from() {
    let dir = TempDir::new().unwrap();
    std::fs::write(dir.path().join("stepwell.toml"), "[retention]\ncompleted = '30d'\n").unwrap();
    let mut command = within(&dir, &["config", "show", "--listen", "127.0.0.1:1", "--json"]);
    command.env("STEPWELL_LOG", "debug").env("STEPWELL_TOKEN", "sw_secret");
    let shown = ran(command).await;
    assert!(!shown.stdout.contains("sw_secret"), "{shown:?}");
    let settings = shown.document();
    let of = |key: &str| {
        let all = settings["settings"].as_array().unwrap();
        let row = all.iter().find(|row| row["key"] == key).unwrap();
        (row["value"].clone(), row["from"].clone())
    };
    let json = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    assert_eq!(
        of("retention.completed").1,
        json(r#"{"source": "file", "file": "stepwell.toml", "line": 2}"#)
    );
    assert_eq!(of("telemetry.log").1, json(r#"{"source": "environment", "name": "STEPWELL_LOG"}"#));
    assert_eq!(of("listen").1, json(r#"{"source": "flag", "flag": "--listen"}"#));
    assert_eq!(of("store"), (json("\"sqlite:stepwell.db\""), json(r#"{"source": "default"}"#)));
    assert_eq!(
        of("client.token"),
        (json("\"(set)\""), json(r#"{"source": "environment", "name": "STEPWELL_TOKEN"}"#))
    );

    let shown = ran(within(&dir, &["config", "show", "--listen", "0.0.0.0:1"])).await;
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.stderr.contains("`stepwell serve` would refuse this"), "{shown:?}");

    std::fs::write(dir.path().join("stepwell.toml"), "[retention]\ncompletd = '30d'\n").unwrap();
    for args in [&["config", "show"][..], &["serve"], &["store", "check"]] {
        let wrong = ran(within(&dir, args)).await;
        assert_eq!(wrong.code, 2, "{wrong:?}");
        assert!(
            wrong
                .stderr
                .starts_with("error: stepwell.toml:2: there is no setting `retention.completd`"),
            "{wrong:?}"
        );
    }
    let elsewhere = ran(stepwell(&["config", "show", "--config", "/nowhere/stepwell.toml"])).await;
    assert_eq!(elsewhere.code, 2, "{elsewhere:?}");
}

#[tokio::test]
async fn a_wrong_collector_or_log_filter_is_refused_before_anything_is_opened() {
    let dir = TempDir::new().unwrap();
    let traces = ran(within(&dir, &["serve", "--otlp-endpoint", "localhost:4318"])).await;
    assert_eq!(traces.code, 2, "{traces:?}");
    assert!(traces.stderr.contains("telemetry.otlp_endpoint"), "{traces:?}");
    let filter = ran(within(&dir, &["serve", "--log", "stepwell=loud"])).await;
    assert_eq!(filter.code, 2, "{filter:?}");
    assert!(filter.stderr.contains("hint: give a level such as info"), "{filter:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "nothing was opened");
}
