//! From JSON to a definition. Everything that is wrong with its form is found at once.

use serde_json::{Map, Number, Value};

use super::{Action, Always, Config, Definition, ForEach, OnError, Step, Test, When};
use crate::limits::{
    ATTEMPTS_MAX, BACKOFF_MS_MAX, CODE_BYTES_MAX, CONCURRENCY_MAX, DESCRIPTION_BYTES_MAX,
    IN_VALUES_MAX, MEMORY_MB_MAX, NAME_BYTES_MAX, REF_BYTES_MAX, SLEEP_MS_MAX, STEP_NAME_BYTES_MAX,
    STEPS_MAX, TIMEOUT_MS_MAX, TITLE_BYTES_MAX,
};
use crate::problem::{Code, Path, Problem, did_you_mean};
use crate::refs::describe;

/// What could be read. Where the form is wrong something stands in, so that the rest can be checked, too.
pub(crate) struct Draft {
    pub definition: Definition,
    pub problems: Vec<Problem>,
}

const TOP: &[&str] = &["id", "title", "description", "input_schema", "steps"];
const STEP: &[&str] = &[
    "name",
    "title",
    "description",
    "when",
    "forEach",
    "action",
    "input",
    "outputSchema",
    "config",
];
const ACTIONS: &[&str] = &["toolName", "code", "return", "workflow", "sleep", "listen"];
const OPERATORS: &[&str] = &["eq", "neq", "gt", "lt", "gte", "lte", "in", "exists"];
const CONFIG: &[&str] =
    &["maxAttempts", "backoffMs", "timeoutMs", "memoryMb", "onError", "retryOnCrash"];

pub(crate) fn read(value: &Value) -> Draft {
    let mut reader = Reader { step: None, problems: Vec::new() };
    let top = Path::top();
    let empty = Map::new();
    let fields = reader.object(value, &top, TOP).unwrap_or(&empty);
    let definition = Definition {
        id: reader.required_text(fields, "id", &top, NAME_BYTES_MAX),
        title: reader.text(fields, "title", &top, TITLE_BYTES_MAX),
        description: reader.text(fields, "description", &top, DESCRIPTION_BYTES_MAX),
        input_schema: fields.get("input_schema").cloned(),
        steps: reader.steps(fields, &top),
    };
    Draft { definition, problems: reader.problems }
}

/// A map and where it stands.
type Fields<'a> = &'a Map<String, Value>;

struct Reader {
    /// The step that is being read.
    step: Option<String>,
    problems: Vec<Problem>,
}

impl Reader {
    fn problem(&mut self, field: &Path, code: Code, message: impl Into<String>) {
        let (step, field) = (self.step.clone(), field.clone());
        self.problems.push(Problem { step, field, code, message: message.into(), span: None });
    }

    fn wrong_type(&mut self, field: &Path, wanted: &str, value: &Value) {
        self.problem(field, Code::Type, format!("must be {wanted}, and is {}", describe(value)));
    }

    fn object<'v>(&mut self, value: &'v Value, path: &Path, known: &[&str]) -> Option<Fields<'v>> {
        let Value::Object(fields) = value else {
            self.wrong_type(path, "an object", value);
            return None;
        };
        for key in fields.keys().filter(|key| !known.contains(&key.as_str())) {
            let guess = did_you_mean(key, known.iter().copied());
            let message =
                format!("`{key}` is not a field here.{guess} The fields are {}", listed(known));
            self.problem(&path.key(key), Code::UnknownField, message);
        }
        Some(fields)
    }

    fn missing(&mut self, path: &Path, key: &str) {
        self.problem(&path.key(key), Code::Missing, format!("`{key}` is missing"));
    }

    /// A text that may be left out, but not be empty.
    fn text(&mut self, fields: Fields<'_>, key: &str, path: &Path, max: usize) -> Option<String> {
        let path = path.key(key);
        match fields.get(key)? {
            Value::String(text) if text.is_empty() => {
                self.problem(&path, Code::Length, "must not be empty");
            }
            Value::String(text) if text.len() > max => {
                let message = format!("has {} bytes, at most {max} are allowed", text.len());
                self.problem(&path, Code::Length, message);
            }
            Value::String(text) => return Some(text.clone()),
            other => self.wrong_type(&path, "a string", other),
        }
        None
    }

    fn required_text(&mut self, fields: Fields<'_>, key: &str, path: &Path, max: usize) -> String {
        if !fields.contains_key(key) {
            self.missing(path, key);
        }
        self.text(fields, key, path, max).unwrap_or_default()
    }

    /// A whole number within bounds.
    fn number(
        &mut self,
        fields: Fields<'_>,
        key: &str,
        path: &Path,
        (min, max): (u64, u64),
    ) -> Option<u64> {
        let (path, value) = (path.key(key), fields.get(key)?);
        let Value::Number(number) = value else {
            self.wrong_type(&path, "a whole number", value);
            return None;
        };
        let whole = whole(number).filter(|n| (min..=max).contains(n));
        if whole.is_none() {
            let message = format!("must be a whole number from {min} to {max}, and is {number}");
            self.problem(&path, Code::Number, message);
        }
        whole
    }

    fn boolean(&mut self, fields: Fields<'_>, key: &str, path: &Path) -> Option<bool> {
        let value = fields.get(key)?;
        if value.as_bool().is_none() {
            self.wrong_type(&path.key(key), "true or false", value);
        }
        value.as_bool()
    }

    fn steps(&mut self, fields: Fields<'_>, path: &Path) -> Vec<Step> {
        let path = path.key("steps");
        let steps = match fields.get("steps") {
            Some(Value::Array(steps)) => steps,
            Some(other) => {
                self.wrong_type(&path, "an array", other);
                return Vec::new();
            }
            None => {
                self.missing(&Path::top(), "steps");
                return Vec::new();
            }
        };
        if steps.len() > STEPS_MAX {
            let n = steps.len();
            let message = format!("{n} steps are more than the limit STEPS_MAX of {STEPS_MAX}");
            self.problem(&path, Code::TooMany, message);
            return Vec::new();
        }
        let read = |(n, step): (usize, &Value)| self.step(step, &path.item(n));
        steps.iter().enumerate().map(read).collect()
    }

    fn step(&mut self, value: &Value, path: &Path) -> Step {
        self.step = value.get("name").and_then(Value::as_str).map(str::to_owned);
        let empty = Map::new();
        let fields = self.object(value, path, STEP).unwrap_or(&empty);
        let step = Step {
            name: self.required_text(fields, "name", path, STEP_NAME_BYTES_MAX),
            title: self.text(fields, "title", path, TITLE_BYTES_MAX),
            description: self.text(fields, "description", path, DESCRIPTION_BYTES_MAX),
            when: fields.get("when").and_then(|when| self.when(when, &path.key("when"))),
            for_each: fields.get("forEach").and_then(|each| self.each(each, &path.key("forEach"))),
            action: self.action(fields, path),
            input: fields.get("input").cloned(),
            output_schema: fields.get("outputSchema").cloned(),
            config: match fields.get("config") {
                Some(config) => self.config(config, &path.key("config")),
                None => Config::default(),
            },
        };
        self.step = None;
        step
    }

    fn when(&mut self, value: &Value, path: &Path) -> Option<When> {
        let known: Vec<&str> = std::iter::once("ref").chain(OPERATORS.iter().copied()).collect();
        let fields = self.object(value, path, &known)?;
        let of = self.required_text(fields, "ref", path, REF_BYTES_MAX);
        let given: Vec<&str> =
            OPERATORS.iter().copied().filter(|name| fields.contains_key(*name)).collect();
        if given.len() > 1 {
            let message = format!("has the operators {}; at most one is allowed", listed(&given));
            self.problem(path, Code::Operators, message);
        }
        let test = match given.first() {
            None => Test::Truth,
            Some(operator) => self.test(operator, &fields[*operator], &path.key(operator))?,
        };
        Some(When { of, test })
    }

    fn test(&mut self, operator: &str, operand: &Value, path: &Path) -> Option<Test> {
        let mut number = |test: fn(Number) -> Test| match operand {
            Value::Number(number) => Some(test(number.clone())),
            other => {
                let message =
                    format!("`{operator}` compares with a number, and this is {}", describe(other));
                self.problem(path, Code::Operand, message);
                None
            }
        };
        match operator {
            "eq" => return Some(Test::Eq(operand.clone())),
            "neq" => return Some(Test::Neq(operand.clone())),
            "gt" => return number(Test::Gt),
            "lt" => return number(Test::Lt),
            "gte" => return number(Test::Gte),
            "lte" => return number(Test::Lte),
            _ => {}
        }
        let message = match (operator, operand) {
            ("in", Value::Array(values)) if values.len() <= IN_VALUES_MAX => {
                return Some(Test::In(values.clone()));
            }
            ("in", Value::Array(values)) => {
                let n = values.len();
                format!("{n} values are more than the limit IN_VALUES_MAX of {IN_VALUES_MAX}")
            }
            ("in", other) => {
                format!("`in` needs an array of values, and this is {}", describe(other))
            }
            (_, Value::Bool(yes)) => return Some(Test::Exists(*yes)),
            (_, other) => format!("`exists` needs true or false, and this is {}", describe(other)),
        };
        let code = if operand.is_array() { Code::TooMany } else { Code::Operand };
        self.problem(path, code, message);
        None
    }

    fn each(&mut self, value: &Value, path: &Path) -> Option<ForEach> {
        let fields = self.object(value, path, &["ref", "concurrency"])?;
        Some(ForEach {
            of: self.required_text(fields, "ref", path, REF_BYTES_MAX),
            concurrency: self.number(fields, "concurrency", path, (1, CONCURRENCY_MAX)),
        })
    }

    /// Something harmless stands in for an action that cannot be read.
    fn action(&mut self, step: Fields<'_>, path: &Path) -> Action {
        let stand_in = Action::Sleep { sleep: 0 };
        let Some(value) = step.get("action") else {
            self.missing(path, "action");
            return stand_in;
        };
        let path = path.key("action");
        let Value::Object(fields) = value else {
            self.wrong_type(&path, "an object", value);
            return stand_in;
        };
        let given: Vec<&str> =
            ACTIONS.iter().copied().filter(|name| fields.contains_key(*name)).collect();
        let [kind] = given.as_slice() else {
            let has = if given.is_empty() { "none".to_owned() } else { listed(&given) };
            let message = format!("must have exactly one of {}, and has {has}", listed(ACTIONS));
            self.problem(&path, Code::Action, message);
            return stand_in;
        };
        self.action_of(kind, value, &path).unwrap_or(stand_in)
    }

    fn action_of(&mut self, kind: &str, value: &Value, path: &Path) -> Option<Action> {
        let known: &[&str] = match kind {
            "toolName" => &["toolName", "server", "transformCode"],
            "workflow" => &["workflow", "input"],
            "code" => &["code"],
            "return" => &["return"],
            "sleep" => &["sleep"],
            _ => &["listen"],
        };
        let fields = self.object(value, path, known)?;
        Some(match kind {
            "toolName" => Action::Tool {
                tool_name: self.text(fields, "toolName", path, NAME_BYTES_MAX)?,
                server: self.text(fields, "server", path, NAME_BYTES_MAX),
                transform_code: self.text(fields, "transformCode", path, CODE_BYTES_MAX),
            },
            "workflow" => Action::Workflow {
                workflow: self.text(fields, "workflow", path, NAME_BYTES_MAX)?,
                input: fields.get("input").cloned(),
            },
            "code" => Action::Code { code: self.text(fields, "code", path, CODE_BYTES_MAX)? },
            "return" => {
                if fields["return"] != Value::Bool(true) {
                    self.problem(&path.key("return"), Code::Value, "must be true");
                }
                Action::Return { r#return: Always }
            }
            "sleep" => {
                Action::Sleep { sleep: self.number(fields, "sleep", path, (0, SLEEP_MS_MAX))? }
            }
            _ => Action::Listen { listen: self.text(fields, "listen", path, NAME_BYTES_MAX)? },
        })
    }

    fn config(&mut self, value: &Value, path: &Path) -> Config {
        let Some(fields) = self.object(value, path, CONFIG) else { return Config::default() };
        Config {
            max_attempts: self.number(fields, "maxAttempts", path, (1, ATTEMPTS_MAX)),
            backoff_ms: self.number(fields, "backoffMs", path, (0, BACKOFF_MS_MAX)),
            timeout_ms: self.number(fields, "timeoutMs", path, (1, TIMEOUT_MS_MAX)),
            memory_mb: self.number(fields, "memoryMb", path, (1, MEMORY_MB_MAX)),
            on_error: self.on_error(fields, path),
            retry_on_crash: self.boolean(fields, "retryOnCrash", path),
        }
    }

    fn on_error(&mut self, fields: Fields<'_>, path: &Path) -> Option<OnError> {
        let path = path.key("onError");
        match fields.get("onError")? {
            Value::String(text) if text == "fail" => return Some(OnError::Fail),
            Value::String(text) if text == "continue" => return Some(OnError::Continue),
            Value::String(text) => {
                let guess = did_you_mean(text, ["fail", "continue"]);
                let message = format!("must be \"fail\" or \"continue\".{guess}");
                self.problem(&path, Code::Value, message);
            }
            other => self.wrong_type(&path, "\"fail\" or \"continue\"", other),
        }
        None
    }
}

/// A number without a fraction, however it is written.
fn whole(number: &Number) -> Option<u64> {
    let of_float = |float: f64| {
        // Up to here every whole number is exact.
        let is_whole = float.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&float);
        is_whole.then_some(float as u64)
    };
    number.as_u64().or_else(|| of_float(number.as_f64()?))
}

fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
