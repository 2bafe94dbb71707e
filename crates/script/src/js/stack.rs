//! A thread with room for the parser. Its recursion follows the nesting of the source, and a stack that
//! overflows would end the process, not the script.

use std::panic::resume_unwind;
use std::thread;

use super::syntax::PARSER_STACK_BYTES;
use crate::{ErrorKind, ScriptError};

/// Runs `work` on a thread whose stack no source within the limits can exhaust.
pub(super) fn on_parser_stack<T: Send>(
    work: impl FnOnce() -> Result<T, Vec<ScriptError>> + Send,
) -> Result<T, Vec<ScriptError>> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("script-parser".to_owned());
        match builder.stack_size(PARSER_STACK_BYTES).spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            Err(error) => {
                let message = format!("no thread to parse on: {error}");
                Err(vec![ScriptError::new(ErrorKind::Unavailable, message)])
            }
        }
    })
}
