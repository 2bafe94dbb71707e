//! JavaScript and TypeScript, as dialects use them.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod calls;
mod fetching;
mod globals;
mod hostile;
mod kit;
mod leakage;
mod limits;
mod modules;
mod positions;
mod typescript;
mod zod;
