//! Attributes: the contract between a step and the flow.

use serde_json::Value;

use super::{Script, texts};

/// One attribute of a step, by its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attribute {
    /// The step waits for it, and cannot run without it.
    Required(Input),
    /// The step runs without it if nobody can provide it.
    Optional {
        input: Input,
        /// JSON text of the declared type, for when there is no value.
        default: Option<String>,
        /// How long to wait for it once the required inputs are there; until its providers have ended
        /// if not said.
        deadline_ms: Option<u64>,
    },
    /// Always the same, and no attribute of the flow.
    Const {
        kind: ValueType,
        /// JSON text of the declared type.
        value: String,
    },
    /// What the engine knows about the run, and no attribute of the flow.
    Meta { kind: ValueType, key: MetaKey },
    /// What the step provides.
    Output { kind: ValueType, mapping: Option<Mapping> },
}

/// An input that a value of the flow goes into.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Input {
    /// The type that the attribute has in the flow, before any mapping.
    pub kind: ValueType,
    /// Whether an array makes one work item per element.
    pub for_each: bool,
    /// A value for which this says no does not satisfy the input.
    pub matches: Option<Script>,
    pub collect: Collect,
    pub mapping: Option<Mapping>,
}

/// What lies between an attribute of the flow and what the step sees or answers. One of both is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// An input: what the step sees it as. An output: where in its answer it stands.
    pub name: Option<String>,
    /// An input: of its value. An output: of what stands under `name`, or else of the whole answer.
    pub script: Option<Script>,
}

/// How the values of several providers combine into one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Collect {
    /// The first to arrive.
    #[default]
    First,
    /// The last to arrive, once all providers have ended.
    Last,
    /// A list of the values of all providers, each of which must give one.
    All,
    /// A list of the values that arrived, once all providers have ended, if there is one at least.
    Some,
    /// Nothing: satisfied once all providers have ended without a value.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueType {
    String,
    Number,
    Boolean,
    Object,
    Array,
    Null,
    #[default]
    Any,
}

/// What the engine knows about the run. All are texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetaKey {
    RunId,
    StepId,
    Namespace,
    /// The work item's token.
    Token,
    /// Where an async step answers.
    WebhookUrl,
    /// Left out in a flow that no flow step started, as is the next.
    ParentRunId,
    ParentStepId,
}

impl Attribute {
    pub fn role(&self) -> &'static str {
        match self {
            Attribute::Required(_) => "required",
            Attribute::Optional { .. } => "optional",
            Attribute::Const { .. } => "const",
            Attribute::Meta { .. } => "meta",
            Attribute::Output { .. } => "output",
        }
    }

    pub fn kind(&self) -> ValueType {
        match self {
            Attribute::Required(input) | Attribute::Optional { input, .. } => input.kind,
            Attribute::Const { kind, .. }
            | Attribute::Meta { kind, .. }
            | Attribute::Output { kind, .. } => *kind,
        }
    }

    pub fn input(&self) -> Option<&Input> {
        match self {
            Attribute::Required(input) | Attribute::Optional { input, .. } => Some(input),
            Attribute::Const { .. } | Attribute::Meta { .. } | Attribute::Output { .. } => None,
        }
    }

    pub fn mapping(&self) -> Option<&Mapping> {
        match self {
            Attribute::Output { mapping, .. } => mapping.as_ref(),
            _ => self.input()?.mapping.as_ref(),
        }
    }

    pub fn is_output(&self) -> bool {
        matches!(self, Attribute::Output { .. })
    }

    pub fn is_required(&self) -> bool {
        matches!(self, Attribute::Required(_))
    }

    /// Whether the step always sees a value here when it runs.
    pub fn is_always_there(&self) -> bool {
        match self {
            Attribute::Required(input) => input.collect != Collect::None,
            Attribute::Optional { default, .. } => default.is_some(),
            Attribute::Const { .. } => true,
            Attribute::Meta { key, .. } => {
                !matches!(key, MetaKey::ParentRunId | MetaKey::ParentStepId)
            }
            Attribute::Output { .. } => false,
        }
    }
}

impl Collect {
    /// Whether the step sees a list of values.
    pub fn is_list(self) -> bool {
        matches!(self, Collect::All | Collect::Some)
    }
}

impl ValueType {
    /// Whether this value is of the type.
    pub fn accepts(self, value: &Value) -> bool {
        match self {
            ValueType::String => value.is_string(),
            ValueType::Number => value.is_number(),
            ValueType::Boolean => value.is_boolean(),
            ValueType::Object => value.is_object(),
            ValueType::Array => value.is_array(),
            ValueType::Null => value.is_null(),
            ValueType::Any => true,
        }
    }
}

texts!(Collect {
    "first" => Collect::First,
    "last" => Collect::Last,
    "all" => Collect::All,
    "some" => Collect::Some,
    "none" => Collect::None,
});

texts!(ValueType {
    "string" => ValueType::String,
    "number" => ValueType::Number,
    "boolean" => ValueType::Boolean,
    "object" => ValueType::Object,
    "array" => ValueType::Array,
    "null" => ValueType::Null,
    "any" => ValueType::Any,
});

texts!(MetaKey {
    "run_id" => MetaKey::RunId,
    "step_id" => MetaKey::StepId,
    "namespace" => MetaKey::Namespace,
    "token" => MetaKey::Token,
    "webhook_url" => MetaKey::WebhookUrl,
    "parent_run_id" => MetaKey::ParentRunId,
    "parent_step_id" => MetaKey::ParentStepId,
});
