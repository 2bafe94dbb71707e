//! What steps and undo handlers do: they take time, fail as they were told to, and leave a trace in the
//! outside world.

use stepwell_journal::{Attempt, Location, RunId};
use stepwell_kernel::{Error, Result};

use crate::interpret::Env;
use crate::ledger::Body;
use crate::program::{How, StepOp, UndoOp};

/// What a body that is to panic says. The simulator's own panics say something else.
pub const PANIC_TEXT: &str = "simulated panic";

pub struct StepBody<'a> {
    pub env: Env,
    pub run: RunId,
    pub at: Location,
    pub step: &'a StepOp,
}

pub struct UndoBody {
    pub env: Env,
    pub run: RunId,
    /// The step that is undone.
    pub at: Location,
    pub undo: UndoOp,
}

impl StepBody<'_> {
    pub async fn run(&self, attempt: Option<Attempt>) -> Result<u64> {
        let world = &self.env.world;
        let body = Body {
            run: self.run,
            at: self.at.clone(),
            attempt,
            attempts_max: self.step.retries + 1,
        };
        let Some(begun) = self.env.node.and_then(|node| world.begin(node, body)) else {
            // This engine is dead, or only looks at a journal: nothing may leave it.
            return std::future::pending().await;
        };
        let fails = begun.n <= self.step.fails;
        if self.step.work_ms > 0 {
            world.work(begun.node, self.step.work_ms).await;
        }
        if fails {
            return self.fail(begun.node).await.inspect(|_| {
                begun.ended_well();
            });
        }
        Ok(begun.ended_well())
    }

    async fn fail(&self, node: u32) -> Result<u64> {
        match self.step.how {
            How::Error => Err(Error::msg("simulated error")),
            How::Critical => Err(Error::critical(Error::msg("simulated critical error"))),
            How::Rollback => Err(Error::rollback(Error::msg("simulated rollback"))),
            #[expect(clippy::panic, reason = "bodies may panic, and the engine must live with it")]
            How::Panic => panic!("{PANIC_TEXT}"),
            How::Hang => {
                self.env.world.work(node, self.step.timeout_ms * 3 + 100).await;
                Err(Error::msg("simulated late error"))
            }
            How::Kill => {
                self.env.world.kill(node);
                std::future::pending().await
            }
        }
    }
}

impl UndoBody {
    pub async fn run(&self, token: u64) -> Result<()> {
        let world = &self.env.world;
        let body = Body { run: self.run, at: self.at.undo(), attempt: None, attempts_max: 4 };
        let Some(begun) = self.env.node.and_then(|node| world.begin(node, body)) else {
            return std::future::pending().await;
        };
        world.check_undo(begun.node, self.run, &self.at, token);
        if self.undo.work_ms > 0 {
            world.work(begun.node, self.undo.work_ms).await;
        }
        if begun.n <= self.undo.fails {
            return Err(Error::msg("simulated error of an undo handler"));
        }
        begun.ended_well();
        Ok(())
    }
}
