//! A step body that blocks its thread is named in a warning.

#![allow(clippy::unwrap_used, reason = "tests may panic")]
#![allow(clippy::await_holding_lock, reason = "the body blocks its thread until the test lets go")]

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use stepwell_engine::Engine;
use stepwell_kernel::{Ctx, Error, workflow};
use stepwell_store::MemoryStore;

/// Everything that was logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_blocks_its_thread_is_named_and_one_that_waits_is_not() {
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt().with_ansi(false).with_writer(move || writer.clone()).init();
    let engine = Engine::builder(Arc::new(MemoryStore::new()))
        .watch_bodies(Duration::from_millis(100))
        .open()
        .await
        .unwrap();
    let release = Arc::new(Mutex::new(()));
    let held = Arc::clone(&release);
    let blocking = workflow("blocking", move |ctx: Ctx, (): ()| {
        let held = Arc::clone(&held);
        async move {
            ctx.step("dig", async || {
                // Blocks until the test has seen what it came for.
                drop(held.lock());
                Ok::<_, Error>(())
            })
            .await
        }
    });
    let waiting = workflow("waiting", |ctx: Ctx, (): ()| async move {
        ctx.step("rest", async || {
            tokio::time::sleep(Duration::from_millis(500)).await;
            Ok::<_, Error>(())
        })
        .await
    });
    engine.register(blocking).unwrap();
    engine.register(waiting).unwrap();
    let patient = engine.start("waiting", &()).await.unwrap();
    patient.wait_for::<()>(Duration::from_secs(60)).await.unwrap();
    assert_eq!(lines.text(), "");
    let guard = release.lock();
    let run = engine.start("blocking", &()).await.unwrap();
    let began = std::time::Instant::now();
    while !lines.text().contains("blocks its thread") {
        assert!(began.elapsed() < Duration::from_secs(60), "nobody was warned");
        std::thread::yield_now();
    }
    drop(guard);
    run.wait_for::<()>(Duration::from_secs(60)).await.unwrap();
    let text = lines.text();
    assert!(text.contains("WARN"), "{text}");
    assert!(text.contains(&format!("run={}", run.id())), "{text}");
    assert!(text.contains("workflow=\"blocking\""), "{text}");
    assert!(text.contains("location=\"dig\""), "{text}");
    engine.shutdown().await;
}
