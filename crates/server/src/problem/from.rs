//! What the engine's errors are to callers.

use stepwell_engine::{
    AskError, CancelError, GetError, ResumeError, SendError, StartError, WaitError,
};
use stepwell_store::{StoreError, with_causes};

use super::{Code, Problem};

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Problem {
        tracing::error!(error = %with_causes(&error), "the store failed");
        Problem::new(Code::StoreUnavailable, with_causes(&error))
    }
}

impl From<StartError> for Problem {
    fn from(error: StartError) -> Problem {
        let text = with_causes(&error);
        match error {
            StartError::UnknownWorkflow { .. } => Problem::new(Code::UnknownWorkflow, text),
            StartError::InputNotJson { .. } => Problem::new(Code::InvalidInput, text),
            StartError::Input(error) => {
                let problem = Problem::new(Code::InvalidInput, text);
                error.errors.into_iter().fold(problem, |problem, error| {
                    // A pointer such as `/lines/0/sku` becomes a path from the request's own root.
                    let path = error.path.replace('/', ".").replace("~1", "/").replace("~0", "~");
                    problem.at(format!("input{path}"), error.message)
                })
            }
            StartError::InputTooLarge { .. } => Problem::new(Code::ValueTooLarge, text),
            StartError::Name { what, .. } => {
                Problem::new(Code::InvalidRequest, text.clone()).at(what.replace(' ', "_"), text)
            }
            StartError::TooLong { what, .. } => {
                let path = if what.contains("label") { "labels" } else { "idempotency_key" };
                Problem::new(Code::InvalidRequest, text.clone()).at(path, text)
            }
            StartError::TooManyLabels { .. } => {
                Problem::new(Code::InvalidRequest, text.clone()).at("labels", text)
            }
            StartError::RunExists { .. } => Problem::new(Code::RunExists, text),
            StartError::ShuttingDown => Problem::new(Code::ShuttingDown, text),
            StartError::Store(error) => error.into(),
            _ => internal(&text),
        }
    }
}

impl From<GetError> for Problem {
    fn from(error: GetError) -> Problem {
        let text = with_causes(&error);
        match error {
            GetError::UnknownRun { run } => Problem::unknown_run(&run.to_string()),
            GetError::Damaged { .. } => {
                tracing::error!(error = %text, "a journal is damaged");
                Problem::new(Code::RunDamaged, text)
            }
            GetError::Store(error) => error.into(),
            _ => internal(&text),
        }
    }
}

impl From<WaitError> for Problem {
    fn from(error: WaitError) -> Problem {
        let text = with_causes(&error);
        match error {
            WaitError::TimedOut { .. } => Problem::new(Code::WaitTimedOut, text),
            WaitError::UnknownRun { run } => Problem::unknown_run(&run.to_string()),
            WaitError::Closed { .. } | WaitError::Fenced { .. } => {
                Problem::new(Code::ShuttingDown, text)
            }
            WaitError::Quarantined { .. } => Problem::new(Code::RunQuarantined, text),
            WaitError::Store(error) => error.into(),
            _ => internal(&text),
        }
    }
}

impl From<SendError> for Problem {
    fn from(error: SendError) -> Problem {
        let text = with_causes(&error);
        match error {
            SendError::Name { .. } => Problem::field("name", text),
            SendError::Key { .. } => Problem::field("key", text),
            SendError::NotJson { .. } => Problem::field("body", text),
            SendError::TooLarge { .. } => Problem::new(Code::ValueTooLarge, text),
            SendError::UnknownRun { run } => Problem::unknown_run(&run.to_string()),
            SendError::RunEnded { .. } => Problem::new(Code::RunEnded, text),
            SendError::Store(error) => error.into(),
            _ => internal(&text),
        }
    }
}

impl From<AskError> for Problem {
    fn from(error: AskError) -> Problem {
        let text = with_causes(&error);
        match error {
            AskError::Send(error) => error.into(),
            AskError::Unanswered { .. } => Problem::new(Code::Unanswered, text),
            AskError::TimedOut { .. } => Problem::new(Code::AnswerTimedOut, text),
            AskError::Closed { .. } => Problem::new(Code::ShuttingDown, text),
            AskError::Get(error) => error.into(),
            _ => internal(&text),
        }
    }
}

impl From<CancelError> for Problem {
    fn from(error: CancelError) -> Problem {
        let text = with_causes(&error);
        match error {
            CancelError::UnknownRun { run } => Problem::unknown_run(&run.to_string()),
            CancelError::AlreadyEnded { .. } => Problem::new(Code::RunEnded, text),
            CancelError::Store(error) => error.into(),
            _ => internal(&text),
        }
    }
}

impl From<ResumeError> for Problem {
    fn from(error: ResumeError) -> Problem {
        let text = with_causes(&error);
        match error {
            ResumeError::Get(error) => error.into(),
            ResumeError::NotEnded { .. } => Problem::new(Code::RunNotEnded, text),
            ResumeError::Completed { .. } => Problem::new(Code::RunCompleted, text),
            ResumeError::RolledBack { .. } => Problem::new(Code::RunRolledBack, text),
            ResumeError::UnknownEntry { .. } => Problem::new(Code::UnknownEntry, text),
            ResumeError::Changed { .. } => Problem::new(Code::Changed, text),
            ResumeError::Child { source, .. } => Problem { detail: text, ..(*source).into() },
            ResumeError::ShuttingDown => Problem::new(Code::ShuttingDown, text),
            ResumeError::Start(error) => (*error).into(),
            ResumeError::Store(error) => error.into(),
            _ => internal(&text),
        }
    }
}

/// What should not happen. The text goes to the log, not to the caller.
pub fn internal(text: &str) -> Problem {
    tracing::error!(error = %text, "a request failed");
    Problem::new(Code::Internal, "the server failed; its log says why")
}
