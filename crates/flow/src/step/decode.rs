//! From JSON to a definition: what has which fields. The rules about their values are in `check`.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    Action, Attribute, Backoff, ChildFlow, Collect, Http, Input, Language, Mapping, MetaKey,
    Method, Script, StepDefinition, ValueType, Work,
};
use crate::limits::STEP_BYTES_MAX;
use crate::names::{AttributeName, StepId};
use crate::problem::{Code, Path, Problems};
use crate::read::{self, Fields, Reading};

impl StepDefinition {
    /// Reads a definition and checks its shape.
    pub fn parse(bytes: &[u8]) -> Result<StepDefinition, Problems> {
        StepDefinition::from_value(&read::parse(bytes, STEP_BYTES_MAX)?)
    }

    /// The same for JSON that was parsed before.
    pub fn from_value(value: &Value) -> Result<StepDefinition, Problems> {
        let step = decode(value)?;
        Problems::or(step.problems(), step)
    }
}

/// For what was checked before it was written, such as a frozen plan: the rules may have become
/// stricter since, and that must not stop a run.
impl<'de> Deserialize<'de> for StepDefinition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<StepDefinition, D::Error> {
        decode(&Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

fn decode(value: &Value) -> Result<StepDefinition, Problems> {
    let mut reading = Reading::default();
    match step(&mut reading, value) {
        Some(step) => Problems::or(reading.problems, step),
        None => {
            // Whoever gives up has said why.
            debug_assert!(!reading.problems.is_empty());
            let nothing = Path::root().problem(Code::WrongType, "this is no step");
            Problems::or(reading.problems, nothing).and_then(|nothing| Err(nothing.into()))
        }
    }
}

fn step(reading: &mut Reading, value: &Value) -> Option<StepDefinition> {
    let mut fields = reading.object(value, &Path::root())?;
    let id = reading.required(&mut fields, "id", Reading::text);
    let name = reading.optional(&mut fields, "name", Reading::text);
    let labels = reading.optional(&mut fields, "labels", |reading, value, at| {
        reading.map::<String, _>(value, at, Reading::text)
    });
    let memoizable = reading.optional(&mut fields, "memoizable", Reading::boolean);
    let memo_ttl_ms = reading.optional(&mut fields, "memo_ttl_ms", Reading::whole_number);
    let attributes = reading.optional(&mut fields, "attributes", |reading, value, at| {
        reading.map::<AttributeName, _>(value, at, attribute)
    });
    let action = action(reading, &mut fields);
    let predicate = reading.optional(&mut fields, "predicate", condition);
    let work = reading.optional(&mut fields, "work", work);
    reading.end(fields);
    let id = id?;
    Some(StepDefinition {
        name: name.unwrap_or_else(|| id.clone()),
        id: StepId::from(id.as_str()),
        labels: labels.unwrap_or_default(),
        memoizable: memoizable.unwrap_or_default(),
        memo_ttl_ms,
        attributes: attributes.unwrap_or_default(),
        action: action?,
        predicate,
        work: work.unwrap_or_default(),
    })
}

/// `type`, and the one of `http`, `script` and `flow` that goes with it.
fn action(reading: &mut Reading, fields: &mut Fields<'_>) -> Option<Action> {
    const TYPES: &[(&str, &str)] =
        &[("sync", "http"), ("async", "http"), ("script", "script"), ("flow", "flow")];
    let body = reading.required(fields, "type", |reading, value, at| {
        reading.choice(value, at, TYPES)?;
        TYPES.iter().copied().find(|(name, _)| value == name)
    });
    if let Some((type_name, body)) = body {
        if !fields.has(body) {
            let message = format!("a step of type {type_name} needs the field `{body}`");
            reading.add(&fields.at.field(body), Code::MissingField, message);
        }
        for other in ["http", "script", "flow"] {
            if other != body && fields.has(other) {
                let message = format!(
                    "a step of type {type_name} has no `{other}`: remove it, or change the type"
                );
                reading.add(&fields.at.field(other), Code::NotForType, message);
            }
        }
    }
    let http = reading.optional(fields, "http", http);
    let code = reading.optional(fields, "script", |reading, value, at| {
        script(reading, value, at, &[Language::Lua, Language::Ale, Language::Js])
    });
    let flow = reading.optional(fields, "flow", child_flow);
    match body?.0 {
        "sync" => http.map(Action::Sync),
        "async" => http.map(Action::Async),
        "script" => code.map(Action::Script),
        _ => flow.map(Action::Flow),
    }
}

fn http(reading: &mut Reading, value: &Value, at: &Path) -> Option<Http> {
    let mut fields = reading.object(value, at)?;
    let url = reading.required(&mut fields, "url", Reading::text);
    let method = reading.optional(&mut fields, "method", |reading, value, at| {
        reading.choice(value, at, Method::TEXTS)
    });
    let timeout_ms = reading.optional(&mut fields, "timeout_ms", Reading::whole_number);
    let webhook_timeout_ms =
        reading.optional(&mut fields, "webhook_timeout_ms", Reading::whole_number);
    let health_url = reading.optional(&mut fields, "health_url", Reading::text);
    let compensate_url = reading.optional(&mut fields, "compensate_url", Reading::text);
    let secret = reading.optional(&mut fields, "secret", Reading::text);
    reading.end(fields);
    Some(Http {
        url: url?,
        method: method.unwrap_or_default(),
        timeout_ms: timeout_ms.unwrap_or(Http::TIMEOUT_MS_DEFAULT),
        webhook_timeout_ms,
        health_url,
        compensate_url,
        secret,
    })
}

/// A predicate, match or mapping, in any language.
fn condition(reading: &mut Reading, value: &Value, at: &Path) -> Option<Script> {
    script(reading, value, at, &[Language::Lua, Language::Ale, Language::Js, Language::JsonPath])
}

fn script(
    reading: &mut Reading,
    value: &Value,
    at: &Path,
    languages: &[Language],
) -> Option<Script> {
    let mut fields = reading.object(value, at)?;
    let choices: Vec<_> = languages.iter().map(|language| (language.as_str(), *language)).collect();
    let language = reading.required(&mut fields, "language", |reading, value, at| {
        reading.choice(value, at, &choices)
    });
    let source = reading.required(&mut fields, "source", Reading::text);
    reading.end(fields);
    Some(Script { language: language?, source: source? })
}

fn child_flow(reading: &mut Reading, value: &Value, at: &Path) -> Option<ChildFlow> {
    let mut fields = reading.object(value, at)?;
    let goals = reading.required(&mut fields, "goals", goals);
    let mut names = |name| {
        reading.optional(&mut fields, name, |reading, value, at| {
            reading.map::<AttributeName, _>(value, at, |reading, value, at| {
                reading.text(value, at).map(|name| AttributeName::from(name.as_str()))
            })
        })
    };
    let (inputs, outputs) = (names("inputs"), names("outputs"));
    reading.end(fields);
    Some(ChildFlow {
        goals: goals?,
        inputs: inputs.unwrap_or_default(),
        outputs: outputs.unwrap_or_default(),
    })
}

/// A list of ids, in a flow step and in a request.
pub(crate) fn goals(reading: &mut Reading, value: &Value, at: &Path) -> Option<Vec<StepId>> {
    reading.list(value, at, |reading, value, at| {
        reading.text(value, at).map(|id| StepId::from(id.as_str()))
    })
}

fn work(reading: &mut Reading, value: &Value, at: &Path) -> Option<Work> {
    let mut fields = reading.object(value, at)?;
    let usual = Work::default();
    let backoff = reading.optional(&mut fields, "backoff", |reading, value, at| {
        reading.choice(value, at, Backoff::TEXTS)
    });
    let mut number =
        |name, usual| reading.optional(&mut fields, name, Reading::whole_number).unwrap_or(usual);
    let work = Work {
        max_retries: number("max_retries", usual.max_retries),
        backoff: backoff.unwrap_or_default(),
        initial_backoff_ms: number("initial_backoff_ms", usual.initial_backoff_ms),
        max_backoff_ms: number("max_backoff_ms", usual.max_backoff_ms),
        parallelism: number("parallelism", usual.parallelism),
    };
    reading.end(fields);
    Some(work)
}

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Required,
    Optional,
    Const,
    Meta,
    Output,
}

/// Which roles have a field, for people who give it to another.
fn roles_with(field: &str) -> Option<&'static str> {
    Some(match field {
        "default" | "deadline_ms" => "`optional`",
        "for_each" | "match" | "collect" => "`required` or `optional`",
        "mapping" => "`required`, `optional` or `output`",
        "value" => "`const`",
        "key" => "`meta`",
        _ => return None,
    })
}

fn attribute(reading: &mut Reading, value: &Value, at: &Path) -> Option<Attribute> {
    const ROLES: &[(&str, Role)] = &[
        ("required", Role::Required),
        ("optional", Role::Optional),
        ("const", Role::Const),
        ("meta", Role::Meta),
        ("output", Role::Output),
    ];
    let mut fields = reading.object(value, at)?;
    let role = reading
        .required(&mut fields, "role", |reading, value, at| reading.choice(value, at, ROLES))?;
    let kind = reading.optional(&mut fields, "type", |reading, value, at| {
        reading.choice(value, at, ValueType::TEXTS)
    });
    let kind = kind.unwrap_or_default();
    let attribute = match role {
        Role::Required => Some(Attribute::Required(input(reading, &mut fields, kind))),
        Role::Optional => Some(Attribute::Optional {
            input: input(reading, &mut fields, kind),
            default: reading.optional(&mut fields, "default", json_text),
            deadline_ms: reading.optional(&mut fields, "deadline_ms", Reading::whole_number),
        }),
        Role::Const => reading
            .required(&mut fields, "value", json_text)
            .map(|value| Attribute::Const { kind, value }),
        Role::Meta => reading
            .required(&mut fields, "key", |reading, value, at| {
                reading.choice(value, at, MetaKey::TEXTS)
            })
            .map(|key| Attribute::Meta { kind, key }),
        Role::Output => {
            let mapping = reading.optional(&mut fields, "mapping", mapping);
            Some(Attribute::Output { kind, mapping })
        }
    };
    let role = ROLES.iter().find(|(_, known)| *known == role).map_or("", |(name, _)| name);
    reading.end_with(fields, |field| {
        let roles = roles_with(field)?;
        let message = format!("`{field}` is for the role {roles}, and this one is `{role}`");
        Some((Code::NotForRole, message))
    });
    attribute
}

fn input(reading: &mut Reading, fields: &mut Fields<'_>, kind: ValueType) -> Input {
    let collect = reading.optional(fields, "collect", |reading, value, at| {
        reading.choice(value, at, Collect::TEXTS)
    });
    Input {
        kind,
        for_each: reading.optional(fields, "for_each", Reading::boolean).unwrap_or_default(),
        matches: reading.optional(fields, "match", condition),
        collect: collect.unwrap_or_default(),
        mapping: reading.optional(fields, "mapping", mapping),
    }
}

/// An object, or in short a name, or in short a JSONPath.
fn mapping(reading: &mut Reading, value: &Value, at: &Path) -> Option<Mapping> {
    if let Value::String(text) = value {
        return Some(if text.starts_with('$') {
            let script = Script { language: Language::JsonPath, source: text.clone() };
            Mapping { name: None, script: Some(script) }
        } else {
            Mapping { name: Some(text.clone()), script: None }
        });
    }
    let mut fields = reading.object(value, at)?;
    let name = reading.optional(&mut fields, "name", Reading::text);
    let script = reading.optional(&mut fields, "script", condition);
    reading.end(fields);
    Some(Mapping { name, script })
}

/// Text that holds JSON. Its type is checked later.
fn json_text(reading: &mut Reading, value: &Value, at: &Path) -> Option<String> {
    if !value.is_string() {
        let text = Value::String(value.to_string());
        let message = format!("this must be JSON text: write {text} instead of {value}");
        reading.add(at, Code::WrongType, message);
        return None;
    }
    reading.text(value, at)
}
