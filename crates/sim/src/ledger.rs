//! What bodies and workflow code tell the outside world.

use std::sync::Arc;

use stepwell_journal::{Attempt, Location, RunId};

use crate::world::World;

/// A body that is about to begin.
pub struct Body {
    pub run: RunId,
    pub at: Location,
    /// None if the body is not told.
    pub attempt: Option<Attempt>,
    pub attempts_max: u32,
}

/// A body that runs. When it is dropped, the body has ended, or was cut off.
pub struct Begun {
    pub(crate) world: Arc<World>,
    pub(crate) run: RunId,
    pub(crate) at: Location,
    pub node: u32,
    /// How many bodies have begun here in all engines, this one included.
    pub n: u32,
    /// What the step returns if all goes well: nobody else returns the same.
    pub(crate) token: u64,
}

impl Begun {
    /// The body succeeds with this.
    pub fn ended_well(&self) -> u64 {
        self.world.body_returned(self);
        self.token
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.world.body_gone(self);
    }
}

/// What the workflow function was given by an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    Value(u64),
    /// Empty after a timeout.
    Messages(Vec<u64>),
    /// Something else, or a failure.
    Ended,
}

/// One of the laws of `DESIGN.md`, broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub law: u8,
    pub run: Option<RunId>,
    pub text: String,
}
