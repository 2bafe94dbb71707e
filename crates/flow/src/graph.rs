//! Steps and attributes as a picture: nodes and edges, for consoles and terminals.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::catalog::HealthStatus;
use crate::names::{AttributeName, StepId};
use crate::step::StepDefinition;

/// Steps with the attributes between them. An attribute is a node too, so that a hundred providers and
/// a hundred consumers are two hundred edges.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Graph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GraphNode {
    /// `step:` or `attribute:`, and the name.
    pub id: String,
    pub kind: NodeKind,
    /// What people read.
    pub label: String,
    /// Of a step.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub step_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub health: Option<HealthStatus>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    Step,
    Attribute,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GraphEdge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// From a step to an attribute that it provides.
    Output,
    /// From an attribute to a step that needs it.
    Required,
    /// From an attribute to a step that can use it.
    Optional,
    /// From a flow step to a goal of its flow.
    Goal,
}

/// Who provides an attribute and who consumes it, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AttributeEdges {
    pub providers: Vec<StepId>,
    pub consumers: Vec<StepId>,
}

/// Draws steps that come in the order of their ids.
pub(crate) fn draw<'a>(
    steps: impl Iterator<Item = (&'a StepDefinition, Option<HealthStatus>)>,
) -> Graph {
    let mut graph = Graph::default();
    let mut attributes: BTreeSet<&AttributeName> = BTreeSet::new();
    for (step, health) in steps {
        let id = format!("step:{}", step.id);
        graph.nodes.push(GraphNode {
            id: id.clone(),
            kind: NodeKind::Step,
            label: step.name.clone(),
            step_type: Some(step.action.type_name()),
            health,
        });
        for (name, attribute) in &step.attributes {
            let value = format!("attribute:{name}");
            let (from, to, kind) = match attribute.input() {
                Some(_) if attribute.is_required() => (value, id.clone(), EdgeKind::Required),
                Some(_) => (value, id.clone(), EdgeKind::Optional),
                None if attribute.is_output() => (id.clone(), value, EdgeKind::Output),
                None => continue,
            };
            attributes.insert(name);
            graph.edges.push(GraphEdge { from, to, kind });
        }
        for goal in step.goals() {
            let to = format!("step:{goal}");
            graph.edges.push(GraphEdge { from: id.clone(), to, kind: EdgeKind::Goal });
        }
    }
    graph.nodes.extend(attributes.into_iter().map(|name| GraphNode {
        id: format!("attribute:{name}"),
        kind: NodeKind::Attribute,
        label: name.to_string(),
        step_type: None,
        health: None,
    }));
    graph
}
