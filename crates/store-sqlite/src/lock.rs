//! One process at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use stepwell_store::StoreError;

use crate::fault::Fault;

/// Held as long as the store is open. The operating system lets go of it when the process ends,
/// however it ends; the file itself stays, and means nothing by itself.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Locks the store at `path`, which must be free of symbolic links.
    pub fn take(path: &Path) -> Result<Lock, StoreError> {
        let store = path.display().to_string();
        let io = |error: std::io::Error| Fault::of_io(&error).into_error(&store);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(beside(path, "-lock"))
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The name of the holder is a courtesy: without it the store is in use all the same.
                let _ = file.read_to_string(&mut holder);
                let holder = Some(holder.trim().to_owned()).filter(|holder| !holder.is_empty());
                return Err(StoreError::InUse { store, holder });
            }
            Err(TryLockError::Error(error)) => return Err(io(error)),
        }
        // On a full disk the store can still be read, so a missing name must not stop anybody.
        let _ = file.set_len(0).and_then(|()| file.rewind());
        let _ = writeln!(file, "process {}", std::process::id());
        Ok(Lock { _file: file })
    }
}

/// The file that belongs to the store at `path` and has this ending.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
