//! What scripts compile to: procedures of instructions for a machine with a stack.
//!
//! A procedure's arguments lie on the stack from its base, what it binds lies above, and below its base
//! lies the procedure itself, where its captured values are found.

use std::sync::Arc;

use super::names::{Layer, Name};
use super::number::Number;
use super::reader::Place;
use super::value::Value;

#[derive(Debug, Clone, Copy)]
pub(super) enum Op {
    Null,
    Bool(bool),
    Int(i32),
    Const(u32),
    /// A value that lies so far above the base.
    Local(u16),
    /// What is in the cell that lies there.
    Cell(u16),
    Captured(u16),
    CapturedCell(u16),
    Global(u16),
    /// Gives the script's own variable its value, which stays on the stack.
    SetGlobal(u16),
    NewCell,
    /// Moves the top of the stack into a cell.
    FillCell(u16),
    Jump(u32),
    /// Takes a value and jumps if it is false.
    JumpFalse(u32),
    /// Jumps and keeps the value if it is false; drops it if not.
    JumpFalseKeep(u32),
    JumpTrueKeep(u32),
    Pop,
    /// Drops so many values below the top.
    Slide(u16),
    Closure(u32),
    /// Makes a lazy sequence of a procedure.
    Lazy,
    Native {
        id: u16,
        argc: u16,
    },
    Call(u16),
    /// A call whose value is the procedure's own. `Return` follows, for procedures that leave no frame.
    TailCall(u16),
    /// Calls the procedure on top; if that raises, the one below is called with what was raised.
    Recover,
    Return,
}

#[derive(Debug)]
pub(super) struct Proto {
    pub(super) name: Option<Name>,
    /// What it takes, first match wins.
    pub(super) cases: Vec<Case>,
    pub(super) ops: Vec<Op>,
    /// The place of each instruction.
    pub(super) places: Vec<Place>,
    pub(super) captures: Vec<Capture>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) params: u16,
    /// Takes further arguments as a vector in one more parameter.
    pub(super) rest: bool,
    pub(super) start: u32,
}

/// Where a closure finds a value when it is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capture {
    Local(u16),
    Captured(u16),
}

#[derive(Debug)]
pub(super) enum Const {
    Value(Value),
    Text(Arc<str>),
    Number(Number),
    Data(Data),
}

/// What is quoted.
#[derive(Debug)]
pub(super) enum Data {
    Value(Value),
    Text(Arc<str>),
    Number(Number),
    List(Vec<Data>),
    Dotted(Vec<Data>, Box<Data>),
    Vector(Vec<Data>),
    Map(Vec<(Data, Data)>),
    Set(Vec<Data>),
}

/// A compiled source. Procedures, constants and names count on from those of the language's own program.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) names: Layer,
    pub(super) protos: Vec<Proto>,
    pub(super) consts: Vec<Const>,
    pub(super) first_proto: u32,
    pub(super) first_const: u32,
    /// The procedure of the source's own forms.
    pub(super) main: u32,
    /// Variables that the source defines outside all procedures.
    pub(super) globals: Vec<Name>,
}

impl Case {
    pub(super) fn takes(self, argc: usize) -> bool {
        let params = usize::from(self.params);
        argc == params || (self.rest && argc > params)
    }
}
