//! What a command comes to. A function of the recording alone: a replay decides the same.

use serde_json::Value;
use stepwell_graph::limits::{INPUT_DEPTH_MAX, STEP_NAME_BYTES_MAX};
use stepwell_graph::refs::{Root, Scope, Wired, looks_like_ref};
use stepwell_graph::{Path, is_step_name};

use super::command::{Command, Refusal};
use super::names::step_name;
use super::{Change, Made, NamedInput, RecordedStatus, Recording};
use crate::limits::{
    RECORDED_CALL_MS, RECORDED_CALL_MS_MAX, RECORDED_INPUTS_MAX, RECORDED_STEPS_MAX,
};

/// What follows from a command.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// Only the recording changes.
    Change(Change),
    /// A step is added and its tool called.
    Call { change: Change, step: String, input: Value, timeout_ms: u64 },
    /// A step is added whose result is known.
    Preset { change: Change, step: String, output: Value },
}

pub(super) fn decide(recording: &Recording, command: Command) -> Result<Decision, Refusal> {
    match command {
        Command::Call { tool, server, input, timeout_ms } => {
            check_room(recording)?;
            let resolved = resolve(recording, &input, "input")?;
            let timeout_ms = timeout_ms.unwrap_or(RECORDED_CALL_MS);
            if !(1..=RECORDED_CALL_MS_MAX).contains(&timeout_ms) {
                let said = format!("{timeout_ms} is not between 1 and {RECORDED_CALL_MS_MAX}");
                return Err(Refusal::new("timeout_ms", said));
            }
            let step = step_name(&tool, &recording.names);
            let made = Made { tool: Some(tool), server, input, is_preset: false };
            let change = Change::StepAdded { step: step.clone(), made };
            Ok(Decision::Call { change, step, input: resolved, timeout_ms })
        }
        Command::Preset { name, tool, server, input, output } => {
            check_room(recording)?;
            // What it would be called with must make sense, too: it is what the saved workflow calls.
            resolve(recording, &input, "input")?;
            let step = match (name, &tool) {
                (Some(name), _) => free_name(recording, name)?,
                (None, Some(tool)) => step_name(tool, &recording.names),
                (None, None) => step_name("value", &recording.names),
            };
            let made = Made { tool, server, input, is_preset: true };
            let change = Change::StepAdded { step: step.clone(), made };
            Ok(Decision::Preset { change, step, output })
        }
        Command::Drop { step } => drop_step(recording, step).map(Decision::Change),
        Command::NameInput { name, value, description } => {
            name_input(recording, name, NamedInput { value, description }).map(Decision::Change)
        }
        Command::PlaceRef { step, pointer, written } => {
            place_ref(recording, step, pointer, written).map(Decision::Change)
        }
        Command::Finish => Ok(Decision::Change(Change::Finished)),
    }
}

/// What refs may refer to: `input`, and each completed step.
struct Recorded<'a> {
    recording: &'a Recording,
    input: Value,
}

impl Scope for Recorded<'_> {
    fn root(&self, name: &str) -> Option<Root<'_>> {
        match name {
            "input" => Some(Root::Value(&self.input)),
            step => self.recording.step(step)?.output.as_ref().map(Root::Value),
        }
    }
}

/// The value with its refs resolved. Strictly: what looks like a ref and is none is no text.
pub(super) fn resolve(recording: &Recording, value: &Value, at: &str) -> Result<Value, Refusal> {
    let scope = Recorded { recording, input: recording.input_value() };
    check_roots(recording, value, &Path::top().key(at), 0)?;
    let is_root = |root: &str| scope.root(root).is_some();
    let wired = Wired::parse(value, &Path::top().key(at), &is_root).map_err(|errors| {
        let first = errors.into_iter().next();
        let (at, said) = first.map_or_else(
            || (at.to_owned(), "a ref cannot be read".to_owned()),
            |error| (error.path.as_str().to_owned(), error.error.message),
        );
        Refusal::new(&at, said)
    })?;
    wired.resolve(&scope).map_err(|error| Refusal::new(at, error.to_string()))
}

fn check_roots(
    recording: &Recording,
    value: &Value,
    at: &Path,
    depth: usize,
) -> Result<(), Refusal> {
    if depth > INPUT_DEPTH_MAX {
        let said =
            format!("values lie deeper in one another than INPUT_DEPTH_MAX, {INPUT_DEPTH_MAX}");
        return Err(Refusal::new(at.as_str(), said));
    }
    match value {
        Value::String(text) => match looks_like_ref(text) {
            Some(root) => {
                check_root(recording, &root).map_err(|said| Refusal::new(at.as_str(), said))
            }
            None => Ok(()),
        },
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(n, item)| check_roots(recording, item, &at.item(n), depth + 1))
        }
        Value::Object(fields) => {
            let mut fields = fields.iter();
            fields
                .try_for_each(|(key, inner)| check_roots(recording, inner, &at.key(key), depth + 1))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

fn check_root(recording: &Recording, root: &str) -> Result<(), String> {
    if root == "input" {
        return Ok(());
    }
    match recording.step(root).map(|step| step.status) {
        Some(RecordedStatus::Completed) => Ok(()),
        Some(RecordedStatus::Running) => Err(format!("`{root}` has not ended yet")),
        Some(RecordedStatus::Failed) => Err(format!("`{root}` failed, so it has no output")),
        None => {
            let completed = recording.steps.iter().filter(|step| step.output.is_some());
            let known: Vec<&str> = completed.map(|step| step.name.as_str()).collect();
            let known = if known.is_empty() { "none yet".to_owned() } else { known.join(", ") };
            Err(format!(
                "there is no step `{root}`; steps with an output: {known}. For the text itself write `@@{root}`"
            ))
        }
    }
}

fn check_room(recording: &Recording) -> Result<(), Refusal> {
    if recording.names.len() < RECORDED_STEPS_MAX {
        return Ok(());
    }
    let said = format!("a recording has at most {RECORDED_STEPS_MAX} steps (RECORDED_STEPS_MAX)");
    Err(Refusal::new("", said))
}

fn free_name(recording: &Recording, name: String) -> Result<String, Refusal> {
    if !is_step_name(&name) {
        let said = format!(
            "a step's name is an identifier of at most {STEP_NAME_BYTES_MAX} bytes, and none of input, item, index, ctx"
        );
        return Err(Refusal::new("name", said));
    }
    if recording.names.contains(&name) {
        return Err(Refusal::new("name", format!("there is or was a step `{name}` already")));
    }
    Ok(name)
}

fn drop_step(recording: &Recording, step: String) -> Result<Change, Refusal> {
    let Some(found) = recording.step(&step) else {
        return Err(Refusal::new("step", format!("there is no step `{step}`")));
    };
    if found.status == RecordedStatus::Running {
        return Err(Refusal::new("step", format!("`{step}` has not ended yet")));
    }
    let users: Vec<&str> = recording
        .steps
        .iter()
        .filter(|other| refers_to(&other.made.input, &step))
        .map(|other| other.name.as_str())
        .collect();
    if users.is_empty() {
        return Ok(Change::StepDropped { step });
    }
    let said = format!("{} refer to `{step}`: drop them first", users.join(", "));
    Err(Refusal::new("step", said))
}

/// Whether a ref in the value has this root.
pub(super) fn refers_to(value: &Value, root: &str) -> bool {
    let is_root = |other: &str| other == root;
    let wired = Wired::parse(value, &Path::top(), &is_root);
    wired.is_ok_and(|wired| !wired.refs(&Path::top()).is_empty())
}

fn name_input(recording: &Recording, name: String, input: NamedInput) -> Result<Change, Refusal> {
    if !is_step_name(&name) {
        return Err(Refusal::new("name", "the name of an input is an identifier, such as user_id"));
    }
    let is_new = !recording.inputs.contains_key(&name);
    if is_new && recording.inputs.len() >= RECORDED_INPUTS_MAX {
        let said =
            format!("a recording has at most {RECORDED_INPUTS_MAX} inputs (RECORDED_INPUTS_MAX)");
        return Err(Refusal::new("name", said));
    }
    Ok(Change::InputNamed { name, input })
}

fn place_ref(
    recording: &Recording,
    step: String,
    pointer: String,
    written: String,
) -> Result<Change, Refusal> {
    let Some(place) = recording.steps.iter().position(|other| other.name == step) else {
        return Err(Refusal::new("step", format!("there is no step `{step}`")));
    };
    let input = &recording.steps[place].made.input;
    let Some(literal) = input.pointer(&pointer) else {
        return Err(Refusal::new(
            "pointer",
            format!("the input of `{step}` has nothing at `{pointer}`"),
        ));
    };
    let Some(root) = looks_like_ref(&written) else {
        return Err(Refusal::new("ref", format!("`{written}` is no ref, such as @get_user_1.id")));
    };
    let comes_later = recording.steps[place..].iter().any(|other| other.name == root);
    if comes_later {
        let said = format!("`{root}` comes after `{step}`, which cannot wait for it");
        return Err(Refusal::new("ref", said));
    }
    let value = resolve(recording, &Value::String(written.clone()), "ref")?;
    let meant = resolve(recording, literal, "pointer")?;
    if value != meant {
        return Err(Refusal::new(
            "ref",
            format!("`{written}` has another value than what is there"),
        ));
    }
    Ok(Change::RefPlaced { step, pointer, written })
}
