//! One step of a flow: its predicate, its work items side by side, and what they give together.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use stepwell_kernel::{Ctx, Error, Result};

use super::work::{Tried, Work};
use super::{Flow, names};
use crate::items::{Arguments, Outputs};
use crate::state::Fact;
use crate::step::{Script, StepDefinition};

/// Why a step or a work item does not run.
pub(crate) const PREDICATE_FALSE: &str = "predicate returned false";

pub(super) struct StepRun {
    pub flow: Rc<Flow>,
    pub definition: Arc<StepDefinition>,
}

/// What has happened in the block of a step.
enum News {
    /// An attempt has ended.
    Tried { place: usize, attempt: u64, tried: Tried },
    /// The wait after an attempt is over.
    Waited { place: usize, attempt: u64 },
    /// The answer came while the next attempt was waited for.
    Answered { place: usize, tried: Tried },
}

/// The work items of a step, as far as they have come.
struct Items {
    works: Vec<Rc<Work>>,
    /// Work items and the number of their next attempt, which may begin when there is a place.
    waiting: VecDeque<(usize, u64)>,
    n_running: usize,
    outputs: Vec<Option<Outputs>>,
    n_skipped: usize,
    /// Of the first that failed for good.
    error: Option<String>,
}

impl StepRun {
    pub fn new(flow: Rc<Flow>, definition: Arc<StepDefinition>) -> StepRun {
        StepRun { flow, definition }
    }

    pub async fn run(self: Rc<Self>, ctx: &Ctx, inputs: Arguments) -> Result<Fact> {
        let step = self.definition.id.clone();
        let splits = self.definition.splits(&inputs);
        if let Some(predicate) = self.predicate(!splits) {
            // Several items are asked one by one: what is true of one may make no sense for the list.
            let only = Work::new(self.clone(), 0, inputs.clone());
            match only.test(ctx, names::predicate(&step), predicate).await {
                Ok(true) => {}
                Ok(false) => {
                    ctx.skip(step.as_str(), PREDICATE_FALSE);
                    return Ok(Fact::Skipped { step, reason: PREDICATE_FALSE.to_owned() });
                }
                Err(failure) => return Ok(Fact::Failed { step, error: failure.message }),
            }
        }
        let item_predicate = self.predicate(splits);
        let items = self.definition.work_items(&inputs);
        let block = ctx.try_block(step.as_str(), async |ctx| {
            let items = items.map_err(Error::critical)?;
            self.run_items(&ctx, items, item_predicate).await
        });
        Ok(match block.await? {
            Ok(Some(outputs)) => Fact::Completed { step, outputs },
            Ok(None) => Fact::Skipped { step, reason: PREDICATE_FALSE.to_owned() },
            Err(failure) => Fact::Failed { step, error: failure.message },
        })
    }

    fn predicate(&self, is_asked: bool) -> Option<&Script> {
        self.definition.predicate.as_ref().filter(|_| is_asked)
    }

    /// What the items give together; none if all were skipped. After a failure no more begin; those that run may end,
    /// so that what they did is known.
    async fn run_items(
        self: &Rc<Self>,
        ctx: &Ctx,
        items: Vec<Arguments>,
        predicate: Option<&Script>,
    ) -> Result<Option<Outputs>> {
        let parallelism = usize::try_from(self.definition.work.parallelism).unwrap_or(1).max(1);
        let mut items = Items::new(self, items);
        let mut together = ctx.together();
        loop {
            while items.n_running < parallelism
                && let Some((place, attempt)) = items.next()
            {
                let work = items.works[place].clone();
                items.n_running += 1;
                together.add(async move {
                    let tried = work.attempt(ctx, attempt, predicate).await?;
                    Ok::<_, Error>(News::Tried { place, attempt, tried })
                });
            }
            if items.n_running == 0 && items.error.is_some() {
                break;
            }
            let Some(news) = together.next().await else { break };
            let (place, tried) = match news? {
                News::Tried { place, attempt, tried: Tried::Again { delay_ms } } => {
                    items.n_running -= 1;
                    let work = items.works[place].clone();
                    together.add(async move {
                        Ok(match work.wait(ctx, attempt, delay_ms).await? {
                            Some(tried) => News::Answered { place, tried },
                            None => News::Waited { place, attempt },
                        })
                    });
                    continue;
                }
                News::Waited { place, attempt } => {
                    items.waiting.push_front((place, attempt + 1));
                    continue;
                }
                News::Tried { place, tried, .. } => {
                    items.n_running -= 1;
                    (place, tried)
                }
                News::Answered { place, tried } => (place, tried),
            };
            items.ended(place, tried);
        }
        drop(together);
        items.give(&self.definition)
    }
}

impl Items {
    fn new(step: &Rc<StepRun>, items: Vec<Arguments>) -> Items {
        let n_items = items.len();
        let works = items.into_iter().enumerate();
        Items {
            works: works.map(|(n, item)| Rc::new(Work::new(step.clone(), n, item))).collect(),
            waiting: (0..n_items).map(|place| (place, 1)).collect(),
            n_running: 0,
            outputs: vec![None; n_items],
            n_skipped: 0,
            error: None,
        }
    }

    fn next(&mut self) -> Option<(usize, u64)> {
        if self.error.is_some() { None } else { self.waiting.pop_front() }
    }

    fn ended(&mut self, place: usize, tried: Tried) {
        match tried {
            Tried::Done(outputs) => self.outputs[place] = Some(outputs),
            Tried::Skipped => self.n_skipped += 1,
            Tried::Failed(error) => {
                let n_items = self.works.len();
                let error = match n_items {
                    1 => error,
                    _ => format!("work item {place} of {n_items} failed: {error}"),
                };
                self.error.get_or_insert(error);
            }
            // An answer cannot ask for another attempt.
            Tried::Again { .. } => {}
        }
    }

    fn give(self, definition: &StepDefinition) -> Result<Option<Outputs>> {
        if let Some(error) = self.error {
            return Err(Error::critical(Error::msg(error)));
        }
        if self.n_skipped > 0 && self.n_skipped == self.works.len() {
            return Ok(None);
        }
        let items = self.works.iter().zip(self.outputs);
        let items: Vec<_> = items.map(|(work, outputs)| (work.item.clone(), outputs)).collect();
        Ok(Some(definition.aggregate(&items)))
    }
}
