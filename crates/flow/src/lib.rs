//! Flows: a catalog of steps with typed attributes, and plans made from goals.
//!
//! An author registers steps, each of which says what it needs and what it gives ([`StepDefinition`]).
//! They make a [`Catalog`]. A caller names goals, and the planner finds the steps that lead there
//! ([`Plan`]). A [`FlowState`] then says, fact by fact, which of them may start, which are not needed, and
//! when the flow has ended.
//!
//! All of this is pure: no I/O, no clock, no script is run. Whoever compiles scripts and decides matches is
//! passed in ([`Compiler`], [`Matcher`]). The same catalog, goals and initial state give the same plan, byte
//! for byte, and the same facts the same decisions.

mod catalog;
mod graph;
mod items;
pub mod limits;
mod names;
mod plan;
mod problem;
mod read;
mod state;
mod step;

pub use catalog::{
    AttributeView, Catalog, CatalogEvent, CatalogFoldError, Changed, Edit, Health, HealthStatus,
    LostProvider,
};
pub use graph::{AttributeEdges, EdgeKind, Graph, GraphEdge, GraphNode, NodeKind};
pub use items::{Arguments, Outputs, TooManyItems};
pub use names::{AttributeName, StepId};
pub use plan::{Excluded, Exclusion, Matcher, Plan, PlanRequest, Undecided};
pub use problem::{Code, Problem, Problems};
pub use state::{Decision, Fact, FactError, FlowOutcome, FlowState, StepStatus};
pub use step::{
    Action, Attribute, Backoff, ChildFlow, Collect, CompileProblem, Compiler, Http, Input,
    Language, Mapping, MetaKey, Method, Script, StepDefinition, VALUE_ARGUMENT, ValueType, Version,
    Work,
};
