//! Whether an input fits a file's Zod schema, asked by code that cannot wait asynchronously.
//!
//! Starting a run checks its input before anything is created, in one call. So the schema runs in engines of their
//! own, driven by a thread of their own: steps that compute do not keep starts waiting.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use stepwell_journal::Json;
use stepwell_kernel::{InputError, InputProblem};
use stepwell_script::js::{Call, JsPool, PoolOptions, Program};
use stepwell_script::{ErrorKind, ScriptError, ScriptLimits};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How long a schema may take.
pub const INPUT_TIME_MS: u64 = 2_000;

/// How much longer an answer is waited for, when the machine is busy.
const GRACE: Duration = Duration::from_secs(10);

/// How many inputs are looked at side by side.
const CHECKS_MAX: usize = 8;

#[derive(Clone)]
pub(super) struct InputChecks {
    asked: UnboundedSender<Asked>,
}

struct Asked {
    program: Arc<Program>,
    call: Call,
    answer: Sender<Result<Option<Value>, ScriptError>>,
}

/// What `accepts` of the driver gives.
#[derive(Deserialize, Default)]
struct Accepted {
    #[serde(default)]
    issues: Vec<Issue>,
}

#[derive(Deserialize)]
struct Issue {
    path: Vec<Value>,
    message: String,
}

impl InputChecks {
    /// Starts the thread; it ends with the last clone.
    pub fn start() -> std::io::Result<InputChecks> {
        let (asked, questions) = unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let answer = move || runtime.block_on(answer_all(questions));
        std::thread::Builder::new().name("stepwell-input".to_owned()).spawn(answer)?;
        Ok(InputChecks { asked })
    }

    pub fn check(
        &self,
        (workflow, root): (&str, &str),
        program: &Arc<Program>,
        input: &Json,
        limits: ScriptLimits,
    ) -> Result<(), InputError> {
        let refused =
            |message: String| InputError::new(workflow, vec![InputProblem::new("", message)]);
        let accepted = self.ask(root, program, input, limits);
        let accepted =
            accepted.map_err(|error| refused(format!("the schema could not check it: {error}")))?;
        if accepted.issues.is_empty() {
            return Ok(());
        }
        let problem = |issue: Issue| InputProblem::new(pointer(&issue.path), issue.message);
        Err(InputError::new(workflow, accepted.issues.into_iter().map(problem).collect()))
    }

    fn ask(
        &self,
        root: &str,
        program: &Arc<Program>,
        input: &Json,
        limits: ScriptLimits,
    ) -> Result<Accepted, ScriptError> {
        let limits = ScriptLimits { time_ms: INPUT_TIME_MS, ..limits };
        let call = Call::driver("accepts").arg(root)?.arg(input)?.limits(limits);
        let (sender, receiver) = channel();
        let gone = || ScriptError::new(ErrorKind::Unavailable, "the engine is shutting down");
        let asked = Asked { program: program.clone(), call, answer: sender };
        self.asked.send(asked).map_err(|_| gone())?;
        let answer = receiver.recv_timeout(Duration::from_millis(INPUT_TIME_MS) + GRACE);
        let answer = answer.map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                ScriptError::new(ErrorKind::TimedOut, "too many inputs are being checked")
            }
            RecvTimeoutError::Disconnected => gone(),
        })??;
        serde_json::from_value(answer.unwrap_or_default())
            .map_err(|error| ScriptError::new(ErrorKind::Unavailable, error.to_string()))
    }
}

async fn answer_all(mut questions: UnboundedReceiver<Asked>) {
    let pool = JsPool::new(PoolOptions {
        cores: 2,
        calls_max: CHECKS_MAX,
        idle_engines_max: CHECKS_MAX,
        ..PoolOptions::default()
    });
    while let Some(Asked { program, call, answer }) = questions.recv().await {
        let pool = pool.clone();
        tokio::spawn(async move {
            let result = pool.call(&program, call).await;
            // Whoever asked may have stopped waiting.
            let _ = answer.send(result);
        });
    }
}

/// `/order/lines/0`
fn pointer(path: &[Value]) -> String {
    let part = |part: &Value| match part {
        Value::String(name) => format!("/{}", name.replace('~', "~0").replace('/', "~1")),
        other => format!("/{other}"),
    };
    path.iter().map(part).collect()
}
