//! Polling many branches, each only when something woke it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// Futures of one join, race or `Together`. Ten thousand of them cost no more per event than one.
pub(crate) struct BranchSet<F> {
    branches: Vec<Option<(Pin<Box<F>>, Waker)>>,
    n_open: usize,
    ready: Arc<Ready>,
}

/// Which branches were woken, in order, and whom to tell.
struct Ready {
    queue: Mutex<ReadyQueue>,
}

struct ReadyQueue {
    woken: VecDeque<usize>,
    is_woken: Vec<bool>,
    parent: Option<Waker>,
}

struct BranchWaker {
    index: usize,
    ready: Arc<Ready>,
}

impl<F: Future> BranchSet<F> {
    pub fn new(futures: impl IntoIterator<Item = F>) -> BranchSet<F> {
        let queue = ReadyQueue { woken: VecDeque::new(), is_woken: Vec::new(), parent: None };
        let ready = Arc::new(Ready { queue: Mutex::new(queue) });
        let mut set = BranchSet { n_open: 0, branches: Vec::new(), ready };
        futures.into_iter().for_each(|future| set.push(future));
        set
    }

    /// Adds a future, which is polled after those that were woken before. Call `poll_next` afterwards.
    pub fn push(&mut self, future: F) {
        let index = self.branches.len();
        let waker = Waker::from(Arc::new(BranchWaker { index, ready: self.ready.clone() }));
        self.branches.push(Some((Box::pin(future), waker)));
        self.n_open += 1;
        let mut queue = self.ready.lock();
        queue.woken.push_back(index);
        queue.is_woken.push(true);
    }

    pub fn is_empty(&self) -> bool {
        self.n_open == 0
    }

    /// The next branch to end, with its place; pending while none does. Branches are polled in the
    /// order in which they were woken.
    pub fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<(usize, F::Output)> {
        self.ready.lock().set_parent(cx.waker());
        loop {
            // Not `while let`, which would hold the lock while the branch is polled: it may wake itself.
            let Some(index) = self.ready.lock().pop() else { return Poll::Pending };
            let Some((future, waker)) = self.branches[index].as_mut() else { continue };
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(waker)) {
                self.branches[index] = None;
                self.n_open -= 1;
                return Poll::Ready((index, output));
            }
        }
    }
}

impl Ready {
    /// Nobody can panic while holding this lock.
    fn lock(&self) -> std::sync::MutexGuard<'_, ReadyQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ReadyQueue {
    fn set_parent(&mut self, waker: &Waker) {
        match &mut self.parent {
            Some(parent) => parent.clone_from(waker),
            None => self.parent = Some(waker.clone()),
        }
    }

    fn pop(&mut self) -> Option<usize> {
        let index = self.woken.pop_front()?;
        self.is_woken[index] = false;
        Some(index)
    }
}

impl Wake for BranchWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let parent = {
            let mut queue = self.ready.lock();
            if !std::mem::replace(&mut queue.is_woken[self.index], true) {
                queue.woken.push_back(self.index);
            }
            queue.parent.clone()
        };
        // Also if it was woken before: whoever did that, on another thread, may not have come to tell the parent
        // yet. In a set within a set an event would then be seen only later, outside of its delivery.
        if let Some(parent) = parent {
            parent.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Told(AtomicUsize);

    impl Wake for Told {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_branch_may_wake_itself_while_it_is_polled() {
        let mut n_polls = 0;
        let branch = poll_fn(move |cx: &mut Context<'_>| {
            n_polls += 1;
            cx.waker().wake_by_ref();
            if n_polls < 3 { Poll::Pending } else { Poll::Ready(n_polls) }
        });
        let mut set = BranchSet::new([branch]);
        let mut cx = Context::from_waker(Waker::noop());
        assert_eq!(set.poll_next(&mut cx), Poll::Ready((0, 3)));
    }

    #[test]
    fn every_wake_tells_the_parent() {
        let wakers = Arc::new(Mutex::new(Vec::new()));
        let heard = wakers.clone();
        let branch = poll_fn(move |cx: &mut Context<'_>| {
            heard.lock().unwrap().push(cx.waker().clone());
            Poll::<()>::Pending
        });
        let mut set = BranchSet::new([branch]);
        let told = Arc::new(Told::default());
        let parent = Waker::from(told.clone());
        let mut cx = Context::from_waker(&parent);
        assert!(set.poll_next(&mut cx).is_pending());
        let waker = wakers.lock().unwrap()[0].clone();
        waker.wake_by_ref();
        // Another thread has marked the branch and may still be on its way to the parent: telling cannot be left to it.
        waker.wake_by_ref();
        assert_eq!(told.0.load(Ordering::SeqCst), 2);
        assert!(set.poll_next(&mut cx).is_pending());
        assert_eq!(wakers.lock().unwrap().len(), 2, "it is polled once for both");
    }
}
