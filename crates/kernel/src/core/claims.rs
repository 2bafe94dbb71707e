//! Which entries the code has asked for, and the rules for asking.

use std::rc::Rc;

use stepwell_journal::{EntryKind, Failure, FailureKind, Json, Location, Seq};

use super::{Core, Inner};
use crate::Error;
use crate::scope::Scope;

impl Core {
    /// Makes the caller the one that stands for the entry. Refused if the name is taken, if the journal
    /// has something else there, or if this is not the moment for operations.
    pub async fn claim(&self, scope: &Rc<Scope>, location: &Location, kind: EntryKind) {
        if let Err(failure) = self.try_claim(scope, location, kind) {
            self.fault(failure);
            // Nobody may catch this: the execution ends the run when it sees the fault.
            std::future::pending::<()>().await;
        }
    }

    pub fn try_claim(
        &self,
        scope: &Rc<Scope>,
        location: &Location,
        kind: EntryKind,
    ) -> Result<(), Failure> {
        let mut inner = self.inner();
        let misuse = |text: String| Failure::new(FailureKind::Misuse, text).at(location);
        if let Some(problem) = inner.misplaced(scope, || format!("{kind} `{location}`")) {
            return Err(misuse(problem));
        }
        // Only what the journal had when it was loaded can be something else.
        if inner.unclaimed.remove(location)
            && let Some(entry) = inner.state.entry(location)
            && entry.kind != kind
        {
            return Err(Failure::new(
                FailureKind::Divergence,
                format!(
                    "run {}: at `{location}` the journal has a {} (since {}), the code asks for a {kind}",
                    self.run, entry.kind, entry.first_seq
                ),
            )
            .at(location));
        }
        let n = inner.n_claims;
        inner.n_claims += 1;
        if inner.claimed.insert(location.clone(), n).is_some() {
            return Err(misuse(format!(
                "the name of {kind} `{location}` is used twice in its scope; names must be unique there"
            )));
        }
        Ok(())
    }

    /// Ends the run if code other than that of `scope` is what runs now: what it does would differ on
    /// replay. False if so.
    pub fn check_place(&self, scope: &Rc<Scope>, what: &str) -> bool {
        let problem = self.peek().misplaced(scope, || what.to_owned());
        let Some(problem) = problem else { return true };
        self.fault(Failure::new(FailureKind::Misuse, problem).at(&scope.location));
        false
    }

    /// Ends the run with an error that no workflow code can catch. The first one stands.
    pub fn fault(&self, failure: Failure) {
        let mut inner = self.inner();
        if inner.fault.is_none() {
            inner.fault = Some(failure);
        }
    }

    /// At the end of a scope every recorded entry in it must have been asked for.
    pub fn check_all_claimed(&self, scope: &Location) {
        let missing = {
            let inner = self.peek();
            if inner.unclaimed.is_empty() {
                return;
            }
            inner.unclaimed_below(scope).map(|location| {
                let entry = inner.state.entry(location);
                let kind = entry.map_or("entry", |entry| entry.kind.as_str());
                let since = entry.map_or(Seq(0), |entry| entry.first_seq);
                Failure::new(
                    FailureKind::Divergence,
                    format!(
                        "run {}: the journal has a {kind} at `{location}` (since {since}), and the code \
                         went past that place without asking for it; if it was removed on purpose, say \
                         so with `ctx.removed`",
                        self.run
                    ),
                )
                .at(location)
            })
        };
        if let Some(failure) = missing {
            self.fault(failure);
        }
    }

    /// Forgets the names below a location that can never be used again.
    pub fn forget_below(&self, location: &Location) {
        let mut inner = self.inner();
        let (first, end) = location.below();
        let mut later = inner.claimed.split_off(&first);
        inner.claimed.append(&mut later.split_off(&end));
        if !inner.undo.is_empty() {
            inner.undo.retain(|step, _| !step.is_below(location));
        }
    }

    /// The code waits, and not for an operation.
    pub fn foreign_await(&self, scope: &Location) {
        let failure = {
            let inner = self.peek();
            if inner.fault.is_some() {
                return;
            }
            let last =
                inner.claimed.keys().filter(|at| at.parent().as_ref() == Some(scope)).count();
            Failure::new(
                FailureKind::Misuse,
                format!(
                    "{scope} awaits something that is not an operation of `ctx`, after {last} operations: \
                     a timer, a channel or a task would not be replayed; do that inside a step, and use \
                     `ctx.sleep`, `ctx.listen`, `ctx.join` and `ctx.race`"
                ),
            )
        };
        self.fault(failure);
    }

    /// The run's input is not of the type that the code wants today. Does not return.
    pub async fn not_the_input<I>(&self, error: &serde_json::Error) -> Result<Json, Error> {
        let (run, shape) = (self.run, std::any::type_name::<I>());
        self.fault(Failure::new(
            FailureKind::Divergence,
            format!(
                "run {run}: the journal has an input that is not the `{shape}` that the code asks for: \
                 {error}"
            ),
        ));
        std::future::pending().await
    }

    /// The code has ended, and an operation that it began is kept alive somewhere.
    pub fn left_behind(&self, scope: &Location) {
        self.fault(
            Failure::new(
                FailureKind::Misuse,
                format!(
                    "{scope} ended while an operation that it began was still under way; await it"
                ),
            )
            .at(scope),
        );
    }
}

impl Inner {
    pub fn unclaimed_below(&self, scope: &Location) -> Option<&Location> {
        if scope.is_root() {
            return self.unclaimed.first();
        }
        let (first, end) = scope.below();
        self.unclaimed.range(first..end).next()
    }

    /// Why an operation of `scope` may not begin now, if it may not.
    pub(super) fn misplaced(&self, scope: &Rc<Scope>, what: impl Fn() -> String) -> Option<String> {
        if let Some(body) = &self.in_body {
            return Some(format!(
                "{} was begun inside the body of step `{body}`; a body may not use `ctx`",
                what()
            ));
        }
        if scope.is_ended() {
            return Some(format!("{} was begun with the `ctx` of a scope that has ended", what()));
        }
        match &self.current_scope {
            None => {
                return Some(format!(
                    "{} was awaited outside of the workflow's own future",
                    what()
                ));
            }
            Some(current) if !Rc::ptr_eq(current, scope) => {
                return Some(format!(
                    "{} was begun with the `ctx` of {}, inside {}; use the `ctx` that the inner function was given",
                    what(),
                    scope.location,
                    current.location
                ));
            }
            Some(_) => {}
        }
        if !self.delivering {
            return Some(format!(
                "the function went on to {} without waiting for an operation of `ctx`: it awaited \
                 something else before, such as a timer or a channel; do that inside a step",
                what()
            ));
        }
        None
    }
}
