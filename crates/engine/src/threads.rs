//! Where the engine's tasks run.
//!
//! ```text
//!   stepwell-worker-0 .. n-1   one single-threaded runtime each: work()
//!   stepwell-keeper            scan(), keep_time(), keep_admitting(), watch(), and
//!                              keep_shards(), hear(), announce(), tell_others(), pass_on() where the store is
//!                              shared: not delayed by workflows
//! ```

use std::sync::Arc;
use std::thread::JoinHandle;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinSet, LocalSet};

use crate::admission::keep_admitting;
use crate::keeper::{keep_time, scan};
use crate::link::Busy;
use crate::news::{announce, pass_on, tell_others};
use crate::schedule::Command;
use crate::shared::Shared;
use crate::sharing::{hear, keep_shards};
use crate::watchdog::watch;
use crate::worker::work;

/// How long a shut-down waits for a thread. One that takes longer is held up by workflow code that blocks.
const JOIN_TIMEOUT_MS: u64 = 5_000;

#[derive(Default)]
pub(crate) struct Threads {
    threads: Vec<Thread>,
    /// Instead of threads, when everything runs on the caller's.
    local: JoinSet<()>,
}

struct Thread {
    name: String,
    handle: JoinHandle<()>,
    done: oneshot::Receiver<()>,
}

impl Threads {
    pub fn start(
        shared: &Arc<Shared>,
        commands: Vec<mpsc::UnboundedReceiver<Command>>,
    ) -> std::io::Result<Threads> {
        let mut threads = Threads::default();
        for (worker, commands) in commands.into_iter().enumerate() {
            let shared = Arc::clone(shared);
            threads.spawn(format!("stepwell-worker-{worker}"), move || {
                work(shared, worker, commands)
            })?;
        }
        let shared = Arc::clone(shared);
        threads.spawn("stepwell-keeper".to_owned(), move || async move {
            // Neither ends before the engine does.
            let busy = || Busy::new(None);
            tokio::join!(
                scan(Arc::clone(&shared), busy()),
                keep_time(Arc::clone(&shared), busy()),
                keep_admitting(Arc::clone(&shared), busy()),
                keep_shards(Arc::clone(&shared)),
                hear(Arc::clone(&shared)),
                announce(Arc::clone(&shared)),
                tell_others(Arc::clone(&shared)),
                pass_on(Arc::clone(&shared)),
                watch(shared),
            );
        })?;
        Ok(threads)
    }

    pub fn on_current_thread(
        shared: &Arc<Shared>,
        commands: Vec<mpsc::UnboundedReceiver<Command>>,
    ) -> Threads {
        let mut local = JoinSet::new();
        for (worker, commands) in commands.into_iter().enumerate() {
            local.spawn_local(work(Arc::clone(shared), worker, commands));
        }
        // Busy from now on, not from when they are polled first: nobody may find the engine idle before.
        let busy = || Busy::new(shared.bustle.clone());
        local.spawn_local(scan(Arc::clone(shared), busy()));
        local.spawn_local(keep_time(Arc::clone(shared), busy()));
        local.spawn_local(keep_admitting(Arc::clone(shared), busy()));
        if shared.ownership.shards().is_some() {
            local.spawn_local(keep_shards(Arc::clone(shared)));
            local.spawn_local(hear(Arc::clone(shared)));
            local.spawn_local(announce(Arc::clone(shared)));
            local.spawn_local(tell_others(Arc::clone(shared)));
            local.spawn_local(pass_on(Arc::clone(shared)));
        }
        Threads { threads: Vec::new(), local }
    }

    /// Waits until all tasks have ended, but not for ever.
    pub async fn join(mut self) {
        while self.local.join_next().await.is_some() {}
        for thread in self.threads {
            let limit = std::time::Duration::from_millis(JOIN_TIMEOUT_MS);
            match tokio::time::timeout(limit, thread.done).await {
                // The thread has nothing left to do, or panicked: joining it takes no time.
                Ok(_) => drop(thread.handle.join()),
                Err(_) => {
                    tracing::warn!(thread = thread.name, "a thread is held up and left alone")
                }
            }
        }
    }

    fn spawn<F, Fut>(&mut self, name: String, main: F) -> std::io::Result<()>
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = ()>,
    {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (tell_done, done) = oneshot::channel();
        let handle = std::thread::Builder::new().name(name.clone()).spawn(move || {
            LocalSet::new().block_on(&runtime, main());
            // Nobody listens if the engine was dropped.
            let _ = tell_done.send(());
        })?;
        self.threads.push(Thread { name, handle, done });
        Ok(())
    }
}
