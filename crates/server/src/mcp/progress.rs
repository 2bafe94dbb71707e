//! Waiting for a run while telling the client how far it is.

use std::time::Duration;

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use stepwell_engine::{Position, Update, Updates};
use stepwell_journal::{EntryStatus, RunId};

use super::desk::Desk;
use crate::problem::{Code, Problem};

/// How long the last news of a run that has ended are waited for.
const REST_MAX: Duration = Duration::from_millis(500);

/// Whom to tell, and what was told.
struct Progress {
    token: ProgressToken,
    peer: Peer<RoleServer>,
    updates: Updates,
    run: RunId,
    n_ended: f64,
    /// How many steps there are, if that is known.
    total: Option<f64>,
}

impl Desk {
    /// Waits until a run has ended, but no longer than that, and no longer than the client. What happened after
    /// `since` is told.
    pub async fn watch(
        &self,
        run: RunId,
        wait_ms: u64,
        since: Position,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), Problem> {
        let _place = self.app.reader()?;
        let row = self.app.row(&self.access.namespace, &run.to_string()).await?;
        let handle = self.app.engine.handle(&row);
        let plan = self.app.engine.workflow(&row.namespace, &row.workflow);
        let nodes = plan
            .as_ref()
            .and_then(|workflow| workflow.plan()?.get("nodes")?.as_array().map(Vec::len));
        let engine = &self.app.engine;
        let progress = context.meta.get_progress_token().map(|token| Progress {
            token,
            peer: context.peer.clone(),
            updates: engine.updates_from(since).unwrap_or_else(|_| engine.subscribe()),
            run,
            n_ended: 0.0,
            total: nodes.map(|n| u32::try_from(n).unwrap_or(u32::MAX).into()),
        });
        // One that has ended already is told of no more.
        let mut progress = progress.filter(|_| !row.status.is_ended());
        let ended = async {
            let outcome = handle.outcome();
            tokio::pin!(outcome);
            if let Some(progress) = &mut progress {
                tokio::select! {
                    biased;
                    () = progress.tell() => {}
                    outcome = &mut outcome => {
                        // Of a run that another node has, no news come here; of any other, all of them are there.
                        let _ = tokio::time::timeout(REST_MAX, progress.tell()).await;
                        return outcome;
                    }
                }
            }
            outcome.await
        };
        tokio::select! {
            biased;
            outcome = ended => outcome.map(drop).map_err(Problem::from),
            () = tokio::time::sleep(Duration::from_millis(wait_ms)) => Ok(()),
            () = context.ct.cancelled() => Ok(()),
            () = self.app.closed() => Err(Problem::new(Code::ShuttingDown, "the server is shutting down")),
        }
    }
}

impl Progress {
    /// Tells of each step until the run has ended, or news were missed: the end is not.
    async fn tell(&mut self) {
        while let Ok(update) = self.updates.next().await {
            if update.run == self.run {
                self.tell_of(&update).await;
                if matches!(update.what.event, "RunCompleted" | "RunFailed" | "RunCancelled") {
                    return;
                }
            }
        }
    }

    async fn tell_of(&mut self, update: &Update) {
        let ended = matches!(
            update.what.entry,
            Some(EntryStatus::Completed | EntryStatus::Failed | EntryStatus::Skipped)
        );
        let Some(location) = update.what.location.as_ref().filter(|at| ended && at.depth() == 1)
        else {
            return;
        };
        self.n_ended += 1.0;
        let status = update.what.entry.map(|status| status.as_str()).unwrap_or_default();
        let mut param = ProgressNotificationParam::new(self.token.clone(), self.n_ended)
            .with_message(format!("{location}: {status}"));
        if let Some(total) = self.total {
            param = param.with_total(total.max(self.n_ended));
        }
        // A client that is gone is noticed elsewhere.
        let _ = self.peer.notify_progress(param).await;
    }
}
