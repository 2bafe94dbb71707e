//! The kernel, by data: scenario in, journal out, and the same from every cut of the journal.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod branches;
mod cancel;
mod children;
mod crashes;
mod deadlines;
mod divergence;
mod kit;
mod limits;
mod loops;
mod messages;
mod misuse;
mod panics;
mod random;
mod steps;
mod timers;
mod together;
mod undo;
mod values;
