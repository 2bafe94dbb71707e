//! Tools of recordings: those that steer one, and the upstream tools that are called through it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::request::Parts;
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResultType, Tool, ToolAnnotations};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use stepwell_journal::RunId;
use stepwell_mcp::ToolInfo;
use stepwell_mcp::recording::{Command, RecordingInput, proposals, widened};
use stepwell_store::RunRow;

use super::answer::{arguments, problem, wire};
use super::desk::{Desk, Place, ToolCall, unknown};
use super::specs::{ALSO_RECORDING, RECORDING, object};
use super::start::tool_name;
use crate::access::Reader;
use crate::api::{PlaceRef, RecordPreset, SaveRecording};
use crate::extract::Params;
use crate::graphs::Put;
use crate::problem::{Code, Problem};
use crate::recordings::RecordedCall;
use crate::routes::recordings;

/// Where a result says which step it became.
const STEP_META: &str = "stepwell/step";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    limit: Option<u16>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DropStep {
    step: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NameInput {
    name: String,
    value: Value,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Desk {
    pub async fn start_recording(&self, call: &ToolCall) -> Result<Value, Problem> {
        let input: RecordingInput = arguments(&self.app, &call.arguments)?;
        let namespace = &self.access.namespace;
        let run = self.app.start_recording(namespace, input, BTreeMap::new()).await?;
        let path = format!("/mcp/recordings/{}", run.id());
        let host = call.context.extensions.get::<Parts>().and_then(|parts| {
            let host = parts.headers.get(axum::http::header::HOST)?.to_str().ok()?;
            let scheme =
                parts.headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
            Some(format!(
                "{}://{host}",
                scheme.filter(|scheme| *scheme == "https").unwrap_or("http")
            ))
        });
        Ok(json!({
            "recording_id": run.id().to_string(),
            "endpoint": path,
            "url": host.map(|host| format!("{host}{path}")),
            "stdio": format!("stepwell mcp --recording {}", run.id()),
        }))
    }

    pub async fn list_recordings(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Page { limit, cursor } = arguments(&self.app, given)?;
        let pairs = [("limit", limit.map(|limit| limit.to_string())), ("cursor", cursor)];
        let given = |(name, value): (&str, Option<String>)| Some((name.to_owned(), value?));
        let params = Params::of(pairs.into_iter().filter_map(given).collect());
        let (app, access) = (State(self.app.clone()), Reader(self.access.clone()));
        let Json(list) = recordings::list(app, access, params).await?;
        Ok(json!({ "items": wire(&list.recordings), "next_cursor": list.next_cursor }))
    }

    /// One of the tools that steer a recording.
    pub async fn call_recorder(&self, call: &ToolCall) -> Result<Value, Problem> {
        let mut given = call.arguments.clone();
        let row = self.recording_of(&mut given).await?;
        let app = &self.app;
        match call.name.as_str() {
            "RECORDING_STEPS" => {
                let Nothing {} = arguments(app, &given)?;
                self.recorded(&row).await
            }
            "RECORDING_PRESET" => {
                let RecordPreset { name, tool, server, input, output } = arguments(app, &given)?;
                let command = Command::Preset { name, tool, server, input, output };
                let RecordedCall { step, .. } = app.record_call(&row, command).await?;
                Ok(json!({ "step": step, "ref": format!("@{step}") }))
            }
            "RECORDING_DROP_STEP" => {
                let DropStep { step } = arguments(app, &given)?;
                self.obey(&row, Command::Drop { step }).await
            }
            "RECORDING_NAME_INPUT" => {
                let NameInput { name, value, description } = arguments(app, &given)?;
                let command = Command::NameInput { name: name.clone(), value, description };
                app.command(&row, &command).await?;
                Ok(json!({ "input": name, "ref": format!("@input.{name}") }))
            }
            "RECORDING_PROPOSE_REFS" => {
                let Nothing {} = arguments(app, &given)?;
                let recording = app.recording(&row).await?;
                Ok(json!({ "proposals": wire(&proposals(&recording)) }))
            }
            "RECORDING_PLACE_REF" => {
                let PlaceRef { step, pointer, written } = arguments(app, &given)?;
                self.obey(&row, Command::PlaceRef { step, pointer, written }).await
            }
            "RECORDING_FINISH" => {
                let Nothing {} = arguments(app, &given)?;
                self.obey(&row, Command::Finish).await
            }
            "RECORDING_SAVE" => self.save(&row, arguments(app, &given)?).await,
            other => Err(Problem::new(Code::Internal, format!("`{other}` has no code"))),
        }
    }

    async fn obey(&self, row: &RunRow, command: Command) -> Result<Value, Problem> {
        self.app.command(row, &command).await?;
        self.recorded(row).await
    }

    async fn recorded(&self, row: &RunRow) -> Result<Value, Problem> {
        let id = row.run.to_string();
        Ok(wire(&recordings::view(&self.app, &self.access.namespace, &id).await?))
    }

    async fn save(&self, row: &RunRow, wish: SaveRecording) -> Result<Value, Problem> {
        let put = if wish.replace { Put::Either } else { Put::New };
        let saved = self.app.save_recording(row, &wish.workflow, put).await?;
        let workflow = saved.workflow;
        let workflows = self.app.workflows_in(&self.access.namespace);
        let definition =
            self.app.graphs.definition(&row.namespace, workflow.name(), workflow.version()).await?;
        Ok(json!({
            "workflow": workflow.name(),
            "version": workflow.version(),
            "start_tool": tool_name(workflow.name(), &workflows),
            "input_schema": workflow.input_schema(),
            "definition": definition,
        }))
    }

    /// The recording that a call is about: the endpoint's own, or the one that it names.
    async fn recording_of(&self, given: &mut Map<String, Value>) -> Result<RunRow, Problem> {
        let id = match self.place {
            Place::Recording(run) => run.to_string(),
            Place::Main => match given.remove("recording_id") {
                Some(Value::String(id)) => id,
                _ => {
                    return Err(Problem::field(
                        "recording_id",
                        "name a recording: RECORDING_LIST lists them",
                    ));
                }
            },
        };
        self.app.recording_row(&self.access.namespace, &id).await
    }

    /// The upstream tools, by the names that they have at a recording's endpoint.
    async fn upstream(&self) -> BTreeMap<String, Arc<ToolInfo>> {
        let listed = self.app.tools.list().await;
        let all: Vec<Arc<ToolInfo>> =
            listed.into_iter().filter_map(|one| one.tools.ok()).flatten().collect();
        let is_ours = |name: &str| {
            ALSO_RECORDING.contains(&name) || RECORDING.iter().any(|spec| spec.name == name)
        };
        let mut named = BTreeMap::new();
        for tool in &all {
            let is_alone = all.iter().filter(|other| other.name == tool.name).count() == 1;
            let name = match is_alone && !is_ours(&tool.name) {
                true => tool.name.clone(),
                false => format!("{}__{}", tool.server, tool.name),
            };
            named.insert(name, Arc::clone(tool));
        }
        named
    }

    pub async fn upstream_tools(&self) -> Vec<Tool> {
        let tool = |(name, info): (String, Arc<ToolInfo>)| {
            let schema = object(widened(&info.input_schema));
            let about = info.description.clone().map(Into::into);
            let mut tool = Tool::new_with_raw(name, about, schema);
            tool.title = info.title.clone();
            let hints = info.annotations.clone();
            tool.annotations =
                hints.and_then(|hints| serde_json::from_value::<ToolAnnotations>(hints).ok());
            tool.output_schema = info.output_schema.clone().map(object);
            tool
        };
        self.upstream().await.into_iter().map(tool).collect()
    }

    /// Calls an upstream tool as a step of the recording.
    pub async fn call_upstream(
        &self,
        run: RunId,
        call: ToolCall,
    ) -> Result<CallToolResult, ErrorData> {
        let Some(tool) = self.upstream().await.remove(&call.name) else {
            return Err(unknown(&call.name));
        };
        let called = async {
            let row = self.app.recording_row(&self.access.namespace, &run.to_string()).await?;
            let _place = self.app.reader()?;
            let command = Command::Call {
                tool: tool.name.clone(),
                server: Some(tool.server.clone()),
                input: Value::Object(call.arguments),
                timeout_ms: None,
            };
            self.app.record_call(&row, command).await
        };
        Ok(called.await.map_or_else(|refused| problem(&refused), marked))
    }
}

/// The tool's answer, unchanged but for the step's name.
fn marked(called: RecordedCall) -> CallToolResult {
    let RecordedCall { step, answer, is_error } = called;
    let mut result: CallToolResult = serde_json::from_value(answer).unwrap_or_default();
    let said = match is_error {
        true => format!("[recorded as the failed step {step}]"),
        false => format!("[recorded as step {step}: refer to its output as @{step}]"),
    };
    result.content.push(ContentBlock::text(said));
    result.meta.get_or_insert_with(MetaObject::new).insert(STEP_META.to_owned(), Value::from(step));
    result.is_error = Some(is_error);
    // The latest protocol wants it said; older clients do not get it.
    result.result_type = Some(ResultType::COMPLETE);
    result
}
