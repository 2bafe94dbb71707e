//! A tool for each workflow: `START_WORKFLOW_<NAME>`.

use axum::http::HeaderMap;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use stepwell_journal::RunId;
use stepwell_kernel::Workflow;

use super::desk::{Desk, ToolCall};
use super::runs::WAIT_MS_MAX;
use super::specs::object;
use crate::api::StartRun;
use crate::problem::{Problem, internal};
use crate::routes::runs;

const PREFIX: &str = "START_WORKFLOW_";

/// The longest name that clients take for a tool.
const TOOL_NAME_BYTES_MAX: usize = 64;

/// How many characters of a hash tell names apart that would be the same.
const HASH_CHARS: usize = 6;

pub fn tools(workflows: &[Workflow]) -> Vec<Tool> {
    workflows.iter().map(|workflow| tool(workflow, workflows)).collect()
}

pub fn workflow_of<'w>(tool: &str, workflows: &'w [Workflow]) -> Option<&'w Workflow> {
    if !tool.starts_with(PREFIX) {
        return None;
    }
    workflows.iter().find(|workflow| tool_name(workflow.name(), workflows) == tool)
}

/// The workflow's name in the letters that tools may have; with a hash where two would be the same.
pub fn tool_name(name: &str, workflows: &[Workflow]) -> String {
    let plain = plain_name(name);
    let is_alone =
        workflows.iter().all(|other| other.name() == name || plain_name(other.name()) != plain);
    if is_alone && plain.len() <= TOOL_NAME_BYTES_MAX {
        return plain;
    }
    let hash: String =
        Sha256::digest(name.as_bytes()).iter().map(|byte| format!("{byte:02X}")).collect();
    let kept = plain.len().min(TOOL_NAME_BYTES_MAX - HASH_CHARS - 1);
    format!("{}_{}", &plain[..kept], &hash[..HASH_CHARS])
}

fn plain_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    format!("{PREFIX}{}", name.chars().map(letter).collect::<String>())
}

fn tool(workflow: &Workflow, workflows: &[Workflow]) -> Tool {
    let mut about = format!("Start the workflow `{}`", workflow.name());
    for text in [workflow.title(), workflow.description()].into_iter().flatten() {
        about.push_str(": ");
        about.push_str(text);
    }
    about.push_str(". Waits for its end for a while; if it goes on, look at it with COLLECTION_WORKFLOW_EXECUTION_GET.");
    let hints = ToolAnnotations::new().read_only(false).destructive(true);
    Tool::new(tool_name(workflow.name(), workflows), about, object(input_schema(workflow)))
        .with_annotations(hints)
}

/// An input that is an object is the tool's own; any other goes into a field `input`.
fn input_schema(workflow: &Workflow) -> Value {
    match workflow.input_schema() {
        Some(schema) if is_object(schema) => {
            let mut schema = schema.clone();
            schema["type"] = Value::from("object");
            schema
        }
        schema => {
            let inner = schema.cloned().unwrap_or_else(|| json!({}));
            json!({ "type": "object", "properties": { "input": inner } })
        }
    }
}

fn is_object(schema: &Value) -> bool {
    match schema.get("type") {
        Some(kind) => kind == "object",
        None => schema.get("properties").is_some_and(Value::is_object),
    }
}

fn input_of(workflow: &Workflow, mut arguments: Map<String, Value>) -> Value {
    match workflow.input_schema() {
        Some(schema) if is_object(schema) => Value::Object(arguments),
        _ => arguments.remove("input").unwrap_or_default(),
    }
}

impl Desk {
    pub async fn start(&self, workflow: &Workflow, call: ToolCall) -> Result<Value, Problem> {
        let input = input_of(workflow, call.arguments);
        let wish = StartRun { input: input.into(), ..StartRun::default() };
        let (namespace, name) = (&self.access.namespace, workflow.name());
        let since = self.app.engine.position();
        let started = runs::launch(&self.app, namespace, name, &HeaderMap::new(), &wish).await?;
        let run: RunId = started.run_id.parse().map_err(|_| internal("a run has no id"))?;
        self.watch(run, WAIT_MS_MAX, since, &call.context).await?;
        self.execution(&started.run_id).await
    }
}

#[cfg(test)]
mod tests {
    use stepwell_kernel::{Ctx, Error, workflow};

    use super::*;

    fn named(name: &str) -> Workflow {
        workflow(name, |_: Ctx, n: u32| async move { Ok::<_, Error>(n) })
    }

    #[test]
    fn every_workflow_has_a_tool_of_its_own() {
        let long = "x".repeat(100);
        let all: Vec<Workflow> =
            ["send mail", "send-mail", "plain", &long].iter().map(|name| named(name)).collect();
        let names: Vec<String> = all.iter().map(|one| tool_name(one.name(), &all)).collect();
        assert_eq!(names[2], "START_WORKFLOW_PLAIN");
        assert_ne!(names[0], names[1]);
        for (name, workflow) in names.iter().zip(&all) {
            assert!(name.len() <= TOOL_NAME_BYTES_MAX, "{name}");
            assert_eq!(workflow_of(name, &all).unwrap().name(), workflow.name());
        }
        assert!(workflow_of("PLAIN", &all).is_none());
    }

    #[test]
    fn an_input_that_is_no_object_has_a_field_for_itself() {
        let number = named("n");
        assert_eq!(input_schema(&number)["properties"]["input"]["type"], "integer");
        let given = Map::from_iter([("input".to_owned(), json!(3))]);
        assert_eq!(input_of(&number, given), json!(3));
        let object = named("o").with_input_schema(json!({ "properties": { "a": {} } }));
        assert_eq!(input_schema(&object)["type"], "object");
        let given = Map::from_iter([("a".to_owned(), json!(3))]);
        assert_eq!(input_of(&object, given), json!({ "a": 3 }));
    }
}
