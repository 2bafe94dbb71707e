//! Where a request's tools are found and called.

use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value};
use stepwell_journal::RunId;

use super::specs::{ALSO_RECORDING, MAIN, RECORDING, Spec};
use super::{answer, start};
use crate::access::Access;
use crate::api::Scope;
use crate::app::App;
use crate::problem::{Code, Problem};

const MAIN_INSTRUCTIONS: &str = "Stepwell runs durable workflows. Find them with COLLECTION_WORKFLOW_LIST, or start one with \
its START_WORKFLOW_ tool; look at a run with COLLECTION_WORKFLOW_EXECUTION_GET, and answer what it waits for with \
SEND_MESSAGE_TO_EXECUTION. To make a workflow of what you do, call RECORDING_START and use tools at the endpoint that it \
answers with.";

const RECORDING_INSTRUCTIONS: &str = "Every tool call here is recorded as a step of a workflow, and its result says which: \
get_user_1. When a value comes from an earlier result, write it as a ref, such as \"@get_user_1.id\", in place of the value: \
it is resolved before the tool is called. Values that change from run to run are inputs: name them with \
RECORDING_NAME_INPUT and write \"@input.user_id\". RECORDING_PROPOSE_REFS finds literals that you forgot. \
RECORDING_SAVE makes a workflow of it.";

/// One request's view of the server: for whom, and at which endpoint.
#[derive(Clone)]
pub struct Desk {
    pub app: App,
    pub access: Access,
    pub place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Main,
    /// At the endpoint of this recording.
    Recording(RunId),
}

/// A call of one of our tools.
pub struct ToolCall {
    pub name: String,
    pub arguments: Map<String, Value>,
    pub context: RequestContext<RoleServer>,
}

impl Desk {
    fn specs(&self) -> Vec<&'static Spec> {
        let also = |spec: &&Spec| ALSO_RECORDING.contains(&spec.name);
        match self.place {
            Place::Main => MAIN.iter().chain(RECORDING).collect(),
            Place::Recording(_) => RECORDING.iter().chain(MAIN.iter().filter(also)).collect(),
        }
    }

    async fn tools(&self) -> Vec<Tool> {
        let allowed = |spec: &&&Spec| self.access.scope >= spec.scope;
        let specs = self.specs();
        let mut tools: Vec<Tool> =
            specs.iter().filter(allowed).map(|spec| self.tool_of(spec)).collect();
        match self.place {
            Place::Main if self.access.scope >= Scope::Launch => {
                tools.extend(start::tools(&self.app.workflows_in(&self.access.namespace)));
            }
            Place::Recording(_) => tools.extend(self.upstream_tools().await),
            Place::Main => {}
        }
        tools
    }

    /// At `/mcp` the tools of a recording are told which one.
    fn tool_of(&self, spec: &Spec) -> Tool {
        let mut tool = spec.tool();
        let is_recordings = RECORDING.iter().any(|other| other.name == spec.name);
        if self.place == Place::Main && is_recordings {
            let mut schema = (*tool.input_schema).clone();
            if let Some(Value::Object(properties)) = schema.get_mut("properties") {
                let about =
                    serde_json::json!({ "type": "string", "description": "The recording's id." });
                properties.insert("recording_id".to_owned(), about);
            }
            if let Some(Value::Array(required)) = schema.get_mut("required") {
                required.push(Value::from("recording_id"));
            }
            tool.input_schema = schema.into();
        }
        tool
    }

    async fn call(&self, call: ToolCall) -> Result<CallToolResult, ErrorData> {
        if let Some(spec) = self.specs().iter().find(|spec| spec.name == call.name) {
            if self.access.scope < spec.scope {
                return Ok(answer::problem(&self.too_small(spec.scope)));
            }
            let called = match RECORDING.iter().any(|other| other.name == spec.name) {
                true => self.call_recorder(&call).await,
                false => self.call_main(call).await,
            };
            return Ok(called.map_or_else(|problem| answer::problem(&problem), answer::result));
        }
        match self.place {
            Place::Main => {
                let workflows = self.app.workflows_in(&self.access.namespace);
                let Some(workflow) = start::workflow_of(&call.name, &workflows) else {
                    return Err(unknown(&call.name));
                };
                if self.access.scope < Scope::Launch {
                    return Ok(answer::problem(&self.too_small(Scope::Launch)));
                }
                let started = self.start(workflow, call).await;
                Ok(started.map_or_else(|problem| answer::problem(&problem), answer::result))
            }
            Place::Recording(run) => {
                if self.access.scope < Scope::Launch {
                    return Ok(answer::problem(&self.too_small(Scope::Launch)));
                }
                self.call_upstream(run, call).await
            }
        }
    }

    async fn call_main(&self, call: ToolCall) -> Result<Value, Problem> {
        match call.name.as_str() {
            "COLLECTION_WORKFLOW_LIST" => self.list_workflows(&call.arguments),
            "COLLECTION_WORKFLOW_GET" => self.get_workflow(&call.arguments).await,
            "COLLECTION_WORKFLOW_CREATE" => self.create_workflow(&call.arguments).await,
            "COLLECTION_WORKFLOW_UPDATE" => self.update_workflow(&call.arguments).await,
            "COLLECTION_WORKFLOW_DELETE" => self.delete_workflow(&call.arguments).await,
            "COLLECTION_WORKFLOW_EXECUTION_LIST" => self.list_runs(&call.arguments).await,
            "COLLECTION_WORKFLOW_EXECUTION_GET" => self.get_run(call).await,
            "COLLECTION_WORKFLOW_EXECUTION_CREATE" => self.create_run(&call.arguments).await,
            "COLLECTION_WORKFLOW_EXECUTION_GET_STEP_RESULT" => self.get_step(&call.arguments).await,
            "CANCEL_EXECUTION" => self.cancel_run(&call.arguments).await,
            "RESUME_EXECUTION" => self.resume_run(&call.arguments).await,
            "SEND_MESSAGE_TO_EXECUTION" => self.send_message(&call.arguments).await,
            "WORKFLOW_EXECUTION_GET_WORKFLOW" => self.get_workflow_of(&call.arguments).await,
            "RECORDING_START" => self.start_recording(&call).await,
            "RECORDING_LIST" => self.list_recordings(&call.arguments).await,
            other => Err(Problem::new(Code::Internal, format!("`{other}` has no code"))),
        }
    }

    /// Workflows have tools, also those that another node has saved. Without the store, those that are known do.
    async fn see_all_graphs(&self) {
        if let Err(problem) = self.app.graphs.refresh().await {
            tracing::warn!(
                problem = problem.detail,
                "graphs of other nodes could not be looked for"
            );
        }
    }

    fn too_small(&self, needed: Scope) -> Problem {
        let (has, needs) = (self.access.scope.as_str(), needed.as_str());
        let detail = format!("this needs scope `{needs}`, and the token has `{has}`");
        Problem::new(Code::ScopeTooSmall, detail)
    }
}

impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        let instructions = match self.place {
            Place::Main => MAIN_INSTRUCTIONS,
            Place::Recording(_) => RECORDING_INSTRUCTIONS,
        };
        let us = Implementation::new("stepwell", env!("CARGO_PKG_VERSION")).with_title("Stepwell");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(us)
            .with_instructions(instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.see_all_graphs().await;
        Ok(ListToolsResult::with_all_items(self.tools().await))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = ToolCall {
            name: request.name.to_string(),
            arguments: request.arguments.unwrap_or_default(),
            context,
        };
        self.see_all_graphs().await;
        self.call(call).await.map(CallToolResponse::Complete)
    }
}

pub fn unknown(name: &str) -> ErrorData {
    let name = crate::extract::short(name);
    ErrorData::invalid_params(format!("there is no tool `{name}`: see tools/list"), None)
}
