//! Tools about definitions.

use axum::Json;
use axum::extract::{Path, State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::answer::{arguments, wire};
use super::desk::Desk;
use super::start::tool_name;
use crate::access::Reader;
use crate::api::WorkflowView;
use crate::extract::Params;
use crate::graphs::Put;
use crate::problem::Problem;
use crate::routes::workflows;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Filter {
    dialect: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ById {
    pub id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    data: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    id: String,
    data: Value,
}

impl Desk {
    pub fn list_workflows(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let filter: Filter = arguments(&self.app, given)?;
        let workflows = self.app.workflows_in(&self.access.namespace);
        let items: Vec<Value> = workflows
            .iter()
            .filter(|workflow| {
                filter.dialect.as_deref().is_none_or(|dialect| dialect == workflow.dialect())
            })
            .map(|workflow| {
                json!({
                    "id": workflow.name(),
                    "dialect": workflow.dialect(),
                    "version": workflow.version(),
                    "title": workflow.title(),
                    "description": workflow.description(),
                    "input_schema": workflow.input_schema(),
                    "start_tool": tool_name(workflow.name(), &workflows),
                })
            })
            .collect();
        Ok(json!({ "items": items }))
    }

    pub async fn get_workflow(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let ById { id } = arguments(&self.app, given)?;
        let (app, access) = (State(self.app.clone()), Reader(self.access.clone()));
        let Json(view) = workflows::get(app, access, Path(id), Params::of(Vec::new())).await?;
        Ok(json!({ "item": item(&view) }))
    }

    pub async fn create_workflow(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Create { data } = arguments(&self.app, given)?;
        let id = data["id"].as_str().unwrap_or_default().to_owned();
        self.put_workflow(&id, &data, Put::New).await
    }

    pub async fn update_workflow(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let Update { id, data } = arguments(&self.app, given)?;
        self.put_workflow(&id, &data, Put::Known).await
    }

    async fn put_workflow(&self, id: &str, data: &Value, put: Put) -> Result<Value, Problem> {
        let saved = self.app.graphs.put(&self.access.namespace, id, data, put).await?;
        let view = WorkflowView::with_definition(&saved.workflow, Some(data.clone()));
        Ok(json!({ "item": item(&view) }))
    }

    pub async fn delete_workflow(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let ById { id } = arguments(&self.app, given)?;
        self.app.graphs.delete(&self.access.namespace, &id).await?;
        Ok(json!({ "item": { "id": id } }))
    }

    pub async fn get_workflow_of(&self, given: &Map<String, Value>) -> Result<Value, Problem> {
        let ById { id } = arguments(&self.app, given)?;
        let row = self.app.row(&self.access.namespace, &id).await?;
        let (namespace, name) = (&row.namespace, &row.workflow);
        let workflow = self.app.engine.workflow(namespace, name);
        let item = json!({
            "id": name,
            "version": row.version,
            "dialect": workflow.as_ref().map(|workflow| workflow.dialect()),
            "description": workflow.as_ref().and_then(|workflow| workflow.description()),
            "input_schema": workflow.as_ref().and_then(|workflow| workflow.input_schema()),
            "definition": self.app.graphs.definition(namespace, name, &row.version).await?,
        });
        Ok(json!({ "item": item }))
    }
}

/// The view with the name that collections have for it.
fn item(view: &WorkflowView) -> Value {
    let mut item = wire(view);
    if let Some(fields) = item.as_object_mut() {
        fields.insert("id".to_owned(), Value::from(view.name.as_str()));
    }
    item
}
