//! The laws, checked while things happen. The watcher sees every write to the store in the order in which
//! it becomes durable, every body that begins, and everything that workflow code and callers are told.

use std::collections::BTreeMap;

use stepwell_journal::{
    EntryStatus, Epoch, Event, EventKind, Location, Outcome, RunId, RunState, UnixMillis,
};
use stepwell_kernel::RunLimits;
use stepwell_store::{Commit, InboxItem, NewRun, Post, Shard};

use crate::ledger::{Body, Seen, Violation};
use crate::mirror::{Mirror, is_begin, token_of};

#[derive(Default)]
pub struct Laws {
    pub runs: BTreeMap<RunId, Mirror>,
    /// In the order in which they were created.
    pub order: Vec<RunId>,
    /// The messages that the store has accepted, by receiver and token.
    pub posted: BTreeMap<(RunId, u64), String>,
    /// The run that each idempotency key has made.
    keys: BTreeMap<String, RunId>,
    /// The latest ownership that the store has given out.
    pub epoch: Epoch,
    /// Who has written with which epoch of which shard.
    pub writers: BTreeMap<(Shard, Epoch), u32>,
    /// What limits the runs of each workflow in each engine that lives.
    pub limits: BTreeMap<String, RunLimits>,
    /// The latest time that any clock has shown.
    pub latest: UnixMillis,
    violation: Option<Violation>,
}

impl Laws {
    pub fn new(latest: UnixMillis) -> Laws {
        Laws { latest, ..Laws::default() }
    }

    pub fn violation(&self) -> Option<&Violation> {
        self.violation.as_ref()
    }

    /// The first violation stands: what follows from it is noise.
    pub fn broken(&mut self, law: u8, run: Option<RunId>, text: impl Into<String>) {
        if self.violation.is_none() {
            self.violation = Some(Violation { law, run, text: text.into() });
        }
    }

    pub fn require(&mut self, holds: bool, law: u8, run: RunId, text: impl FnOnce() -> String) {
        if !holds {
            self.broken(law, Some(run), text());
        }
    }

    /// Whether the run began as a copy of another one.
    pub fn is_copy(&self, run: RunId) -> bool {
        let started = self.runs.get(&run).and_then(|mirror| mirror.started());
        started.is_some_and(|started| started.replay_of.is_some())
    }

    pub fn alias(&self, run: RunId) -> String {
        self.runs.get(&run).map_or_else(|| "r?".to_owned(), |mirror| mirror.alias.clone())
    }

    // --- What the store does -----------------------------------------------------------------------

    /// A run was created.
    pub fn created(&mut self, new: &NewRun) {
        if self.runs.contains_key(&new.run) {
            return self.broken(9, Some(new.run), "the same run was created twice");
        }
        let alias = format!("r{}", self.runs.len());
        match Mirror::new(alias, new.run, &new.journal()) {
            Ok(mirror) => {
                self.runs.insert(new.run, mirror);
                self.order.push(new.run);
            }
            Err(error) => self.broken(3, Some(new.run), error.to_string()),
        }
    }

    /// A start with a key was answered with this run.
    pub fn keyed(&mut self, key: &str, run: RunId) {
        let first = *self.keys.entry(key.to_owned()).or_insert(run);
        self.require(first == run, 9, run, || {
            format!("the idempotency key {key} made a second run, after {first}")
        });
    }

    /// Something was put into an inbox.
    pub fn posted(&mut self, post: &Post) {
        let Some(mirror) = self.runs.get_mut(&post.to) else { return };
        let token = token_of(&post.item);
        mirror.inbox.insert(post.id, token);
        if matches!(post.item, InboxItem::Cancel { .. }) {
            mirror.cancels.insert(post.id);
        }
        mirror.cancel_stored |= matches!(post.item, InboxItem::Cancel { .. });
        if let (Some(token), InboxItem::Message { name, .. }) = (token, &post.item) {
            self.posted.insert((post.to, token), name.clone());
        }
    }

    /// A commit is durable.
    pub fn committed(&mut self, commit: &Commit) {
        let run = commit.run;
        if !self.runs.contains_key(&run) {
            return self.broken(3, Some(run), "a commit to a run that was never created");
        }
        for new in &commit.starts {
            if !self.runs.contains_key(&new.run) {
                self.created(new);
            }
        }
        // What comes together with the end of a run that waited is no beginning.
        let has_to_end = commit.events.iter().any(|event| {
            let kind = &event.kind;
            matches!(kind, EventKind::CancelRequested { .. } | EventKind::DeadlinePassed { .. })
        });
        for event in &commit.events {
            self.check_event(run, event);
            if self.violation.is_some() {
                return;
            }
            if is_begin(&event.kind) && !has_to_end {
                self.begins(run);
            }
            let Some(mirror) = self.runs.get_mut(&run) else { return };
            mirror.has_written |= is_begin(&event.kind) && !has_to_end;
            let received_before = mirror.received.clone();
            if let Err(error) = mirror.apply(event) {
                return self.broken(3, Some(run), format!("the store took nonsense: {error}"));
            }
            let lost: Vec<u64> = received_before.difference(&mirror.received).copied().collect();
            self.voided(run, &event.kind, lost);
            if event.kind.is_outcome() {
                self.check_outcome(run);
                if let Some(mirror) = self.runs.get_mut(&run) {
                    for cancel in std::mem::take(&mut mirror.cancels) {
                        mirror.inbox.remove(&cancel);
                    }
                }
            }
        }
        self.taken(commit);
        for post in &commit.posts {
            let is_open = self.runs.get(&post.to).is_some_and(|to| !to.state.is_ended());
            if is_open {
                self.posted(post);
            }
        }
    }

    /// A run that goes on must have the messages that it had.
    fn voided(&mut self, run: RunId, kind: &EventKind, lost: Vec<u64>) {
        let EventKind::RunResumed { .. } = kind else { return };
        let dropped = self.runs.get(&run).map(|mirror| mirror.dropped.len()).unwrap_or(0);
        self.require(lost.is_empty() && dropped == 0, 9, run, || {
            format!("the run goes on without messages that it had: {lost:x?}, {dropped} dropped")
        });
    }

    /// What leaves an inbox must be in the journal, unless the run has ended.
    fn taken(&mut self, commit: &Commit) {
        let Some(mirror) = self.runs.get_mut(&commit.run) else { return };
        let mut lost = Vec::new();
        for id in &commit.taken {
            let Some(Some(token)) = mirror.inbox.remove(id) else { continue };
            if mirror.received.contains(&token) {
                continue;
            }
            if mirror.state.is_ended() {
                mirror.dropped.insert(token);
            } else {
                lost.push(token);
            }
        }
        self.require(lost.is_empty(), 9, commit.run, || {
            format!("messages left the inbox and are not in the journal: {lost:x?}")
        });
    }

    // --- What code does ----------------------------------------------------------------------------

    /// A body begins in the engine that owns the run.
    pub fn began(&mut self, node: u32, body: &Body) {
        let (run, at) = (body.run, &body.at);
        let latest = self.latest;
        self.begins(run);
        let Some(mirror) = self.runs.get_mut(&run) else {
            return self.broken(2, Some(run), "a body began in a run that is not in the store");
        };
        let problem = begin_problem(mirror, body, latest);
        mirror.early_markers.remove(at);
        if let Some(step) = at.parent().filter(|_| is_undo(at)) {
            mirror.undone_last = succeeded_at(&mirror.state, &step);
        }
        let is_twin = mirror.running.insert(at.clone(), node).is_some();
        if let Some((law, text)) = problem {
            self.broken(law, Some(run), format!("`{at}`: {text}"));
        } else if is_twin {
            self.broken(1, Some(run), format!("`{at}`: two bodies of one step run side by side"));
        }
    }

    /// The workflow function was given the result of the entry.
    pub fn saw(&mut self, run: RunId, at: &Location, seen: &Seen) {
        let Some(mirror) = self.runs.get(&run) else {
            return self.broken(2, Some(run), "code runs of a run that is not in the store");
        };
        let outcome = mirror.state.entry(at).and_then(|entry| entry.outcome.as_ref());
        let Some((_, outcome)) = outcome else {
            return self.broken(
                2,
                Some(run),
                format!("`{at}`: the workflow saw {seen:?}, which is not in the store"),
            );
        };
        let is_same = match (seen, outcome) {
            (Seen::Ended, _) => true,
            (Seen::Value(token), Outcome::Value(value)) => value.to::<u64>().ok() == Some(*token),
            (Seen::Messages(tokens), Outcome::Messages(messages)) => {
                messages.iter().filter_map(|m| m.body.to::<u64>().ok()).eq(tokens.iter().copied())
            }
            (Seen::Messages(tokens), Outcome::TimedOut) => tokens.is_empty(),
            _ => false,
        };
        let text = format!("`{at}`: the workflow saw {seen:?}, the store has {outcome:?}");
        self.require(is_same, 1, run, || text);
    }

    /// Somebody was told that the message is durable.
    pub fn sent(&mut self, run: RunId, token: u64) {
        let is_known = self.posted.contains_key(&(run, token));
        self.require(is_known, 9, run, || {
            format!("the sender of message {token:x} was told that it is stored, and it is not")
        });
    }

    /// Somebody was told how the run ended. It may have been resumed since.
    pub fn told_outcome(&mut self, run: RunId, said: &str) {
        let Some(mirror) = self.runs.get(&run) else {
            return self.broken(2, Some(run), "an outcome of a run that is not in the store");
        };
        let is_stored = mirror.journal.iter().any(|event| event.kind.name() == said);
        self.require(is_stored, 2, run, || {
            format!("a caller was told {said}, which is not in the store")
        });
    }

    /// Somebody was told that the cancel is accepted. Unless it took very long, because no owner came, its owner has
    /// taken it: from here on nothing begins.
    pub fn cancel_accepted(&mut self, run: RunId, n_resumes: u32, is_taken: bool) {
        let Some(mirror) = self.runs.get_mut(&run) else { return };
        if mirror.n_resumes != n_resumes {
            return;
        }
        mirror.cancel_accepted |= is_taken || mirror.cancels.is_empty();
        let is_stored = mirror.cancel_stored;
        self.require(is_stored, 7, run, || "an accepted cancel is not in the store".to_owned());
    }
}

/// What is wrong with a body that begins now, and which law says so.
fn begin_problem(mirror: &Mirror, body: &Body, latest: UnixMillis) -> Option<(u8, String)> {
    let at = &body.at;
    if mirror.done.contains(at) {
        return Some((1, "a body began although the step's success is recorded".to_owned()));
    }
    if mirror.state.is_ended() {
        return Some((3, "a body began although the run has ended".to_owned()));
    }
    if mirror.cancel_accepted && !is_undo(at) {
        return Some((7, "a body began after the cancel was accepted".to_owned()));
    }
    if mirror.state.is_overdue && !is_undo(at) {
        return Some((8, "a body began after the deadline had passed".to_owned()));
    }
    let expected = match mirror.state.entry(at) {
        None => 1,
        Some(entry) => match entry.status {
            EntryStatus::Running if mirror.early_markers.contains(at) => entry.attempts.0,
            EntryStatus::Running => {
                let n = entry.attempts;
                return Some((6, format!("attempt {n} began again although it is recorded")));
            }
            EntryStatus::WaitingRetry => {
                let retry_at = entry.retry_at.unwrap_or_default();
                if latest < retry_at {
                    return Some((8, format!("a retry due at {retry_at} began early")));
                }
                entry.attempts.0 + 1
            }
            status => return Some((1, format!("a body began although the step is {status:?}"))),
        },
    };
    if expected > body.attempts_max {
        return Some((6, format!("attempt {expected} of {} began", body.attempts_max)));
    }
    match body.attempt {
        Some(attempt) if attempt.0 != expected => {
            Some((6, format!("the body was told attempt {attempt}, the journal says {expected}")))
        }
        _ => undo_problem(mirror, at),
    }
}

/// Newest first: each undo handler belongs to an older step than the one before.
fn undo_problem(mirror: &Mirror, at: &Location) -> Option<(u8, String)> {
    let step = at.parent().filter(|_| is_undo(at))?;
    let Some(seq) = succeeded_at(&mirror.state, &step) else {
        return Some((1, "an undo handler began although its step did not succeed".to_owned()));
    };
    if mirror.state.checkpoint.is_some_and(|checkpoint| seq < checkpoint) {
        return Some((1, "a step before the checkpoint is undone".to_owned()));
    }
    let is_older = mirror.undone_last.is_none_or(|last| seq <= last);
    (!is_older).then(|| (1, "undo handlers run in the wrong order".to_owned()))
}

fn is_undo(at: &Location) -> bool {
    at.as_str().ends_with("/~undo")
}

pub fn succeeded_at(state: &RunState, step: &Location) -> Option<stepwell_journal::Seq> {
    match state.entry(step)?.outcome.as_ref()? {
        (seq, Outcome::Value(_)) => Some(*seq),
        _ => None,
    }
}

/// The time of an event, checked against the clock.
pub fn is_early(event: &Event, due: Option<UnixMillis>, latest: UnixMillis) -> bool {
    due.is_some_and(|due| event.at < due || latest < due)
}
