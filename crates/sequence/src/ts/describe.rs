//! What the driver says of a file, and the plan that it makes.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};
use stepwell_script::Position;

use super::load::Unit;
use super::names::declared_name;
use super::sources::Shelf;
use crate::error::Growth;
use crate::plan::{Action, FunctionRef, Nested, Node, NodeKind, OnTimeout, Plan, Step, StepConfig};
use crate::problem::Problem;

/// A workflow as `driver.js` describes it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Described {
    /// Empty for the one that the file's exports make.
    #[serde(default)]
    pub root: String,
    name: Option<String>,
    description: Option<String>,
    #[serde(default)]
    pub has_input: bool,
    on_error: Option<String>,
    steps: Vec<DescribedNode>,
    #[serde(default)]
    problems: Vec<Said>,
}

#[derive(Debug, Deserialize)]
struct Said {
    message: String,
    at: Option<Position>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct DescribedNode {
    #[serde(rename = "type")]
    kind: String,
    name: Value,
    is_named: bool,
    at: Option<Position>,
    function: Option<String>,
    about: Option<String>,
    config: Map<String, Value>,
    on_error: Option<String>,
    reads: Vec<String>,
    ms: u64,
    pub file: Option<String>,
    run: Option<String>,
    inline: Option<Box<Described>>,
    condition: Option<String>,
    until: Option<String>,
    items: Option<String>,
    then: Vec<DescribedNode>,
    #[serde(rename = "else")]
    otherwise: Vec<DescribedNode>,
    body: Vec<DescribedNode>,
    steps: Vec<DescribedNode>,
    max_iterations: Value,
    concurrency: Value,
}

impl Described {
    pub fn visit(&self, each: &mut dyn FnMut(&DescribedNode)) {
        self.steps.iter().for_each(|node| node.visit(each));
    }
}

impl DescribedNode {
    /// The file whose code made this.
    pub fn file_of<'a>(&'a self, unit: &'a str) -> &'a str {
        self.at.as_ref().map_or(unit, |at| at.file.as_str())
    }

    fn visit(&self, each: &mut dyn FnMut(&DescribedNode)) {
        each(self);
        if let Some(inline) = &self.inline {
            inline.visit(each);
        }
        for list in [&self.then, &self.otherwise, &self.body, &self.steps] {
            list.iter().for_each(|node| node.visit(each));
        }
    }
}

/// Makes plans, and notes what is wrong.
pub(super) struct Reader<'a> {
    units: &'a BTreeMap<String, Unit>,
    shelf: &'a Shelf<'a>,
    pub problems: Vec<Problem>,
    /// The files that are being read, outermost first.
    nesting: Vec<String>,
}

impl<'a> Reader<'a> {
    pub fn new(units: &'a BTreeMap<String, Unit>, shelf: &'a Shelf<'a>) -> Reader<'a> {
        Reader { units, shelf, problems: Vec::new(), nesting: Vec::new() }
    }

    pub fn workflow(&mut self, unit: &str, described: &Described) -> Plan {
        self.nesting.push(unit.to_owned());
        let mut plan = self.plan(unit, described);
        self.nesting.pop();
        if described.root.is_empty() && described.name.is_none() {
            plan.name = file_stem(unit);
        }
        if described.has_input {
            plan.input = Some(self.function(unit, described.root.clone()));
        }
        plan.position = Some(Position { file: unit.to_owned(), line: 1, column: 1 });
        plan
    }

    fn plan(&mut self, unit: &str, described: &Described) -> Plan {
        for said in &described.problems {
            let whole = Position { file: unit.to_owned(), line: 1, column: 1 };
            let at = said.at.as_ref().unwrap_or(&whole);
            self.problems.push(Problem::new(said.message.as_str()).at(Some(at)));
        }
        let mut taken = BTreeSet::new();
        described.visit(&mut |node| {
            if let Some(name) = node.name.as_str().filter(|_| node.is_named) {
                taken.insert(name.to_owned());
            }
        });
        Plan {
            name: described.name.clone().unwrap_or_default(),
            description: described.description.clone(),
            nodes: self.nodes(unit, &described.steps, &mut taken),
            on_error: described.on_error.clone().map(|id| self.function(unit, id)),
            input: None,
            position: None,
        }
    }

    fn nodes(
        &mut self,
        unit: &str,
        nodes: &[DescribedNode],
        taken: &mut BTreeSet<String>,
    ) -> Vec<Node> {
        nodes.iter().filter_map(|node| self.node(unit, node, taken)).collect()
    }

    fn node(
        &mut self,
        unit: &str,
        node: &DescribedNode,
        taken: &mut BTreeSet<String>,
    ) -> Option<Node> {
        let function =
            |id: &Option<String>| Some(FunctionRef { unit: unit.to_owned(), id: id.clone()? });
        let on_error = function(&node.on_error);
        if !matches!(node.kind.as_str(), "step" | "delay") {
            for key in node.config.keys() {
                let said = format!("`{key}` can only be given to a step: give it to those inside");
                self.problems.push(Problem::new(said).at(node.at.as_ref()));
            }
        }
        let mut default_name = node.run.as_deref().unwrap_or(&node.kind);
        let kind = match node.kind.as_str() {
            "step" => {
                default_name = "httpStep";
                let action = Action::Function {
                    function: function(&node.function)?,
                    about: node.about.clone(),
                };
                let config = StepConfig { on_error, ..self.config(node) };
                NodeKind::Step(Step { action, config, reads: node.reads.clone() })
            }
            "delay" => {
                default_name = "delayStep";
                let config = StepConfig { on_error, ..self.config(node) };
                let action = Action::Delay { ms: node.ms };
                NodeKind::Step(Step { action, config, reads: Vec::new() })
            }
            "branch" => NodeKind::Branch {
                condition: function(&node.condition)?,
                then: self.nodes(unit, &node.then, taken),
                otherwise: self.nodes(unit, &node.otherwise, taken),
            },
            "loop" => NodeKind::Loop {
                until: function(&node.until)?,
                body: self.nodes(unit, &node.body, taken),
                max_iterations: self.count(node, "maxIterations", &node.max_iterations),
            },
            "parallel" => NodeKind::Parallel { nodes: self.nodes(unit, &node.steps, taken) },
            "forEach" => NodeKind::ForEach {
                items: function(&node.items)?,
                body: self.nodes(unit, &node.body, taken),
                concurrency: self
                    .count(node, "concurrency", &node.concurrency)
                    .map_or(1, |n| usize::try_from(n).unwrap_or(usize::MAX)),
            },
            _ => {
                let nested = self.nested(unit, node, on_error)?;
                if let Nested::Inline { plan, .. } = &nested {
                    let name = self.name(unit, node, &plan.name.clone(), taken);
                    let (kind, position) = (NodeKind::Workflow(nested), node.at.clone());
                    return Some(Node { name, kind, position });
                }
                NodeKind::Workflow(nested)
            }
        };
        let name = self.name(unit, node, default_name, taken);
        Some(Node { name, kind, position: node.at.clone() })
    }

    /// Its own name, or that of the variable that it is in, or one that is made up of what it is.
    fn name(
        &mut self,
        unit: &str,
        node: &DescribedNode,
        default: &str,
        taken: &mut BTreeSet<String>,
    ) -> String {
        match &node.name {
            Value::String(name) if node.is_named => return name.clone(),
            Value::Null | Value::String(_) => {}
            other => {
                let said = format!("a step's `name` must be a string, and is {other}");
                self.problems.push(Problem::new(said).at(node.at.as_ref()));
            }
        }
        let bundle = &self.units[unit].bundle;
        let declared = node.at.as_ref().and_then(|at| declared_name(bundle, at));
        if let Some(declared) = declared
            && taken.insert(declared.clone())
        {
            return declared;
        }
        let numbered = (2..).map(|n| format!("{default}-{n}"));
        let mut names = std::iter::once(default.to_owned()).chain(numbered);
        names.find(|name| taken.insert(name.clone())).unwrap_or_default()
    }

    fn nested(
        &mut self,
        unit: &str,
        node: &DescribedNode,
        on_error: Option<FunctionRef>,
    ) -> Option<Nested> {
        if let Some(inline) = &node.inline {
            let plan = Box::new(self.plan(unit, inline));
            return Some(Nested::Inline { plan, on_error });
        }
        if let Some(workflow) = &node.run {
            let workflow = workflow.clone();
            return Some(Nested::Run { workflow, shares_context: false, on_error });
        }
        match self.file(unit, node) {
            Ok(plan) => Some(Nested::Inline { plan: Box::new(plan), on_error }),
            Err(said) => {
                self.problems.push(Problem::new(said).at(node.at.as_ref()));
                None
            }
        }
    }

    fn file(&mut self, unit: &str, node: &DescribedNode) -> Result<Plan, String> {
        let target = node.file.as_deref().unwrap_or_default();
        let path = self.shelf.resolve(node.file_of(unit), target)?;
        if self.nesting.contains(&path) {
            let way = self.nesting.join(" nests ");
            return Err(format!("a workflow cannot nest itself: {way} nests {path}"));
        }
        let units = self.units;
        let nested = units.get(&path).ok_or_else(|| format!("{path} is not loaded"))?;
        match nested.described.as_slice() {
            [only] => Ok(self.workflow(&path, only)),
            [] => Err(format!("{path} is no workflow: it has no `export const steps = [...]`")),
            _ => Err(format!("{path} defines several workflows: name the one that is meant")),
        }
    }

    fn function(&self, unit: &str, id: String) -> FunctionRef {
        FunctionRef { unit: unit.to_owned(), id }
    }

    fn config(&mut self, node: &DescribedNode) -> StepConfig {
        let of = |key: &str| node.config.get(key).unwrap_or(&Value::Null);
        let max_attempts = self.count(node, "maxAttempts", of("maxAttempts"));
        StepConfig {
            timeout_ms: self.count(node, "timeout", of("timeout")),
            on_timeout: self.word(node, "onTimeout", &["stop", "retry"]).map_or_else(
                OnTimeout::default,
                |n| {
                    if n == 0 { OnTimeout::Stop } else { OnTimeout::Retry }
                },
            ),
            max_attempts: max_attempts.map(|n| u32::try_from(n).unwrap_or(u32::MAX)),
            backoff: self
                .word(node, "backoff", &["linear", "exponential"])
                .map(|n| if n == 0 { Growth::Linear } else { Growth::Exponential }),
            on_error: None,
        }
    }

    fn word(&mut self, node: &DescribedNode, key: &str, words: &[&str]) -> Option<usize> {
        let value = node.config.get(key)?;
        let found = words.iter().position(|word| value.as_str() == Some(word));
        if found.is_none() {
            let said =
                format!("`{key}` must be one of {}, and is {}", words.join(", "), show(value));
            self.problems.push(Problem::new(said).at(node.at.as_ref()));
        }
        found
    }

    /// A whole number that is not negative.
    fn count(&mut self, node: &DescribedNode, key: &str, value: &Value) -> Option<u64> {
        if value.is_null() {
            return None;
        }
        let whole = value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0);
        if whole.is_none() {
            let unit = if key == "timeout" { " of milliseconds" } else { "" };
            let said = format!("`{key}` must be a whole number{unit}, and is {}", show(value));
            self.problems.push(Problem::new(said).at(node.at.as_ref()));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole, and `as` stops at the largest"
        )]
        whole.map(|n| n as u64)
    }
}

fn show(value: &Value) -> String {
    match value.get("type").and_then(Value::as_str) {
        Some(kind) => kind.to_owned(),
        None => value.to_string(),
    }
}

/// `flows/tree-processing.ts` is `tree-processing`.
fn file_stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
}
