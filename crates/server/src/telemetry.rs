//! What operators see: figures, and traces.

mod figures;
mod spans;
mod traces;

pub use figures::{Metrics, measure};
pub use traces::export;
