//! Time, which only the simulator moves.
//!
//! Two clocks run side by side. `truth` only goes forward and drives what is outside of the engine: how long bodies
//! and the store take, and leases. `wall` is what engines see, and jumps now and then. Nodes that share a store have
//! two of their own each: their walls differ, and one that stands still looks at neither.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stepwell_engine::{BoxFuture, Clock, VirtualClock};
use stepwell_journal::UnixMillis;

use crate::world::{Life, START, State, World};

const HOUR_MS: u64 = 3_600_000;

/// What one engine has of time.
#[derive(Clone)]
pub struct Clocks {
    pub wall: VirtualClock,
    pub truth: VirtualClock,
}

/// The clocks of one engine, as it sees them.
pub struct WatchedClock {
    pub world: Arc<World>,
    pub clocks: Clocks,
}

impl Clock for WatchedClock {
    fn now(&self) -> UnixMillis {
        self.world.look();
        self.clocks.wall.now()
    }

    fn sleep_until(&self, at: UnixMillis) -> BoxFuture<'static, ()> {
        self.clocks.wall.sleep_until(at)
    }

    fn instant(&self) -> Instant {
        self.world.began + Duration::from_millis(self.clocks.truth.now().ms_since(START))
    }

    fn pause(&self, span: Duration) -> BoxFuture<'static, ()> {
        let ms = u64::try_from(span.as_micros().div_ceil(1_000)).unwrap_or(u64::MAX);
        let truth = &self.clocks.truth;
        truth.sleep_until(truth.now().plus_ms(ms))
    }
}

impl World {
    /// Time passes outside of the engine.
    pub async fn work(&self, node: u32, ms: u64) {
        let truth = self.clocks(node).truth;
        truth.sleep_until(truth.now().plus_ms(ms)).await;
    }

    pub fn clocks(&self, node: u32) -> Clocks {
        let state = self.state();
        let own = usize::try_from(node).ok().and_then(|place| state.clocks.get(place).cloned());
        own.unwrap_or_else(|| self.shared_clocks())
    }

    fn shared_clocks(&self) -> Clocks {
        Clocks { wall: self.wall.clone(), truth: self.truth.clone() }
    }

    /// The clocks of a new engine.
    pub fn new_clocks(&self, state: &mut State) -> Clocks {
        if state.sharing.is_none() {
            return self.shared_clocks();
        }
        let now = self.truth.now();
        let skew_ms = match state.rng.below(10) {
            0..4 => 0,
            4..9 => state.rng.below(5_000),
            _ => state.rng.below(3 * HOUR_MS),
        };
        let base = self.wall.now();
        let wall = match state.rng.percent(50) {
            true => base.plus_ms(skew_ms),
            false => UnixMillis(base.0.saturating_sub(skew_ms)),
        };
        state.laws.latest = state.laws.latest.max(wall);
        Clocks { wall: VirtualClock::new(wall), truth: VirtualClock::new(now) }
    }

    /// How long until somebody wants to be woken; none if nobody does.
    pub fn next_wake_ms(&self) -> Option<u64> {
        let state = self.state();
        let now = self.truth.now();
        let ends = state.paused.values().map(|until| until.ms_since(now));
        let wakes =
            state.awake().flat_map(|clocks| [left_ms(&clocks.wall), left_ms(&clocks.truth)]);
        let shared = [left_ms(&self.wall), left_ms(&self.truth)];
        ends.chain(wakes.chain(shared).flatten()).min()
    }

    /// How long until somebody wants to be woken at a date.
    pub fn next_date_ms(&self) -> Option<u64> {
        let state = self.state();
        state.awake().filter_map(|clocks| left_ms(&clocks.wall)).min()
    }

    pub fn pass(&self, ms: u64) {
        self.truth.advance_to(self.truth.now().plus_ms(ms));
        for clocks in self.own_clocks() {
            clocks.truth.advance_to(self.truth.now());
        }
        self.walls_pass(ms);
    }

    /// All dates come nearer, and nothing else: no lease runs out.
    pub fn walls_pass(&self, ms: u64) {
        for clocks in self.own_clocks() {
            self.set(&clocks.wall, clocks.wall.now().plus_ms(ms));
        }
        self.set(&self.wall, self.wall.now().plus_ms(ms));
    }

    /// The clocks of engines that have their own.
    fn own_clocks(&self) -> Vec<Clocks> {
        let state = self.state();
        if state.sharing.is_some() { state.clocks.clone() } else { Vec::new() }
    }

    /// The machine's clock is set, perhaps back.
    pub fn set(&self, wall: &VirtualClock, at: UnixMillis) {
        {
            let mut state = self.state();
            state.laws.latest = state.laws.latest.max(at);
        }
        wall.set(at);
    }

    /// The node stands still for a little longer than its lease, or much longer. Says until when.
    pub fn freeze(&self, node: u32) -> UnixMillis {
        let ms = {
            let mut state = self.state();
            let lease_ms = state.sharing.as_ref().map_or(0, |sharing| sharing.leases.lease_ms);
            let more_ms = state.rng.pick(&[20, lease_ms, 40_000]).unwrap_or(20);
            lease_ms + state.rng.below(more_ms)
        };
        let until = self.truth.now().plus_ms(ms);
        self.say(format!("n{node} stands still in the middle of a call for {ms} ms"));
        self.stop(node, until);
        until
    }

    /// The node stands still until then.
    pub fn stop(&self, node: u32, until: UnixMillis) {
        let mut state = self.state();
        state.counts.n_pauses += 1;
        state.paused.insert(node, until);
    }

    /// Those whose time has come go on.
    pub fn go_on(&self) {
        let now = self.truth.now();
        let on: Vec<u32> = {
            let state = self.state();
            state.paused.iter().filter(|(_, until)| **until <= now).map(|(node, _)| *node).collect()
        };
        for node in on {
            self.state().paused.remove(&node);
            self.say(format!("n{node} goes on"));
        }
    }
}

impl State {
    /// The clocks of those who can be woken, where each has its own.
    fn awake(&self) -> impl Iterator<Item = &Clocks> {
        let is_awake =
            |node: &u32| self.life(*node) != Life::Dead && !self.paused.contains_key(node);
        let own = self.sharing.is_some();
        (0..).zip(&self.clocks).filter(move |(node, _)| own && is_awake(node)).map(|(_, own)| own)
    }
}

fn left_ms(clock: &VirtualClock) -> Option<u64> {
    Some(clock.next_sleeper()?.ms_since(clock.now()))
}
