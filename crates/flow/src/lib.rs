//! Flows: a catalog of steps with typed attributes, and plans made from goals.
//!
//! An author registers steps, each of which says what it needs and what it gives ([`StepDefinition`]).
//! They make a [`Catalog`]. A caller names goals, and the planner finds the steps that lead there
//! ([`Plan`]). A [`FlowState`] then says, fact by fact, which of them may start, which are not needed, and
//! when the flow has ended.
//!
//! All of that is pure: no I/O, no clock, no script is run. Whoever compiles scripts and decides matches is
//! passed in ([`Compiler`], [`Matcher`]). The same catalog, goals and initial state give the same plan, byte
//! for byte, and the same facts the same decisions.
//!
//! [`flow_workflow`] is the interpreter: a durable function that carries the decisions out, with [`Scripts`] and
//! services over HTTP ([`HttpServices`]) in the bodies of its steps. [`flow_events`] tells from a run's journal
//! what happened.

mod catalog;
mod events;
mod graph;
mod host;
mod http;
mod items;
pub mod limits;
mod memo;
mod names;
mod plan;
mod problem;
mod read;
mod run;
mod scripts;
mod state;
mod step;
mod token;
mod webhook;

pub use catalog::{
    AttributeView, Catalog, CatalogEvent, CatalogFoldError, Changed, Edit, Health, HealthStatus,
    LostProvider,
};
pub use events::{FlowEvent, FlowEventsError, flow_events};
pub use graph::{AttributeEdges, EdgeKind, Graph, GraphEdge, GraphNode, NodeKind};
pub use host::{FlowHost, ServiceCall, Services, WorkError};
pub use http::{BadSecret, HttpOptions, HttpServices, PROBE_MS_MAX, RESPONSE_BYTES_MAX, Secret};
pub use items::{Arguments, Outputs, TooManyItems};
pub use memo::{MEMO_BYTES_MAX, MEMO_RESULTS_MAX, Memo, MemoKey};
pub use names::{AttributeName, StepId};
pub use plan::{Excluded, Exclusion, Matcher, Plan, PlanRequest, Undecided};
pub use problem::{Code, Problem, Problems};
pub use run::{FLOW_WORKFLOW, FlowInput, FlowParent, flow_workflow, run_flow, webhook_message};
pub use scripts::{ScriptArgs, Scripts};
pub use state::{Decision, Fact, FactError, FlowOutcome, FlowState, StepStatus};
pub use step::{
    Action, Attribute, Backoff, ChildFlow, Collect, CompileProblem, Compiler, Http, Input,
    Language, Mapping, MetaKey, Method, Script, StepDefinition, VALUE_ARGUMENT, ValueType, Version,
    Work,
};
pub use token::TokenKey;
pub use webhook::WebhookAnswer;
