//! Where the engine's time comes from.
//!
//! Nothing in the engine asks the operating system for the time or sleeps by itself: it asks a
//! [`Clock`]. Tests and the simulator give it a [`VirtualClock`] and move the hands themselves.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use stepwell_journal::UnixMillis;

pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The longest single sleep of the system clock. The wall clock may jump while we sleep; looking at
/// it again this often means that a jump delays a timer by no more than this.
const SLEEP_MS_MAX: u64 = 1_000;

pub trait Clock: Send + Sync + 'static {
    fn now(&self) -> UnixMillis;

    /// Ends when the clock shows `at` or later. Whoever is woken looks at the clock again: waking
    /// early never moves a date.
    fn sleep_until(&self, at: UnixMillis) -> BoxFuture<'static, ()>;

    /// Time that nobody sets, for spans that no jump of the clock may stretch or cut: leases, and how long others
    /// are waited for.
    fn instant(&self) -> Instant {
        Instant::now()
    }

    /// Ends after so much of that time.
    fn pause(&self, span: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async move { tokio::time::sleep(span).await })
    }
}

/// Until that date; for ever if there is none.
pub(crate) async fn sleep_until(clock: &dyn Clock, until: Option<UnixMillis>) {
    match until {
        Some(at) => clock.sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// The machine's wall clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        // A clock before 1970 is a broken clock; zero makes everything "not yet due" and is safe.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn sleep_until(&self, at: UnixMillis) -> BoxFuture<'static, ()> {
        let clock = *self;
        Box::pin(async move {
            loop {
                let left_ms = at.ms_since(clock.now());
                if left_ms == 0 {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(left_ms.min(SLEEP_MS_MAX))).await;
            }
        })
    }
}

/// A clock that stands still until somebody moves it.
#[derive(Clone)]
pub struct VirtualClock {
    hands: Arc<Mutex<Hands>>,
}

struct Hands {
    now: UnixMillis,
    /// Who sleeps until when. A sleeper that was woken stays here until it has looked at the clock.
    sleepers: BTreeMap<(UnixMillis, u64), Waker>,
    next_sleeper: u64,
}

impl VirtualClock {
    pub fn new(now: UnixMillis) -> VirtualClock {
        let hands = Hands { now, sleepers: BTreeMap::new(), next_sleeper: 0 };
        VirtualClock { hands: Arc::new(Mutex::new(hands)) }
    }

    /// Moves the clock forward and wakes who slept until then. A time in the past changes nothing.
    pub fn advance_to(&self, at: UnixMillis) {
        let mut hands = self.hands.lock();
        hands.now = hands.now.max(at);
        hands.wake_due();
    }

    /// Sets the clock to any time, back too: what a clock that jumps does.
    pub fn set(&self, at: UnixMillis) {
        let mut hands = self.hands.lock();
        hands.now = at;
        hands.wake_due();
    }

    /// The date that the next sleeper waits for; none if nobody sleeps.
    pub fn next_sleeper(&self) -> Option<UnixMillis> {
        self.hands.lock().sleepers.keys().next().map(|(at, _)| *at)
    }

    /// Whether somebody was woken and has not looked at the clock yet.
    pub fn has_due_sleepers(&self) -> bool {
        let hands = self.hands.lock();
        hands.sleepers.keys().next().is_some_and(|(at, _)| *at <= hands.now)
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> UnixMillis {
        self.hands.lock().now
    }

    fn sleep_until(&self, at: UnixMillis) -> BoxFuture<'static, ()> {
        Box::pin(VirtualSleep { clock: self.clone(), at, place: None })
    }
}

impl Hands {
    fn wake_due(&mut self) {
        for ((at, _), waker) in &self.sleepers {
            if *at > self.now {
                break;
            }
            waker.wake_by_ref();
        }
    }
}

struct VirtualSleep {
    clock: VirtualClock,
    at: UnixMillis,
    /// Our number among the sleepers, once we are among them.
    place: Option<u64>,
}

impl Future for VirtualSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let clock = self.clock.clone();
        let mut hands = clock.hands.lock();
        if hands.now >= self.at {
            if let Some(place) = self.place.take() {
                hands.sleepers.remove(&(self.at, place));
            }
            return Poll::Ready(());
        }
        let place = match self.place {
            Some(place) => place,
            None => {
                hands.next_sleeper += 1;
                hands.next_sleeper
            }
        };
        self.place = Some(place);
        hands.sleepers.insert((self.at, place), cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for VirtualSleep {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            self.clock.hands.lock().sleepers.remove(&(self.at, place));
        }
    }
}

/// One deadline that is often moved and seldom reached.
///
/// A task that works hard moves its deadline with every step; making a new sleep each time would cost
/// more than the step. So a sleep that was begun is kept while it ends no later than wanted, and a
/// task that it wakes too early looks at the clock and sets it again.
pub(crate) struct Sleeper {
    clock: Arc<dyn Clock>,
    sleep: Option<(UnixMillis, BoxFuture<'static, ()>)>,
}

impl Sleeper {
    pub fn new(clock: Arc<dyn Clock>) -> Sleeper {
        Sleeper { clock, sleep: None }
    }

    /// Ends at `wanted` or earlier; never, if nothing is wanted. May be dropped and called again.
    pub async fn ring(&mut self, wanted: Option<UnixMillis>) {
        let Some(wanted) = wanted else {
            self.sleep = None;
            return std::future::pending().await;
        };
        let too_late = self.sleep.as_ref().is_none_or(|(at, _)| *at > wanted);
        if too_late {
            self.sleep = Some((wanted, self.clock.sleep_until(wanted)));
        }
        if let Some((_, sleep)) = &mut self.sleep {
            sleep.as_mut().await;
        }
        self.sleep = None;
    }
}

/// The delay before the next try of something that fails again and again.
pub(crate) struct Backoff {
    next_ms: u64,
    max_ms: u64,
}

impl Backoff {
    pub fn new(first_ms: u64, max_ms: u64) -> Backoff {
        Backoff { next_ms: first_ms, max_ms }
    }

    pub fn next_ms(&mut self) -> u64 {
        let ms = self.next_ms;
        self.next_ms = (ms * 2).min(self.max_ms);
        ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ready(future: &mut BoxFuture<'static, ()>) -> bool {
        future.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_virtual_sleeper_wakes_at_its_date_and_not_before() {
        let clock = VirtualClock::new(UnixMillis(100));
        let mut sleep = clock.sleep_until(UnixMillis(150));
        assert!(!is_ready(&mut sleep));
        assert_eq!(clock.next_sleeper(), Some(UnixMillis(150)));
        clock.advance_to(UnixMillis(149));
        assert!(!is_ready(&mut sleep));
        clock.advance_to(UnixMillis(150));
        assert!(clock.has_due_sleepers(), "woken, and has not looked yet");
        assert!(is_ready(&mut sleep));
        assert_eq!(clock.next_sleeper(), None);
    }

    #[test]
    fn a_sleeper_that_is_dropped_is_forgotten() {
        let clock = VirtualClock::new(UnixMillis(0));
        let mut sleep = clock.sleep_until(UnixMillis(5));
        assert!(!is_ready(&mut sleep));
        drop(sleep);
        assert_eq!(clock.next_sleeper(), None);
    }

    #[test]
    fn the_delay_doubles_up_to_its_bound() {
        let mut backoff = Backoff::new(50, 300);
        let delays: Vec<u64> = (0..5).map(|_| backoff.next_ms()).collect();
        assert_eq!(delays, [50, 100, 200, 300, 300]);
    }
}
