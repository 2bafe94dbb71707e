//! `join` and `race`: branches that run side by side.

use std::cell::RefCell;
use std::future::{IntoFuture, poll_fn};
use std::marker::PhantomData;
use std::rc::Rc;

use stepwell_journal::{EntryKind, EventKind, Failure, FailureKind};

use super::op::Op;
use crate::branch_set::BranchSet;
use crate::core::Urgency;
use crate::scope::Scoped;
use crate::{Ctx, Error, LocalBoxFuture, Result};

type Start<'a, T> = Box<dyn FnOnce(Ctx) -> LocalBoxFuture<'a, Result<T>> + 'a>;

/// A named branch of a join or a race.
pub struct Branch<'a, T> {
    name: String,
    start: Start<'a, T>,
}

/// `branch("fraud", async |ctx| ctx.step("check", ...).await)`
pub fn branch<'a, T, F>(name: impl Into<String>, code: F) -> Branch<'a, T>
where
    F: AsyncFnOnce(Ctx) -> Result<T> + 'a,
    T: 'a,
{
    Branch { name: name.into(), start: Box::new(|ctx| Box::pin(async move { code(ctx).await })) }
}

/// Puts the results of all branches together; none if one is missing.
pub type Collect<'a, T> = Box<dyn FnOnce() -> Option<T> + 'a>;

/// What a join takes: a list of branches of one type, or a tuple of branches of any types.
pub trait Branches<'a> {
    type Output;

    /// The branches with their results put aside, and how to collect the results.
    fn split(self) -> (Vec<Branch<'a, ()>>, Collect<'a, Self::Output>);
}

/// Branches about to run, all of which must end well.
#[must_use = "a join does nothing until it is awaited"]
pub struct Join<'a, B> {
    ctx: Ctx,
    name: String,
    branches: B,
    lives: PhantomData<&'a ()>,
}

/// Branches about to run, of which the first to end well wins.
#[must_use = "a race does nothing until it is awaited"]
pub struct Race<'a, T> {
    ctx: Ctx,
    name: String,
    branches: Vec<Branch<'a, T>>,
}

/// How a race ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raced<T> {
    /// The name of the branch that won.
    pub winner: String,
    pub value: T,
}

impl Ctx {
    /// Runs all branches concurrently and waits for all of them. Failures come back together.
    pub fn join<'a, B: Branches<'a>>(&self, name: impl Into<String>, branches: B) -> Join<'a, B> {
        Join { ctx: self.clone(), name: name.into(), branches, lives: PhantomData }
    }

    /// Runs all branches concurrently until one succeeds; the others are cancelled at once. It is an
    /// error, with every cause, if all fail.
    pub fn race<'a, T>(
        &self,
        name: impl Into<String>,
        branches: impl IntoIterator<Item = Branch<'a, T>>,
    ) -> Race<'a, T> {
        Race { ctx: self.clone(), name: name.into(), branches: branches.into_iter().collect() }
    }
}

impl<'a, B: Branches<'a> + 'a> IntoFuture for Join<'a, B> {
    type Output = Result<B::Output>;
    type IntoFuture = LocalBoxFuture<'a, Result<B::Output>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let op = Op::begin(&self.ctx, &self.name, EntryKind::Join).await;
            op.block_started(EntryKind::Join);
            let (branches, collect) = self.branches.split();
            let (names, mut set) = begin(&op, branches).await;
            let mut failures = Vec::new();
            while !set.is_empty() {
                let (index, result) = poll_fn(|cx| set.poll_next(cx)).await;
                if let Err(error) = result {
                    failures.push((index, error.into_failure()));
                }
            }
            let failure = all_failures(&op, "join", &names, failures);
            op.block_ended(failure.as_ref(), None);
            op.end(match failure {
                Some(failure) => Err(Error::from(failure)),
                None => collect().ok_or_else(|| Error::msg("a branch ended without a result")),
            })
        })
    }
}

impl<'a, T: 'a> IntoFuture for Race<'a, T> {
    type Output = Result<Raced<T>>;
    type IntoFuture = LocalBoxFuture<'a, Result<Raced<T>>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let op = Op::begin(&self.ctx, &self.name, EntryKind::Race).await;
            op.block_started(EntryKind::Race);
            let (names, mut set) = begin(&op, self.branches).await;
            let mut failures = Vec::new();
            while !set.is_empty() {
                let (index, result) = poll_fn(|cx| set.poll_next(cx)).await;
                match result {
                    Ok(value) => {
                        op.core.release(|| drop(set));
                        let winner = names[index].clone();
                        op.block_ended(None, Some(winner.clone()));
                        return op.end(Ok(Raced { winner, value }));
                    }
                    Err(error) => failures.push((index, error.into_failure())),
                }
            }
            let failure = all_failures(&op, "race", &names, failures).unwrap_or_else(|| {
                Failure::new(FailureKind::Critical, "a race without branches has no winner")
                    .at(&op.location)
            });
            op.block_ended(Some(&failure), None);
            op.end(Err(Error::from(failure)))
        })
    }
}

/// Claims the branches and sets them up, not yet polled.
async fn begin<'a, T: 'a>(
    op: &Op,
    branches: Vec<Branch<'a, T>>,
) -> (Vec<String>, BranchSet<LocalBoxFuture<'a, Result<T>>>) {
    let limit = op.core.limits.branches_max;
    let mut problem = (branches.len() > limit).then(|| {
        let n = branches.len();
        Failure::new(
            FailureKind::Limit,
            format!("{n} branches are more than the limit branches_max of {limit}"),
        )
    });
    let mut names = Vec::with_capacity(branches.len());
    let mut futures = Vec::with_capacity(branches.len());
    for branch in branches {
        let claimed = op
            .location
            .named(&branch.name)
            .map_err(|error| {
                Failure::new(FailureKind::Misuse, format!("a branch has a bad name: {error}"))
            })
            .and_then(|location| {
                op.core.try_claim(op.scope(), &location, EntryKind::Branch).map(|()| location)
            });
        match claimed {
            Ok(location) => futures.push(run_branch(op, location, branch.start)),
            Err(failure) => problem = problem.or(Some(failure)),
        }
        names.push(branch.name);
    }
    if let Some(failure) = problem {
        op.core.fault(failure.at(&op.location));
        std::future::pending::<()>().await;
    }
    (names, BranchSet::new(futures))
}

fn run_branch<'a, T: 'a>(
    op: &Op,
    location: stepwell_journal::Location,
    start: Start<'a, T>,
) -> LocalBoxFuture<'a, Result<T>> {
    let core = op.core.clone();
    let ctx = op.inner_ctx(location.clone());
    let scope = ctx.scope.clone();
    Box::pin(async move {
        let result = Scoped::new(core.clone(), scope, start(ctx)).await;
        let recorded = core.peek().state.entry(&location).is_some();
        if !recorded {
            let failure = result.as_ref().err().map(|error| error.failure().clone());
            core.emit(EventKind::BranchEnded { location, failure }, Urgency::Lazy);
        }
        result
    })
}

/// One failure that holds those of the branches, in the order in which the branches were written.
fn all_failures(
    op: &Op,
    what: &str,
    names: &[String],
    mut failures: Vec<(usize, Failure)>,
) -> Option<Failure> {
    let first = failures.first()?.1.kind;
    failures.sort_by_key(|(index, _)| *index);
    let rolls_back = failures.iter().any(|(_, failure)| failure.kind == FailureKind::Rollback);
    let kind = if rolls_back { FailureKind::Rollback } else { first };
    let (n, of) = (failures.len(), names.len());
    let said: Vec<String> = failures
        .iter()
        .take(5)
        .map(|(index, failure)| format!("{}: {}", names[*index], failure.message))
        .collect();
    let more =
        if n > said.len() { format!("; and {} more", n - said.len()) } else { String::new() };
    let message = format!("{n} of {of} branches of the {what} failed: {}{more}", said.join("; "));
    let branches =
        failures.into_iter().map(|(index, failure)| (names[index].clone(), failure)).collect();
    let failure = Failure::new(kind, message).at(&op.location).of_branches(branches);
    Some(op.core.cut_failure(failure))
}

/// Where a branch puts its result until all have ended.
type Slot<T> = Rc<RefCell<Option<T>>>;

fn put_aside<'a, T: 'a>(branch: Branch<'a, T>) -> (Branch<'a, ()>, Slot<T>) {
    let slot: Slot<T> = Rc::new(RefCell::new(None));
    let put = slot.clone();
    let start = branch.start;
    let aside = Branch {
        name: branch.name,
        start: Box::new(move |ctx| {
            let code = start(ctx);
            Box::pin(async move {
                let value = code.await?;
                *put.borrow_mut() = Some(value);
                Ok(())
            })
        }),
    };
    (aside, slot)
}

impl<'a, T: 'a> Branches<'a> for Vec<Branch<'a, T>> {
    type Output = Vec<T>;

    fn split(self) -> (Vec<Branch<'a, ()>>, Collect<'a, Vec<T>>) {
        let (branches, slots): (Vec<_>, Vec<_>) = self.into_iter().map(put_aside).unzip();
        (branches, Box::new(move || slots.iter().map(|slot| slot.borrow_mut().take()).collect()))
    }
}

impl<'a, T: 'a, const N: usize> Branches<'a> for [Branch<'a, T>; N] {
    type Output = [T; N];

    fn split(self) -> (Vec<Branch<'a, ()>>, Collect<'a, [T; N]>) {
        let (branches, collect) = Vec::from(self).split();
        (branches, Box::new(move || collect()?.try_into().ok()))
    }
}

macro_rules! tuple_of_branches {
    ($($value:ident $branch:ident),+) => {
        impl<'a, $($value: 'a),+> Branches<'a> for ($(Branch<'a, $value>,)+) {
            type Output = ($($value,)+);

            fn split(self) -> (Vec<Branch<'a, ()>>, Collect<'a, Self::Output>) {
                let ($($branch,)+) = self;
                let mut branches = Vec::new();
                $(
                    let (aside, $branch) = put_aside($branch);
                    branches.push(aside);
                )+
                (branches, Box::new(move || Some(($($branch.borrow_mut().take()?,)+))))
            }
        }
    };
}

tuple_of_branches!(A a);
tuple_of_branches!(A a, B b);
tuple_of_branches!(A a, B b, C c);
tuple_of_branches!(A a, B b, C c, D d);
tuple_of_branches!(A a, B b, C c, D d, E e);
tuple_of_branches!(A a, B b, C c, D d, E e, F f);
tuple_of_branches!(A a, B b, C c, D d, E e, F f, G g);
tuple_of_branches!(A a, B b, C c, D d, E e, F f, G g, H h);
