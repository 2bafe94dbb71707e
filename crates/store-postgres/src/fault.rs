//! What can go wrong below, in the words of [`StoreError`].

use stepwell_journal::wire::DecodeError;
use stepwell_store::{StoreError, with_causes};
use tokio_postgres::error::SqlState;

/// Like [`StoreError`], but can be given to every caller of a batch that failed.
#[derive(Debug, Clone)]
pub(crate) enum Fault {
    /// The connection is gone. If the commit was sent, only reading tells what became of it.
    Lost(String),
    /// Somebody else was there first. Nothing was written, and the same again will do.
    Conflict(String),
    /// Something is not as the writer remembered. Nothing was written, and the same again with a look will do.
    Stale(String),
    Full,
    ReadOnly,
    Damaged(String),
    Unavailable(String),
    NewerLayout {
        found: u32,
        known: u32,
    },
    Closed,
}

pub(crate) type Outcome<T> = Result<T, Fault>;

impl Fault {
    pub fn into_error(self, store: &str) -> StoreError {
        let store = store.to_owned();
        match self {
            Fault::Full => StoreError::Full { store },
            Fault::ReadOnly => StoreError::ReadOnly { store },
            Fault::Damaged(problem) => StoreError::Damaged { store, problem },
            Fault::Lost(problem)
            | Fault::Conflict(problem)
            | Fault::Stale(problem)
            | Fault::Unavailable(problem) => StoreError::Unavailable(problem.into()),
            Fault::NewerLayout { found, known } => StoreError::NewerLayout { store, found, known },
            Fault::Closed => StoreError::Closed,
        }
    }

    pub fn is_lost(&self) -> bool {
        matches!(self, Fault::Lost(_))
    }
}

impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        let text = with_causes(&error);
        let Some(state) = error.code() else {
            let is_conversion = error.to_string().contains("converting column");
            return if is_conversion { Fault::Damaged(text) } else { Fault::Lost(text) };
        };
        match *state {
            SqlState::T_R_DEADLOCK_DETECTED
            | SqlState::T_R_SERIALIZATION_FAILURE
            | SqlState::UNIQUE_VIOLATION
            | SqlState::LOCK_NOT_AVAILABLE => Fault::Conflict(text),
            // The only way for a statement to refuse a whole transaction: see `Statements::guard`.
            SqlState::DIVISION_BY_ZERO => Fault::Stale(text),
            SqlState::DISK_FULL => Fault::Full,
            SqlState::READ_ONLY_SQL_TRANSACTION | SqlState::INSUFFICIENT_PRIVILEGE => {
                Fault::ReadOnly
            }
            SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => Fault::Damaged(text),
            // The server ends the session with these, also in the middle of a commit.
            SqlState::ADMIN_SHUTDOWN
            | SqlState::CRASH_SHUTDOWN
            | SqlState::CANNOT_CONNECT_NOW
            | SqlState::DATABASE_DROPPED
            | SqlState::TOO_MANY_CONNECTIONS
            | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => Fault::Lost(text),
            _ if state.code().starts_with("08") => Fault::Lost(text),
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
