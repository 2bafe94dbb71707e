//! What one call of a script may use.

/// Bounds of one call. Every language honours all of them; exceeding one ends the call with the
/// [`ErrorKind`](crate::ErrorKind) that names it, and leaves other calls alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptLimits {
    /// Wall-clock time from the start of the call to its result, waiting included.
    pub time_ms: u64,
    /// Memory that the script's values may take. Native operations on them count.
    pub memory_bytes: usize,
    /// Native stack that the script may use, for languages that recurse on it. JavaScript: at most 4 MB.
    pub stack_bytes: usize,
    /// Nested calls, for languages that count them.
    pub recursion_max: usize,
    /// Evaluation steps, for languages that count them: unlike time, the same on every machine.
    pub steps_max: u64,
    /// Length of the result as JSON text.
    pub output_bytes: usize,
}

impl ScriptLimits {
    /// 10 s, 64 MB, 2 MB of stack, 10,000 nested calls, a thousand million steps, 4 MB of output.
    pub const DEFAULT: ScriptLimits = ScriptLimits {
        time_ms: 10_000,
        memory_bytes: 64 << 20,
        stack_bytes: 2 << 20,
        recursion_max: 10_000,
        steps_max: 1_000_000_000,
        output_bytes: 4 << 20,
    };
}

impl Default for ScriptLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
