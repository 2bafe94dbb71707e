//! What names mean while a procedure is compiled.

use std::collections::HashMap;

use super::code::{Capture, Case, Op};
use super::names::Name;
use super::reader::Place;

/// A procedure in the making.
#[derive(Default)]
pub(super) struct Procedure {
    pub(super) name: Option<Name>,
    pub(super) cases: Vec<Case>,
    pub(super) ops: Vec<Op>,
    pub(super) places: Vec<Place>,
    pub(super) captures: Vec<Capture>,
    /// Where captured names are among the captures, and whether they are cells.
    captured: HashMap<Name, (u16, bool)>,
    /// Names in the order in which they were bound.
    bound: Vec<Name>,
    /// Where they are on the stack, innermost last.
    slots: HashMap<Name, Vec<Slot>>,
    /// Values on the stack above the base.
    pub(super) height: u16,
}

#[derive(Clone, Copy)]
struct Slot {
    slot: u16,
    cell: bool,
}

/// Where a name's value is, seen from the innermost procedure.
#[derive(Clone, Copy)]
pub(super) enum Home {
    Local { slot: u16, cell: bool },
    Captured { index: u16, cell: bool },
}

impl Home {
    pub(super) fn load(self) -> Op {
        match self {
            Home::Local { slot, cell: false } => Op::Local(slot),
            Home::Local { slot, cell: true } => Op::Cell(slot),
            Home::Captured { index, cell: false } => Op::Captured(index),
            Home::Captured { index, cell: true } => Op::CapturedCell(index),
        }
    }
}

impl Procedure {
    pub(super) fn bind(&mut self, name: Name, slot: u16, cell: bool) {
        self.bound.push(name);
        self.slots.entry(name).or_default().push(Slot { slot, cell });
    }

    pub(super) fn n_bound(&self) -> usize {
        self.bound.len()
    }

    pub(super) fn unbind_to(&mut self, n_bound: usize) {
        for name in self.bound.drain(n_bound..) {
            if let Some(slots) = self.slots.get_mut(&name) {
                slots.pop();
            }
        }
    }
}

/// Finds a name in the innermost procedure or, capturing it on the way, in one around it.
pub(super) fn resolve(procedures: &mut [Procedure], name: Name) -> Option<Home> {
    let (innermost, around) = procedures.split_last_mut()?;
    if let Some(Slot { slot, cell }) = innermost.slots.get(&name).and_then(|slots| slots.last()) {
        return Some(Home::Local { slot: *slot, cell: *cell });
    }
    if let Some((index, cell)) = innermost.captured.get(&name) {
        return Some(Home::Captured { index: *index, cell: *cell });
    }
    let (capture, cell) = match resolve(around, name)? {
        Home::Local { slot, cell } => (Capture::Local(slot), cell),
        Home::Captured { index, cell } => (Capture::Captured(index), cell),
    };
    let index = u16::try_from(innermost.captures.len()).ok()?;
    innermost.captures.push(capture);
    innermost.captured.insert(name, (index, cell));
    Some(Home::Captured { index, cell })
}
