//! Tools about executions: runs, in the words of collections.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use stepwell_graph::step_views;
use stepwell_store::RunRow;

use super::answer::{arguments, wire};
use super::desk::{Desk, ToolCall};
use crate::access::{Launcher, Reader};
use crate::api::{CancelRun, ResumeRun, SendMessage, StartRun, Timestamp};
use crate::extract::{JsonBody, OptionalBody, Params};
use crate::problem::{Code, Problem};
use crate::routes::{run, runs, steering};

/// The longest that one call waits for the end of a run: clients give up after a minute.
pub const WAIT_MS_MAX: u64 = 50_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    workflow_collection_id: Option<String>,
    status: Option<String>,
    limit: Option<u16>,
    cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    id: String,
    wait_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    workflow_collection_id: String,
    #[serde(default)]
    input: Value,
    idempotency_key: Option<String>,
    start_at: Option<Timestamp>,
    timeout_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepOf {
    id: String,
    step: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cancel {
    id: String,
    reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Resume {
    id: String,
    timeout_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    id: String,
    name: String,
    #[serde(default)]
    body: Value,
}

impl Desk {
    pub async fn list_runs(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let List { workflow_collection_id, status, limit, cursor } = arguments(&self.app, given)?;
        let pairs = [
            ("workflow", workflow_collection_id),
            ("status", status),
            ("limit", limit.map(|limit| limit.to_string())),
            ("cursor", cursor),
        ];
        let given = |(name, value): (&str, Option<String>)| Some((name.to_owned(), value?));
        let params = Params::of(pairs.into_iter().filter_map(given).collect());
        let (app, access) = (State(self.app.clone()), Reader(self.access.clone()));
        let Json(list) = runs::list(app, access, params).await?;
        let items: Vec<Value> = list.runs.iter().map(|run| execution(wire(run))).collect();
        Ok(json!({ "items": items, "next_cursor": list.next_cursor }))
    }

    pub async fn get_run(&self, call: ToolCall) -> Result<Value, Problem> {
        let Get { id, wait_ms } = arguments(&self.app, &call.arguments)?;
        let row = self.app.row(&self.access.namespace, &id).await?;
        if let Some(wait_ms) = wait_ms {
            if wait_ms > WAIT_MS_MAX {
                let said = format!("{wait_ms} is more than {WAIT_MS_MAX}: wait several times");
                return Err(Problem::field("wait_ms", said));
            }
            self.watch(row.run, wait_ms, self.app.engine.position(), &call.context).await?;
        }
        Ok(json!({ "item": self.execution(&id).await? }))
    }

    /// A run with its steps.
    pub async fn execution(&self, id: &str) -> Result<Value, Problem> {
        let (app, access) = (State(self.app.clone()), Reader(self.access.clone()));
        let Json(detail) = run::get(app, access, Path(id.to_owned()), no_params()).await?;
        let mut item = execution(wire(&detail));
        let row = self.app.row(&self.access.namespace, id).await?;
        if let Some(steps) = self.steps(&row).await?
            && let Some(fields) = item.as_object_mut()
        {
            // The steps say the same in the words of the graph.
            fields.remove("entries");
            fields.insert("steps".to_owned(), steps);
        }
        Ok(item)
    }

    /// The steps of a graph's run; none for other dialects.
    async fn steps(&self, row: &RunRow) -> Result<Option<Value>, Problem> {
        let graph = self.app.graphs.version(&row.namespace, &row.workflow, &row.version).await?;
        let Some(graph) = graph else { return Ok(None) };
        let view = self.app.engine.handle(row).state().await?;
        Ok(Some(wire(&step_views(&graph, &view.state))))
    }

    pub async fn create_run(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Create { workflow_collection_id, input, idempotency_key, start_at, timeout_ms } =
            arguments(&self.app, given)?;
        let wish = StartRun {
            input: input.into(),
            idempotency_key,
            start_at,
            deadline_ms: timeout_ms,
            ..StartRun::default()
        };
        let (namespace, name) = (&self.access.namespace, &workflow_collection_id);
        let started = runs::launch(&self.app, namespace, name, &HeaderMap::new(), &wish).await?;
        Ok(json!({ "item": execution(wire(&started)) }))
    }

    pub async fn get_step(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let StepOf { id, step } = arguments(&self.app, given)?;
        let row = self.app.row(&self.access.namespace, &id).await?;
        if let Some(Value::Array(steps)) = self.steps(&row).await? {
            let found = steps.into_iter().find(|one| one["name"] == step.as_str());
            return match found {
                Some(found) => Ok(json!({ "step": found })),
                None => {
                    let step = crate::extract::short(&step);
                    Err(Problem::new(Code::UnknownEntry, format!("the graph has no step `{step}`")))
                }
            };
        }
        let params = Params::of(vec![("location".to_owned(), step)]);
        let (app, access) = (State(self.app.clone()), Reader(self.access.clone()));
        let Json(entry) = run::entries(app, access, Path(id), params).await?;
        Ok(json!({ "step": wire(&entry) }))
    }

    pub async fn cancel_run(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Cancel { id, reason } = arguments(&self.app, given)?;
        let (app, access) = self.launcher();
        let wish = OptionalBody(CancelRun { reason });
        let (_, Json(done)) = steering::cancel(app, access, Path(id), no_params(), wish).await?;
        Ok(json!({ "item": execution(wire(&done)) }))
    }

    pub async fn resume_run(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Resume { id, timeout_ms } = arguments(&self.app, given)?;
        let (app, access) = self.launcher();
        let wish = OptionalBody(ResumeRun { deadline_ms: timeout_ms });
        let (_, Json(done)) = steering::resume(app, access, Path(id), no_params(), wish).await?;
        Ok(json!({ "item": execution(wire(&done)) }))
    }

    pub async fn send_message(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Message { id, name, body } = arguments(&self.app, given)?;
        let (app, access) = self.launcher();
        let wish = SendMessage { name, body: body.into(), key: None, answer_within_ms: None };
        let (_, Json(sent)) =
            steering::send(app, access, Path(id), no_params(), JsonBody(wish)).await?;
        Ok(wire(&sent))
    }

    fn launcher(&self) -> (State<crate::app::App>, Launcher) {
        (State(self.app.clone()), Launcher(self.access.clone()))
    }
}

fn no_params() -> Params {
    Params::of(Vec::new())
}

/// A view of a run with the names that collections have for its id and its workflow.
fn execution(mut view: Value) -> Value {
    if let Some(fields) = view.as_object_mut() {
        for (from, to) in [("run_id", "id"), ("workflow", "workflow_collection_id")] {
            if let Some(value) = fields.get(from).cloned() {
                fields.insert(to.to_owned(), value);
            }
        }
    }
    view
}
