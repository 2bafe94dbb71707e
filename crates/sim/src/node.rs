//! One engine of a simulation, as a process of its own: all that it holds in memory lives in one
//! `LocalSet`, and is gone when that is dropped.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use stepwell_engine::Engine;
use stepwell_store::MemoryStore;
use tokio::task::LocalSet;

use crate::interpret::{Env, workflow};
use crate::limits::{Limits, present_limits, set_limits};
use crate::store::FaultyStore;
use crate::time::WatchedClock;
use crate::world::World;

pub struct Node {
    pub id: u32,
    set: Pin<Box<LocalSet>>,
    engine: Rc<RefCell<Option<Engine>>>,
}

/// How an engine is set up.
pub struct Setup {
    pub hibernate_after_ms: u64,
    pub residents_max: usize,
    /// The workflows that it knows from the beginning.
    pub workflows: Vec<&'static str>,
    /// None for those that the other nodes have.
    pub limits: Option<Limits>,
    /// Whether its subscribers hear of runs that other nodes have.
    pub hears_all: bool,
}

impl Node {
    /// Begins to open an engine on the store; polling goes on with it.
    pub fn open(world: &Arc<World>, store: &MemoryStore, setup: Setup) -> Node {
        let id = world.born();
        let engine = Rc::new(RefCell::new(None));
        let node = Node { id, set: Box::pin(LocalSet::new()), engine: Rc::clone(&engine) };
        world.say(format!("n{id} opens"));
        let faulty =
            Arc::new(FaultyStore { world: Arc::clone(world), node: id, inner: store.clone() });
        let (world, clocks) = (Arc::clone(world), world.clocks(id));
        node.set.spawn_local(async move {
            loop {
                let opened = Engine::builder(faulty.clone())
                    .clock(WatchedClock { world: Arc::clone(&world), clocks: clocks.clone() })
                    .hibernate_after(Duration::from_millis(setup.hibernate_after_ms))
                    .residents_max(setup.residents_max)
                    .on_current_thread()
                    .open()
                    .await;
                if let Ok(opened) = opened {
                    world.opened(id);
                    let (listener, updates) = (Arc::clone(&world), opened.subscribe());
                    let all = setup.hears_all.then(|| opened.everywhere());
                    tokio::task::spawn_local(async move {
                        listener.listen(id, updates).await;
                        drop(all);
                    });
                    let limits = setup.limits.unwrap_or_else(|| present_limits(&world));
                    set_limits(&world, &opened, &limits);
                    for name in &setup.workflows {
                        register(&world, id, &opened, name);
                    }
                    *engine.borrow_mut() = Some(opened);
                    return;
                }
                world.work(id, 20).await;
            }
        });
        node
    }

    /// None while it is being opened.
    pub fn engine(&self) -> Option<Engine> {
        self.engine.borrow().clone()
    }

    pub fn spawn(&self, task: impl Future<Output = ()> + 'static) {
        self.set.spawn_local(task);
    }

    pub fn register(&self, world: &Arc<World>, name: &'static str) {
        if let Some(engine) = self.engine() {
            register(world, self.id, &engine, name);
        }
    }

    pub fn poll(&mut self, waker: &Waker) {
        // Whether tasks are left says nothing: an engine that was shut down has none.
        let _ = self.set.as_mut().poll(&mut Context::from_waker(waker));
    }
}

fn register(world: &Arc<World>, node: u32, engine: &Engine, name: &str) {
    let env = Env { world: Arc::clone(world), node: Some(node) };
    // The same definition again is no error, and there is no other.
    let _ = engine.register(workflow(name, env));
}

/// Whether anybody wants to be polled.
#[derive(Default)]
pub struct Bell(AtomicBool);

impl Bell {
    /// Asking takes the answer away.
    pub fn rang(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}
