//! The scripts of a definition, compiled before it is taken.

use super::{Action, Language, Script, StepDefinition};
use crate::problem::{Code, Path, Problem};

/// What matches and mappings call the value they are given.
pub const VALUE_ARGUMENT: &str = "value";

/// Whoever can tell whether a script compiles.
pub trait Compiler {
    /// `args` are the names that the script can use, sorted. JSONPath has no use for them.
    fn compile(
        &self,
        language: Language,
        source: &str,
        args: &[&str],
    ) -> Result<(), CompileProblem>;
}

/// Why a script does not compile, and where in its source, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CompileProblem {
    pub message: String,
    pub line: Option<u32>,
    pub column: Option<u32>,
}

impl StepDefinition {
    /// The scripts that do not compile.
    pub fn compile_problems(&self, compiler: &dyn Compiler) -> Vec<Problem> {
        let mut args: Vec<&str> = self.arguments().map(|(_, argument)| argument).collect();
        args.sort_unstable();
        let mut problems = Vec::new();
        let mut compile = |script: &Script, at: &Path, args: &[&str]| {
            if let Err(problem) = compiler.compile(script.language, &script.source, args) {
                let message = format!("{}{problem}", position(&problem));
                problems.push(at.field("source").problem(Code::ScriptError, message));
            }
        };
        let root = Path::root();
        for (name, attribute) in &self.attributes {
            let at = root.field("attributes").field(name.as_str());
            if let Some(script) = attribute.input().and_then(|input| input.matches.as_ref()) {
                compile(script, &at.field("match"), &[VALUE_ARGUMENT]);
            }
            if let Some(script) = attribute.mapping().and_then(|mapping| mapping.script.as_ref()) {
                compile(script, &at.field("mapping").field("script"), &[VALUE_ARGUMENT]);
            }
        }
        if let Action::Script(script) = &self.action {
            compile(script, &root.field("script"), &args);
        }
        if let Some(predicate) = &self.predicate {
            compile(predicate, &root.field("predicate"), &args);
        }
        problems
    }
}

fn position(problem: &CompileProblem) -> String {
    match (problem.line, problem.column) {
        (Some(line), Some(column)) => format!("line {line}, column {column}: "),
        (Some(line), None) => format!("line {line}: "),
        (None, _) => String::new(),
    }
}
