//! Following a journal, event by event.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use stepwell_journal::{Event, EventKind, Failure, Json, Location, RunId, RunStarted, UnixMillis};

use super::{FlowEvent, FlowEventsError, Moment};
use crate::items::{Arguments, Outputs};
use crate::names::StepId;
use crate::plan::Plan;
use crate::run::names::{self, Part};
use crate::run::{FlowInput, PREDICATE_FALSE, no_webhook, retry};
use crate::state::{Decision, Fact, FlowState};
use crate::step::StepDefinition;
use crate::token::TokenKey;

pub(super) struct Teller<'a> {
    run: RunId,
    tokens: &'a TokenKey,
    plan: Plan,
    state: FlowState,
    began_at: UnixMillis,
    /// The steps that are under way.
    steps: BTreeMap<StepId, Telling>,
    /// What the state has asked for, by the name of the entry that will tell.
    asked: BTreeMap<String, Asked>,
    pub told: Vec<FlowEvent>,
}

/// A step under way.
struct Telling {
    definition: Arc<StepDefinition>,
    started_at: UnixMillis,
    inputs: Arguments,
    items: Vec<Item>,
}

#[derive(Default)]
struct Item {
    arguments: Arguments,
    /// How many attempts were told to have started.
    n_started: u64,
    outputs: Option<Outputs>,
    is_skipped: bool,
}

enum Asked {
    Predicate(StepId),
    /// The fact if it matches; else it does not.
    Match(Fact),
    Deadline(Fact),
}

impl<'a> Teller<'a> {
    pub fn begin(
        run: RunId,
        moment: Moment,
        started: &RunStarted,
        tokens: &'a TokenKey,
    ) -> Result<Teller<'a>, FlowEventsError> {
        let no_flow = |problem: String| FlowEventsError::NoFlow { problem };
        let input: FlowInput = started.input.to().map_err(|error| no_flow(error.to_string()))?;
        let begun = FlowState::begin(&input.plan, &input.init);
        let (state, decisions) = begun.map_err(|error| no_flow(error.to_string()))?;
        let (plan, init) = (&input.plan, &input.init);
        let first = moment.event("flow_started", run, json!({ "plan": plan, "init": init }));
        let mut teller = Teller {
            run,
            tokens,
            plan: input.plan,
            state,
            began_at: moment.at,
            steps: BTreeMap::new(),
            asked: BTreeMap::new(),
            told: vec![first],
        };
        teller.tell_all(moment, decisions);
        Ok(teller)
    }

    pub fn follow(&mut self, event: &Event) -> Result<(), FlowEventsError> {
        let moment = Moment::of(event);
        match &event.kind {
            EventKind::RunCompleted { .. } => {
                let duration = self.lasted(moment);
                self.tell(moment, "flow_completed", json!({ "duration": duration }));
            }
            EventKind::RunFailed { failure } => {
                self.tell(moment, "flow_failed", json!({ "error": failure.message }));
            }
            EventKind::RunCancelled { reason } => {
                self.tell(
                    moment,
                    "flow_failed",
                    json!({ "error": format!("cancelled: {reason}") }),
                );
            }
            kind => {
                let Some(location) = kind.location() else { return Ok(()) };
                return match location.depth() {
                    1 => self.follow_step(moment, location, kind),
                    2 => {
                        self.follow_item(moment, location, kind);
                        Ok(())
                    }
                    _ => Ok(()),
                };
            }
        }
        Ok(())
    }

    fn lasted(&self, moment: Moment) -> u64 {
        moment.at.0.saturating_sub(self.began_at.0)
    }

    /// An entry of the run itself: a question about a step, or the block of one.
    fn follow_step(
        &mut self,
        moment: Moment,
        location: &Location,
        kind: &EventKind,
    ) -> Result<(), FlowEventsError> {
        // What was still under way when the goals were decided may be written later, and means nothing.
        if self.state.outcome().is_some() {
            return Ok(());
        }
        let name = location.name();
        let fact = match kind {
            EventKind::BlockEnded { failure, .. } => {
                let step = StepId::from(name.as_str());
                let Some(telling) = self.steps.remove(&step) else { return Ok(()) };
                self.step_ended(moment, step, telling, failure.as_ref())
            }
            EventKind::StepSucceeded { value, .. } => match self.asked.remove(&name) {
                Some(Asked::Predicate(step)) => match is_yes(value) {
                    true => {
                        self.step_started(moment, &step);
                        return Ok(());
                    }
                    false => self.step_skipped(moment, step),
                },
                Some(Asked::Match(fact)) => matched(fact, is_yes(value)),
                Some(Asked::Deadline(_)) | None => return Ok(()),
            },
            EventKind::StepFailed { failure, .. } => match self.asked.remove(&name) {
                Some(Asked::Predicate(step)) => {
                    self.steps.remove(&step);
                    self.step_failed(moment, step, failure.message.clone())
                }
                Some(Asked::Match(fact)) => matched(fact, false),
                Some(Asked::Deadline(_)) | None => return Ok(()),
            },
            EventKind::TimerFired { .. } => match self.asked.remove(&name) {
                Some(Asked::Deadline(fact)) => fact,
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let seq = moment.seq.0;
        let decisions =
            self.state.apply(fact).map_err(|source| FlowEventsError::Misfit { seq, source })?;
        self.tell_all(moment, decisions);
        Ok(())
    }

    fn tell_all(&mut self, moment: Moment, decisions: Vec<Decision>) {
        for decision in decisions {
            match decision {
                Decision::SetAttribute { name, value, provider } => {
                    let data = json!({ "name": name, "value": *value, "provider": provider });
                    self.tell(moment, "attribute_set", data);
                }
                Decision::Match { step, attribute, provider, .. } => {
                    let name = names::matching(&step, &attribute, provider.as_ref());
                    let fact = Fact::Matched { step, attribute, provider, is_match: true };
                    self.asked.insert(name, Asked::Match(fact));
                }
                Decision::Wait { step, attribute, .. } => {
                    let name = names::deadline(&step, &attribute);
                    let fact = Fact::DeadlinePassed { step, attribute };
                    self.asked.insert(name, Asked::Deadline(fact));
                }
                Decision::Start { step, inputs } => self.start(moment, step, inputs),
                Decision::Skip { step, reason } => {
                    self.tell(moment, "step_skipped", json!({ "step_id": step, "reason": reason }));
                }
                Decision::Fail { step, error } => {
                    self.tell(moment, "step_failed", json!({ "step_id": step, "error": error }));
                }
                Decision::Stop { step } => {
                    self.steps.remove(&step);
                    let reason = "the flow has ended";
                    self.tell(moment, "step_skipped", json!({ "step_id": step, "reason": reason }));
                }
                // The run says so itself, when all is undone that has to be.
                Decision::End(_) => {}
            }
        }
    }

    fn start(&mut self, moment: Moment, step: StepId, inputs: Arguments) {
        let Some(definition) = self.plan.steps.get(&step).cloned() else { return };
        let items = definition.work_items(&inputs).unwrap_or_default().into_iter();
        let items = items.map(|arguments| Item { arguments, ..Item::default() }).collect();
        let asks = definition.predicate.is_some() && !definition.splits(&inputs);
        let telling = Telling { definition, started_at: moment.at, inputs, items };
        self.steps.insert(step.clone(), telling);
        match asks {
            true => {
                let name = names::predicate(&step);
                self.asked.insert(name, Asked::Predicate(step));
            }
            false => self.step_started(moment, &step),
        }
    }

    fn step_started(&mut self, moment: Moment, step: &StepId) {
        let Some(telling) = self.steps.get_mut(step) else { return };
        telling.started_at = moment.at;
        let tokens = (0..).map(|place| self.tokens.token(self.run, step.as_str(), place));
        let work_items: Map<String, Value> = telling
            .items
            .iter()
            .zip(tokens)
            .map(|(item, token)| (token.to_string(), json!(item.arguments)))
            .collect();
        let data = json!({ "step_id": step, "inputs": telling.inputs, "work_items": work_items });
        self.tell(moment, "step_started", data);
    }

    fn step_skipped(&mut self, moment: Moment, step: StepId) -> Fact {
        self.steps.remove(&step);
        let reason = PREDICATE_FALSE.to_owned();
        self.tell(moment, "step_skipped", json!({ "step_id": step, "reason": reason }));
        Fact::Skipped { step, reason }
    }

    fn step_failed(&mut self, moment: Moment, step: StepId, error: String) -> Fact {
        self.tell(moment, "step_failed", json!({ "step_id": step, "error": error }));
        Fact::Failed { step, error }
    }

    fn step_ended(
        &mut self,
        moment: Moment,
        step: StepId,
        telling: Telling,
        failure: Option<&Failure>,
    ) -> Fact {
        if let Some(failure) = failure {
            return self.step_failed(moment, step, failure.message.clone());
        }
        let n_items = telling.items.len();
        if n_items > 0 && telling.items.iter().all(|item| item.is_skipped) {
            return self.step_skipped(moment, step);
        }
        let items = telling.items.into_iter().map(|item| (item.arguments, item.outputs));
        let outputs = telling.definition.aggregate(&items.collect::<Vec<_>>());
        let duration = moment.at.0.saturating_sub(telling.started_at.0);
        let data = json!({ "step_id": step, "outputs": outputs, "duration": duration });
        self.tell(moment, "step_completed", data);
        Fact::Completed { step, outputs }
    }

    /// An entry in the block of a step.
    fn follow_item(&mut self, moment: Moment, location: &Location, kind: &EventKind) {
        let Some((place, part)) = Part::parse(&location.name()) else { return };
        let Some(step) = location.parent().map(|step| StepId::from(step.name().as_str())) else {
            return;
        };
        let Some(telling) = self.steps.get_mut(&step) else { return };
        let Some(item) = telling.items.get_mut(place) else { return };
        let definition = telling.definition.clone();
        let attempt = match part {
            Part::Work { attempt } | Part::Call { attempt } => attempt,
            Part::Webhook { attempt } | Part::Wait { attempt } => attempt,
            Part::Predicate | Part::Memo | Part::Inputs | Part::Outputs => 1,
        };
        let mut news = News::new();
        let is_attempt = matches!(part, Part::Work { .. } | Part::Call { .. });
        let has_begun = is_attempt && !matches!(kind, EventKind::StepSkipped { .. });
        if has_begun && item.n_started < attempt {
            item.n_started = attempt;
            news.push(("work_started", json!({})));
        }
        item.follow(&definition, (part, attempt), kind, &mut news);
        let token = self.tokens.token(self.run, step.as_str(), place).to_string();
        for (kind, data) in news {
            let mut all = json!({ "step_id": step, "token": token });
            if let (Some(all), Value::Object(data)) = (all.as_object_mut(), data) {
                all.extend(data);
            }
            self.tell(moment, kind, all);
        }
    }

    fn tell(&mut self, moment: Moment, kind: &'static str, data: Value) {
        self.told.push(moment.event(kind, self.run, data));
    }
}

type News = Vec<(&'static str, Value)>;

impl Item {
    /// What an event says of the item.
    fn follow(
        &mut self,
        definition: &StepDefinition,
        (part, attempt): (Part, u64),
        kind: &EventKind,
        news: &mut News,
    ) {
        let is_attempt = matches!(part, Part::Work { .. } | Part::Call { .. });
        match (part, kind) {
            (Part::Work { .. } | Part::Outputs, EventKind::StepSucceeded { value, .. }) => {
                self.outputs = Some(read(value));
                news.push(("work_succeeded", json!({ "outputs": self.outputs })));
            }
            (Part::Memo, EventKind::StepSucceeded { value, .. }) if value.as_str() != "null" => {
                self.outputs = Some(read(value));
                news.push(("work_started", json!({})));
                news.push(("work_succeeded", json!({ "outputs": self.outputs, "memoized": true })));
            }
            (Part::Work { .. }, EventKind::StepSkipped { .. }) => self.is_skipped = true,
            (Part::Work { .. } | Part::Call { .. }, EventKind::StepFailed { failure, .. }) => {
                news.push(not_done(definition, failure, attempt));
            }
            (Part::Webhook { .. }, EventKind::ListenTimedOut { .. }) => {
                if let Some(http) = definition.http() {
                    news.push(not_done(definition, &no_webhook(http), attempt));
                }
            }
            (
                Part::Predicate | Part::Inputs | Part::Outputs,
                EventKind::StepFailed { failure, .. },
            ) => news.push(("work_failed", json!({ "error": retry::said(failure) }))),
            (Part::Work { .. }, EventKind::ChildEnded { outcome: Err(failure), .. }) => {
                news.push(("work_failed", json!({ "error": retry::said(failure) })));
            }
            // A crash cut it off.
            (_, EventKind::AttemptFailed { failure, retry_at, .. }) if is_attempt => {
                news.push(("work_not_completed", json!({ "error": retry::said(failure) })));
                news.push(("retry_scheduled", next_retry(attempt, *retry_at)));
            }
            (Part::Wait { .. }, EventKind::TimerSet { fire_at, .. }) => {
                news.push(("retry_scheduled", next_retry(attempt, *fire_at)));
            }
            (Part::Wait { .. }, EventKind::ListenStarted { deadline_at: Some(at), .. }) => {
                news.push(("retry_scheduled", next_retry(attempt, *at)));
            }
            _ => {}
        }
    }
}

fn not_done(definition: &StepDefinition, failure: &Failure, attempt: u64) -> (&'static str, Value) {
    let kind = match retry::tries_again(definition, failure, attempt) {
        Some(_) => "work_not_completed",
        None => "work_failed",
    };
    (kind, json!({ "error": retry::said(failure) }))
}

fn next_retry(retry_count: u64, at: UnixMillis) -> Value {
    json!({ "retry_count": retry_count, "next_retry_at": at.rfc3339() })
}

fn is_yes(value: &Json) -> bool {
    value.as_str() == "true"
}

fn read(value: &Json) -> Outputs {
    value.to().unwrap_or_default()
}

fn matched(fact: Fact, yes: bool) -> Fact {
    match fact {
        Fact::Matched { step, attribute, provider, .. } => {
            Fact::Matched { step, attribute, provider, is_match: yes }
        }
        other => other,
    }
}
