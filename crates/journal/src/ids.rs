//! Numbers and names that must not be mistaken for one another.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Names one run for ever; never reused.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(pub Uuid);

impl RunId {
    /// The id of the child run that `parent` starts at `location`: the same on every replay.
    pub fn child_of(parent: RunId, location: &str) -> RunId {
        RunId(Uuid::new_v5(&parent.0, location.as_bytes()))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for RunId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<RunId, uuid::Error> {
        Uuid::parse_str(text).map(RunId)
    }
}

/// Names one message for ever.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(pub Uuid);

impl MessageId {
    /// The id of the message that `sender` sends at `location`: the same on every replay, so that a
    /// message sent again after a crash is recognised.
    pub fn sent_by(sender: RunId, location: &str) -> MessageId {
        MessageId(Uuid::new_v5(&sender.0, format!("message:{location}").as_bytes()))
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

macro_rules! number {
    ($(#[$doc:meta])* $name:ident($inner:ty), $prefix:literal) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

number! {
    /// The place of an event in its run's journal; the first is 0. A trimmed journal has gaps.
    Seq(u64), "#"
}
number! {
    /// One try of a step; the first is 1.
    Attempt(u32), ""
}
number! {
    /// Who owns a run: a later epoch fences all earlier ones.
    Epoch(u64), "e"
}
number! {
    /// Milliseconds since 1970-01-01 UTC.
    UnixMillis(u64), ""
}

impl Seq {
    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl UnixMillis {
    pub fn plus_ms(self, ms: u64) -> UnixMillis {
        UnixMillis(self.0.saturating_add(ms))
    }

    /// How long from `earlier` until here; zero if it lies ahead.
    pub fn ms_since(self, earlier: UnixMillis) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
