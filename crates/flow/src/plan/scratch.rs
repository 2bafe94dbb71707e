//! Marks on steps and attributes, made once and used for one plan after another.
//!
//! A mark counts only in the plan it was made for, so beginning a new plan costs nothing, however large
//! the catalog is.

use crate::catalog::{AttrIx, Index, StepIx};

pub(super) struct Scratch {
    plan: u32,
    steps: Vec<Marks>,
    attributes: Vec<Marks>,
}

/// One bit per kind of mark.
#[derive(Clone, Copy, Default)]
struct Marks {
    plan: u32,
    bits: u8,
    place: u32,
}

#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum StepMark {
    Seen = 1,
    /// It can run.
    Satisfiable = 2,
    /// It cannot, whatever is provided.
    Blocked = 4,
    Selected = 8,
    /// It was looked at as a provider and not taken then.
    PassedOver = 16,
    /// The initial state has all that it would provide.
    Satisfied = 32,
}

#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum AttributeMark {
    Seen = 1,
    /// A step that can run provides it.
    Provided = 2,
    /// Its providers that can run were taken in.
    Pulled = 4,
    /// All its providers were taken in, for want of better.
    Shown = 8,
    /// Its providers were looked at for some that are not needed.
    Settled = 16,
}

impl Scratch {
    pub fn new(index: &Index) -> Scratch {
        let (n_steps, n_attributes) = index.bounds();
        let none = Marks::default();
        Scratch { plan: 0, steps: vec![none; n_steps], attributes: vec![none; n_attributes] }
    }

    /// Forgets all marks.
    pub fn begin(&mut self) {
        self.plan += 1;
    }

    pub fn has(&self, step: StepIx, mark: StepMark) -> bool {
        self.steps[step.at()].has(self.plan, mark as u8)
    }

    /// Whether it was not marked before.
    pub fn mark(&mut self, step: StepIx, mark: StepMark) -> bool {
        self.steps[step.at()].set(self.plan, mark as u8)
    }

    pub fn attribute_has(&self, attribute: AttrIx, mark: AttributeMark) -> bool {
        self.attributes[attribute.at()].has(self.plan, mark as u8)
    }

    /// Whether it was not marked before.
    pub fn mark_attribute(&mut self, attribute: AttrIx, mark: AttributeMark) -> bool {
        self.attributes[attribute.at()].set(self.plan, mark as u8)
    }

    /// The place that an attribute was given in a list of this plan, or `next` from now on.
    pub fn place(&mut self, attribute: AttrIx, next: usize) -> usize {
        const PLACED: u8 = 128;
        let marks = &mut self.attributes[attribute.at()];
        if marks.set(self.plan, PLACED) {
            marks.place = next as u32;
        }
        marks.place as usize
    }
}

impl Marks {
    fn has(self, plan: u32, bit: u8) -> bool {
        self.plan == plan && self.bits & bit != 0
    }

    fn set(&mut self, plan: u32, bit: u8) -> bool {
        if self.plan != plan {
            *self = Marks { plan, ..Marks::default() };
        }
        let is_new = self.bits & bit == 0;
        self.bits |= bit;
        is_new
    }
}
