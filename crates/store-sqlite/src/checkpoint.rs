//! Keeping the write-ahead log short.
//!
//! A thread with its own connection copies the bulk of it into the database while the writer writes on.
//! The writer then copies the little that came meanwhile, so that the next write begins the file anew.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread::JoinHandle;

use parking_lot::{Condvar, Mutex};
use rusqlite::Connection;

use crate::fault::{Fault, Outcome};

/// How long the write-ahead log's file is made before the first write.
const ROOM_BYTES: u64 = 8 * 1024 * 1024;

/// When the bulk is copied: 16 MiB of pages.
const PAGES_SOFT: i32 = 4_096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Wanted,
    BulkDone,
    Stopped,
}

type Shared = Arc<(Mutex<State>, Condvar)>;

pub(crate) struct Checkpoints {
    shared: Shared,
    thread: Option<JoinHandle<()>>,
    /// How long the write-ahead log was after the writer's last commit, in pages.
    n_pages: Arc<AtomicI32>,
    /// How long the write-ahead log may get before the next round.
    next_at: i32,
}

impl Checkpoints {
    pub fn start(writer: &mut Connection, other: Connection) -> Outcome<Checkpoints> {
        let n_pages = Arc::new(AtomicI32::new(0));
        let noted = Arc::clone(&n_pages);
        // Takes the place of SQLite's own automatic checkpoints.
        writer.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, n_pages| {
            noted.store(n_pages, Ordering::Relaxed);
            Ok(())
        }))?;
        let shared: Shared = Arc::new((Mutex::new(State::Idle), Condvar::new()));
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("stepwell-checkpoint".to_owned())
            .spawn(move || copy_when_wanted(&theirs, &other))
            .map_err(|error| Fault::of_io(&error))?;
        Ok(Checkpoints { shared, thread: Some(thread), n_pages, next_at: PAGES_SOFT })
    }

    /// To be called between two transactions. Says whether a round has ended.
    pub fn tidy(&mut self, writer: &Connection) -> bool {
        let n_pages = self.n_pages.load(Ordering::Relaxed);
        if n_pages < self.next_at / 2 && self.next_at != PAGES_SOFT {
            // The log has begun anew.
            self.next_at = PAGES_SOFT;
        }
        let mut state = self.shared.0.lock();
        match *state {
            State::Idle if n_pages >= self.next_at => {
                *state = State::Wanted;
                self.shared.1.notify_all();
                false
            }
            State::BulkDone => {
                *state = State::Idle;
                drop(state);
                copy(writer);
                // A reader with an old snapshot keeps the log from beginning anew. Try again later.
                self.next_at = n_pages.saturating_add(PAGES_SOFT);
                true
            }
            State::Idle | State::Wanted | State::Stopped => false,
        }
    }

    pub fn stop(&mut self) {
        *self.shared.0.lock() = State::Stopped;
        self.shared.1.notify_all();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been printed; there is nothing to add.
            let _ = thread.join();
        }
    }
}

/// Writes zeros behind what the write-ahead log has, before anybody writes to it. A commit that makes a
/// file longer waits for the file system's own journal as well, which can take ten times as long as the
/// data; one that writes over what is there does not. SQLite goes by checksums, not by the file's length,
/// so it takes the zeros for nothing.
///
/// Only a wish: on a full disk the log grows as it would have.
pub(crate) fn make_room(store: &Path) {
    let mut path = store.as_os_str().to_owned();
    path.push("-wal");
    let grown = OpenOptions::new().append(true).open(&path).and_then(|mut file| {
        let n_bytes = file.metadata()?.len();
        let zeros = vec![0; usize::try_from(ROOM_BYTES.saturating_sub(n_bytes)).unwrap_or(0)];
        file.write_all(&zeros)
    });
    if let Err(error) = grown {
        tracing::debug!(%error, "the write-ahead log could not be made longer");
    }
}

fn copy_when_wanted(shared: &Shared, connection: &Connection) {
    let mut state = shared.0.lock();
    loop {
        match *state {
            State::Stopped => return,
            State::Wanted => {
                drop(state);
                copy(connection);
                state = shared.0.lock();
                if *state == State::Wanted {
                    *state = State::BulkDone;
                }
            }
            State::Idle | State::BulkDone => shared.1.wait(&mut state),
        }
    }
}

/// A checkpoint that waits for nobody. One that fails, on a full disk for example, loses nothing: the
/// write-ahead log keeps what was not copied.
fn copy(connection: &Connection) {
    let copied = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = copied {
        tracing::warn!(%error, "failed to copy the write-ahead log into the database");
    }
}
