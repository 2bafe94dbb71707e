//! A graph as it is written: plain data, with the field names of the format.

mod read;

use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

pub(crate) use read::read;

/// A graph workflow. Read it with [`crate::Graph`], which says everything that is wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Definition {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// A JSON Schema that the run's input must fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_schema: Option<Value>,
    pub steps: Vec<Step>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<When>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub for_each: Option<ForEach>,
    pub action: Action,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// A JSON Schema that the output, or each item's output, must fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    #[serde(skip_serializing_if = "Config::is_default")]
    pub config: Config,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Action {
    /// Calls a tool.
    Tool {
        tool_name: String,
        /// The server that has it; the host finds it if none is said.
        #[serde(skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// Code that makes the output of the tool's result.
        #[serde(skip_serializing_if = "Option::is_none")]
        transform_code: Option<String>,
    },
    /// Runs code on the input.
    Code { code: String },
    /// Ends the run: the step's input is the run's output.
    Return { r#return: Always },
    /// Runs another workflow, of any dialect.
    Workflow {
        workflow: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
    },
    /// Waits for so many milliseconds; gives null.
    Sleep { sleep: u64 },
    /// Waits for a message of this name; gives its body.
    Listen { listen: String },
}

/// The `true` of `{"return": true}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Always;

/// Whether a step runs.
#[derive(Debug, Clone, PartialEq)]
pub struct When {
    /// The ref whose value is tested.
    pub of: String,
    pub test: Test,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    /// No operator: false, null, 0 and "" are false, everything else is true.
    Truth,
    Eq(Value),
    Neq(Value),
    Gt(Number),
    Lt(Number),
    Gte(Number),
    Lte(Number),
    In(Vec<Value>),
    /// Whether the path is there and not null.
    Exists(bool),
}

/// Runs the step once for each item of an array.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ForEach {
    /// The ref to the array.
    #[serde(rename = "ref")]
    pub of: String,
    /// How many items may be under way at a time; 1 if not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
}

/// How a step is tried. What is not said has the default of the step's action.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mb: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_error: Option<OnError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_on_crash: Option<bool>,
}

/// What follows when a step, or an item of it, fails for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The run fails.
    Fail,
    /// The output is null, and the run goes on.
    Continue,
}

impl Config {
    fn is_default(&self) -> bool {
        *self == Config::default()
    }
}

impl Action {
    /// What people call it: `tool`, `code`, `return`, `workflow`, `sleep` or `listen`.
    pub fn kind(&self) -> &'static str {
        match self {
            Action::Tool { .. } => "tool",
            Action::Code { .. } => "code",
            Action::Return { .. } => "return",
            Action::Workflow { .. } => "workflow",
            Action::Sleep { .. } => "sleep",
            Action::Listen { .. } => "listen",
        }
    }

    pub fn is_return(&self) -> bool {
        matches!(self, Action::Return { .. })
    }
}

impl Test {
    /// The operator's name and operand; none for a truth test.
    pub fn operator(&self) -> Option<(&'static str, Value)> {
        Some(match self {
            Test::Truth => return None,
            Test::Eq(value) => ("eq", value.clone()),
            Test::Neq(value) => ("neq", value.clone()),
            Test::Gt(number) => ("gt", Value::Number(number.clone())),
            Test::Lt(number) => ("lt", Value::Number(number.clone())),
            Test::Gte(number) => ("gte", Value::Number(number.clone())),
            Test::Lte(number) => ("lte", Value::Number(number.clone())),
            Test::In(values) => ("in", Value::Array(values.clone())),
            Test::Exists(yes) => ("exists", Value::Bool(*yes)),
        })
    }
}

impl Serialize for Always {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("ref", &self.of)?;
        if let Some((operator, operand)) = self.test.operator() {
            map.serialize_entry(operator, &operand)?;
        }
        map.end()
    }
}

/// Checks the form only; [`crate::Graph`] checks the rest, too.
impl<'de> Deserialize<'de> for Definition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Definition, D::Error> {
        let draft = read(&Value::deserialize(deserializer)?);
        match draft.problems.is_empty() {
            true => Ok(draft.definition),
            false => Err(serde::de::Error::custom(crate::Problems(draft.problems))),
        }
    }
}
