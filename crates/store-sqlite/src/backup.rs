//! A copy of the store while it is in use.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::fault::{Fault, Outcome};
use crate::lock::beside;
use crate::read::begin;

/// Small steps, so that the disk is shared fairly with the writer.
const PAGES_PER_STEP: i32 = 256;

/// Writes everything that is acknowledged now into a new file at `to`, which appears when it is whole.
pub(crate) fn backup(connection: &Connection, to: &Path) -> Outcome<()> {
    let unfinished = beside(to, "-unfinished");
    remove(&unfinished)?;
    // One snapshot for the whole copy: without it, every commit would make the copy begin anew.
    let tables = begin(connection)?;
    {
        let mut copy = Connection::open(&unfinished)?;
        let backup = Backup::new(&tables, &mut copy)?;
        while backup.step(PAGES_PER_STEP)? != StepResult::Done {
            std::thread::yield_now();
        }
    }
    let io = |error: std::io::Error| Fault::of_io(&error);
    std::fs::File::open(&unfinished).and_then(|file| file.sync_all()).map_err(io)?;
    std::fs::rename(&unfinished, to).map_err(io)?;
    if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(io)?;
    }
    Ok(())
}

fn remove(path: &Path) -> Outcome<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Fault::of_io(&error)),
        _ => Ok(()),
    }
}
