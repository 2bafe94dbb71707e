//! The operations of [`Ctx`](crate::Ctx), one file each.

mod ask;
mod block;
mod branches;
mod child;
mod listen;
mod looped;
mod marks;
mod op;
mod signal;
mod sleep;
mod step;
mod together;

pub use ask::{Ask, Send};
pub use block::TryBlock;
pub use branches::{Branch, Branches, Join, Race, Raced, branch};
pub use child::Child;
pub use listen::{Any, Batch, Listen, Maybe, One, Question, Questions, Received, Shape};
pub use looped::{Loop, Looped};
pub use signal::{AttemptCx, CancelSignal};
pub use sleep::Sleep;
pub use step::{Plain, Step, Trying};
pub use together::Together;
