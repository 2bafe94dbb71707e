//! What can be wrong with a plan, before anything runs.

use std::collections::{BTreeMap, BTreeSet};

use super::{Action, Nested, Node, NodeKind, OnTimeout, Plan, Step, StepConfig};
use crate::limits::{
    ATTEMPTS_MAX, CONCURRENCY_MAX, DEPTH_MAX, NAME_CHARS_MAX, NODES_MAX, TIME_MS_MAX,
};
use crate::problem::Problem;

/// Says everything that is wrong with a plan. Whether nested workflows exist is for whoever knows them.
pub fn check(plan: &Plan) -> Vec<Problem> {
    let mut checker = Checker { problems: Vec::new(), n_nodes: 0 };
    checker.workflow(plan, 0);
    checker.problems
}

struct Checker {
    problems: Vec<Problem>,
    n_nodes: usize,
}

/// The names of a workflow's steps: where each stands.
type Names<'a> = BTreeMap<&'a str, &'a Node>;

impl Checker {
    fn workflow(&mut self, plan: &Plan, depth: usize) {
        let position = plan.position.as_ref();
        if let Some(problem) = name_problem(&plan.name) {
            let said = format!("the workflow's name {:?} cannot be used: {problem}", plan.name);
            self.problems.push(Problem::new(said).at(position));
        }
        if plan.nodes.is_empty() {
            let said = format!("workflow `{}` has no steps: give it at least one", plan.name);
            self.problems.push(Problem::new(said).at(position));
        }
        let mut names = Names::new();
        self.names(&plan.nodes, &mut names);
        let mut ran = BTreeSet::new();
        self.nodes(&plan.nodes, &names, &mut ran, depth);
    }

    /// Collects the names of a list; the arms of a branch may share theirs, because one of them runs.
    fn names<'a>(&mut self, nodes: &'a [Node], names: &mut Names<'a>) {
        for node in nodes {
            if let Some(first) = names.get(node.name.as_str()) {
                let place = first.position.as_ref();
                let place = place.map(|position| format!(" (the other is at {position})"));
                let said = format!(
                    "two steps are called `{}`{}: a step's name is how others find it, so rename one, or give \
                     it a `name`",
                    node.name,
                    place.unwrap_or_default(),
                );
                self.problems.push(Problem::new(said).at(node.position.as_ref()));
            }
            match &node.kind {
                NodeKind::Branch { then, otherwise, .. } => {
                    let mut arms = names.clone();
                    self.names(then, names);
                    self.names(otherwise, &mut arms);
                    names.extend(arms);
                }
                // Names of a nested workflow are its own.
                NodeKind::Workflow(_) | NodeKind::Step(_) => {}
                NodeKind::Loop { .. } | NodeKind::Parallel { .. } | NodeKind::ForEach { .. } => {
                    for inner in node.inner() {
                        self.names(inner, names);
                    }
                }
            }
            names.insert(&node.name, node);
        }
    }

    /// `ran` are the names of steps that may have run before; those of this list are added.
    fn nodes<'a>(
        &mut self,
        nodes: &'a [Node],
        names: &Names<'a>,
        ran: &mut BTreeSet<&'a str>,
        depth: usize,
    ) {
        for node in nodes {
            self.node(node, names, ran, depth);
            ran.insert(&node.name);
        }
    }

    /// None of them can count on what another does.
    fn side_by_side<'a>(
        &mut self,
        nodes: &'a [Node],
        names: &Names<'a>,
        ran: &mut BTreeSet<&'a str>,
        depth: usize,
    ) {
        let before = ran.clone();
        for node in nodes {
            let mut own = before.clone();
            self.node(node, names, &mut own, depth);
            ran.append(&mut own);
            ran.insert(&node.name);
        }
    }

    fn node<'a>(
        &mut self,
        node: &'a Node,
        names: &Names<'a>,
        ran: &mut BTreeSet<&'a str>,
        depth: usize,
    ) {
        let position = node.position.as_ref();
        let mut said = Vec::new();
        self.n_nodes += 1;
        if self.n_nodes == NODES_MAX + 1 {
            said.push(format!("the workflow has more than NODES_MAX = {NODES_MAX} steps"));
        }
        if let Some(problem) = name_problem(&node.name) {
            said.push(format!("the name {:?} cannot be used: {problem}", node.name));
        }
        if depth > DEPTH_MAX {
            said.push(format!("`{}` lies deeper than DEPTH_MAX = {DEPTH_MAX} levels", node.name));
            self.problems.extend(said.into_iter().map(|said| Problem::new(said).at(position)));
            return;
        }
        match &node.kind {
            NodeKind::Step(step) => {
                said.extend(config_problems(&node.name, step));
                said.extend(read_problems(node, step, names, ran));
            }
            NodeKind::Branch { then, otherwise, .. } => {
                if then.is_empty() && otherwise.is_empty() {
                    said.push(format!("branch `{}` has no steps in either arm", node.name));
                }
                let mut ran_else = ran.clone();
                self.nodes(then, names, ran, depth + 1);
                self.nodes(otherwise, names, &mut ran_else, depth + 1);
                ran.append(&mut ran_else);
            }
            NodeKind::Loop { body, max_iterations, .. } => {
                said.extend(empty(node, body));
                if *max_iterations == Some(0) {
                    said.push(format!(
                        "`maxIterations` of loop `{}` must be at least 1",
                        node.name
                    ));
                }
                // An iteration sees what the one before it did.
                collect(body, ran);
                self.nodes(body, names, ran, depth + 1);
            }
            NodeKind::Parallel { nodes } => {
                said.extend(empty(node, nodes));
                self.side_by_side(nodes, names, ran, depth + 1);
            }
            NodeKind::ForEach { body, concurrency, .. } => {
                said.extend(empty(node, body));
                if !(1..=CONCURRENCY_MAX).contains(concurrency) {
                    said.push(format!(
                        "`concurrency` of forEach `{}` must be from 1 to {CONCURRENCY_MAX}, not {concurrency}",
                        node.name
                    ));
                }
                let mut own = ran.clone();
                self.nodes(body, names, &mut own, depth + 1);
            }
            NodeKind::Workflow(Nested::Inline { plan, .. }) => self.workflow(plan, depth + 1),
            NodeKind::Workflow(Nested::Run { .. }) => {}
        }
        self.problems.extend(said.into_iter().map(|said| Problem::new(said).at(position)));
    }
}

/// Adds the names of all steps in a list.
fn collect<'a>(nodes: &'a [Node], ran: &mut BTreeSet<&'a str>) {
    for node in nodes {
        node.visit(&mut |node| {
            ran.insert(&node.name);
        });
    }
}

fn empty(node: &Node, nodes: &[Node]) -> Option<String> {
    let word = node.word();
    nodes.is_empty().then(|| format!("{word} `{}` has no steps: give it at least one", node.name))
}

fn name_problem(name: &str) -> Option<String> {
    let n_chars = name.chars().count();
    if n_chars == 0 {
        return Some("a step needs a name: use a named function, or say `name`".to_owned());
    }
    if n_chars > NAME_CHARS_MAX {
        return Some(format!(
            "it has {n_chars} characters, more than NAME_CHARS_MAX = {NAME_CHARS_MAX}"
        ));
    }
    if name.starts_with('.') || name.contains(['/', '~']) || name.contains(char::is_control) {
        return Some(
            "it must not begin with a dot or contain `/`, `~` or control characters".to_owned(),
        );
    }
    None
}

fn config_problems(name: &str, step: &Step) -> Vec<String> {
    let StepConfig { timeout_ms, on_timeout, max_attempts, backoff: _, on_error } = &step.config;
    let mut said = Vec::new();
    if let Some(ms) = timeout_ms
        && !(1..=TIME_MS_MAX).contains(ms)
    {
        said.push(format!(
            "`timeout` of step `{name}` must be from 1 to {TIME_MS_MAX} milliseconds, not {ms}"
        ));
    }
    if *on_timeout == OnTimeout::Retry && timeout_ms.is_none() {
        said.push(format!(
            "step `{name}` says what follows a timeout (`onTimeout`) but has no `timeout`"
        ));
    }
    if let Some(n) = max_attempts
        && !(1..=ATTEMPTS_MAX).contains(n)
    {
        said.push(format!(
            "`maxAttempts` of step `{name}` must be from 1 to {ATTEMPTS_MAX}, not {n}"
        ));
    }
    if let Action::Delay { ms } = &step.action {
        if *ms > TIME_MS_MAX {
            said.push(format!("delay `{name}` is longer than {TIME_MS_MAX} milliseconds"));
        }
        if step.config != (StepConfig { on_error: on_error.clone(), ..StepConfig::default() }) {
            said.push(format!(
                "delay `{name}` takes no timeout and no attempts: a timer cannot fail"
            ));
        }
    }
    said
}

/// Results that the code reads and that cannot be there.
fn read_problems<'a>(
    node: &Node,
    step: &'a Step,
    names: &Names<'a>,
    ran: &BTreeSet<&'a str>,
) -> Vec<String> {
    let reads = step.reads.iter().map(String::as_str);
    // A name that is none of this workflow's may be one of a workflow that nests it.
    let never = reads.filter(|read| names.contains_key(read) && !ran.contains(read));
    never
        .map(|read| {
            if read == node.name {
                return format!("step `{read}` reads its own result, `steps.{read}.result`");
            }
            let place = names.get(read).and_then(|node| node.position.as_ref());
            let place = place.map(|position| format!(" (at {position})")).unwrap_or_default();
            format!(
                "step `{}` reads `steps.{read}.result`, but `{read}`{place} cannot have run before it",
                node.name
            )
        })
        .collect()
}
