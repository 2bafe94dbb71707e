//! A step of the catalog: what it needs, what it gives, and how it does its work.
//!
//! A definition comes in as JSON ([`StepDefinition::parse`]), has one canonical form (its `Serialize`),
//! and is versioned by the hash of that form. A field that stands at its default is left out of the
//! canonical form, so the defaults are part of the format and may never change.

mod attribute;
mod check;
mod compile;
mod decode;
mod encode;
mod url;

use std::collections::BTreeMap;

use crate::names::{AttributeName, StepId};

pub use attribute::{Attribute, Collect, Input, Mapping, MetaKey, ValueType};
pub(crate) use check::goal_list_problems;
pub use compile::{CompileProblem, Compiler, VALUE_ARGUMENT};
pub(crate) use decode::goals;
pub use encode::Version;
pub(crate) use url::placeholders;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDefinition {
    pub id: StepId,
    /// What people read; the id unless said otherwise.
    pub name: String,
    pub labels: BTreeMap<String, String>,
    /// Whether a recorded result may be reused for identical inputs, in other flows too.
    pub memoizable: bool,
    /// How long a recorded result may be reused; for as long as it is kept if not said.
    pub memo_ttl_ms: Option<u64>,
    pub attributes: BTreeMap<AttributeName, Attribute>,
    pub action: Action,
    /// Decides, from the inputs, whether the step runs at all.
    pub predicate: Option<Script>,
    pub work: Work,
}

/// How a step does its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Calls a service, whose response has the outputs.
    Sync(Http),
    /// Calls a service, which posts the outputs to a webhook later.
    Async(Http),
    /// Runs in the engine.
    Script(Script),
    /// Runs a flow of its own.
    Flow(ChildFlow),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Http {
    /// May hold `{placeholders}` in its path and query, for what the step sees its inputs as.
    pub url: String,
    pub method: Method,
    /// How long one call may take.
    pub timeout_ms: u64,
    /// How long an async step waits for its webhook; for ever if not said.
    pub webhook_timeout_ms: Option<u64>,
    /// Where to ask whether the service is well.
    pub health_url: Option<String>,
    /// Whom to tell, if the flow fails, that what was done is to be undone.
    pub compensate_url: Option<String>,
    /// The name of the secret that requests are signed with.
    pub secret: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    Get,
    #[default]
    Post,
    Put,
    Patch,
    Delete,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Script {
    pub language: Language,
    pub source: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    Lua,
    Ale,
    Js,
    /// RFC 9535. For predicates, matches and mappings, not for the work of a step.
    JsonPath,
}

/// The flow that a flow step runs. What is not renamed keeps its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildFlow {
    pub goals: Vec<StepId>,
    /// From an input of this step to the attribute that the child begins with.
    pub inputs: BTreeMap<AttributeName, AttributeName>,
    /// From an attribute of the child to an output of this step.
    pub outputs: BTreeMap<AttributeName, AttributeName>,
}

/// How work items are tried and how many run at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    pub max_retries: u64,
    pub backoff: Backoff,
    pub initial_backoff_ms: u64,
    pub max_backoff_ms: u64,
    pub parallelism: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backoff {
    Fixed,
    Linear,
    #[default]
    Exponential,
}

impl Default for Work {
    fn default() -> Work {
        Work {
            max_retries: 3,
            backoff: Backoff::default(),
            initial_backoff_ms: 1000,
            max_backoff_ms: 60_000,
            parallelism: 1,
        }
    }
}

impl Http {
    pub const TIMEOUT_MS_DEFAULT: u64 = 30_000;
}

impl StepDefinition {
    /// The inputs that values of the flow go into.
    pub fn inputs(&self) -> impl Iterator<Item = (&AttributeName, &Input)> {
        self.attributes.iter().filter_map(|(name, attribute)| Some((name, attribute.input()?)))
    }

    pub fn outputs(&self) -> impl Iterator<Item = &AttributeName> {
        self.attributes.iter().filter(|(_, attribute)| attribute.is_output()).map(|(name, _)| name)
    }

    /// What the step sees each of its inputs as, constants and metadata included, by attribute.
    pub fn arguments(&self) -> impl Iterator<Item = (&AttributeName, &str)> {
        let inputs = self.attributes.iter().filter(|(_, attribute)| !attribute.is_output());
        inputs.map(|(name, attribute)| (name, self.argument(name, attribute)))
    }

    /// Under which name a child flow finds each of this step's outputs, or a service's answer has it.
    pub fn answers(&self) -> impl Iterator<Item = (&AttributeName, &str)> {
        let outputs = self.attributes.iter().filter(|(_, attribute)| attribute.is_output());
        outputs.map(|(name, attribute)| {
            let renamed = self.child_flow().and_then(|flow| {
                flow.outputs.iter().find(|(_, output)| *output == name).map(|(child, _)| child)
            });
            let mapped = attribute.mapping().and_then(|mapping| mapping.name.as_deref());
            (name, renamed.map(AttributeName::as_str).or(mapped).unwrap_or(name.as_str()))
        })
    }

    pub fn http(&self) -> Option<&Http> {
        match &self.action {
            Action::Sync(http) | Action::Async(http) => Some(http),
            Action::Script(_) | Action::Flow(_) => None,
        }
    }

    pub fn child_flow(&self) -> Option<&ChildFlow> {
        match &self.action {
            Action::Flow(flow) => Some(flow),
            Action::Sync(_) | Action::Async(_) | Action::Script(_) => None,
        }
    }

    /// The goals of a flow step; none of others.
    pub fn goals(&self) -> &[StepId] {
        self.child_flow().map(|flow| flow.goals.as_slice()).unwrap_or_default()
    }

    /// Whether the step may fan out into several work items.
    pub fn fans_out(&self) -> bool {
        self.inputs().any(|(_, input)| input.for_each)
    }

    fn argument<'a>(&'a self, name: &'a AttributeName, attribute: &'a Attribute) -> &'a str {
        let renamed = self.child_flow().and_then(|flow| flow.inputs.get(name));
        let mapped = attribute.mapping().and_then(|mapping| mapping.name.as_deref());
        renamed.map(AttributeName::as_str).or(mapped).unwrap_or(name.as_str())
    }
}

impl Action {
    /// The `type` of the step.
    pub fn type_name(&self) -> &'static str {
        match self {
            Action::Sync(_) => "sync",
            Action::Async(_) => "async",
            Action::Script(_) => "script",
            Action::Flow(_) => "flow",
        }
    }
}

/// The texts of an enum in JSON, for reading and for writing.
macro_rules! texts {
    ($name:ty { $($text:literal => $variant:expr,)+ }) => {
        impl $name {
            pub(crate) const TEXTS: &[(&'static str, $name)] = &[$(($text, $variant)),+];

            pub fn as_str(self) -> &'static str {
                let text = Self::TEXTS.iter().find(|(_, value)| *value == self);
                text.map_or("", |(text, _)| text)
            }
        }
    };
}
pub(crate) use texts;

texts!(Method {
    "GET" => Method::Get,
    "POST" => Method::Post,
    "PUT" => Method::Put,
    "PATCH" => Method::Patch,
    "DELETE" => Method::Delete,
});

texts!(Language {
    "lua" => Language::Lua,
    "ale" => Language::Ale,
    "js" => Language::Js,
    "jsonpath" => Language::JsonPath,
});

texts!(Backoff {
    "fixed" => Backoff::Fixed,
    "linear" => Backoff::Linear,
    "exponential" => Backoff::Exponential,
});
