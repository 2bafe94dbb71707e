//! What was raised: to the handler that catches it, or to the caller with its place in the source.

use super::json::to_json;
use super::machine::{Frame, Machine};
use super::reader::Place;
use super::value::{Fail, Lazy, Value};
use crate::{ErrorKind, Expected, ScriptError, Thrown};

/// Calls named in an error, innermost first.
const TRACE_MAX: usize = 20;
/// Longest JSON of a raised value that goes with its error.
const RAISED_BYTES_MAX: usize = 16 << 10;

type Result<T> = std::result::Result<T, Fail>;

impl Machine<'_> {
    /// Calls the procedure on top of the stack; the one below it is the handler.
    pub(super) fn begin_recover(&mut self) -> Result<()> {
        self.frames.push(Frame::Recover { height: self.stack.len() - 2 });
        self.invoke(0)
    }

    /// Offers what was raised to the innermost handler, and what that raises to the next. Limits have none.
    pub(super) fn rescue(&mut self, fail: Fail) -> Result<()> {
        let mut fail = fail;
        loop {
            let handler =
                self.frames.iter().rposition(|frame| matches!(frame, Frame::Recover { .. }));
            let raised = match (&fail, handler) {
                (Fail::Raise(raise), Some(handler)) if raise.kind == ErrorKind::Thrown => {
                    let value = match raise.value {
                        Some(value) => Ok(value),
                        None => self.with_room(|heap, _| heap.text(raise.message.as_str())),
                    };
                    value.map(|value| (handler, value))
                }
                _ => return Err(fail),
            };
            match raised.and_then(|(handler, value)| self.handle(handler, value)) {
                Ok(()) => return Ok(()),
                Err(next) => fail = next,
            }
        }
    }

    /// Drops all calls above a handler and calls it.
    fn handle(&mut self, handler: usize, raised: Value) -> Result<()> {
        for frame in self.frames.drain(handler + 1..) {
            match frame {
                Frame::Code(_) => self.depth -= 1,
                Frame::Force { target } => self.heap.set_lazy(target, Lazy::Failed(raised)),
                _ => {}
            }
        }
        if let Some(Frame::Recover { height }) = self.frames.pop() {
            self.stack.truncate(height + 1);
        }
        self.stack.push(raised);
        self.invoke(1)
    }

    /// What nobody caught, for the caller.
    pub(super) fn error(&mut self, fail: Fail) -> ScriptError {
        let Fail::Raise(raise) = fail else {
            return ScriptError::new(ErrorKind::Unavailable, "the script waits for nothing");
        };
        let calls = self.calls();
        let mut error = ScriptError::new(raise.kind, raise.message);
        if let Some((_, place)) = calls.first() {
            error = error.at(super::FILE, place.line, place.column);
        }
        if calls.len() > 1 {
            let lines = calls.iter().map(|(name, place)| {
                format!("{name} ({}:{}:{})", super::FILE, place.line, place.column)
            });
            error.stack = Some(lines.collect::<Vec<_>>().join("\n").into());
        }
        // A text says no more than the message does.
        if let Some(value) = raise.value
            && self.heap.as_text(value).is_none()
            && let Ok(value) = to_json(&mut self.heap, value, &Expected::ANYTHING, RAISED_BYTES_MAX)
        {
            let properties = [("value".to_owned(), value)].into_iter().collect();
            error.thrown = Some(Box::new(Thrown { properties, ..Thrown::default() }));
        }
        error
    }

    /// Procedures of the script that are being called, innermost first.
    fn calls(&self) -> Vec<(String, Place)> {
        let mut calls = Vec::new();
        for frame in self.frames.iter().rev() {
            let Frame::Code(frame) = frame else { continue };
            if !self.code.is_script(frame.proto) {
                continue;
            }
            let proto = self.code.proto(frame.proto);
            let at = (frame.ip as usize).saturating_sub(1);
            if let Some(place) = proto.places.get(at) {
                let name = proto.name.map_or("lambda", |name| self.heap.name_text(name));
                calls.push((name.to_owned(), *place));
            }
            if calls.len() == TRACE_MAX {
                break;
            }
        }
        calls
    }
}
