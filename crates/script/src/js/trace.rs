//! What QuickJS prints about a stack, read back.

/// One line of a stack: a call in some file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StackFrame<'a> {
    pub(super) function: &'a str,
    pub(super) file: &'a str,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// The calls in files, innermost first. Native ones have no place and are left out.
pub(super) fn stack_frames(stack: &str) -> impl Iterator<Item = StackFrame<'_>> {
    stack.lines().filter_map(stack_frame)
}

/// `    at name (file:line:column)` or, for a syntax error, `    at file:line:column`.
fn stack_frame(line: &str) -> Option<StackFrame<'_>> {
    let call = line.trim().strip_prefix("at ")?;
    let (function, place) = match call.strip_suffix(')').and_then(|call| call.rsplit_once(" (")) {
        Some((function, place)) => (function, place),
        None => ("", call),
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some(StackFrame { function, file, line: line.parse().ok()?, column: column.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_and_native_ones_left_out() {
        let stack = "    at f (a b/c.ts:3:14)\n    at map (native)\n    at x.ts:1:2\nnoise\n";
        let frames: Vec<_> = stack_frames(stack).collect();
        assert_eq!(
            frames,
            [
                StackFrame { function: "f", file: "a b/c.ts", line: 3, column: 14 },
                StackFrame { function: "", file: "x.ts", line: 1, column: 2 },
            ]
        );
    }
}
