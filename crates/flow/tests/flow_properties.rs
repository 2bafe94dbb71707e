//! Random catalogs, random ends of steps, in random order: every flow ends, and is at each moment where a
//! slow and simple model says it should be.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use stepwell_flow::{
    AttributeName, Decision, Fact, FlowOutcome, FlowState, Plan, StepId, StepStatus,
};

use kit::random::{asked, drafts, supplied};

/// Something that was asked for and not answered yet.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    Step(StepId),
    Deadline(StepId, AttributeName),
    Match(StepId, AttributeName, Option<StepId>),
}

/// Which of the open things happens next, and how it goes.
type Chance = (prop::sample::Index, u8);

/// A step that ends in one of many ways: often well, sometimes with half its outputs.
fn fact(plan: &Plan, open: &Open, chance: u8) -> Fact {
    match open.clone() {
        Open::Step(step) => match chance % 10 {
            0 => Fact::Failed { step, error: "boom".into() },
            1 => Fact::Skipped { step, reason: "predicate returned false".into() },
            n => {
                let outputs = plan.steps[&step].outputs().enumerate();
                let given =
                    outputs.filter(|(place, _)| n > 3 || (*place + usize::from(n)) % 2 == 0);
                let value = |name: &AttributeName| json!(format!("{name} of {step}"));
                let outputs = given.map(|(_, name)| (name.clone(), value(name))).collect();
                Fact::Completed { step: step.clone(), outputs }
            }
        },
        Open::Deadline(step, attribute) => Fact::DeadlinePassed { step, attribute },
        Open::Match(step, attribute, provider) => {
            Fact::Matched { step, attribute, provider, is_match: !chance.is_multiple_of(3) }
        }
    }
}

/// The rules, looked up anew after every fact.
mod model {
    use super::*;
    use stepwell_flow::{Attribute, Collect, Input};

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Status {
        Pending,
        Active,
        /// However it ended.
        Ended,
    }

    pub struct Model<'a> {
        plan: &'a Plan,
        pub status: BTreeMap<StepId, Status>,
        /// In the order in which they arrived.
        values: BTreeMap<AttributeName, Vec<(Option<StepId>, Value)>>,
        verdicts: BTreeMap<(StepId, AttributeName, Option<StepId>), bool>,
        /// Inputs that are not waited for any longer, with how many values were there then; none if they
        /// did not say anything yet.
        closed: BTreeMap<(StepId, AttributeName), Option<usize>>,
        pub open: BTreeSet<Open>,
        pub started: BTreeMap<StepId, BTreeMap<AttributeName, Value>>,
        has_failed: bool,
        pub outcome: Option<bool>,
        /// Whether a goal has lost two inputs in one go, one for want of a value and one because its
        /// value is unsuitable. Which came first is not for the model to say.
        pub is_ambiguous: bool,
    }

    #[derive(Debug, PartialEq)]
    enum Had {
        Value(Value),
        Nothing,
        /// Whether because values are unsuitable.
        Never(bool),
        Wait,
        /// Only for whether a value matches.
        Verdict,
    }

    impl<'a> Model<'a> {
        pub fn new(plan: &'a Plan, init: &BTreeMap<AttributeName, Value>) -> Model<'a> {
            let known = init.iter().map(|(name, it)| (name.clone(), vec![(None, it.clone())]));
            let mut model = Model {
                plan,
                status: plan.steps.keys().map(|id| (id.clone(), Status::Pending)).collect(),
                values: known.collect(),
                verdicts: BTreeMap::new(),
                closed: BTreeMap::new(),
                open: BTreeSet::new(),
                started: BTreeMap::new(),
                has_failed: false,
                outcome: None,
                is_ambiguous: false,
            };
            model.follow();
            model
        }

        pub fn apply(&mut self, fact: &Fact) {
            match fact {
                Fact::Completed { step, outputs } => {
                    for (name, value) in outputs {
                        let values = self.values.entry(name.clone()).or_default();
                        values.push((Some(step.clone()), value.clone()));
                    }
                    self.end(step, false);
                }
                Fact::Failed { step, .. } => self.end(step, true),
                Fact::Skipped { step, .. } => self.end(step, false),
                Fact::DeadlinePassed { step, attribute } => {
                    if self.status[step] == Status::Pending
                        && self.had(step, attribute) == Had::Wait
                    {
                        self.close(step, attribute);
                    }
                }
                Fact::Matched { step, attribute, provider, is_match } => {
                    let key = (step.clone(), attribute.clone(), provider.clone());
                    self.verdicts.insert(key, *is_match);
                }
            }
            self.follow();
        }

        fn end(&mut self, step: &StepId, is_failure: bool) {
            self.status.insert(step.clone(), Status::Ended);
            self.has_failed |= is_failure && self.plan.goals.contains(step);
        }

        fn input(&self, step: &StepId, name: &AttributeName) -> &'a Input {
            self.plan.steps[step].attributes[name].input().unwrap()
        }

        /// The values that match, those of which that is unknown, and whether there are others.
        fn candidates(
            &self,
            step: &StepId,
            name: &AttributeName,
        ) -> (Vec<(Option<StepId>, Value)>, bool, bool) {
            let has_match = self.input(step, name).matches.is_some();
            let (mut good, mut unknown, mut bad) = (Vec::new(), false, false);
            for (provider, value) in self.values_for(step, name) {
                let key = (step.clone(), name.clone(), provider.clone());
                match self.verdicts.get(&key) {
                    Some(true) => good.push((provider.clone(), value.clone())),
                    _ if !has_match => good.push((provider.clone(), value.clone())),
                    Some(false) => bad = true,
                    None => unknown = true,
                }
            }
            (good, unknown, bad)
        }

        /// The values that count, in the order in which they arrived.
        fn values_for(&self, step: &StepId, name: &AttributeName) -> &[(Option<StepId>, Value)] {
            let values = self.values.get(name).map(Vec::as_slice).unwrap_or_default();
            match self.closed.get(&(step.clone(), name.clone())) {
                Some(n) => &values[..n.unwrap_or_default()],
                None => values,
            }
        }

        fn had(&self, step: &StepId, name: &AttributeName) -> Had {
            let collect = self.input(step, name).collect;
            let closed = self.closed.get(&(step.clone(), name.clone()));
            if closed == Some(&None) {
                return Had::Never(false);
            }
            let is_closed = closed.is_some();
            let providers = &self.plan.attributes[name].providers;
            let is_open = providers.iter().any(|it| self.status[it] != Status::Ended);
            let gave = |it: &StepId| {
                let mut values = self.values.get(name).into_iter().flatten();
                values.any(|(provider, _)| provider.as_ref() == Some(it))
            };
            let has_gap = providers.iter().any(|it| self.status[it] == Status::Ended && !gave(it));
            let has_values = !self.values_for(step, name).is_empty();
            let (mut good, unknown, bad) = self.candidates(step, name);
            let wait = if is_closed { Had::Verdict } else { Had::Wait };
            let list = |good: &[(Option<StepId>, Value)]| {
                Value::Array(good.iter().map(|(_, value)| value.clone()).collect())
            };
            match collect {
                Collect::First => {
                    // Those of which nothing is known yet may have come before the good ones.
                    for (provider, value) in self.values_for(step, name) {
                        let key = (step.clone(), name.clone(), provider.clone());
                        if good.iter().any(|(it, _)| it == provider) {
                            return Had::Value(value.clone());
                        }
                        if !self.verdicts.contains_key(&key) {
                            return wait;
                        }
                    }
                    if is_open && !is_closed { Had::Wait } else { Had::Never(has_values) }
                }
                Collect::All if has_gap => Had::Never(false),
                Collect::All if bad => Had::Never(true),
                Collect::None if !good.is_empty() => Had::Never(true),
                _ if is_open && !is_closed => Had::Wait,
                _ if unknown => wait,
                Collect::None => Had::Nothing,
                _ if good.is_empty() => Had::Never(has_values),
                Collect::Last => Had::Value(good.pop().unwrap().1),
                Collect::Some => Had::Value(list(&good)),
                Collect::All => {
                    good.sort_by(|(a, _), (b, _)| a.cmp(b));
                    Had::Value(list(&good))
                }
            }
        }

        fn close(&mut self, step: &StepId, name: &AttributeName) {
            let n_values = self.values_for(step, name).len();
            let providers = &self.plan.attributes[name].providers;
            let is_open = providers.iter().any(|it| self.status[it] != Status::Ended);
            let is_vain =
                is_open && matches!(self.input(step, name).collect, Collect::All | Collect::None);
            let closed = (!is_vain).then_some(n_values);
            self.closed.insert((step.clone(), name.clone()), closed);
        }

        fn is_needed(&self, step: &StepId) -> bool {
            if self.plan.goals.contains(step) {
                return true;
            }
            self.plan.steps[step].outputs().any(|name| {
                let consumers = &self.plan.attributes[name].consumers;
                consumers.iter().any(|consumer| {
                    self.status[consumer] == Status::Pending
                        && self.had(consumer, name) == Had::Wait
                        && self.is_needed(consumer)
                })
            })
        }

        fn pending(&self) -> Vec<StepId> {
            let pending = self.status.iter().filter(|(_, status)| **status == Status::Pending);
            pending.map(|(id, _)| id.clone()).collect()
        }

        fn follow(&mut self) {
            let pending_before = self.pending();
            loop {
                let before = (self.pending().len(), self.closed.len());
                self.end_what_is_hopeless();
                // Who is not needed is looked for when nobody is left who cannot run: a provider that is
                // dropped is no reason why its consumer cannot.
                if self.pending().len() == before.0 {
                    let idle = self.pending().into_iter().filter(|step| !self.is_needed(step));
                    for step in idle.collect::<Vec<_>>() {
                        self.end(&step, false);
                    }
                }
                if self.pending().len() == before.0 {
                    self.close_what_does_not_wait();
                }
                if (self.pending().len(), self.closed.len()) == before {
                    break;
                }
            }
            let hit = pending_before.iter().filter(|step| self.status[*step] == Status::Ended);
            self.is_ambiguous = hit
                .map(|step| self.hopeless(step))
                .any(|hopeless| hopeless.contains(&true) && hopeless.contains(&false));
            let goals = self.plan.goals.iter();
            let is_over = goals
                .clone()
                .all(|goal| self.status.get(goal).is_none_or(|it| *it == Status::Ended));
            if self.has_failed || is_over {
                self.outcome = Some(!self.has_failed);
                self.status.values_mut().for_each(|status| *status = Status::Ended);
                return;
            }
            self.ask_for_matches();
            for (step, name, _) in self.waits() {
                self.open.insert(Open::Deadline(step, name));
            }
            for step in self.pending() {
                self.start(&step);
            }
        }

        /// The required inputs that will never have what they need, by whether values are unsuitable.
        fn hopeless(&self, step: &StepId) -> Vec<bool> {
            let attributes = self.plan.steps[step].attributes.iter();
            let required = attributes.filter(|(_, attribute)| attribute.is_required());
            let hopeless = required.filter_map(|(name, _)| match self.had(step, name) {
                Had::Never(is_unsuitable) => Some(is_unsuitable),
                _ => None,
            });
            hopeless.collect()
        }

        fn end_what_is_hopeless(&mut self) {
            for step in self.pending() {
                let hopeless = self.hopeless(&step);
                if !hopeless.is_empty() {
                    self.end(&step, !hopeless.contains(&true));
                }
            }
        }

        fn is_supplied(&self, step: &StepId) -> bool {
            let attributes = self.plan.steps[step].attributes.iter();
            let mut required = attributes.filter(|(_, attribute)| attribute.is_required());
            required.all(|(name, _)| self.had(step, name) != Had::Wait)
        }

        /// The open optional inputs of steps that have all they require, with their deadlines.
        fn waits(&self) -> Vec<(StepId, AttributeName, u64)> {
            let mut waits = Vec::new();
            for step in self.pending().into_iter().filter(|step| self.is_supplied(step)) {
                for (name, attribute) in &self.plan.steps[&step].attributes {
                    if let Attribute::Optional { deadline_ms: Some(deadline_ms), .. } = attribute
                        && self.had(&step, name) == Had::Wait
                    {
                        waits.push((step.clone(), name.clone(), *deadline_ms));
                    }
                }
            }
            waits
        }

        fn close_what_does_not_wait(&mut self) {
            for (step, name, deadline_ms) in self.waits() {
                if deadline_ms == 0 {
                    self.close(&step, &name);
                }
            }
        }

        fn ask_for_matches(&mut self) {
            for step in self.pending() {
                for (name, input) in self.plan.steps[&step].inputs() {
                    let is_open = matches!(self.had(&step, name), Had::Wait | Had::Verdict);
                    let is_asked = input.matches.is_some() && is_open;
                    let mut asked = Vec::new();
                    for (provider, _) in self.values_for(&step, name) {
                        let key = (step.clone(), name.clone(), provider.clone());
                        if is_asked && !self.verdicts.contains_key(&key) {
                            asked.push(Open::Match(key.0, key.1, key.2));
                        }
                    }
                    self.open.extend(asked);
                }
            }
        }

        fn start(&mut self, step: &StepId) {
            let definition = &self.plan.steps[step];
            let mut inputs = BTreeMap::new();
            for (name, _) in definition.inputs() {
                match self.had(step, name) {
                    Had::Value(value) => {
                        inputs.insert(name.clone(), value);
                    }
                    Had::Wait | Had::Verdict => return,
                    Had::Nothing | Had::Never(_) => {}
                }
            }
            for (name, attribute) in &definition.attributes {
                if let Attribute::Optional { default: Some(_), .. } = attribute {
                    inputs.entry(name.clone()).or_insert(json!([]));
                }
            }
            self.status.insert(step.clone(), Status::Active);
            self.open.insert(Open::Step(step.clone()));
            self.started.insert(step.clone(), inputs);
        }
    }
}

/// The real one beside the model.
struct Both<'a> {
    state: FlowState,
    model: model::Model<'a>,
    open: Vec<Open>,
    started: BTreeMap<StepId, BTreeMap<AttributeName, Value>>,
    set: BTreeSet<AttributeName>,
    is_compared: bool,
}

impl Both<'_> {
    fn follow(&mut self, decisions: Vec<Decision>, init: &BTreeMap<AttributeName, Value>) {
        let has_ended = decisions.iter().any(|decision| matches!(decision, Decision::End(_)));
        for decision in decisions {
            match decision {
                Decision::SetAttribute { name, .. } => {
                    assert!(!init.contains_key(&name), "what was there stays");
                    assert!(self.set.insert(name), "an attribute is set once");
                }
                Decision::Match { step, attribute, provider, .. } => {
                    self.open.push(Open::Match(step, attribute, provider));
                }
                Decision::Wait { step, attribute, .. } => {
                    self.open.push(Open::Deadline(step, attribute));
                }
                Decision::Start { step, inputs } => {
                    assert!(!has_ended, "nothing starts when the flow ends");
                    self.open.push(Open::Step(step.clone()));
                    let inputs = inputs.into_iter().map(|(name, it)| (name, (*it).clone()));
                    let again = self.started.insert(step, inputs.collect());
                    assert_eq!(again, None, "a step starts once");
                }
                Decision::Skip { .. } | Decision::Fail { .. } | Decision::Stop { .. } => {}
                Decision::End(_) => self.open.clear(),
            }
        }
        if self.is_compared {
            self.compare();
        }
    }

    fn compare(&self) {
        for (id, status) in self.state.statuses() {
            let status = match status {
                StepStatus::Pending => model::Status::Pending,
                StepStatus::Active => model::Status::Active,
                _ => model::Status::Ended,
            };
            assert_eq!(status, self.model.status[id], "{id}");
        }
        assert_eq!(self.started, self.model.started);
        let outcome = self.state.outcome().map(|it| *it == FlowOutcome::Completed);
        assert_eq!(outcome, self.model.outcome);
        for open in &self.open {
            assert!(self.model.open.contains(open), "{open:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(4_000) })]

    #[test]
    fn every_flow_ends_and_never_strays(
        drafts in drafts(),
        asked in asked(),
        chances in prop::collection::vec(any::<Chance>(), 64),
    ) {
        let (plan, init) = supplied(&drafts, &asked);
        if !plan.obstacles().is_empty() {
            prop_assert!(FlowState::begin(&plan, &init).is_err());
            return Ok(());
        }

        let (state, decisions) = FlowState::begin(&plan, &init).unwrap();
        let model = model::Model::new(&plan, &init);
        let mut both = Both { state, model, open: Vec::new(), started: BTreeMap::new(), set: BTreeSet::new(),
            is_compared: true,
        };
        both.follow(decisions.clone(), &init);
        let mut facts = Vec::new();
        let mut all_decisions = vec![decisions];
        let mut chances = chances.into_iter().cycle();
        while both.state.outcome().is_none() {
            prop_assert!(!both.open.is_empty(), "the flow is stuck: {:?}", both.state);
            let (index, chance) = chances.next().unwrap();
            let open = both.open.swap_remove(index.index(both.open.len()));
            let fact = fact(&plan, &open, chance);
            if both.is_compared {
                both.model.apply(&fact);
                both.is_compared = !both.model.is_ambiguous;
            }
            let decisions = both.state.apply(fact.clone()).unwrap();
            facts.push(fact);
            both.follow(decisions.clone(), &init);
            all_decisions.push(decisions);
        }

        // Everything is decided.
        for (id, status) in both.state.statuses() {
            prop_assert!(!matches!(status, StepStatus::Pending | StepStatus::Active), "{id}");
        }
        // What is told again is heard the same.
        let (mut again, decisions) = FlowState::begin(&plan, &init).unwrap();
        let mut heard = vec![decisions];
        heard.extend(facts.into_iter().map(|fact| again.apply(fact).unwrap()));
        prop_assert_eq!(heard, all_decisions);
    }
}
