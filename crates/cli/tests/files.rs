//! TypeScript files through the real command: `init`, `check`, `serve --workflows --watch`, `start --wait`.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod kit;

use std::process::Stdio;
use std::time::Duration;

use kit::{LONG, Ran, ran, stepwell};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

fn within(dir: &TempDir, args: &[&str]) -> Command {
    let mut command = stepwell(args);
    command.current_dir(dir.path());
    command
}

/// A server process that is killed with the test.
struct Served {
    #[expect(dead_code, reason = "lives as long as the test")]
    child: Child,
    url: String,
}

impl Served {
    async fn start(dir: &TempDir) -> Served {
        let args =
            ["serve", "--workflows", "workflows", "--watch", "--listen", "127.0.0.1:0", "--json"];
        let mut command = within(dir, &args);
        command.stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(LONG, lines.next_line()).await.unwrap().unwrap().unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        Served { child, url: said["url"].as_str().unwrap().to_owned() }
    }

    async fn run(&self, dir: &TempDir, args: &[&str]) -> Ran {
        let mut command = within(dir, args);
        command.env("STEPWELL_SERVER", &self.url);
        ran(command).await
    }

    async fn json(&self, dir: &TempDir, args: &[&str]) -> Value {
        self.run(dir, &[args, &["--json"]].concat()).await.document()
    }

    /// Asks again until the answer is so.
    async fn until(&self, dir: &TempDir, args: &[&str], so: impl Fn(&Value) -> bool) -> Value {
        let looked = tokio::time::timeout(LONG, async {
            loop {
                let answer = self.json(dir, args).await;
                if so(&answer) {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        });
        looked.await.expect("it never came to be so")
    }
}

async fn project() -> TempDir {
    let dir = TempDir::new().unwrap();
    let made = ran(within(&dir, &["init"])).await;
    assert_eq!(made.code, 0, "{made:?}");
    dir
}

#[tokio::test]
async fn a_new_project_checks_and_is_not_overwritten() {
    let dir = project().await;
    let checked = ran(within(&dir, &["check", "--json"])).await;
    assert_eq!(checked.code, 0, "{checked:?}");
    let files = &checked.document()["files"];
    let names: Vec<&str> = files
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|file| file["workflows"].as_array().unwrap())
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["order", "payment"]);
    let again = ran(within(&dir, &["init"])).await;
    assert_eq!(again.code, 9);
    assert!(again.stderr.contains("has these already: workflows/order.ts"), "{again:?}");
    assert!(
        dir.path().join("types/stepwell.d.ts").exists()
            && dir.path().join("tsconfig.json").exists()
    );
}

#[tokio::test]
async fn a_check_says_everything_that_is_wrong_with_file_and_line() {
    let dir = project().await;
    let write = |name: &str, text: &str| {
        std::fs::write(dir.path().join("workflows").join(name), text).unwrap()
    };
    write("one.ts", "export const steps = [\n  { fn: 7 },\n];");
    write("two.ts", "import { x } from './gone';\nexport const steps = [() => x];");
    let checked = ran(within(&dir, &["check"])).await;
    assert_eq!(checked.code, 9, "{checked:?}");
    assert!(
        checked.stdout.contains("workflows/one.ts:1:1: a step's `fn` must be a function"),
        "{checked:?}"
    );
    assert!(checked.stdout.contains("workflows/two.ts:1:"), "{checked:?}");
    assert!(checked.stdout.contains("✓"), "the good ones, too: {checked:?}");
    assert!(checked.stderr.contains("problems in workflow files"), "{checked:?}");
    let missing = ran(within(&dir, &["check", "nowhere"])).await;
    assert_eq!(missing.code, 2, "{missing:?}");
}

#[tokio::test]
async fn files_are_served_and_watched_and_their_steps_are_shown() {
    let dir = project().await;
    let server = Served::start(&dir).await;
    let args = ["start", "order", "--input", r#"{"item":"oak","quantity":2}"#, "--wait"];
    let ended = server.run(&dir, &args).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(ended.stdout.contains("TRACK-"), "{ended:?}");
    for line in ["reserve", "reserved 2 of oak (attempt 1)", "payment", "charge", "settle", "ship"]
    {
        assert!(ended.stderr.contains(line), "{line}: {ended:?}");
    }
    let refused = server.run(&dir, &["start", "order", "--input", r#"{"quantity":0}"#]).await;
    assert_eq!(refused.code, 6, "{refused:?}");
    for place in ["/item", "/quantity"] {
        assert!(refused.stderr.contains(place), "every place: {refused:?}");
    }
    let list = server.json(&dir, &["workflow", "list"]).await;
    assert_eq!(list["failed_files"], serde_json::json!([]));

    let file = dir.path().join("workflows/payment.ts");
    let good = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, "export const steps = [ oh no").unwrap();
    let list = server
        .until(&dir, &["workflow", "list"], |list| {
            !list["failed_files"].as_array().unwrap().is_empty()
        })
        .await;
    let failed = list["failed_files"].as_array().unwrap();
    assert!(
        failed.iter().any(|file| file["problems"][0]["file"] == "workflows/payment.ts"),
        "{failed:?}"
    );
    let shown = server.json(&dir, &["workflow", "show", "payment"]).await;
    assert_eq!(shown["problem"]["problems"][0]["line"], 1, "{shown}");
    let still = server.run(&dir, &["start", "payment", "--wait"]).await;
    assert_eq!(still.code, 0, "the last good version: {still:?}");

    std::fs::write(&file, good.replace("runId.slice(0, 8)", "'fresh'")).unwrap();
    server
        .until(&dir, &["workflow", "list"], |list| {
            list["failed_files"].as_array().unwrap().is_empty()
        })
        .await;
    let fresh = server.run(&dir, &["start", "payment", "--wait"]).await;
    assert!(fresh.stdout.contains("fresh"), "{fresh:?}");
}
