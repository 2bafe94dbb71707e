//! An agent with the official MCP client records a workflow; the server is killed in the middle.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod kit;

use std::path::{Path, PathBuf};
use std::process::Stdio;

use kit::{LONG, ran, stepwell};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

fn tools_dir() -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    assert!(dir.join("npm").is_dir(), "install the MCP peers first: scripts/ensure-tools mcp");
    dir.canonicalize().unwrap()
}

/// A process whose lines are JSON.
struct Talking {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Talking {
    fn start(mut command: Command) -> Talking {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Talking { child, lines }
    }

    async fn line(&mut self) -> Value {
        let line = tokio::time::timeout(LONG, self.lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line.unwrap()).unwrap()
    }

    /// The next line that has this field.
    async fn until(&mut self, field: &str) -> Value {
        loop {
            let line = self.line().await;
            if !line[field].is_null() {
                return line;
            }
        }
    }
}

fn agent(args: &[&str]) -> Talking {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agent/record.py");
    let mut command = Command::new(tools_dir().join("bin/python"));
    command.arg(script).args(args);
    Talking::start(command)
}

async fn serve(dir: &Path, listen: &str) -> (Talking, String) {
    let mut command =
        stepwell(&["serve", "--listen", listen, "--json", "--mcp-config", "mcp.json"]);
    command.current_dir(dir).stderr(Stdio::null());
    let mut server = Talking::start(command);
    let said = server.line().await;
    let url = said["url"].as_str().unwrap().to_owned();
    (server, url)
}

#[tokio::test]
async fn a_recording_outlives_the_server() {
    let dir = TempDir::new().unwrap();
    let notes = dir.path().join("notes");
    std::fs::create_dir(&notes).unwrap();
    let notes = notes.canonicalize().unwrap();
    std::fs::write(notes.join("a.txt"), "alpha").unwrap();
    std::fs::write(notes.join("b.txt"), "beta").unwrap();
    // Whoever reads a pipe that nobody writes to waits for ever.
    assert!(Command::new("mkfifo").arg(notes.join("slow")).status().await.unwrap().success());
    let bin = tools_dir().join("npm/node_modules/.bin");
    let config = json!({ "mcpServers": {
        "everything": { "command": bin.join("mcp-server-everything") },
        "files": { "command": bin.join("mcp-server-filesystem"), "args": [notes] },
    } });
    std::fs::write(dir.path().join("mcp.json"), config.to_string()).unwrap();
    let folder = notes.display().to_string();

    let (mut server, url) = serve(dir.path(), "127.0.0.1:0").await;
    let mut first = agent(&["begin", &url, &folder]);
    let begun = first.until("recording").await;
    let recording = begun["recording"].as_str().unwrap().to_owned();
    assert_eq!(begun["url"], format!("{url}/mcp/recordings/{recording}"));
    assert!(first.until("widened").await["widened"]["anyOf"].is_array());
    first.until("tool").await;
    let read = first.until("tool").await;
    assert_eq!(
        (&read["step"], &read["failed"]),
        (&json!("read_text_file_1"), &json!(false)),
        "{read}"
    );
    assert!(read["text"].as_str().unwrap().starts_with("alpha"), "{read}");
    assert_eq!(first.until("tool").await["step"], "echo_1");
    let failed = first.until("tool").await;
    assert_eq!(
        (&failed["step"], &failed["failed"]),
        (&json!("read_text_file_2"), &json!(true)),
        "{failed}"
    );

    // Both calls are under way, and the journal knows of the one that may not be repeated.
    let started = std::time::Instant::now();
    loop {
        let seen = ran(stepwell(&["run", "journal", &recording, "--server", &url])).await;
        let begun = |step: &str| {
            seen.stdout.lines().any(|line| line.contains("AttemptStarted") && line.contains(step))
        };
        if begun("edit_file_1") && begun("trigger_long_running_operation_1") {
            break;
        }
        assert!(started.elapsed() < LONG, "{seen:?}");
    }
    server.child.kill().await.unwrap();
    drop(first);
    // Lets go of the upstream server that still reads.
    let pipe = notes.join("slow");
    let writing = tokio::task::spawn_blocking(move || std::fs::write(pipe, "x"));
    tokio::time::timeout(LONG, writing).await.unwrap().unwrap().unwrap();

    let (mut server, url) = serve(dir.path(), url.strip_prefix("http://").unwrap()).await;
    let mut second = agent(&["go_on", &url, &folder, &recording]);
    let steps = second.until("steps").await["steps"].clone();
    let status = |name: &str| {
        let step = steps.as_array().unwrap().iter().find(|step| step[0] == name);
        step.unwrap_or_else(|| panic!("no {name}: {steps}")).clone()
    };
    assert_eq!(status("read_text_file_1")[1], "completed");
    assert_eq!(status("read_text_file_2")[1], "failed");
    assert_eq!(
        status("trigger_long_running_operation_1")[1],
        "completed",
        "it may be called again: {steps}"
    );
    let cut_off = status("edit_file_1");
    assert_eq!(cut_off[1], "failed");
    assert!(cut_off[2].as_str().unwrap().starts_with("interrupted: "), "{cut_off}");
    let proposals = second.until("proposals").await["proposals"].clone();
    assert_eq!(proposals[0]["refs"][0], "@read_text_file_1.content", "{proposals}");
    let saved = second.until("saved").await["saved"].clone();
    let names: Vec<&str> = saved["definition"]["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| step["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["read_text_file_1", "echo_1", "echo_2"]);
    let ended = second.until("ended").await;
    assert_eq!(ended["ended"]["status"], "completed", "{ended}");
    assert_eq!(ended["ended"]["output"]["echo_1"][0]["text"], "Echo: beta");
    assert_eq!(ended["ended"]["output"]["echo_2"][0]["text"], "Echo: and again: beta");
    assert_eq!(ended["progress"].as_array().unwrap().last().unwrap()[1], 3.0, "{ended}");

    // The same by the command line.
    let shown = ran(stepwell(&["recording", "show", &recording, "--server", &url])).await;
    assert!(shown.stdout.contains("edit_file_1") && shown.stdout.contains("finished"), "{shown:?}");
    let input = json!({ "file": format!("{folder}/a.txt") }).to_string();
    let again = ran(stepwell(&[
        "start",
        "read and say",
        "--input",
        &input,
        "--wait",
        "--quiet",
        "--server",
        &url,
    ]))
    .await;
    assert!(again.stdout.contains("and again: alpha"), "{again:?}");
    let states = ran(stepwell(&["mcp", "servers", "--server", &url])).await;
    assert!(
        states.stdout.contains("connected") && states.stdout.contains("read_text_file"),
        "{states:?}"
    );
    let binary = env!("CARGO_BIN_EXE_stepwell");
    let mut third = agent(&["stdio", binary, "--server", &url, "mcp"]);
    let tools = third.until("tools").await;
    assert!(
        tools["tools"].as_array().unwrap().contains(&json!("START_WORKFLOW_READ_AND_SAY")),
        "{tools}"
    );
    assert_eq!(third.until("workflows").await["workflows"], json!(["read and say"]));
    let mut fourth = agent(&["stdio", binary, "--server", &url, "mcp", "--recording", &recording]);
    let tools = fourth.until("tools").await;
    assert!(tools["tools"].as_array().unwrap().contains(&json!("RECORDING_STEPS")), "{tools}");
    server.child.kill().await.unwrap();
}
