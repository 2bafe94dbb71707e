//! Forgets runs that ended long enough ago.

use stepwell_journal::{RunStatus, UnixMillis};
use stepwell_store::Forget;

use crate::app::App;
use crate::config::{RetentionConfig, ServerConfig, Span};
use crate::problem::with_causes;

/// How long to rest when nothing more is to be forgotten, at least and at most.
const REST_MS: std::ops::RangeInclusive<u64> = 1_000..=60_000;

/// How many runs are forgotten at a time.
const BITE: usize = 200;

/// One rule: runs of these workflows that ended so are kept for so long.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    /// Only this workflow; all of them if none.
    workflow: Option<String>,
    status: RunStatus,
    kept: Span,
}

/// Forgets what may go, until the server goes down.
pub async fn keep(app: App) {
    let rules = rules(&app.config);
    if rules.is_empty() {
        return;
    }
    // Nobody notices when a run goes a tenth later than it might.
    let shortest_ms = rules.iter().map(|rule| rule.kept.as_ms()).min().unwrap_or_default();
    let rest_ms = (shortest_ms / 10).clamp(*REST_MS.start(), *REST_MS.end());
    loop {
        let mut n_forgotten = 0;
        for rule in &rules {
            match forget(&app, rule).await {
                Ok(n) => n_forgotten += n,
                Err(error) => {
                    tracing::warn!(error = %with_causes(&error), "ended runs could not be forgotten");
                }
            }
        }
        if n_forgotten > 0 {
            tracing::debug!(n_forgotten, "ended runs were forgotten");
        }
        let rest_ms = if n_forgotten > 0 { 0 } else { rest_ms };
        let until = app.engine.clock().now().plus_ms(rest_ms);
        tokio::select! {
            () = app.engine.clock().sleep_until(until) => {}
            () = app.closed() => return,
        }
    }
}

async fn forget(app: &App, rule: &Rule) -> Result<usize, stepwell_store::StoreError> {
    let now = app.engine.clock().now();
    let ended_before = UnixMillis(now.0.saturating_sub(rule.kept.as_ms()));
    let forget = Forget {
        workflow: rule.workflow.clone(),
        statuses: vec![rule.status],
        limit: BITE,
        ..Forget::ended_before(ended_before)
    };
    Ok(app.engine.store().forget(forget).await?.runs.len())
}

/// A workflow's own rule may only make its runs go sooner than the general one does: the store cannot say "all but".
fn rules(config: &ServerConfig) -> Vec<Rule> {
    let mut rules = of(None, &config.retention);
    for (workflow, settings) in &config.workflows {
        if let Some(retention) = &settings.retention {
            rules.extend(of(Some(workflow), retention));
        }
    }
    rules
}

fn of(workflow: Option<&String>, retention: &RetentionConfig) -> Vec<Rule> {
    let RetentionConfig { completed, failed, cancelled } = retention;
    let statuses = [
        (RunStatus::Completed, completed),
        (RunStatus::Failed, failed),
        (RunStatus::Cancelled, cancelled),
    ];
    let known = statuses.into_iter().filter_map(|(status, kept)| Some((status, (*kept)?)));
    known.map(|(status, kept)| Rule { workflow: workflow.cloned(), status, kept }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_those_of_the_settings() {
        let config: ServerConfig = toml::from_str(
            "[retention]\ncompleted = '30d'\n[workflows.noisy.retention]\ncompleted = '1h'\nfailed = '2d'",
        )
        .unwrap();
        let rules = rules(&config);
        assert_eq!(rules.len(), 3);
        assert_eq!(rules[0].workflow, None);
        assert_eq!(rules[1].workflow.as_deref(), Some("noisy"));
        assert_eq!(rules[1].kept, Span::from_ms(3_600_000));
        assert!(super::rules(&ServerConfig::default()).is_empty(), "for ever unless asked");
    }
}
