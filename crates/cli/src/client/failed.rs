//! What calls come to grief by, and what to do about it.

use reqwest::StatusCode;
use stepwell_server::{Code, Problem};

use crate::error::Error;
use crate::exit::Exit;

/// No answer came.
pub fn unreachable(server: &str, error: &reqwest::Error) -> Error {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let cause = cause.to_string();
    if error.is_timeout() {
        return Error::new(Exit::Unreachable, format!("{server} did not answer in time"))
            .hint("see whether the server is well, and try again");
    }
    if error.is_connect() {
        return Error::new(Exit::Unreachable, format!("no server answers at {server}: {cause}"))
            .hint("start one with `stepwell serve`, or name another with --server URL or STEPWELL_SERVER");
    }
    Error::new(Exit::Unreachable, format!("the connection to {server} broke: {cause}"))
        .hint("see whether the server is well, and try again")
}

/// The answer is not what a Stepwell server gives.
pub fn not_understood(server: &str, problem: &str) -> Error {
    Error::new(Exit::ServerError, format!("{server} gave an answer that makes no sense: {problem}"))
        .hint("see whether this is a Stepwell server, and of this version or a later one: `stepwell info`")
}

/// The server said no, or that it failed.
pub fn refused(server: &str, status: StatusCode, text: &str) -> Error {
    let Ok(problem) = serde_json::from_str::<Problem>(text) else {
        return not_understood(server, &format!("status {}", status.as_u16()));
    };
    let code = Code::parse(&problem.code);
    let exit = match (code, problem.status) {
        (Some(Code::UnknownRoute | Code::MethodNotAllowed), _) => Exit::ServerError,
        (Some(Code::WaitTimedOut | Code::AnswerTimedOut), _) => Exit::TimedOut,
        (_, 404) => Exit::NotFound,
        (_, 500..) => Exit::ServerError,
        _ => Exit::Refused,
    };
    let what: &str = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
    let error = Error::new(exit, what);
    let error = match code.and_then(hint) {
        Some(hint) => error.hint(hint),
        None => error.hint(format!("`stepwell problem {}` says more", problem.code)),
    };
    Error { problem: Some(Box::new(problem)), ..error }
}

/// What can be done from the command line.
fn hint(code: Code) -> Option<&'static str> {
    Some(match code {
        Code::TokenRequired => {
            "give a token with --token or STEPWELL_TOKEN; an admin makes one with `stepwell token create`"
        }
        Code::InvalidToken => "see --token and STEPWELL_TOKEN; it may be revoked or expired",
        Code::NamespaceForbidden => {
            "see --namespace and STEPWELL_NAMESPACE, or use a token of that namespace"
        }
        Code::UnknownWorkflow => {
            "`stepwell workflow list` shows those there are; see --namespace, too"
        }
        Code::UnknownRun => "`stepwell run list` shows those there are; see --namespace, too",
        Code::UnknownEntry => "`stepwell run show` prints the entries of a run",
        Code::UnknownSchedule => {
            "`stepwell schedule list` shows those there are; see --namespace, too"
        }
        Code::UnknownToken => "`stepwell token list` shows those there are; see --namespace, too",
        Code::UnknownStep => "`stepwell step list` shows those there are; see --namespace, too",
        Code::FlowCannotRun => "`stepwell plan` shows how far the way goes, and what is missing",
        Code::InvalidInput => "`stepwell workflow show NAME` prints what it takes",
        Code::RunExists => "give another --id, or use --key if the same run is meant",
        Code::RunNotEnded => "`stepwell run cancel` ends it, `stepwell run wait` waits for it",
        Code::RunCompleted => {
            "do it again from one entry on with `stepwell run replay ID --from LOCATION`"
        }
        Code::WaitTimedOut => "the run goes on; wait again with `stepwell run wait`",
        Code::UnknownRoute | Code::MethodNotAllowed => {
            "the server may be of another version: `stepwell info`"
        }
        Code::TooBusy | Code::ShuttingDown => "try again in a moment",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit_of(code: Code) -> Exit {
        let problem = serde_json::to_string(&Problem::new(code, "so it is")).unwrap();
        refused("http://x", code.status(), &problem).exit
    }

    #[test]
    fn every_problem_has_an_exit_code_that_fits() {
        for code in Code::ALL {
            let exit = exit_of(*code);
            let expected = match code.status().as_u16() {
                500.. => Exit::ServerError,
                408 => Exit::TimedOut,
                404 if *code != Code::UnknownRoute => Exit::NotFound,
                404 | 405 => Exit::ServerError,
                _ => Exit::Refused,
            };
            assert_eq!(exit, expected, "{}", code.as_str());
        }
    }

    #[test]
    fn an_answer_of_something_else_is_no_problem_document() {
        let error = refused("http://x", StatusCode::BAD_GATEWAY, "<html>bad gateway</html>");
        assert_eq!(error.exit, Exit::ServerError);
        assert!(error.what.contains("status 502"), "{error}");
    }
}
