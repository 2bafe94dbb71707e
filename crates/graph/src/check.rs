//! The rules of the format beyond its form: names, refs, cycles, what fits which action.

mod cycles;
mod wiring;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::definition::{Action, Definition, Step, Test};
use crate::graph::{Condition, Each, Edge, Node};
use crate::limits::STEP_NAME_BYTES_MAX;
use crate::problem::{Code, Path, Problem};
use crate::refs::{Span, is_identifier};
use crate::schema::Schema;

/// Roots that are not steps.
pub(crate) const RESERVED: [&str; 4] = ["input", "item", "index", "ctx"];

/// Whether a step may have this name.
pub fn is_step_name(name: &str) -> bool {
    is_identifier(name) && name.len() <= STEP_NAME_BYTES_MAX && !RESERVED.contains(&name)
}

/// What `@ctx` holds.
pub(crate) const CTX_FIELDS: [&str; 6] =
    ["run_id", "workflow", "version", "started_at", "step", "idempotency_key"];

/// A definition with its refs parsed and its schemas compiled.
pub(crate) struct Checked {
    pub input_schema: Option<Schema>,
    pub nodes: Vec<Node>,
    pub edges: Vec<Edge>,
}

/// Checks everything. What comes back is of use only if no problem was added.
pub(crate) fn check(definition: &Definition, problems: &mut Vec<Problem>) -> Checked {
    let mut checker = Checker {
        names: BTreeMap::new(),
        edges: Vec::new(),
        step: None,
        problems: std::mem::take(problems),
    };
    checker.check_names(definition);
    let input_schema =
        checker.schema(definition.input_schema.as_ref(), &Path::top().key("input_schema"));
    let mut nodes = Vec::with_capacity(definition.steps.len());
    for (n, step) in definition.steps.iter().enumerate() {
        checker.step = Some((n, step.name.clone()));
        let path = Path::top().key("steps").item(n);
        checker.check_applicable(step, &path);
        nodes.push(checker.node(step, &path));
    }
    checker.step = None;
    let edges = std::mem::take(&mut checker.edges);
    for edge in &edges {
        nodes[edge.to].needs.push(edge.from);
    }
    for node in &mut nodes {
        node.needs.sort_unstable();
        node.needs.dedup();
    }
    for cycle in cycles::find(&nodes) {
        checker.problems.push(cycles::describe(&cycle, definition, &edges));
    }
    *problems = checker.problems;
    Checked { input_schema, nodes, edges }
}

pub(super) struct Checker {
    /// The steps by name; the first of several that share one.
    names: BTreeMap<String, usize>,
    edges: Vec<Edge>,
    /// The step that is being checked, its place and its name.
    step: Option<(usize, String)>,
    problems: Vec<Problem>,
}

impl Checker {
    fn problem(&mut self, field: &Path, code: Code, message: impl Into<String>) {
        self.problem_at(field, None, code, message);
    }

    fn problem_at(
        &mut self,
        field: &Path,
        span: Option<Span>,
        code: Code,
        message: impl Into<String>,
    ) {
        let step = self.step.as_ref().map(|(_, name)| name.clone()).filter(|name| !name.is_empty());
        let (field, message) = (field.clone(), message.into());
        self.problems.push(Problem { step, field, code, message, span });
    }

    fn check_names(&mut self, definition: &Definition) {
        for (n, step) in definition.steps.iter().enumerate() {
            let name = step.name.as_str();
            self.step = Some((n, name.to_owned()));
            let field = Path::top().key("steps").item(n).key("name");
            if name.is_empty() {
                // The reader has said so.
                continue;
            }
            if RESERVED.contains(&name) {
                let message = format!("`{name}` means something else in refs; choose another name");
                self.problem(&field, Code::ReservedName, message);
                continue;
            }
            if !is_identifier(name) {
                let message = format!(
                    "`{name}` cannot be a step's name: use ASCII letters, digits and `_`, and begin with no digit"
                );
                self.problem(&field, Code::Name, message);
            }
            match self.names.get(name) {
                Some(first) => {
                    let message =
                        format!("`{name}` is the name of steps[{first}], too; names are unique");
                    self.problem(&field, Code::DuplicateName, message);
                }
                None => {
                    self.names.insert(name.to_owned(), n);
                }
            }
        }
        self.step = None;
    }

    fn schema(&mut self, schema: Option<&Value>, path: &Path) -> Option<Schema> {
        match Schema::compile(schema?) {
            Ok(schema) => Some(schema),
            Err(error) => {
                let message = format!("is no JSON Schema that can be used: {error}");
                self.problem(path, Code::Schema, message);
                None
            }
        }
    }

    /// Fields that say nothing about the step's action.
    fn check_applicable(&mut self, step: &Step, path: &Path) {
        let kind = step.action.kind();
        if step.for_each.is_some() && step.action.is_return() {
            let message = "a run returns once: `return` cannot be done for each item";
            self.problem(&path.key("forEach"), Code::NotApplicable, message);
        }
        if let Action::Workflow { input: Some(_), .. } = &step.action
            && step.input.is_some()
        {
            let message = "the step has an `input` and its action has one, too; keep one of them";
            self.problem(&path.key("action").key("input"), Code::TwoInputs, message);
        }
        if step.output_schema.is_some() && matches!(step.action, Action::Sleep { .. }) {
            let message = "a sleep gives null; there is nothing to check";
            self.problem(&path.key("outputSchema"), Code::NotApplicable, message);
        }
        let config = &step.config;
        let is_tried = matches!(step.action, Action::Tool { .. } | Action::Code { .. });
        let runs_code = match &step.action {
            Action::Tool { transform_code, .. } => transform_code.is_some(),
            action => matches!(action, Action::Code { .. }),
        };
        let has_timeout = !matches!(step.action, Action::Return { .. } | Action::Sleep { .. });
        let is_tool = matches!(step.action, Action::Tool { .. });
        let fields = [
            ("maxAttempts", config.max_attempts.is_some(), is_tried),
            ("backoffMs", config.backoff_ms.is_some(), is_tried),
            ("timeoutMs", config.timeout_ms.is_some(), has_timeout),
            ("memoryMb", config.memory_mb.is_some(), runs_code),
            ("retryOnCrash", config.retry_on_crash.is_some(), is_tool),
        ];
        for (field, _, _) in fields.into_iter().filter(|(_, given, applies)| *given && !applies) {
            let message =
                format!("`{field}` means nothing for a {kind} step as this one is; leave it out");
            self.problem(&path.key("config").key(field), Code::NotApplicable, message);
        }
    }

    fn node(&mut self, step: &Step, path: &Path) -> Node {
        let when = step.when.as_ref().and_then(|when| {
            let path = path.key("when");
            let test = self.test(&when.test, &path);
            Some(Condition { of: self.when_ref(&when.of, &path.key("ref"))?, test: test? })
        });
        let each = step.for_each.as_ref().and_then(|each| {
            let of = self.each_ref(&each.of, &path.key("forEach").key("ref"))?;
            let concurrency = usize::try_from(each.concurrency.unwrap_or(1)).unwrap_or(1);
            Some(Each { of, concurrency })
        });
        let (input, input_path) = match &step.action {
            Action::Workflow { input: Some(input), .. } => {
                (Some(input), path.key("action").key("input"))
            }
            _ => (step.input.as_ref(), path.key("input")),
        };
        let input = input.and_then(|input| self.input(input, &input_path, step.for_each.is_some()));
        let output_schema = self.schema(step.output_schema.as_ref(), &path.key("outputSchema"));
        Node {
            when,
            each,
            input,
            output_schema,
            needs: Vec::new(),
            needed_by: Vec::new(),
            level: 0,
        }
    }

    /// The test with `@@` in its operand read as `@`. Refs have no place there.
    fn test(&mut self, test: &Test, path: &Path) -> Option<Test> {
        let Some((operator, operand)) = test.operator() else { return Some(Test::Truth) };
        let operand = self.literal(&operand, &path.key(operator))?;
        Some(match (test, operand) {
            (Test::Eq(_), operand) => Test::Eq(operand),
            (Test::Neq(_), operand) => Test::Neq(operand),
            (Test::In(_), Value::Array(operands)) => Test::In(operands),
            (other, _) => other.clone(),
        })
    }
}
