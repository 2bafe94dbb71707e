//! What a batch of events makes durable besides itself, and what follows once it is.

use stepwell_journal::{
    Attempt, Event, EventKind, Failure, FailureKind, Json, MessageId, Parent, ReplyTo, RunId,
    RunOutcome, RunStarted, RunState, Seq, UnixMillis,
};
use stepwell_kernel::{AnswerOut, Batch, ChildStart, Level, Log};
use stepwell_store::{Commit, InboxItem, LoadedRun, LogLevel, LogLine, NewRun, Post};

use crate::facts::RunFacts;
use crate::schedule::Why;
use crate::shared::{Shared, inbox_id, seed_of};

/// What to do when a commit is durable. None of it is lost if that never happens: whoever loads the run
/// again finds the same things in the store.
#[derive(Default)]
pub(crate) struct Effects {
    pub outcome: Option<RunOutcome>,
    answered: Vec<(MessageId, Json)>,
    children: Vec<LoadedRun>,
    nudges: Vec<RunId>,
    /// The mailbox has room again, or somebody began to listen.
    pub wants_messages: bool,
}

impl Effects {
    /// Moves a batch into a commit, with what the store must do for it, and collects what follows.
    pub fn of(facts: &RunFacts, state: &RunState, batch: Batch, commit: &mut Commit) -> Effects {
        let mut effects = Effects::default();
        for event in &batch.events {
            effects.follow(&event.kind);
        }
        for child in batch.children {
            effects.start_child(facts, child, &batch.events, commit);
        }
        let at = batch.events.last().map_or(state.last_at, |event| event.at);
        for child in batch.cancel_children {
            let item = InboxItem::Cancel { reason: "the run that started it ended".to_owned() };
            let id = inbox_id(child, "cancelled by its parent");
            effects.post(Post { to: child, id, at, item }, commit);
        }
        for answer in batch.answers {
            effects.post(answer_post(answer, at), commit);
        }
        if effects.outcome.is_some() {
            effects.tell_parent(facts, &batch.events, commit);
            effects.tell_askers(facts, state, at, commit);
        }
        commit.logs.extend(batch.logs.into_iter().map(log_line));
        commit.events = batch.events;
        effects
    }

    /// To be called before the commit: whoever takes a child up earlier than this run does knows more.
    pub fn expect_children(&self, shared: &Shared) {
        for child in &self.children {
            shared.updates.owed.claim(child.row.run, Seq(0));
            shared.schedule.expect(child.row.run).hand_on();
        }
    }

    /// Makes everybody look who may have been told something by a commit that the store did not
    /// confirm. Who finds nothing goes back to sleep.
    pub fn assume_nothing(&self, shared: &Shared) {
        for child in &self.children {
            shared.updates.owed.release(child.row.run);
            shared.schedule.may_be_there(child.row.run);
        }
        for run in &self.nudges {
            shared.schedule.activate(*run, Why::Nudge);
        }
    }

    /// The commit is durable.
    pub fn perform(self, shared: &Shared, facts: &RunFacts) {
        for child in self.children {
            let run = child.row.run;
            shared.tell_created(&child);
            let why = if facts.resumed { Why::Found } else { Why::Fresh(Box::new(child)) };
            shared.schedule.activate(run, why);
        }
        for run in self.nudges {
            shared.schedule.activate(run, Why::Nudge);
        }
    }

    /// The commit is durable. Who asked is told of the answer before anybody is told of the run's end: both may
    /// be in one commit.
    pub fn tell_answers(&self, shared: &Shared, facts: &RunFacts) {
        for (message, body) in &self.answered {
            shared.waiters.answered(facts.run, *message, body);
        }
    }

    fn follow(&mut self, kind: &EventKind) {
        match kind {
            EventKind::RunCompleted { output } => {
                self.outcome = Some(RunOutcome::Completed(output.clone()));
            }
            EventKind::RunFailed { failure } => {
                self.outcome = Some(RunOutcome::Failed(failure.clone()));
            }
            EventKind::RunCancelled { reason } => {
                self.outcome = Some(RunOutcome::Cancelled(reason.clone()));
            }
            EventKind::MessageAnswered { id, body } => self.answered.push((*id, body.clone())),
            EventKind::MessageTaken { .. } | EventKind::ListenStarted { .. } => {
                self.wants_messages = true;
            }
            _ => {}
        }
    }

    fn start_child(
        &mut self,
        facts: &RunFacts,
        child: ChildStart,
        events: &[Event],
        commit: &mut Commit,
    ) {
        let trace = facts.trace().attempt(&child.location, Attempt(0));
        let began = events.iter().find(|event| {
            matches!(&event.kind, EventKind::ChildStarted { child: run, .. } if *run == child.run)
        });
        let new = NewRun {
            run: child.run,
            at: began.or(events.last()).map_or(UnixMillis(0), |event| event.at),
            started: RunStarted {
                workflow: child.workflow,
                version: child.version.version,
                namespace: facts.started.namespace.clone(),
                input: child.input,
                labels: Default::default(),
                parent: Some(Parent { run: facts.run, location: child.location }),
                seed: seed_of(child.run),
                replay_of: None,
                pinned: child.version.pinned,
                // When its parent misses its own, it is cancelled.
                deadline_at: None,
                trace: Some(trace.to_string()),
            },
            idempotency_key: None,
            start_at: None,
            copied: Vec::new(),
        };
        self.children.push(fresh(&new));
        commit.starts.push(new);
    }

    fn tell_parent(&mut self, facts: &RunFacts, events: &[Event], commit: &mut Commit) {
        let Some(outcome) = &self.outcome else { return };
        let ended = events.iter().rev().find(|event| event.kind.is_outcome());
        if let (Some(parent), Some(ended)) = (&facts.started.parent, ended) {
            let post = child_ended(facts.run, parent, outcome, ended);
            self.post(post, commit);
        }
    }

    /// Runs that asked this one something must not wait for ever.
    fn tell_askers(
        &mut self,
        facts: &RunFacts,
        state: &RunState,
        at: UnixMillis,
        commit: &mut Commit,
    ) {
        let taken = state.unanswered.iter().map(|(id, reply)| (*id, reply));
        let waiting =
            state.mailbox.iter().filter_map(|message| Some((message.id, message.reply.as_ref()?)));
        let asked: Vec<(MessageId, ReplyTo)> = taken
            .chain(waiting)
            .filter(|(id, _)| !self.answered.iter().any(|(answered, _)| answered == id))
            .map(|(id, reply)| (id, reply.clone()))
            .collect();
        for (message, reply) in asked {
            if let Some(post) = no_answer(facts.run, message, &reply, at) {
                self.post(post, commit);
            }
        }
    }

    fn post(&mut self, post: Post, commit: &mut Commit) {
        self.nudges.push(post.to);
        commit.posts.push(post);
    }
}

/// What a run that has ended tells the run that started it.
pub(crate) fn child_ended(
    child: RunId,
    parent: &Parent,
    outcome: &RunOutcome,
    ended: &Event,
) -> Post {
    let outcome = match outcome {
        RunOutcome::Completed(output) => Ok(output.clone()),
        RunOutcome::Failed(failure) => Err(failure.clone()),
        RunOutcome::Cancelled(reason) => {
            Err(Failure::new(FailureKind::Cancelled, format!("the child was cancelled: {reason}")))
        }
    };
    // A child that was resumed ends once more, with another event.
    let id = inbox_id(parent.run, &format!("child {child} ended with {}", ended.seq));
    let item = InboxItem::ChildEnded { location: parent.location.clone(), child, outcome };
    Post { to: parent.run, id, at: ended.at, item }
}

/// What a run that has ended tells a run that asked it something; nothing if nobody can be told.
pub(crate) fn no_answer(
    run: RunId,
    message: MessageId,
    reply: &ReplyTo,
    at: UnixMillis,
) -> Option<Post> {
    let ReplyTo::Run { run: to, location } = reply else { return None };
    let failure = Failure::new(FailureKind::Error, format!("run {run} ended without an answer"));
    let item = InboxItem::Answer { location: location.clone(), answer: Err(failure) };
    Some(Post { to: *to, id: inbox_id(*to, &format!("no answer to {message}")), at, item })
}

fn answer_post(answer: AnswerOut, at: UnixMillis) -> Post {
    let id = inbox_id(answer.to, &format!("answer to {}", answer.message));
    let item = InboxItem::Answer { location: answer.location, answer: Ok(answer.answer) };
    Post { to: answer.to, id, at, item }
}

/// A run as the store has it right after it was created.
pub(crate) fn fresh(new: &NewRun) -> LoadedRun {
    LoadedRun { row: new.row(), journal: new.journal(), inbox: Vec::new() }
}

fn log_line(log: Log) -> LogLine {
    let level = match log.level {
        Level::Debug => LogLevel::Debug,
        Level::Info => LogLevel::Info,
        Level::Warn => LogLevel::Warn,
        Level::Error => LogLevel::Error,
    };
    LogLine { at: log.at, level, location: log.location, message: log.message, fields: log.fields }
}
