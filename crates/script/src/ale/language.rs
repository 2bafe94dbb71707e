//! What names mean before a script gives them a meaning: native procedures, and those that the prelude
//! defines in Ale itself.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::code::{Case, Program};
use super::compile::Compiler;
use super::names::{Layer, Name};
use super::native::{self, Arity};
use super::reader::read;
use crate::ScriptError;

/// The language's own program.
pub(super) struct Prelude {
    pub(super) program: Program,
    procedures: HashMap<Name, u32>,
}

/// The language as a compiler sees it; without a prelude while that is compiled.
#[derive(Clone, Copy)]
pub(super) struct Language<'l>(Option<&'l Prelude>);

pub(super) enum Meaning<'l> {
    Native { id: u16, arity: Arity },
    Proc { id: u32, cases: &'l [Case] },
}

impl Prelude {
    /// Compiled once a process.
    pub(super) fn get() -> Result<&'static Prelude, ScriptError> {
        static PRELUDE: OnceLock<Result<Prelude, ScriptError>> = OnceLock::new();
        PRELUDE.get_or_init(Prelude::compile).as_ref().map_err(Clone::clone)
    }

    pub(super) fn named(&self, name: &str) -> Option<u32> {
        self.procedures.get(&self.program.names.find(name)?).copied()
    }

    fn compile() -> Result<Prelude, ScriptError> {
        let forms = read(include_str!("prelude.ale"))?;
        let (program, procedures) = Compiler::prelude(Language(None), &forms)?;
        Ok(Prelude { program, procedures })
    }
}

impl<'l> Language<'l> {
    pub(super) fn new(prelude: &'l Prelude) -> Language<'l> {
        Language(Some(prelude))
    }

    /// How many procedures and constants it has.
    pub(super) fn counts(self) -> (u32, u32) {
        self.0.map_or((0, 0), |prelude| {
            (prelude.program.protos.len() as u32, prelude.program.consts.len() as u32)
        })
    }

    pub(super) fn next_layer(self) -> Layer {
        self.0.map_or_else(Layer::default, |prelude| Layer::after(&prelude.program.names))
    }

    pub(super) fn find_name(self, text: &str) -> Option<Name> {
        self.0.and_then(|prelude| prelude.program.names.find(text))
    }

    pub(super) fn meaning(self, name: Name, text: &str) -> Option<Meaning<'l>> {
        if let Some(prelude) = self.0
            && let Some(id) = prelude.procedures.get(&name)
        {
            return Some(Meaning::Proc {
                id: *id,
                cases: &prelude.program.protos[*id as usize].cases,
            });
        }
        native::named(text).map(|(id, arity)| Meaning::Native { id, arity })
    }
}

/// What a procedure of these cases takes, for an error message: `1`, `2 or more`, `1 or 2`.
pub(super) fn expected(cases: &[Case]) -> String {
    let cases = cases.iter().map(|case| match case.rest {
        true => format!("{} or more", case.params),
        false => case.params.to_string(),
    });
    cases.collect::<Vec<_>>().join(" or ")
}
