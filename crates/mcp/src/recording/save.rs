//! A recording as a graph.

use serde_json::{Map, Value, json};
use stepwell_graph::{Action, Config, Definition, Step};

use super::{RecordedStatus, RecordedStep, Recording};
use crate::recording::Refusal;

/// The graph that does what was recorded: completed steps with their refs, inputs by name. Failed calls are left
/// out; nothing refers to them.
pub fn definition(recording: &Recording, id: &str) -> Result<Definition, Refusal> {
    let running: Vec<&str> = recording
        .steps
        .iter()
        .filter(|step| step.status == RecordedStatus::Running)
        .map(|step| step.name.as_str())
        .collect();
    if !running.is_empty() {
        let said =
            format!("{} have not ended yet: wait for them, or cancel the run", running.join(", "));
        return Err(Refusal::new("", said));
    }
    let completed = recording.steps.iter().filter(|step| step.status == RecordedStatus::Completed);
    let steps: Vec<Step> = completed.map(step).collect();
    if steps.is_empty() {
        return Err(Refusal::new("", "no call has succeeded yet, so there is nothing to save"));
    }
    Ok(Definition {
        id: id.to_owned(),
        title: recording.title.clone(),
        description: recording.description.clone(),
        input_schema: Some(input_schema(recording)),
        steps,
    })
}

fn step(recorded: &RecordedStep) -> Step {
    let action = match &recorded.made.tool {
        Some(tool) => Action::Tool {
            tool_name: tool.clone(),
            server: recorded.made.server.clone(),
            transform_code: None,
        },
        // A value that somebody set, as code that gives it.
        None => {
            let value = recorded.output.clone().unwrap_or_default();
            Action::Code { code: format!("export default function () {{\n  return {value};\n}}\n") }
        }
    };
    let input = Some(recorded.made.input.clone()).filter(|input| !input.is_null());
    Step {
        name: recorded.name.clone(),
        title: None,
        description: None,
        when: None,
        for_each: None,
        action,
        input,
        output_schema: None,
        config: Config::default(),
    }
}

/// An object with every input that has a name, of the type that its value had.
fn input_schema(recording: &Recording) -> Value {
    let mut properties = Map::new();
    for (name, input) in &recording.inputs {
        let mut schema = Map::new();
        if let Some(kind) = kind_of(&input.value) {
            schema.insert("type".to_owned(), Value::from(kind));
        }
        if let Some(description) = &input.description {
            schema.insert("description".to_owned(), Value::from(description.as_str()));
        }
        schema.insert("examples".to_owned(), json!([input.value]));
        properties.insert(name.clone(), Value::Object(schema));
    }
    let required: Vec<&String> = recording.inputs.keys().collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

fn kind_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}
