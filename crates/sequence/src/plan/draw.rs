//! A plan as nodes and edges, for drawing.

use serde::Serialize;

use super::{Action, Nested, Node, NodeKind, Plan};

/// What a console draws.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drawing {
    pub nodes: Vec<DrawnNode>,
    pub edges: Vec<DrawnEdge>,
    /// The plan itself.
    pub tree: Plan,
}

/// A step, or something that steps lie in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DrawnNode {
    /// Its path, which is also its location in a run but for the numbers of iterations and items:
    /// `checkValid/ship`.
    pub name: String,
    /// Its own name.
    pub title: String,
    /// `step`, `http`, `delay`, `branch`, `loop`, `parallel`, `for_each` or `workflow`.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// What it lies in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// How far down it is drawn.
    pub level: usize,
    /// Whether its result is the run's.
    pub is_output: bool,
}

/// What may follow what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DrawnEdge {
    pub from: String,
    pub to: String,
    /// `next`, `then`, `else`, `body`, `again` or `side`.
    pub kind: &'static str,
}

impl Plan {
    pub fn draw(&self) -> Drawing {
        let mut pen = Pen::default();
        pen.list(&self.nodes, "", &Entry { from: Vec::new(), level: 0 });
        let last = self.nodes.last().map(|node| node.name.as_str());
        for node in &mut pen.nodes {
            node.is_output = node.parent.is_none() && Some(node.title.as_str()) == last;
        }
        Drawing { nodes: pen.nodes, edges: pen.edges, tree: self.clone() }
    }
}

#[derive(Default)]
struct Pen {
    nodes: Vec<DrawnNode>,
    edges: Vec<DrawnEdge>,
}

/// How a list is come to.
struct Entry {
    from: Vec<(String, &'static str)>,
    level: usize,
}

/// How a list or node is left: by which nodes, and how far down.
type Exit = Entry;

impl Pen {
    fn list(&mut self, nodes: &[Node], parent: &str, entry: &Entry) -> Exit {
        let mut at = Entry { from: entry.from.clone(), level: entry.level };
        for node in nodes {
            at = self.node(node, parent, at);
        }
        at
    }

    fn node(&mut self, node: &Node, parent: &str, entry: Entry) -> Exit {
        let name =
            if parent.is_empty() { node.name.clone() } else { format!("{parent}/{}", node.name) };
        for (from, kind) in entry.from {
            self.edges.push(DrawnEdge { from, to: name.clone(), kind });
        }
        self.nodes.push(DrawnNode {
            name: name.clone(),
            title: node.name.clone(),
            kind: node.word(),
            detail: detail(node),
            parent: (!parent.is_empty()).then(|| parent.to_owned()),
            level: entry.level,
            is_output: false,
        });
        let below = entry.level + 1;
        let into = |kind| Entry { from: vec![(name.clone(), kind)], level: below };
        let straight = || Exit { from: vec![(name.clone(), "next")], level: below };
        match &node.kind {
            NodeKind::Step(_) | NodeKind::Workflow(Nested::Run { .. }) => straight(),
            NodeKind::Branch { then, otherwise, .. } => {
                let arms = [(then, "then"), (otherwise, "else")];
                self.arms(arms.map(|(nodes, kind)| (nodes.as_slice(), into(kind))), &name)
            }
            NodeKind::Parallel { nodes } => {
                let arms = nodes.iter().map(|node| (std::slice::from_ref(node), into("side")));
                self.arms(arms, &name)
            }
            NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } => {
                let exit = self.list(body, &name, &into("body"));
                for (from, _) in exit.from.iter().filter(|(from, _)| *from != name) {
                    let again = DrawnEdge { from: from.clone(), to: name.clone(), kind: "again" };
                    self.edges.push(again);
                }
                Exit { from: vec![(name, "next")], level: exit.level }
            }
            NodeKind::Workflow(Nested::Inline { plan, .. }) => {
                let exit = self.list(&plan.nodes, &name, &into("body"));
                Exit { level: exit.level, ..exit }
            }
        }
    }

    /// Ways side by side, which meet again after the longest.
    fn arms<'a>(
        &mut self,
        arms: impl IntoIterator<Item = (&'a [Node], Entry)>,
        name: &str,
    ) -> Exit {
        let mut exit = Exit { from: Vec::new(), level: 0 };
        for (nodes, entry) in arms {
            let left = self.list(nodes, name, &entry);
            exit.level = exit.level.max(left.level);
            exit.from.extend(left.from);
        }
        exit
    }
}

fn detail(node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Step(step) => match &step.action {
            Action::Function { about, .. } => about.clone(),
            Action::Delay { ms } => Some(format!("{ms} ms")),
        },
        NodeKind::Workflow(Nested::Run { workflow, .. }) => Some(workflow.clone()),
        NodeKind::Workflow(Nested::Inline { plan, .. }) => Some(plan.name.clone()),
        NodeKind::ForEach { concurrency, .. } if *concurrency > 1 => {
            Some(format!("{concurrency} at a time"))
        }
        NodeKind::Branch { .. }
        | NodeKind::Loop { .. }
        | NodeKind::Parallel { .. }
        | NodeKind::ForEach { .. } => None,
    }
}
