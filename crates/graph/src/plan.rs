//! A graph as nodes and edges, for drawing.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::definition::Action;
use crate::graph::{EdgeKind, Graph};

/// What a console draws.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    pub nodes: Vec<PlanNode>,
    pub edges: Vec<PlanEdge>,
}

/// A step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanNode {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `tool`, `code`, `return`, `workflow`, `sleep` or `listen`.
    pub kind: &'static str,
    /// The tool, the nested workflow, the message or the milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How far down it is drawn: nodes of a level need only earlier ones.
    pub level: usize,
    pub has_when: bool,
    pub for_each: bool,
    /// Whether its output is the run's, or a part of it.
    pub is_output: bool,
}

/// One step's refs of a kind to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanEdge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
    /// As they are written.
    pub refs: Vec<String>,
}

impl Graph {
    pub fn plan(&self) -> Plan {
        let sinks = self.sinks();
        let node = |n: usize| {
            let (step, node) = (&self.steps()[n], &self.nodes()[n]);
            PlanNode {
                name: step.name.clone(),
                title: step.title.clone(),
                kind: step.action.kind(),
                detail: detail(&step.action),
                level: node.level,
                has_when: node.when.is_some(),
                for_each: node.each.is_some(),
                is_output: sinks.contains(&n),
            }
        };
        let mut refs: BTreeMap<(usize, usize, EdgeKind), Vec<String>> = BTreeMap::new();
        for edge in self.edges() {
            let written = refs.entry((edge.to, edge.from, edge.kind)).or_default();
            if !written.contains(&edge.written) {
                written.push(edge.written.clone());
            }
        }
        let name = |n: usize| self.steps()[n].name.clone();
        let edge =
            |((to, from, kind), refs)| PlanEdge { from: name(from), to: name(to), kind, refs };
        Plan {
            nodes: (0..self.steps().len()).map(node).collect(),
            edges: refs.into_iter().map(edge).collect(),
        }
    }
}

fn detail(action: &Action) -> Option<String> {
    match action {
        Action::Tool { tool_name, server: Some(server), .. } => {
            Some(format!("{server}: {tool_name}"))
        }
        Action::Tool { tool_name, server: None, .. } => Some(tool_name.clone()),
        Action::Workflow { workflow, .. } => Some(workflow.clone()),
        Action::Listen { listen } => Some(listen.clone()),
        Action::Sleep { sleep } => Some(format!("{sleep} ms")),
        Action::Code { .. } | Action::Return { .. } => None,
    }
}
