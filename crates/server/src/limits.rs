//! What the settings say of a workflow's runs, told to the engine.

use std::collections::BTreeMap;

use stepwell_engine::Engine;
use stepwell_kernel::{KeyedLimit, Rate, RunLimits};

use crate::config::{RateConfig, ServeError, ServerConfig, WorkflowConfig};

/// Gives every workflow that the settings name its limits. One that is not registered is said, and no error: it may
/// come later, from another program on the same settings.
pub fn apply(engine: &Engine, config: &ServerConfig) -> Result<(), ServeError> {
    let registered = engine.workflows();
    for (name, settings) in &config.workflows {
        let limits = limits(settings);
        let refused = |problem: String| ServeError::Setting {
            setting: format!("workflows.{name}"),
            value: name.clone(),
            problem,
        };
        limits.check().map_err(|error| refused(error.to_string()))?;
        if limits == RunLimits::default() {
            continue;
        }
        let mut is_known = false;
        for (namespace, workflow) in registered.iter().filter(|(_, one)| one.name() == name) {
            is_known = true;
            let limited = workflow.clone().limits(limits.clone());
            let replaced = engine.replace(namespace.as_deref(), limited);
            replaced.map_err(|error| refused(error.to_string()))?;
        }
        if !is_known {
            tracing::warn!(workflow = name, "the settings limit a workflow that is not registered");
        }
    }
    Ok(())
}

/// The limits that the settings name, by workflow.
pub fn by_workflow(config: &ServerConfig) -> BTreeMap<String, RunLimits> {
    let named = config.workflows.iter().map(|(name, settings)| (name.clone(), limits(settings)));
    named.filter(|(_, limits)| *limits != RunLimits::default()).collect()
}

fn limits(settings: &WorkflowConfig) -> RunLimits {
    RunLimits {
        concurrency: settings.concurrency,
        rate: settings.rate.as_ref().map(rate),
        per_key: settings.per_key.as_ref().map(|keyed| KeyedLimit {
            key: keyed.field.clone(),
            concurrency: keyed.concurrency,
            rate: keyed.rate.as_ref().map(rate),
        }),
    }
}

fn rate(settings: &RateConfig) -> Rate {
    Rate { n_runs: settings.runs, per_ms: settings.per.as_ms() }
}
