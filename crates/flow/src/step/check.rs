//! The rules about a definition by itself. What concerns the rest of the catalog is checked there.

mod attributes;

use std::collections::BTreeMap;

use super::{
    Action, Attribute, ChildFlow, Collect, Http, Language, Script, StepDefinition, ValueType, Work,
    placeholders, url::url_problem,
};
use crate::limits::{
    ATTRIBUTES_MAX, BACKOFF_MS_MAX, GOALS_MAX, LABEL_KEY_BYTES_MAX, LABEL_VALUE_BYTES_MAX,
    LABELS_MAX, MEMO_TTL_MS_MAX, NAME_BYTES_MAX, PARALLELISM_MAX, RETRIES_MAX, SOURCE_BYTES_MAX,
    STEP_BYTES_MAX, TIMEOUT_MS_MAX, WEBHOOK_TIMEOUT_MS_MAX,
};
use crate::names::{
    AttributeName, StepId, attribute_problem, id_problem, is_argument_name, text_problem,
};
use crate::problem::{Code, Path, Problem, did_you_mean};
use crate::step::MetaKey;

impl StepDefinition {
    /// Everything that is wrong with the definition by itself.
    pub fn problems(&self) -> Vec<Problem> {
        let mut check = Check { step: self, problems: Vec::new() };
        check.heading();
        check.memo();
        check.attributes();
        check.argument_names();
        match &self.action {
            Action::Sync(http) | Action::Async(http) => check.http(http),
            Action::Script(script) => check.source(script, &Path::root().field("script")),
            Action::Flow(flow) => check.child_flow(flow),
        }
        if let Some(predicate) = &self.predicate {
            check.source(predicate, &Path::root().field("predicate"));
        }
        check.work(self.work);
        check.size();
        check.problems
    }
}

struct Check<'a> {
    step: &'a StepDefinition,
    problems: Vec<Problem>,
}

impl Check<'_> {
    fn add(&mut self, at: &Path, code: Code, message: impl Into<String>) {
        self.problems.push(at.problem(code, message));
    }

    fn name(&mut self, at: &Path, problem: Option<String>) {
        if let Some(message) = problem {
            self.add(at, Code::BadName, message);
        }
    }

    fn range(&mut self, at: &Path, value: u64, min: u64, max: u64) {
        if !(min..=max).contains(&value) {
            let message = format!("{value} is not between {min} and {max}");
            self.add(at, Code::OutOfRange, message);
        }
    }

    fn count(&mut self, at: &Path, n: usize, max: usize) {
        if n > max {
            self.add(at, Code::TooMany, format!("there are {n}, at most {max} are allowed"));
        }
    }

    fn heading(&mut self) {
        let root = Path::root();
        self.name(&root.field("id"), id_problem(self.step.id.as_str()));
        if self.step.name != self.step.id.as_str() {
            self.name(&root.field("name"), text_problem(&self.step.name, NAME_BYTES_MAX));
        }
        let labels = root.field("labels");
        self.count(&labels, self.step.labels.len(), LABELS_MAX);
        for (key, value) in &self.step.labels {
            let at = labels.field(key);
            self.name(&at, text_problem(key, LABEL_KEY_BYTES_MAX));
            if value.len() > LABEL_VALUE_BYTES_MAX {
                let n_bytes = value.len();
                let message = format!(
                    "this has {n_bytes} bytes, at most {LABEL_VALUE_BYTES_MAX} are allowed"
                );
                self.add(&at, Code::BadLength, message);
            }
        }
    }

    fn memo(&mut self) {
        let step = self.step;
        let ttl_at = Path::root().field("memo_ttl_ms");
        match step.memo_ttl_ms {
            Some(ttl) => self.range(&ttl_at, ttl, 1, MEMO_TTL_MS_MAX),
            None if !step.memoizable => return,
            None => {}
        }
        if !step.memoizable {
            let message = "`memo_ttl_ms` has no meaning unless `memoizable` is true";
            return self.add(&ttl_at, Code::BadMemo, message);
        }
        if step.http().is_some_and(|http| http.compensate_url.is_some()) {
            let message = "a memoizable step has no effects, so there is nothing to compensate: \
                           remove `compensate_url` or `memoizable`";
            self.add(&Path::root().field("memoizable"), Code::BadMemo, message);
        }
        for (name, attribute) in &step.attributes {
            // The namespace is the same in all flows that could share a result; nothing else is.
            if let Attribute::Meta { key, .. } = attribute
                && *key != MetaKey::Namespace
            {
                let message = format!(
                    "`{}` differs from flow to flow, so no result of a memoizable step would ever \
                     be reused: remove the attribute or `memoizable`",
                    key.as_str()
                );
                self.add(
                    &Path::root().field("attributes").field(name.as_str()),
                    Code::BadMemo,
                    message,
                );
            }
        }
    }

    fn source(&mut self, script: &Script, at: &Path) {
        let n_bytes = script.source.len();
        let at = at.field("source");
        if script.source.trim().is_empty() {
            self.add(&at, Code::BadLength, "the script is empty");
        } else if n_bytes > SOURCE_BYTES_MAX {
            let message =
                format!("the script has {n_bytes} bytes, at most {SOURCE_BYTES_MAX} are allowed");
            self.add(&at, Code::BadLength, message);
        }
    }

    fn http(&mut self, http: &Http) {
        let at = Path::root().field("http");
        self.url(&at.field("url"), &http.url, Fills::Inputs);
        self.range(&at.field("timeout_ms"), http.timeout_ms, 1, TIMEOUT_MS_MAX);
        if let Some(timeout_ms) = http.webhook_timeout_ms {
            let at = at.field("webhook_timeout_ms");
            self.range(&at, timeout_ms, 1, WEBHOOK_TIMEOUT_MS_MAX);
            if !matches!(self.step.action, Action::Async(_)) {
                let message = "only steps of type async wait for a webhook: remove it, or change \
                               the type";
                self.add(&at, Code::NotForType, message);
            }
        }
        if let Some(url) = &http.health_url {
            self.url(&at.field("health_url"), url, Fills::Nothing);
        }
        if let Some(url) = &http.compensate_url {
            self.url(&at.field("compensate_url"), url, Fills::InputsAndOutputs);
        }
        if let Some(secret) = &http.secret {
            self.name(&at.field("secret"), id_problem(secret));
        }
    }

    fn url(&mut self, at: &Path, url: &str, fills: Fills) {
        if let Some(message) = url_problem(url) {
            return self.add(at, Code::BadUrl, message);
        }
        match placeholders(url) {
            Ok(names) => {
                for name in names {
                    if let Some(message) = self.placeholder_problem(name, fills) {
                        self.add(at, Code::BadPlaceholder, message);
                    }
                }
            }
            Err(message) => self.add(at, Code::BadUrl, message),
        }
    }

    fn placeholder_problem(&self, name: &str, fills: Fills) -> Option<String> {
        let step = self.step;
        if fills == Fills::Nothing {
            return Some(format!("`{{{name}}}`: nothing is known when a service is probed"));
        }
        let is_output = step.outputs().any(|output| output.as_str() == name);
        if fills == Fills::InputsAndOutputs && is_output {
            return None;
        }
        let Some((attribute, _)) = step.arguments().find(|(_, argument)| *argument == name) else {
            let inputs = step.arguments().map(|(_, argument)| argument);
            let outputs = step.outputs().filter(|_| fills == Fills::InputsAndOutputs);
            let hint = did_you_mean(name, inputs.chain(outputs.map(|output| output.as_str())));
            return Some(format!("the step has no input `{name}`{hint}"));
        };
        let attribute = &step.attributes[attribute];
        if !attribute.is_always_there() {
            return Some(format!(
                "`{name}` may be missing: use an input that is required or has a default"
            ));
        }
        let is_mapped = attribute.mapping().is_some_and(|mapping| mapping.script.is_some());
        let input = attribute.input();
        let is_list = input.is_some_and(|input| input.collect.is_list());
        let is_element = input.is_some_and(|input| input.for_each);
        let is_text = match attribute.kind() {
            ValueType::String | ValueType::Number | ValueType::Boolean | ValueType::Any => !is_list,
            ValueType::Object | ValueType::Array | ValueType::Null => false,
        };
        if is_text || is_mapped || is_element {
            return None;
        }
        let kind = if is_list { "list" } else { attribute.kind().as_str() };
        Some(format!("`{name}` is of type {kind}, and a URL has room for texts and numbers only"))
    }

    fn child_flow(&mut self, flow: &ChildFlow) {
        let at = Path::root().field("flow");
        self.goals(&at.field("goals"), &flow.goals);
        for (input, child) in &flow.inputs {
            let at = at.field("inputs").field(input.as_str());
            self.name(&at, attribute_problem(child.as_str()));
            let attribute = self.step.attributes.get(input).filter(|it| !it.is_output());
            let Some(attribute) = attribute else {
                let known = self.step.arguments().map(|(name, _)| name.as_str());
                let hint = did_you_mean(input.as_str(), known);
                let message = format!("the step has no input `{input}`{hint}");
                self.add(&at, Code::BadMapping, message);
                continue;
            };
            if attribute.mapping().is_some_and(|mapping| mapping.name.is_some()) {
                let message = format!("`{input}` has a `mapping.name` as well: keep one");
                self.add(&at, Code::BadMapping, message);
            }
        }
        let mut filled: BTreeMap<&AttributeName, &AttributeName> = BTreeMap::new();
        for (child, output) in &flow.outputs {
            let at = at.field("outputs").field(child.as_str());
            self.name(&at, attribute_problem(child.as_str()));
            let attribute = self.step.attributes.get(output).filter(|it| it.is_output());
            if let Some(other) = filled.insert(output, child) {
                let message = format!("`{output}` is filled from `{other}` already");
                self.add(&at, Code::DuplicateName, message);
            }
            let Some(attribute) = attribute else {
                let hint = did_you_mean(output.as_str(), self.step.outputs().map(|it| it.as_str()));
                let message = format!("the step has no output `{output}`{hint}");
                self.add(&at, Code::BadMapping, message);
                continue;
            };
            if attribute.mapping().is_some_and(|mapping| mapping.name.is_some()) {
                let message = format!("`{output}` has a `mapping.name` as well: keep one");
                self.add(&at, Code::BadMapping, message);
            }
        }
    }

    fn goals(&mut self, at: &Path, goals: &[StepId]) {
        self.problems.extend(goal_list_problems(at, goals));
        for (index, goal) in goals.iter().enumerate() {
            if goals[..index].contains(goal) {
                self.add(&at.item(index), Code::DuplicateName, format!("`{goal}` is there twice"));
            }
        }
    }

    fn work(&mut self, work: Work) {
        let at = Path::root().field("work");
        self.range(&at.field("max_retries"), work.max_retries, 0, RETRIES_MAX);
        self.range(&at.field("parallelism"), work.parallelism, 1, PARALLELISM_MAX);
        let (initial, max) = (work.initial_backoff_ms, work.max_backoff_ms);
        self.range(&at.field("initial_backoff_ms"), initial, 1, BACKOFF_MS_MAX);
        self.range(&at.field("max_backoff_ms"), max, 1, BACKOFF_MS_MAX);
        if initial > max {
            let message =
                format!("the first delay of {initial} ms is longer than the longest, {max} ms");
            self.add(&at.field("initial_backoff_ms"), Code::OutOfRange, message);
        }
    }

    fn size(&mut self) {
        let n_bytes = self.step.canonical().len();
        if n_bytes > STEP_BYTES_MAX {
            let message =
                format!("the definition has {n_bytes} bytes, at most {STEP_BYTES_MAX} are allowed");
            self.add(&Path::root(), Code::TooLarge, message);
        }
    }
}

/// What may be filled in for a placeholder.
#[derive(Clone, Copy, PartialEq)]
enum Fills {
    Nothing,
    Inputs,
    InputsAndOutputs,
}

/// What is wrong with the number of goals, in a flow step and in a request.
pub(crate) fn goal_list_problems(at: &Path, goals: &[StepId]) -> Option<Problem> {
    let n_goals = goals.len();
    if n_goals == 0 {
        return Some(at.problem(Code::NoGoals, "name at least one goal"));
    }
    (n_goals > GOALS_MAX).then(|| {
        let message = format!("there are {n_goals} goals, at most {GOALS_MAX} are allowed");
        at.problem(Code::TooMany, message)
    })
}
