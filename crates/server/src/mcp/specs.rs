//! The tools that are always there: their names, schemas and what they need.

use std::sync::Arc;

use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use stepwell_graph::graph_schema;

use crate::api::Scope;

/// A tool of ours.
pub struct Spec {
    pub name: &'static str,
    about: &'static str,
    pub scope: Scope,
    /// The properties of its input, and which of them are needed.
    input: fn() -> (Value, &'static [&'static str]),
    hint: Hint,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Reads,
    Adds,
    Changes,
}

impl Spec {
    pub fn tool(&self) -> Tool {
        let (properties, required) = (self.input)();
        let schema = json!({
            "type": "object", "properties": properties, "required": required, "additionalProperties": false,
        });
        let hints = match self.hint {
            Hint::Reads => ToolAnnotations::new().read_only(true),
            Hint::Adds => ToolAnnotations::new().read_only(false).destructive(false),
            Hint::Changes => ToolAnnotations::new().read_only(false).destructive(true),
        };
        Tool::new(self.name, self.about, object(schema)).with_annotations(hints.open_world(false))
    }
}

/// A JSON object, as rmcp wants it.
pub fn object(value: Value) -> Arc<Map<String, Value>> {
    match value {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

const ID: &str = "The id of the execution (a run).";

fn execution_id() -> (Value, &'static [&'static str]) {
    (json!({ "id": { "type": "string", "description": ID } }), &["id"])
}

fn workflow_id() -> (Value, &'static [&'static str]) {
    (json!({ "id": { "type": "string", "description": "The workflow's name." } }), &["id"])
}

fn graph() -> Value {
    let mut schema = graph_schema();
    if let Some(fields) = schema.as_object_mut() {
        // Its own place in a schema, where neither means anything.
        fields.remove("$schema");
        fields.remove("$id");
    }
    schema
}

/// What stands at `/mcp`.
pub const MAIN: &[Spec] = &[
    Spec {
        name: "COLLECTION_WORKFLOW_LIST",
        about: "List the workflows that can be started, of every dialect, with their input schemas and the tool that starts each.",
        scope: Scope::Read,
        input: || {
            let dialect = json!({ "type": "string", "description": "Only this dialect: code, sequence, flow or graph." });
            (json!({ "dialect": dialect }), &[])
        },
        hint: Hint::Reads,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_GET",
        about: "Get one workflow: its input schema, its plan, and for a graph its definition.",
        scope: Scope::Read,
        input: workflow_id,
        hint: Hint::Reads,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_CREATE",
        about: "Save a new graph workflow: steps that call tools or run code, wired by refs such as @lookup.id.",
        scope: Scope::Admin,
        input: || (json!({ "data": graph() }), &["data"]),
        hint: Hint::Adds,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_UPDATE",
        about: "Replace a graph workflow. Runs under way go on with the version that they began with.",
        scope: Scope::Admin,
        input: || (json!({ "id": { "type": "string" }, "data": graph() }), &["id", "data"]),
        hint: Hint::Changes,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_DELETE",
        about: "Remove a graph workflow: no more runs of it begin. Runs under way go on.",
        scope: Scope::Admin,
        input: workflow_id,
        hint: Hint::Changes,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_EXECUTION_LIST",
        about: "List executions (runs), newest first.",
        scope: Scope::Read,
        input: || {
            let properties = json!({
                "workflow_collection_id": { "type": "string", "description": "Only of this workflow." },
                "status": { "type": "string", "description": "Only these, separated by commas: pending, running, waiting, rolling_back, completed, failed, cancelled." },
                "limit": { "type": "integer", "minimum": 1, "maximum": 1000 },
                "cursor": { "type": "string", "description": "The next_cursor of the page before." },
            });
            (properties, &[])
        },
        hint: Hint::Reads,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_EXECUTION_GET",
        about: "Get one execution: status, output or error, its steps, and what it waits for. With wait_ms, wait for its end first.",
        scope: Scope::Read,
        input: || {
            let wait = json!({ "type": "integer", "minimum": 0, "maximum": 50000, "description": "How long to wait for its end, in milliseconds." });
            (json!({ "id": { "type": "string", "description": ID }, "wait_ms": wait }), &["id"])
        },
        hint: Hint::Reads,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_EXECUTION_CREATE",
        about: "Start a workflow of any dialect, by name. Answers at once with the execution's id.",
        scope: Scope::Launch,
        input: || {
            let properties = json!({
                "workflow_collection_id": { "type": "string", "description": "The workflow's name." },
                "input": { "description": "Its input; see the workflow's input schema." },
                "idempotency_key": { "type": "string", "description": "A second start with this key gives the first execution." },
                "start_at": { "type": "string", "format": "date-time", "description": "When it may begin; at once if left out." },
                "timeout_ms": { "type": "integer", "minimum": 1, "description": "How long it may take; past that it fails." },
            });
            (properties, &["workflow_collection_id"])
        },
        hint: Hint::Adds,
    },
    Spec {
        name: "COLLECTION_WORKFLOW_EXECUTION_GET_STEP_RESULT",
        about: "Get the whole result of one step of an execution.",
        scope: Scope::Read,
        input: || {
            let step = json!({ "type": "string", "description": "The step's name, or the location of an entry." });
            (
                json!({ "id": { "type": "string", "description": ID }, "step": step }),
                &["id", "step"],
            )
        },
        hint: Hint::Reads,
    },
    Spec {
        name: "CANCEL_EXECUTION",
        about: "Cancel an execution that has not ended.",
        scope: Scope::Launch,
        input: || {
            (
                json!({ "id": { "type": "string", "description": ID }, "reason": { "type": "string" } }),
                &["id"],
            )
        },
        hint: Hint::Changes,
    },
    Spec {
        name: "RESUME_EXECUTION",
        about: "Let an execution that failed or was cancelled go on: finished steps stay, the others are tried again.",
        scope: Scope::Launch,
        input: || {
            let timeout = json!({ "type": "integer", "minimum": 1, "description": "A new deadline, from now on." });
            (
                json!({ "id": { "type": "string", "description": ID }, "timeout_ms": timeout }),
                &["id"],
            )
        },
        hint: Hint::Changes,
    },
    Spec {
        name: "SEND_MESSAGE_TO_EXECUTION",
        about: "Send an execution a message that it listens for, such as an approval. COLLECTION_WORKFLOW_EXECUTION_GET says what it waits for.",
        scope: Scope::Launch,
        input: || {
            let properties = json!({
                "id": { "type": "string", "description": ID },
                "name": { "type": "string", "description": "The message's name." },
                "body": { "description": "Any JSON." },
            });
            (properties, &["id", "name"])
        },
        hint: Hint::Adds,
    },
    Spec {
        name: "WORKFLOW_EXECUTION_GET_WORKFLOW",
        about: "Get the workflow of an execution, in the version that it was started with.",
        scope: Scope::Read,
        input: execution_id,
        hint: Hint::Reads,
    },
    Spec {
        name: "RECORDING_START",
        about: "Begin a recording. Connect to the MCP endpoint that it answers with, and use tools there: each call becomes a step of a workflow that can be saved and run again without you.",
        scope: Scope::Launch,
        input: || {
            let properties = json!({
                "title": { "type": "string" },
                "description": { "type": "string", "description": "What the workflow is for." },
            });
            (properties, &[])
        },
        hint: Hint::Adds,
    },
    Spec {
        name: "RECORDING_LIST",
        about: "List recordings, newest first.",
        scope: Scope::Read,
        input: || {
            let properties = json!({
                "limit": { "type": "integer", "minimum": 1, "maximum": 1000 },
                "cursor": { "type": "string" },
            });
            (properties, &[])
        },
        hint: Hint::Reads,
    },
];

/// What stands at a recording's endpoint beside the upstream tools, and at `/mcp` with a `recording_id`.
pub const RECORDING: &[Spec] = &[
    Spec {
        name: "RECORDING_STEPS",
        about: "List what has been recorded so far: steps with their inputs, outputs and errors, and the named inputs.",
        scope: Scope::Read,
        input: || (json!({}), &[]),
        hint: Hint::Reads,
    },
    Spec {
        name: "RECORDING_PRESET",
        about: "Record a result without calling a tool: data that you have already. Refer to it as @<step>.",
        scope: Scope::Launch,
        input: || {
            let properties = json!({
                "name": { "type": "string", "description": "What the step is called; made up if left out." },
                "tool": { "type": "string", "description": "The tool that the saved workflow calls for it; a plain value if left out." },
                "server": { "type": "string" },
                "input": { "type": "object", "description": "What the saved workflow calls the tool with." },
                "output": { "description": "The result: any JSON." },
            });
            (properties, &["output"])
        },
        hint: Hint::Adds,
    },
    Spec {
        name: "RECORDING_DROP_STEP",
        about: "Take a step out of the recording. Steps that refer to it have to go first.",
        scope: Scope::Launch,
        input: || (json!({ "step": { "type": "string" } }), &["step"]),
        hint: Hint::Changes,
    },
    Spec {
        name: "RECORDING_NAME_INPUT",
        about: "Name an input of the workflow and say what it is while recording. Refer to it as @input.<name>.",
        scope: Scope::Launch,
        input: || {
            let properties = json!({
                "name": { "type": "string", "description": "An identifier, such as user_id." },
                "value": { "description": "Any JSON." },
                "description": { "type": "string" },
            });
            (properties, &["name", "value"])
        },
        hint: Hint::Adds,
    },
    Spec {
        name: "RECORDING_PROPOSE_REFS",
        about: "List literals of recorded inputs that equal earlier outputs or named inputs, with the refs that could stand in their place.",
        scope: Scope::Read,
        input: || (json!({}), &[]),
        hint: Hint::Reads,
    },
    Spec {
        name: "RECORDING_PLACE_REF",
        about: "Make a literal of a recorded input a ref that has the same value.",
        scope: Scope::Launch,
        input: || {
            let properties = json!({
                "step": { "type": "string" },
                "pointer": { "type": "string", "description": "Where in the step's input, as a JSON pointer." },
                "ref": { "type": "string", "description": "Such as @get_user_1.id." },
            });
            (properties, &["step", "pointer", "ref"])
        },
        hint: Hint::Changes,
    },
    Spec {
        name: "RECORDING_FINISH",
        about: "End the recording: it takes no more calls. It can be saved before and after.",
        scope: Scope::Launch,
        input: || (json!({}), &[]),
        hint: Hint::Changes,
    },
    Spec {
        name: "RECORDING_SAVE",
        about: "Save what was recorded as a workflow. Failed calls are left out. Start it with COLLECTION_WORKFLOW_EXECUTION_CREATE.",
        scope: Scope::Admin,
        input: || {
            let properties = json!({
                "workflow": { "type": "string", "description": "The name of the workflow." },
                "replace": { "type": "boolean", "description": "Whether a graph of this name may be replaced." },
            });
            (properties, &["workflow"])
        },
        hint: Hint::Adds,
    },
];

/// Those of [`MAIN`] that a recording's endpoint has, too: to run what was saved.
pub const ALSO_RECORDING: &[&str] =
    &["COLLECTION_WORKFLOW_EXECUTION_CREATE", "COLLECTION_WORKFLOW_EXECUTION_GET"];
