//! The catalog's own journal: what happened to its steps.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::names::StepId;
use crate::step::{StepDefinition, texts};

/// One fact of the catalog's journal. Whoever writes it down adds the time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum CatalogEvent {
    StepRegistered {
        step: Arc<StepDefinition>,
    },
    /// Carries the whole new definition.
    StepUpdated {
        step: Arc<StepDefinition>,
    },
    StepRemoved {
        step_id: StepId,
    },
    StepHealthChanged {
        step_id: StepId,
        #[serde(flatten)]
        health: Health,
    },
}

/// Whether a step is well, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Health {
    pub status: HealthStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HealthStatus {
    /// Nobody has looked yet.
    #[default]
    Unknown,
    Healthy,
    Unhealthy,
}

/// A catalog's journal contradicts itself.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogFoldError {
    /// The journal is damaged: do not append to it.
    #[error("step `{id}` is registered a second time")]
    RegisteredTwice { id: StepId },
    /// The journal is damaged: do not append to it.
    #[error("something happens to step `{id}`, which the catalog does not have")]
    UnknownStep { id: StepId },
}

impl Health {
    pub fn healthy() -> Health {
        Health { status: HealthStatus::Healthy, error: None }
    }

    pub fn unhealthy(error: impl Into<String>) -> Health {
        Health { status: HealthStatus::Unhealthy, error: Some(error.into()) }
    }
}

texts!(HealthStatus {
    "unknown" => HealthStatus::Unknown,
    "healthy" => HealthStatus::Healthy,
    "unhealthy" => HealthStatus::Unhealthy,
});
