//! Steps of the catalog, plans and flows.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Timestamp;

/// A step of the catalog.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StepView {
    pub id: String,
    /// A hash of the definition: the same for the same content, however it was written.
    pub version: String,
    /// In its canonical form, without what stands at its default.
    #[schema(value_type = Object)]
    pub definition: Value,
    pub health: HealthView,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct HealthView {
    /// `unknown`, `healthy` or `unhealthy`.
    pub status: String,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StepList {
    pub steps: Vec<StepView>,
    pub next_cursor: Option<String>,
}

/// A change of the catalog.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StepChanged {
    /// The step as it is now; null if it was removed.
    pub step: Option<StepView>,
    /// False if it was like that before.
    pub changed: bool,
    /// Which steps get an attribute from one provider less than before.
    pub lost: Vec<LostProviderView>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct LostProviderView {
    pub step: String,
    pub attribute: String,
    /// Those that are left.
    pub providers: Vec<String>,
}

/// Steps and attributes as nodes and edges, for drawing.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StepGraph {
    #[schema(value_type = Vec<Object>)]
    pub nodes: Value,
    #[schema(value_type = Vec<Object>)]
    pub edges: Value,
}

/// One event of a catalog's journal.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CatalogEventView {
    pub seq: u64,
    pub timestamp: Timestamp,
    /// `step_registered`, `step_updated`, `step_removed` or `step_health_changed`.
    #[serde(rename = "type")]
    pub kind: String,
    #[schema(value_type = Object)]
    pub data: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CatalogEventPage {
    pub events: Vec<CatalogEventView>,
    pub next_cursor: Option<String>,
}

/// What a plan is asked for.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PlanWish {
    /// Ids of steps, 1 to 64.
    pub goals: Vec<String>,
    /// What is known to begin with, by attribute.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub init: Map<String, Value>,
}

/// A plan, and whether it can be run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PlanView {
    /// `goals`, `steps`, `attributes`, `required`, `excluded` and `children`.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub plan: Value,
    pub can_run: bool,
    /// What keeps it from being run.
    pub obstacles: Vec<String>,
}

/// A flow to start: goals, what is known, and how the run is to be kept.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartFlow {
    /// Ids of steps, 1 to 64.
    pub goals: Vec<String>,
    /// What is known to begin with, by attribute.
    #[serde(default)]
    #[schema(value_type = Object)]
    pub init: Map<String, Value>,
    /// The run's id: a UUID, or a name of your own. Made up if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// A second start with this key gives the first run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// When it may begin; at once if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_at: Option<Timestamp>,
    /// How long the flow may take, from now on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub deadline_ms: Option<u64>,
}

/// One event of a flow.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FlowEventView {
    /// Such as `step_completed`.
    #[serde(rename = "type")]
    pub kind: String,
    pub timestamp: String,
    /// The event of the run's journal that it follows from.
    pub seq: u64,
    #[schema(value_type = Object)]
    pub data: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FlowEventPage {
    pub events: Vec<FlowEventView>,
    pub next_cursor: Option<String>,
}
