//! The same workflow in Rust and in TypeScript, on engines of their own.

use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Value, json};
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_engine::{RunHandle, WaitError};
use stepwell_journal::{Failure, RunStatus};
use stepwell_sequence::ts::{Loaded, TsOptions, TsRuntime};
use stepwell_sequence::{Plan, Problems, Sequence, StepRecord, records};
use stepwell_store_postgres::testkit;

pub static RUNTIME: LazyLock<TsRuntime> =
    LazyLock::new(|| TsRuntime::new(TsOptions::default()).unwrap());

/// An engine with one workflow, `flow`.
pub struct Case {
    /// Which way it was written.
    pub written: &'static str,
    pub engine: TestEngine,
}

/// What a test may depend on; times, stacks and locations differ.
pub fn plain(records: &[StepRecord]) -> Value {
    let plain_one = |record: &StepRecord| {
        let mut value = json!({
            "name": record.name, "status": record.status, "result": record.result,
            "attempts": record.attempts,
        });
        let more = [
            ("description", json!(record.description)),
            ("number", json!(record.number)),
            ("error", json!(record.error.as_ref().map(|error| error.message.clone()))),
            ("steps", if record.steps.is_empty() { Value::Null } else { plain(&record.steps) }),
        ];
        for (key, more) in more {
            if !more.is_null() {
                value[key] = more;
            }
        }
        value
    };
    Value::Array(records.iter().map(plain_one).collect())
}

/// Scripts run on threads of their own, and machines are busy: time skips only if they hang.
const GRACE: Duration = Duration::from_secs(2);

pub async fn engine() -> TestEngine {
    engine_with(GRACE).await
}

async fn engine_with(body_grace: Duration) -> TestEngine {
    let options = TestOptions { body_grace, ..TestOptions::default() };
    TestEngine::with(testkit::chosen_store().await, options).await
}

pub fn write(dir: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Loads the first of the files.
pub async fn load(files: &[(&str, &str)]) -> Result<Vec<Loaded>, Problems> {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), files);
    RUNTIME.load_file(dir.path(), &dir.path().join(files[0].0)).await
}

pub async fn load_one(files: &[(&str, &str)]) -> Loaded {
    let mut loaded = load(files).await.unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(loaded.len(), 1);
    loaded.remove(0)
}

/// The file `flow.ts`, and the same in Rust.
pub async fn both(ts: &str, rust: Sequence) -> [Case; 2] {
    both_with(ts, rust, GRACE).await
}

/// The same where bodies hang on purpose, and it does not matter when time skips over them.
pub async fn both_with(ts: &str, rust: Sequence, grace: Duration) -> [Case; 2] {
    let rust = rust.build().unwrap_or_else(|problems| panic!("{problems}"));
    let loaded = load_one(&[("flow.ts", ts)]).await;
    let cases = [("Rust", rust), ("TypeScript", loaded.workflow())];
    let [first, second] = cases;
    [Case::new(first, grace).await, Case::new(second, grace).await]
}

impl Case {
    async fn new(
        (written, workflow): (&'static str, stepwell_kernel::Workflow),
        grace: Duration,
    ) -> Case {
        let engine = engine_with(grace).await;
        engine.register(workflow).unwrap();
        Case { written, engine }
    }

    pub async fn start(&self, input: Value) -> RunHandle {
        self.engine.start("flow", &input).await.unwrap()
    }

    /// Runs it to its end.
    pub async fn run(&self, input: Value) -> (RunHandle, Result<Value, Failure>) {
        let run = self.start(input).await;
        let ended = self.end(&run).await;
        (run, ended)
    }

    pub async fn end(&self, run: &RunHandle) -> Result<Value, Failure> {
        match self.engine.wait(run).await {
            Ok(value) => Ok(value),
            Err(WaitError::Failed(failure)) => Err(failure),
            Err(error) => panic!("{}: {error}", self.written),
        }
    }

    pub async fn records(&self, run: &RunHandle) -> Vec<StepRecord> {
        let plan = Plan::of(&self.engine.workflow("default", "flow").unwrap()).unwrap();
        records(&plan, &run.state().await.unwrap().state)
    }

    pub async fn plain(&self, run: &RunHandle) -> Value {
        plain(&self.records(run).await)
    }

    pub async fn status(&self, run: &RunHandle) -> RunStatus {
        run.state().await.unwrap().status
    }

    /// What steps and handlers said, in order.
    pub async fn said(&self, run: &RunHandle) -> Vec<String> {
        let page = run.logs().await.unwrap();
        let said = page.lines.into_iter().filter(|line| line.message.starts_with("said "));
        said.map(|line| line.message["said ".len()..].to_owned()).collect()
    }
}
