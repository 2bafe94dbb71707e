//! What can go wrong below, in the words of [`StoreError`].

use rusqlite::ErrorCode;
use stepwell_journal::wire::DecodeError;
use stepwell_store::StoreError;

/// Like [`StoreError`], but can be given to every caller of a batch that failed.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    Full,
    ReadOnly,
    Damaged(String),
    Unavailable(String),
    /// A sync failed: what the disk has is unknown, and a later sync that succeeds proves nothing.
    SyncFailed(String),
}

pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    pub fn into_error(self, store: &str) -> StoreError {
        let store = store.to_owned();
        match self {
            Fault::Full => StoreError::Full { store },
            Fault::ReadOnly => StoreError::ReadOnly { store },
            Fault::Damaged(problem) => StoreError::Damaged { store, problem },
            Fault::Unavailable(problem) | Fault::SyncFailed(problem) => {
                StoreError::Unavailable(problem.into())
            }
        }
    }

    pub fn problem(&self) -> String {
        match self {
            Fault::Full => "no room is left".to_owned(),
            Fault::ReadOnly => "it cannot be written".to_owned(),
            Fault::Damaged(problem) | Fault::Unavailable(problem) | Fault::SyncFailed(problem) => {
                problem.clone()
            }
        }
    }

    pub fn of_io(error: &std::io::Error) -> Fault {
        match error.kind() {
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Fault::ReadOnly
            }
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Fault::Full,
            _ => Fault::Unavailable(error.to_string()),
        }
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        let text = error.to_string();
        match &error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DiskFull => Fault::Full,
                ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
                    Fault::ReadOnly
                }
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Fault::Damaged(text),
                ErrorCode::SystemIoFailure
                    if matches!(
                        failure.extended_code,
                        rusqlite::ffi::SQLITE_IOERR_FSYNC | rusqlite::ffi::SQLITE_IOERR_DIR_FSYNC
                    ) =>
                {
                    Fault::SyncFailed(text)
                }
                ErrorCode::SystemIoFailure
                    if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ =>
                {
                    Fault::Damaged(text)
                }
                _ => Fault::Unavailable(text),
            },
            // The schema is ours: a value of another type was not written by this program.
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..) => Fault::Damaged(text),
            _ => Fault::Unavailable(text),
        }
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Fault {
        Fault::Damaged(error.to_string())
    }
}

impl From<serde_json::Error> for Fault {
    fn from(error: serde_json::Error) -> Fault {
        Fault::Damaged(error.to_string())
    }
}
