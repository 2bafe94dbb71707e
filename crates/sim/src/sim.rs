//! One simulation, from its seed to its report.
//!
//! ```text
//!   Sim ---- polls until all is quiet ----> Node: LocalSet { Engine, callers } ----> FaultyStore
//!    |                          (one lives, zombies linger; or several share the store)  |
//!    +-- then one of: time passes, a call, a crash, a jump of the clock, a shut-down     v
//!                                                 World: clocks, laws, leases <-- MemoryStore
//! ```
//!
//! Nothing here asks the machine for time or chance, and all of it is one thread: the same seed is the
//! same simulation. Polling by hand, rather than with a runtime, tells when nothing can move any more,
//! which is the moment at which time may pass.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use stepwell_journal::{RunId, UnixMillis, render_journal};
use stepwell_store::MemoryStore;
use uuid::Uuid;

use crate::client::{Answer, Call, Client};
use crate::faults::{Faults, Sabotage};
use crate::generate::Generator;
use crate::interpret::WORKFLOWS;
use crate::limits::random_limits;
use crate::node::{Bell, Node, Setup};
use crate::program::Program;
use crate::report::Report;
use crate::rng::Rng;
use crate::several::Several;
use crate::trace::Trace;
use crate::world::{Life, World};

/// More rounds of polling than any simulation needs before it is quiet.
const ROUNDS_MAX: u32 = 50_000;

/// How often a caller tries again when it got no answer.
const TRIES_MAX: u32 = 3;

/// How many of a hundred simulations have several nodes, unless it is said.
const SEVERAL_PERCENT: u32 = 40;

#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Print the trace while it happens.
    pub is_loud: bool,
    pub sabotage: Option<Sabotage>,
    pub nodes: Nodes,
}

/// How many engines own runs at a time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Nodes {
    /// As the seed has it.
    #[default]
    Either,
    /// One, which takes the whole store over.
    One,
    /// Up to four, which lease shards.
    Several,
}

impl Nodes {
    /// Whether several nodes share the store. Apart from all other chance, so that the rest of a simulation stays
    /// what it is.
    fn are_several(self, seed: u64) -> bool {
        match self {
            Nodes::Either => Rng::new(seed ^ 0x006e_6f64_6573).percent(SEVERAL_PERCENT),
            Nodes::One => false,
            Nodes::Several => true,
        }
    }
}

/// Runs one simulation.
pub fn simulate(seed: u64, options: Options) -> Report {
    let mut sim = Sim::new(seed, options);
    match sim.several {
        Some(_) => sim.live_with_others(),
        None => sim.live(),
    }
    sim.drain();
    sim.finish();
    sim.report(seed)
}

/// A run that may be started.
#[derive(Clone)]
pub(crate) struct Slot {
    pub run: RunId,
    pub workflow: &'static str,
    pub program: Arc<Program>,
    pub key: Option<String>,
    /// How long after its start it must have ended.
    pub deadline_ms: Option<u64>,
    pub is_asked_for: bool,
}

/// Calls that nobody has answered yet, with the engine that they were made to.
pub(crate) type Open = Rc<RefCell<BTreeMap<u64, (u32, Call)>>>;

pub(crate) struct Sim {
    pub world: Arc<World>,
    pub rng: Rng,
    pub store: MemoryStore,
    pub nodes: Vec<Node>,
    pub slots: Vec<Slot>,
    pub open: Open,
    /// Calls that lost their engine, to be made again.
    pub again: Vec<Call>,
    next_call: u64,
    bell: Arc<Bell>,
    /// Whether engines live no longer than chance has it.
    pub is_calm: bool,
    /// None if one engine takes over from the other.
    pub several: Option<Several>,
    /// Who lived in the calm when it was last looked, and since when nobody came or went.
    pub calm_nodes: Vec<u32>,
    pub calm_since: UnixMillis,
}

impl Sim {
    fn new(seed: u64, options: Options) -> Sim {
        let mut rng = Rng::new(seed);
        let faults = Faults::random(&mut rng);
        let world = World::new(rng.fork(), faults, Trace::new(options.is_loud));
        {
            let mut state = world.state();
            state.crashes_left = u32::try_from(rng.range(0, 12)).unwrap_or(0);
            state.sabotage = options.sabotage;
        }
        let several = options.nodes.are_several(seed).then(|| {
            let (several, sharing) = Several::random(&mut rng);
            let mut state = world.state();
            state.sharing = Some(sharing);
            state.faults = faults.of_several();
            state.counts.n_shared = 1;
            for (workflow, limits) in random_limits(&mut rng) {
                state.laws.limited(workflow, limits);
            }
            several
        });
        world.say(format!("seed {seed:#x}, {faults:?}"));
        let mut sim = Sim {
            world,
            store: MemoryStore::new(),
            nodes: Vec::new(),
            slots: Vec::new(),
            open: Open::default(),
            again: Vec::new(),
            next_call: 0,
            bell: Arc::default(),
            is_calm: false,
            several,
            calm_nodes: Vec::new(),
            calm_since: UnixMillis(0),
            rng,
        };
        sim.slots = sim.make_slots();
        sim
    }

    fn make_slots(&mut self) -> Vec<Slot> {
        let n_slots = self.rng.range(2, 8);
        let runs: Vec<RunId> = (0..n_slots).map(|_| self.run_id()).collect();
        let mut others = runs.clone();
        others.push(self.run_id());
        let kills = self.rng.percent(30);
        let mut slots = Vec::new();
        for (run, place) in runs.into_iter().zip(0..) {
            let mut generator = Generator {
                rng: &mut self.rng,
                others: &others,
                workflows: &WORKFLOWS,
                n_left: 30,
                kills,
            };
            let program = Arc::new(generator.program());
            let workflow = self.rng.pick(&WORKFLOWS).unwrap_or("sim");
            let key = self.rng.percent(70).then(|| format!("slot {place}"));
            let deadline_ms = self.deadline_ms();
            slots.push(Slot { run, workflow, program, key, deadline_ms, is_asked_for: false });
        }
        slots
    }

    /// Sometimes so short that the run cannot make it, sometimes so long that it must.
    pub fn deadline_ms(&mut self) -> Option<u64> {
        match self.rng.below(10) {
            0 => Some(self.rng.below(20)),
            1 => Some(self.rng.below(2_000)),
            2 => Some(self.rng.below(6 * 3_600_000)),
            _ => None,
        }
    }

    /// Ids of simulated runs sort behind those that engines make, which have the date in front.
    pub fn run_id(&mut self) -> RunId {
        let low = (u128::from(self.rng.next_u64()) << 64) | u128::from(self.rng.next_u64());
        RunId(Uuid::from_u128(low | (0xf0 << 120)))
    }

    pub fn is_broken(&self) -> bool {
        self.world.state().laws.violation().is_some()
    }

    // --- Engines -----------------------------------------------------------------------------------

    /// Polls everything until nothing moves. Time stands still meanwhile.
    pub fn settle(&mut self) {
        let waker = Waker::from(Arc::clone(&self.bell));
        for _ in 0..ROUNDS_MAX {
            self.bell.rang();
            self.world.polled();
            self.world.go_on();
            for node in &mut self.nodes {
                if !self.world.state().paused.contains_key(&node.id) {
                    node.poll(&waker);
                }
            }
            self.bury();
            if !self.bell.rang() {
                return;
            }
            if self.is_broken() {
                return;
            }
        }
        self.world.state().laws.broken(4, None, "the engine never comes to rest");
    }

    /// Drops the engines that have died, with everything they had in memory.
    fn bury(&mut self) {
        let world = Arc::clone(&self.world);
        let dead: Vec<u32> =
            self.nodes.iter().map(|n| n.id).filter(|id| world.life(*id) == Life::Dead).collect();
        if dead.is_empty() {
            return;
        }
        self.nodes.retain(|node| !dead.contains(&node.id));
        let mut lost = Vec::new();
        self.open.borrow_mut().retain(|_, (node, call)| {
            let is_lost = dead.contains(node);
            if is_lost && call.may_repeat() {
                lost.push(call.clone());
            }
            !is_lost
        });
        for call in lost {
            if self.rng.percent(70) {
                self.again.push(call);
            }
        }
    }

    pub fn live_node(&self) -> Option<&Node> {
        self.nodes.iter().find(|node| self.world.life(node.id) == Life::Live)
    }

    pub fn open_node(&mut self) {
        let mut workflows = WORKFLOWS.to_vec();
        if !self.is_calm && self.rng.percent(40) {
            workflows.pop();
        }
        let setup = Setup {
            hibernate_after_ms: self.rng.pick(&[0, 50, 1_000]).unwrap_or(1_000),
            residents_max: self.rng.pick(&[1, 2, 10_000, 10_000]).unwrap_or(10_000),
            workflows,
            limits: match self.several {
                Some(_) => None,
                None if self.is_calm => Some(Vec::new()),
                None => Some(random_limits(&mut self.rng)),
            },
            hears_all: self.several.is_some() && self.rng.percent(25),
        };
        let node = Node::open(&self.world, &self.store, setup);
        self.nodes.push(node);
    }

    // --- Callers -----------------------------------------------------------------------------------

    /// Where the engine is that something is asked of: the one that lives, or any of them.
    pub fn place(&mut self) -> Option<usize> {
        let live = self.live_places();
        match self.several {
            Some(_) => self.rng.pick(&live),
            None => live.first().copied(),
        }
    }

    /// Makes a call to an engine that lives. False if there is none.
    pub fn call(&mut self, call: Call) -> bool {
        let Some(place) = self.place() else { return false };
        let node = self.nodes[place].id;
        let Some(engine) = self.nodes[place].engine() else { return false };
        let (world, open) = (Arc::clone(&self.world), Rc::clone(&self.open));
        let said = call.describe(|run| world.state().laws.alias(run));
        world.say(format!("n{node} call {said}"));
        world.state().counts.n_calls += 1;
        self.next_call += 1;
        let id = self.next_call;
        open.borrow_mut().insert(id, (node, call.clone()));
        let client = Client { engine, world: Arc::clone(&world), node };
        self.nodes[place].spawn(async move {
            for _ in 0..TRIES_MAX {
                let answer = client.perform(&call).await;
                world.say(format!("n{node} answer to {said}: {answer:?}"));
                if answer == Answer::Settled || !call.may_repeat() {
                    break;
                }
                world.work(node, 30).await;
            }
            open.borrow_mut().remove(&id);
        });
        true
    }

    fn report(self, seed: u64) -> Report {
        let mut state = self.world.state();
        state.counts.n_runs = state.laws.order.len() as u64;
        let violation = state.laws.violation().cloned();
        let mut report = Report {
            seed,
            trace_hash: state.trace.hash(),
            counts: state.counts,
            violation: violation.clone(),
            tail: Vec::new(),
            journal: String::new(),
        };
        if let Some(violation) = violation {
            report.tail = state.trace.tail();
            if let Some(mirror) = violation.run.and_then(|run| state.laws.runs.get(&run)) {
                report.journal = format!("{}\n{}", mirror.alias, render_journal(&mirror.journal));
            }
        }
        report
    }
}
