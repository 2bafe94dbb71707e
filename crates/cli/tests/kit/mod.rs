//! A server with a few workflows in this process, and the real command as processes of their own.
#![allow(dead_code, reason = "each test file uses its part")]

use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use stepwell::prelude::*;
use stepwell::{ServerConfig, Workflow};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Longer than anything here takes, on a busy machine.
pub const LONG: Duration = Duration::from_secs(60);

pub const ADMIN_TOKEN: &str = "an-admin-token-for-tests";

pub struct TestServer {
    pub url: String,
    pub dir: TempDir,
    config: ServerConfig,
    running: Option<Running>,
}

struct Running {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl TestServer {
    pub async fn start() -> TestServer {
        TestServer::with(ServerConfig::default()).await
    }

    pub async fn with_admin_token() -> TestServer {
        let mut config = ServerConfig::default();
        config.access.admin_token = Some(ADMIN_TOKEN.to_owned());
        TestServer::with(config).await
    }

    pub async fn with(config: ServerConfig) -> TestServer {
        let config = ServerConfig { listen: "127.0.0.1:0".parse().unwrap(), ..config };
        let dir = TempDir::new().unwrap();
        let mut server = TestServer { url: String::new(), dir, config, running: None };
        server.resume().await;
        server
    }

    /// Starts it again, on the same store and at the same address.
    pub async fn resume(&mut self) {
        let engine = Engine::open(self.dir.path().join("stepwell.db")).await.unwrap();
        for workflow in workflows() {
            engine.register(workflow).unwrap();
        }
        let server = stepwell::bind(&engine, self.config.clone()).await.unwrap();
        self.config.listen = server.local_addr().unwrap();
        self.url = format!("http://{}", self.config.listen);
        let (stop, stopped) = oneshot::channel::<()>();
        let until = async move {
            let _ = stopped.await;
        };
        let task = tokio::spawn(async move { server.run(until).await.unwrap() });
        self.running = Some(Running { stop, task });
    }

    pub async fn stop(&mut self) {
        let Running { stop, task } = self.running.take().unwrap();
        stop.send(()).unwrap();
        tokio::time::timeout(LONG, task).await.unwrap().unwrap();
    }

    /// The command, told to call this server.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = stepwell(args);
        command.env("STEPWELL_SERVER", &self.url).current_dir(self.dir.path());
        if self.config.access.admin_token.is_some() {
            command.env("STEPWELL_TOKEN", ADMIN_TOKEN);
        }
        command
    }

    pub async fn run(&self, args: &[&str]) -> Ran {
        ran(self.command(args)).await
    }

    /// Runs it with `--json`, and expects one document and success.
    #[track_caller]
    pub fn json<'a>(&'a self, args: &'a [&'a str]) -> impl Future<Output = Value> + 'a {
        let at = std::panic::Location::caller();
        async move {
            let ran = self.run(&[args, &["--json"]].concat()).await;
            assert_eq!(ran.code, 0, "{at}: {args:?}: {ran:?}");
            ran.document()
        }
    }

    /// Starts a run, and gives its id.
    pub async fn started(&self, args: &[&str]) -> String {
        let ran = self.run(&[&["start"], args].concat()).await;
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.stdout.trim().to_owned()
    }

    /// Waits until the run says this of itself.
    pub async fn until(&self, run: &str, so: impl Fn(&Value) -> bool) -> Value {
        let looked = tokio::time::timeout(LONG, async {
            loop {
                let shown = self.json(&["run", "show", run]).await;
                if so(&shown) {
                    return shown;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        looked.await.expect("it never came to be so")
    }
}

/// How a process ended, and what it said.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The one JSON document on standard output.
    #[track_caller]
    pub fn document(&self) -> Value {
        let documents: Vec<Value> = self.documents();
        assert_eq!(documents.len(), 1, "{self:?}");
        documents.into_iter().next().unwrap()
    }

    #[track_caller]
    pub fn documents(&self) -> Vec<Value> {
        let documents = serde_json::Deserializer::from_str(&self.stdout).into_iter();
        documents.map(|document| document.unwrap()).collect()
    }
}

/// The command, without what the environment of the tests may hold.
pub fn stepwell(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwell"));
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("STEPWELL_") {
            command.env_remove(name);
        }
    }
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    command
}

pub async fn ran(mut command: Command) -> Ran {
    let output = tokio::time::timeout(LONG, command.output()).await;
    let output = output.expect("the command does not end").unwrap();
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A command that goes on, whose lines on standard error can be waited for.
pub struct Going {
    pub child: Child,
    stderr: Lines<BufReader<ChildStderr>>,
    pub said: Vec<String>,
}

impl Going {
    pub fn new(mut command: Command) -> Going {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap()).lines();
        Going { child, stderr, said: Vec::new() }
    }

    /// Reads on until a line holds this.
    pub async fn until_says(&mut self, text: &str) {
        let read = tokio::time::timeout(LONG, async {
            while let Some(line) = self.stderr.next_line().await.unwrap() {
                self.said.push(line);
                if self.said.last().unwrap().contains(text) {
                    return;
                }
            }
            panic!("it ended without `{text}`: {:?}", self.said);
        });
        if read.await.is_err() {
            panic!("it never said `{text}`: {:?}", self.said);
        }
    }

    pub async fn ended(mut self) -> Ran {
        let ended = tokio::time::timeout(LONG, async {
            while let Some(line) = self.stderr.next_line().await.unwrap() {
                self.said.push(line);
            }
            self.child.wait_with_output().await.unwrap()
        });
        let output = ended.await.expect("it does not end");
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: self.said.join("\n"),
        }
    }

    /// Sends it a signal, such as `INT`.
    pub async fn kill(&self, signal: &str) {
        let pid = self.child.id().unwrap().to_string();
        let sent = Command::new("kill").args([&format!("-{signal}"), &pid]).status().await;
        assert!(sent.unwrap().success());
    }
}

fn workflows() -> Vec<Workflow> {
    vec![
        workflow("double", double).described("Doubles a number"),
        workflow("flaky", flaky),
        workflow("broken", broken),
        workflow("word", word),
        workflow("long", long),
        workflow("chatty", chatty),
        workflow("answers", answers),
        workflow("many", many),
    ]
}

async fn double(ctx: Ctx, n: u64) -> Result<u64> {
    ctx.set_label("parity", if n.is_multiple_of(2) { "even" } else { "odd" });
    ctx.step("double", async || Ok::<_, Error>(n * 2)).await
}

/// Fails once, and is tried again after a moment.
async fn flaky(ctx: Ctx, _: ()) -> Result<String> {
    ctx.step_with("call", async |attempt| match attempt.attempt().0 {
        1 => Err(Error::msg("no answer")),
        n => Ok(format!("answered at attempt {n}")),
    })
    .backoff(Backoff::fixed(millis(300)))
    .await
}

async fn broken(ctx: Ctx, _: ()) -> Result<()> {
    ctx.step("first", async || Ok::<_, Error>(1)).await?;
    ctx.step("second", async || Err::<(), _>(Error::critical(Error::msg("it is broken")))).await
}

async fn word(ctx: Ctx, _: ()) -> Result<String> {
    ctx.listen("word").await
}

async fn long(ctx: Ctx, _: ()) -> Result<()> {
    ctx.sleep("an hour", hours(1)).await
}

async fn chatty(ctx: Ctx, _: ()) -> Result<()> {
    ctx.info("before the word");
    ctx.listen::<String>("word").await?;
    ctx.warn("after the word");
    Ok(())
}

async fn answers(ctx: Ctx, _: ()) -> Result<()> {
    let question = ctx.listen::<u64>("ask").completable().await?;
    question.answer(&(question.body + 1))
}

async fn many(ctx: Ctx, n: u64) -> Result<()> {
    for at in 0..n {
        ctx.step(format!("s{at}"), async || Ok::<_, Error>(at)).await?;
    }
    Ok(())
}
