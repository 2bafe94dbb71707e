//! The one durable function of the simulator: it does what its input says, and tells the world what it
//! sees.

use std::sync::Arc;
use std::time::Duration;

use stepwell_journal::{EntryKind, Failure, Location, RunId, UnixMillis, stable_hash};
use stepwell_kernel::{
    Backoff, Ctx, Error, LocalBoxFuture, Loop, Result, StepPolicy, Workflow, branch,
};

use crate::body::{StepBody, UndoBody};
use crate::ledger::Seen;
use crate::program::{How, ListenOp, ListenShape, Op, Program, StepOp};
use crate::world::World;

/// The engine that the code runs in, as far as it may know.
#[derive(Clone)]
pub struct Env {
    pub world: Arc<World>,
    /// Which engine of the simulation; none when a journal is only checked, and nothing may be done.
    pub node: Option<u32>,
}

pub const WORKFLOWS: [&str; 3] = ["sim", "sim-undone", "sim-late"];

/// The workflow called `name`: all do the same, but not all undo when they are cancelled.
pub fn workflow(name: &str, env: Env) -> Workflow {
    let made = Workflow::without_schema(name, move |ctx: Ctx, program: Program| {
        let env = env.clone();
        async move { env.ops(ctx, &program.ops).await }
    });
    if name == "sim-undone" { made.undo_on_cancel() } else { made }
}

/// Everything that the code has seen, in one number: the same on every replay, or something is wrong.
#[derive(Default)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, what: &str, n: u64) {
        self.0 = stable_hash(&[&self.0.to_le_bytes(), what.as_bytes(), &n.to_le_bytes()]);
    }

    fn add_result(&mut self, result: Result<u64, &Failure>) {
        match result {
            Ok(n) => self.add("ok", n),
            Err(failure) => self.add(failure.kind.as_str(), u64::from(failure.attempts.0)),
        }
    }
}

impl Env {
    fn ops<'a>(&self, ctx: Ctx, ops: &'a [Op]) -> LocalBoxFuture<'a, Result<u64>> {
        let env = self.clone();
        Box::pin(async move {
            let mut digest = Digest::default();
            for (place, op) in ops.iter().enumerate() {
                env.op(&ctx, op, op.name(place), &mut digest).await?;
            }
            Ok(digest.0)
        })
    }

    async fn op(&self, ctx: &Ctx, op: &Op, name: String, digest: &mut Digest) -> Result<()> {
        let at = ctx.location().named(&name)?;
        match op {
            Op::Step(step) => return self.step(ctx, step, name, digest).await,
            Op::Sleep { ms, until } => {
                match until {
                    true => ctx.sleep_until(name, UnixMillis(ctx.now().0 + ms)).await?,
                    false => ctx.sleep(name, Duration::from_millis(*ms)).await?,
                }
                self.saw(ctx, &at, Seen::Ended);
            }
            Op::Listen(listen) => return self.listen(ctx, listen, name, digest).await,
            Op::Send { to, message } => {
                let token = self.token_at(ctx, &at);
                let sent = ctx.send(*to, message, &token).named(name).await;
                self.saw(ctx, &at, Seen::Ended);
                digest.add_result(sent.as_ref().map(|()| 0).map_err(|error| error.failure()));
            }
            Op::Ask { to, message } => {
                let token = self.token_at(ctx, &at);
                let answer = ctx.ask::<u64>(*to, message, &token).named(name).await;
                if let Ok(answer) = answer {
                    self.check_answer(ctx, &at, answer);
                    self.saw(ctx, &at, Seen::Ended);
                }
                digest.add_result(answer.as_ref().map(|n| *n).map_err(|error| error.failure()));
            }
            Op::Join { branches } => {
                let branches: Vec<_> = (0..).zip(branches).map(|b| self.branch(b)).collect();
                for value in ctx.join(name, branches).await? {
                    digest.add("branch", value);
                }
            }
            Op::Race { branches } => {
                let branches: Vec<_> = (0..).zip(branches).map(|b| self.branch(b)).collect();
                let raced = ctx.race(name, branches).await?;
                digest.add(&raced.winner, raced.value);
            }
            Op::Loop { n, keep, commit_every, body } => {
                let code = async |ctx: Ctx, (i, so_far): (u64, u64)| {
                    let mut digest = Digest(so_far);
                    digest.add("iteration", self.ops(ctx, body).await?);
                    let next = (i + 1, digest.0);
                    Ok(if next.0 < *n { Loop::Continue(next) } else { Loop::Break(next.1) })
                };
                let looped = ctx.looped(name, (0, 0), code);
                digest.add("loop", looped.keep(*keep).commit_every(*commit_every).await?);
            }
            Op::Block { catch_rollback, body } => {
                let block = ctx.try_block(name, async |ctx: Ctx| self.ops(ctx, body).await);
                let block = if *catch_rollback { block.catch_rollback() } else { block };
                digest.add_result(block.await?.as_ref().map(|n| *n));
            }
            Op::Child { workflow, program, caught } => {
                let output = ctx.child::<u64>(name, workflow, program).await;
                self.saw(ctx, &at, Seen::Ended);
                match output {
                    Err(error) if !caught => return Err(error),
                    output => digest
                        .add_result(output.as_ref().map(|n| *n).map_err(|error| error.failure())),
                }
            }
            Op::Checkpoint => {
                ctx.checkpoint(&name).await?;
                self.saw(ctx, &at, Seen::Ended);
            }
            Op::Version { latest } => {
                digest.add("version", u64::from(ctx.version(&name, *latest).await?));
                self.saw(ctx, &at, Seen::Ended);
            }
            Op::Notes => {
                ctx.set_label("place", name.as_str());
                ctx.describe(name.as_str());
                ctx.fact("fact", &digest.0)?;
                ctx.info("a line");
            }
            Op::Chance => {
                digest.add("now", ctx.now().0);
                digest.add("random", ctx.random_u64());
                digest.add(&ctx.uuid().to_string(), 0);
            }
            Op::Skip => ctx.skip(&name, "not today"),
            Op::Removed => ctx.removed(&name, EntryKind::Step),
            Op::Fail { how: How::Rollback } => {
                return Err(Error::rollback(Error::msg("the function wants everything undone")));
            }
            Op::Fail { .. } => return Err(Error::msg("the function failed")),
        }
        Ok(())
    }

    fn branch<'a>(&self, (place, ops): (usize, &'a Vec<Op>)) -> stepwell_kernel::Branch<'a, u64> {
        let env = self.clone();
        branch(format!("branch{place}"), async move |ctx: Ctx| env.ops(ctx, ops).await)
    }

    async fn step(
        &self,
        ctx: &Ctx,
        step: &StepOp,
        name: String,
        digest: &mut Digest,
    ) -> Result<()> {
        let at = ctx.location().named(&name)?;
        let body = StepBody { env: self.clone(), run: ctx.run_id(), at: at.clone(), step };
        let policy = StepPolicy {
            retries: step.retries,
            backoff: Backoff::fixed(Duration::from_millis(step.backoff_ms)),
            timeout: Duration::from_millis(step.timeout_ms),
            retry_on_timeout: step.retry_on_timeout,
            ..StepPolicy::default()
        };
        let undo = step.undo.map(|undo| {
            if let Some(node) = self.node {
                self.world.can_undo(node, ctx.run_id(), &at);
            }
            UndoBody { env: self.clone(), run: ctx.run_id(), at: at.clone(), undo }
        });
        let result: Result<u64, Failure> = match step.trying {
            None => {
                let mut op = ctx.step_with(name, async |cx| body.run(Some(cx.attempt())).await);
                op = op.policy(policy);
                if step.ephemeral {
                    op = op.ephemeral();
                }
                if let Some(undo) = undo {
                    op = op.undo(async move |token: u64| undo.run(token).await);
                }
                op.await.map_err(Error::into_failure)
            }
            Some(trying) => {
                let mut op = ctx.try_step(name, async || body.run(None).await).policy(policy);
                if trying.catch_rollback {
                    op = op.catch_rollback();
                }
                if step.ephemeral {
                    op = op.ephemeral();
                }
                if let Some(undo) = undo {
                    op = op.undo(async move |token: u64| undo.run(token).await);
                }
                op.await?
            }
        };
        match &result {
            // Its result may be seen before it is durable: that is what it is for.
            Ok(_) if step.ephemeral => {}
            Ok(token) => self.saw(ctx, &at, Seen::Value(*token)),
            Err(_) => self.saw(ctx, &at, Seen::Ended),
        }
        digest.add_result(result.as_ref().map(|n| *n));
        match result {
            Err(failure) if step.trying.is_none() => Err(failure.into()),
            _ => Ok(()),
        }
    }

    async fn listen(
        &self,
        ctx: &Ctx,
        listen: &ListenOp,
        name: String,
        digest: &mut Digest,
    ) -> Result<()> {
        let at = ctx.location().named(&name)?;
        let first = listen.names.first().cloned().unwrap_or_default();
        let timeout = listen.timeout_ms.map(Duration::from_millis);
        let mut tokens: Vec<u64> = Vec::new();
        match listen.shape {
            ListenShape::One => {
                let op = ctx.listen::<u64>(first).named(name);
                match timeout {
                    Some(timeout) => tokens.extend(op.timeout(timeout).await?),
                    None => tokens.push(op.await?),
                }
            }
            ListenShape::Any => {
                let op = ctx.listen_any::<u64>(name, listen.names.clone());
                match timeout {
                    Some(timeout) => tokens.extend(op.timeout(timeout).await?.map(|m| m.body)),
                    None => tokens.push(op.await?.body),
                }
            }
            ListenShape::Batch { n, at_least } => {
                let op = ctx.listen_batch::<u64>(first, n).named(name).at_least(at_least);
                match timeout {
                    Some(timeout) => tokens.extend(op.timeout(timeout).await?.unwrap_or_default()),
                    None => tokens = op.await?,
                }
            }
            ListenShape::Completable { answers } => {
                let op = ctx.listen::<u64>(first).named(name).completable();
                let question = match timeout {
                    Some(timeout) => op.timeout(timeout).await?,
                    None => Some(op.await?),
                };
                if let Some(question) = question {
                    tokens.push(question.body);
                    if answers {
                        question.answer(&answer_to(question.body))?;
                    }
                }
            }
        }
        self.saw(ctx, &at, Seen::Messages(tokens.clone()));
        tokens.iter().for_each(|token| digest.add("message", *token));
        Ok(())
    }

    fn token_at(&self, ctx: &Ctx, at: &Location) -> u64 {
        token_of(ctx.run_id(), at, self.world.n_resumes(ctx.run_id()))
    }

    /// The answer may be to what was asked before the run was resumed. What a copy was answered was
    /// asked by its original.
    fn check_answer(&self, ctx: &Ctx, at: &Location, answer: u64) {
        let run = ctx.run_id();
        let asked: Vec<u64> =
            (0..=self.world.n_resumes(run)).map(|n| token_of(run, at, n)).collect();
        if !self.world.is_copy(run) {
            self.world.check_answer(&asked, answer);
        }
    }

    fn saw(&self, ctx: &Ctx, at: &Location, seen: Seen) {
        if let Some(node) = self.node {
            self.world.saw(node, ctx.run_id(), at, seen);
        }
    }
}

/// What a question about `token` is answered with.
pub fn answer_to(token: u64) -> u64 {
    token ^ 0xa5a5
}

/// What a run sends from here after so many resumes: nobody else sends the same. Who does everything again
/// sends everything again, as another message.
fn token_of(run: RunId, at: &Location, n_resumes: u32) -> u64 {
    stable_hash(&[run.0.as_bytes(), at.as_str().as_bytes(), &n_resumes.to_le_bytes()])
}
