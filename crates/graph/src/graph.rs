//! A graph that is checked and ready to run.

use serde::Serialize;
use serde_json::Value;

use crate::canonical;
use crate::check::{Checked, check};
use crate::definition::{Definition, Step, Test, read};
use crate::limits::DEFINITION_BYTES_MAX;
use crate::problem::{Code, Path, Problem, Problems};
use crate::refs::{Ref, Wired};
use crate::schema::{Mismatch, Schema};

/// A checked graph: its refs are parsed, its schemas compiled, its order known.
#[derive(Debug)]
pub struct Graph {
    definition: Definition,
    version: String,
    input_schema: Option<Schema>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

/// A step, ready to run.
#[derive(Debug)]
pub(crate) struct Node {
    pub when: Option<Condition>,
    pub each: Option<Each>,
    pub input: Option<Wired>,
    pub output_schema: Option<Schema>,
    /// The steps that this one waits for, and those that wait for it.
    pub needs: Vec<usize>,
    pub needed_by: Vec<usize>,
    /// The length of the longest way here.
    pub level: usize,
}

#[derive(Debug)]
pub(crate) struct Condition {
    pub of: Ref,
    pub test: Test,
}

#[derive(Debug)]
pub(crate) struct Each {
    pub of: Ref,
    pub concurrency: usize,
}

/// One step's ref to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Places in the list of steps: `to` waits for `from`.
    pub from: usize,
    pub to: usize,
    pub kind: EdgeKind,
    /// The field that holds the ref.
    pub field: Path,
    /// The ref.
    pub written: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EdgeKind {
    Input,
    When,
    ForEach,
}

impl Graph {
    /// Reads a graph from JSON text.
    pub fn parse(text: &str) -> Result<Graph, Problems> {
        check_size(text)?;
        match serde_json::from_str(text) {
            Ok(value) => Graph::from_value(&value),
            Err(error) => Err(whole(Code::Json, format!("this is not JSON: {error}"))),
        }
    }

    /// Reads a graph that was parsed as JSON before.
    pub fn from_value(value: &Value) -> Result<Graph, Problems> {
        let draft = read(value);
        Graph::checked(draft.definition, draft.problems)
    }

    /// Checks a definition that was put together by a program.
    pub fn new(definition: &Definition) -> Result<Graph, Problems> {
        let value = serde_json::to_value(definition).unwrap_or_default();
        Graph::from_value(&value)
    }

    fn checked(definition: Definition, mut problems: Vec<Problem>) -> Result<Graph, Problems> {
        let Checked { input_schema, mut nodes, edges } = check(&definition, &mut problems);
        if !problems.is_empty() {
            return Err(Problems(problems));
        }
        link(&mut nodes);
        let text = canonical::text(&definition);
        check_size(&text)?;
        let version = canonical::hash(&text);
        Ok(Graph { definition, version, input_schema, nodes, edges })
    }

    pub fn definition(&self) -> &Definition {
        &self.definition
    }

    pub fn id(&self) -> &str {
        &self.definition.id
    }

    /// A hash of the definition: the same for the same content, however it was written.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The definition as text: keys in order, no spaces. Its hash is the version.
    pub fn canonical(&self) -> String {
        canonical::text(&self.definition)
    }

    /// Says how an input differs from the `input_schema`, if it does.
    pub fn check_input(&self, input: &Value) -> Result<(), Mismatch> {
        self.input_schema.as_ref().map_or(Ok(()), |schema| schema.check(input))
    }

    pub fn steps(&self) -> &[Step] {
        &self.definition.steps
    }

    /// The place of the step with this name.
    pub fn step_named(&self, name: &str) -> Option<usize> {
        self.definition.steps.iter().position(|step| step.name == name)
    }

    /// Who refers to whom, in the order in which the refs are written.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The steps by the length of the longest way to them: those of a level need only earlier ones.
    pub fn levels(&self) -> Vec<Vec<usize>> {
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for (n, node) in self.nodes.iter().enumerate() {
            if levels.len() <= node.level {
                levels.resize_with(node.level + 1, Vec::new);
            }
            levels[node.level].push(n);
        }
        levels
    }

    /// The steps whose outputs are the run's: those that nobody refers to, `return` steps aside.
    pub fn sinks(&self) -> Vec<usize> {
        let returns = |step: &usize| self.definition.steps[*step].action.is_return();
        (0..self.nodes.len())
            .filter(|step| !returns(step) && self.nodes[*step].needed_by.iter().all(returns))
            .collect()
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// A problem of the definition as a whole.
fn whole(code: Code, message: String) -> Problems {
    Problems(vec![Problem { step: None, field: Path::top(), code, message, span: None }])
}

fn check_size(text: &str) -> Result<(), Problems> {
    let n = text.len();
    if n <= DEFINITION_BYTES_MAX {
        return Ok(());
    }
    let message =
        format!("{n} bytes are more than the limit DEFINITION_BYTES_MAX of {DEFINITION_BYTES_MAX}");
    Err(whole(Code::TooLarge, message))
}

/// Fills in who is needed by whom, and the levels. The nodes have no cycle.
fn link(nodes: &mut [Node]) {
    for step in 0..nodes.len() {
        for need in nodes[step].needs.clone() {
            nodes[need].needed_by.push(step);
        }
    }
    let mut n_waits: Vec<usize> = nodes.iter().map(|node| node.needs.len()).collect();
    let mut free: Vec<usize> = (0..nodes.len()).filter(|step| n_waits[*step] == 0).collect();
    while let Some(step) = free.pop() {
        let below = nodes[step].level + 1;
        for waiting in nodes[step].needed_by.clone() {
            nodes[waiting].level = nodes[waiting].level.max(below);
            n_waits[waiting] -= 1;
            if n_waits[waiting] == 0 {
                free.push(waiting);
            }
        }
    }
}
