//! Flows: catalogs of steps, plans, and what the runs of plans need.
//!
//! ```text
//!   routes --> Flows --> Catalogs   one journal of events for each namespace, kept as documents
//!                   \--> FlowHost   scripts, HTTP, what is remembered, the key of webhook tokens
//!                   \--> Engine     the workflow `flow`, whose input has the frozen plan
//! ```

mod catalogs;
mod health;
mod key;
mod problems;
mod webhooks;

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::Value;
use stepwell_engine::{Engine, Launched, StartOptions};
use stepwell_flow::{
    FLOW_WORKFLOW, FlowEvent, FlowHost, FlowInput, HttpOptions, HttpServices, Memo, Plan,
    PlanRequest, Scripts, TokenKey, flow_events, flow_workflow,
};
use stepwell_script::js::AllowedHosts;
use stepwell_store::RunRow;

use crate::config::{FlowsConfig, ServeError};
use crate::problem::{Code, Problem};

pub use catalogs::Catalogs;
pub use health::keep;
pub use problems::{plan_problem, step_problem};
pub use webhooks::Webhooks;

/// What the routes need of flows.
pub struct Flows {
    pub catalogs: Catalogs,
    pub webhooks: Webhooks,
    engine: Engine,
    scripts: Scripts,
    services: HttpServices,
    tokens: TokenKey,
}

impl Flows {
    /// Makes the workflow `flow` known to the engine. `listen` is where webhooks arrive unless the settings say
    /// otherwise.
    pub async fn open(
        engine: Engine,
        config: &FlowsConfig,
        listen: SocketAddr,
    ) -> Result<Flows, ServeError> {
        let allowed = match config.allowed_hosts.is_empty() {
            true => AllowedHosts::Any,
            false => AllowedHosts::Only(config.allowed_hosts.clone()),
        };
        let options = HttpOptions {
            allowed,
            response_bytes_max: config.response_bytes_max,
            secrets: config.parsed_secrets()?,
        };
        let services = HttpServices::new(options);
        let services = services.map_err(|error| ServeError::Flows(error.to_string()))?;
        let tokens = key::load_or_make(&engine).await;
        let tokens = tokens.map_err(|problem| ServeError::Flows(problem.detail))?;
        let scripts = Scripts::default();
        let host = FlowHost {
            scripts: scripts.clone(),
            services: Arc::new(services.clone()),
            memo: Memo::new(config.memo_results_max, config.memo_bytes_max),
            tokens: tokens.clone(),
            public_url: config.public_url(listen),
        };
        let registered = engine.replace(None, flow_workflow(Arc::new(host)));
        registered.map_err(|error| ServeError::Flows(error.to_string()))?;
        Ok(Flows {
            catalogs: Catalogs::new(&engine, scripts.clone()),
            webhooks: Webhooks::new(engine.clone(), tokens.clone()),
            engine,
            scripts,
            services,
            tokens,
        })
    }

    /// The plan for these goals, whether it can be run or not.
    pub async fn plan(&self, namespace: &str, request: PlanRequest) -> Result<Plan, Problem> {
        let catalog = self.catalogs.get(namespace).await?;
        let scripts = self.scripts.clone();
        let planned = tokio::task::spawn_blocking(move || catalog.plan(&request, &scripts)).await;
        let planned = planned.map_err(|error| crate::problem::internal(&error.to_string()))?;
        planned.map_err(plan_problem)
    }

    /// Starts a flow with a plan that is made now, and not again.
    pub async fn start(
        &self,
        namespace: &str,
        request: PlanRequest,
        mut options: StartOptions,
    ) -> Result<Launched, Problem> {
        let init = request.init.clone();
        let plan = self.plan(namespace, request).await?;
        let obstacles = plan.obstacles();
        if !obstacles.is_empty() {
            return Err(problems::obstacles(obstacles));
        }
        if let [goal] = plan.goals.as_slice() {
            options.labels.entry("goal".to_owned()).or_insert_with(|| goal.to_string());
        }
        let input = FlowInput { plan, init, namespace: namespace.to_owned(), parent: None };
        Ok(self.engine.launch(FLOW_WORKFLOW, &input, options).await?)
    }

    /// What has happened in a flow so far.
    pub async fn events(&self, row: &RunRow) -> Result<Vec<FlowEvent>, Problem> {
        if row.workflow != FLOW_WORKFLOW {
            let detail = format!("run `{}` is a run of `{}`, and no flow", row.run, row.workflow);
            return Err(Problem::new(Code::NoFlow, detail));
        }
        let journal = self.engine.get(row.run).await?.journal().await?;
        let (run, tokens) = (row.run, self.tokens.clone());
        let told = tokio::task::spawn_blocking(move || flow_events(run, &journal, &tokens)).await;
        let told = told.map_err(|error| crate::problem::internal(&error.to_string()))?;
        told.map_err(|error| Problem::new(Code::RunDamaged, error.to_string()))
    }
}

/// Whether runs of this workflow begin with a plan, and so only by `POST /api/flows`.
pub fn refuse_plain_start(workflow: &str) -> Result<(), Problem> {
    if workflow != FLOW_WORKFLOW {
        return Ok(());
    }
    let detail = "flows are started with POST /api/flows, which makes their plan";
    Err(Problem::new(Code::InvalidRequest, detail))
}

/// A definition as the API shows it, with its version and health.
pub fn step_view(
    catalog: &stepwell_flow::Catalog,
    step: &stepwell_flow::StepDefinition,
) -> crate::api::StepView {
    let health = catalog.health(step.id.as_str());
    crate::api::StepView {
        id: step.id.to_string(),
        version: step.version().to_string(),
        definition: serde_json::to_value(step).unwrap_or(Value::Null),
        health: crate::api::HealthView {
            status: health.status.as_str().to_owned(),
            error: health.error,
        },
    }
}
