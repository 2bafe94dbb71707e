//! What a work item sees, and what an answer gives: the values between the flow and the step.

use serde_json::{Map, Value};
use stepwell_script::outputs_of;

use super::work::{Work, script_failed};
use crate::host::WorkError;
use crate::items::Outputs;
use crate::names::AttributeName;
use crate::scripts::ScriptArgs;
use crate::step::{Attribute, MetaKey, ValueType};

impl Work {
    /// The inputs as the step sees them.
    pub async fn seen(&self) -> Result<ScriptArgs, WorkError> {
        let definition = &self.step.definition;
        let mut seen = ScriptArgs::default();
        for (name, argument) in definition.arguments() {
            seen.names.push(argument.to_owned());
            let Some(attribute) = definition.attributes.get(name) else { continue };
            let value = match attribute {
                Attribute::Meta { key, .. } => self.meta(*key).map(Value::from),
                _ => self.item.get(name).map(|value| (**value).clone()),
            };
            let script = attribute.mapping().and_then(|mapping| mapping.script.as_ref());
            let value = match (value, script) {
                (Some(value), Some(script)) => {
                    let mapped =
                        self.step.flow.host.scripts.map(script, value, ValueType::Any).await;
                    let what = format!("the mapping of `{name}`");
                    mapped.map_err(|error| script_failed(&what, &error))?
                }
                (value, _) => value,
            };
            if let Some(value) = value {
                seen.values.insert(argument.to_owned(), value);
            }
        }
        seen.names.sort_unstable();
        Ok(seen)
    }

    /// The declared outputs in an answer. What is null where null is no value of the type is not there.
    pub async fn given(&self, answer: Value) -> Result<Outputs, WorkError> {
        let definition = &self.step.definition;
        let answer = outputs_of_answer(answer);
        let mut outputs = Outputs::new();
        for (name, field) in definition.answers() {
            let Some(attribute) = definition.attributes.get(name) else { continue };
            let value = self.answered(name, attribute, &answer, field).await?;
            let kind = attribute.kind();
            match value {
                Some(value) if kind.accepts(&value) => {
                    outputs.insert(name.clone(), value);
                }
                None | Some(Value::Null) => {}
                Some(value) => {
                    return Err(WorkError::lasting(format!(
                        "the output `{name}` is declared as {}, and is {}",
                        kind.as_str(),
                        type_of(&value)
                    )));
                }
            }
        }
        Ok(outputs)
    }

    /// What an answer has for one output.
    async fn answered(
        &self,
        name: &AttributeName,
        attribute: &Attribute,
        answer: &Map<String, Value>,
        field: &str,
    ) -> Result<Option<Value>, WorkError> {
        let mapping = attribute.mapping();
        let Some(script) = mapping.and_then(|mapping| mapping.script.as_ref()) else {
            return Ok(answer.get(field).cloned());
        };
        let has_field = mapping.is_some_and(|mapping| mapping.name.is_some());
        let source = match has_field {
            true => answer.get(field).cloned(),
            false => Some(Value::Object(answer.clone())),
        };
        let Some(source) = source else { return Ok(None) };
        let mapped = self.step.flow.host.scripts.map(script, source, attribute.kind()).await;
        mapped.map_err(|error| script_failed(&format!("the mapping of `{name}`"), &error))
    }

    fn meta(&self, key: MetaKey) -> Option<String> {
        let flow = &self.step.flow;
        let step = &self.step.definition.id;
        Some(match key {
            MetaKey::RunId => flow.run.to_string(),
            MetaKey::StepId => step.to_string(),
            MetaKey::Namespace => flow.namespace.clone(),
            MetaKey::Token => self.token().to_string(),
            MetaKey::WebhookUrl => flow.host.webhook_url(flow.run, step.as_str(), self.token()),
            MetaKey::ParentRunId => flow.parent.as_ref()?.run_id.to_string(),
            MetaKey::ParentStepId => flow.parent.as_ref()?.step_id.to_string(),
        })
    }
}

/// As a script's result: an object is the outputs, anything else but nothing is the output `result`.
fn outputs_of_answer(answer: Value) -> Map<String, Value> {
    match answer {
        Value::Null => Map::new(),
        answer => outputs_of(answer),
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
