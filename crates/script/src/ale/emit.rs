//! Instructions as they are written, and how many values they leave on the stack.

use super::code::Op;
use super::compile::{Compiler, Result};
use super::reader::{Place, error_at};
use super::scope::Procedure;

impl Compiler<'_> {
    /// The innermost procedure.
    pub(super) fn procedure(&mut self) -> &mut Procedure {
        if self.procedures.is_empty() {
            self.procedures.push(Procedure::default());
        }
        let last = self.procedures.len() - 1;
        &mut self.procedures[last]
    }

    pub(super) fn emit(&mut self, op: Op, at: Place) -> usize {
        let procedure = self.procedure();
        procedure.ops.push(op);
        procedure.places.push(at);
        procedure.ops.len() - 1
    }

    /// An instruction that leaves one more value on the stack.
    pub(super) fn emit_push(&mut self, op: Op, at: Place) -> Result<()> {
        self.emit(op, at);
        self.raise_height(at)
    }

    pub(super) fn raise_height(&mut self, at: Place) -> Result<()> {
        let procedure = self.procedure();
        procedure.height = procedure
            .height
            .checked_add(1)
            .ok_or_else(|| error_at(at, "more than 65,535 values at once in one procedure"))?;
        Ok(())
    }

    pub(super) fn lower_height(&mut self, by: u16) {
        self.procedure().height -= by;
    }

    /// Lets a jump lead to here.
    pub(super) fn land(&mut self, jump: usize) {
        let procedure = self.procedure();
        let target = procedure.ops.len() as u32;
        procedure.ops[jump] = match procedure.ops[jump] {
            Op::Jump(_) => Op::Jump(target),
            Op::JumpFalse(_) => Op::JumpFalse(target),
            Op::JumpFalseKeep(_) => Op::JumpFalseKeep(target),
            Op::JumpTrueKeep(_) => Op::JumpTrueKeep(target),
            other => other,
        };
    }

    pub(super) fn finish(&mut self, tail: bool, at: Place) {
        if tail {
            self.emit(Op::Return, at);
        }
    }
}
