//! What is wrong with steps and goals, as problem documents.

use stepwell_flow::{Code as StepCode, Problem as StepProblem, Problems};

use crate::problem::{Code, Problem};

/// A definition, or a change of the catalog, that is refused.
pub fn step_problem(problems: Problems) -> Problem {
    let code = problems.as_slice().iter().find_map(|problem| match problem.code {
        StepCode::StepExists => Some(Code::StepExists),
        StepCode::StepUnknown => Some(Code::UnknownStep),
        StepCode::GoalInUse => Some(Code::StepInUse),
        StepCode::InvalidJson => Some(Code::InvalidJson),
        StepCode::TooLarge => Some(Code::BodyTooLarge),
        _ => None,
    });
    told(code.unwrap_or(Code::InvalidStep), problems.as_slice().iter())
}

/// Goals or an initial state that no plan can be made for.
pub fn plan_problem(problems: Problems) -> Problem {
    let code = problems.as_slice().iter().find_map(|problem| match problem.code {
        StepCode::InvalidJson => Some(Code::InvalidJson),
        StepCode::TooLarge => Some(Code::BodyTooLarge),
        _ => None,
    });
    told(code.unwrap_or(Code::InvalidGoals), problems.as_slice().iter())
}

/// A plan that can be looked at, and not run.
pub fn obstacles(problems: Vec<StepProblem>) -> Problem {
    told(Code::FlowCannotRun, problems.iter())
}

fn told<'a>(code: Code, problems: impl Iterator<Item = &'a StepProblem>) -> Problem {
    let mut problem = Problem::new(code, String::new());
    for one in problems {
        let path = path_of(&one.path);
        if problem.detail.is_empty() {
            problem.detail = match path.is_empty() {
                true => one.message.clone(),
                false => format!("`{path}`: {}", one.message),
            };
        }
        problem = problem.at_with(path, one.message.clone(), one.code.as_str());
    }
    problem
}

/// A JSON Pointer as paths are written elsewhere: `attributes.body.default`.
fn path_of(pointer: &str) -> String {
    let parts = pointer.split('/').skip(1);
    parts.map(|part| part.replace("~1", "/").replace("~0", "~")).collect::<Vec<_>>().join(".")
}
