//! Procedures written in Rust.
//!
//! A native procedure looks at its arguments and gives a value. It never calls a procedure: it asks the
//! machine to (`Fail::Invoke`), and what it needs to know of a lazy sequence it asks for likewise and is
//! then called again. So it must not have changed anything before it asks.

mod arithmetic;
mod collection;
mod object;
mod predicate;
mod text;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::heap::Heap;
use super::number::Number;
use super::sequence::excerpt;
use super::value::{Fail, Value};

pub(super) use collection::raise;
pub(super) use object::{look_up, map_of, set_of};

type Result<T> = std::result::Result<T, Fail>;

#[derive(Clone, Copy)]
pub(super) struct Native {
    pub(super) name: &'static str,
    pub(super) arity: Arity,
    run: Run,
}

#[derive(Clone, Copy)]
enum Run {
    Call(fn(&mut Heap<'_>, &[Value]) -> Result<Value>),
    /// Whether all arguments pass.
    Test {
        test: fn(&mut Heap<'_>, Value) -> Result<bool>,
        wanted: bool,
    },
}

/// How many arguments a procedure takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Arity {
    min: usize,
    max: Option<usize>,
}

impl Arity {
    /// Fails with what is expected.
    pub(super) fn check(self, argc: usize) -> std::result::Result<(), String> {
        if argc >= self.min && self.max.is_none_or(|max| argc <= max) {
            return Ok(());
        }
        Err(match self.max {
            None => format!("{} or more", self.min),
            Some(max) if max == self.min => max.to_string(),
            Some(max) => format!("{} to {max}", self.min),
        })
    }
}

impl Native {
    pub(super) fn call(&self, heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
        match self.run {
            Run::Call(run) => run(heap, args),
            Run::Test { test, wanted } => {
                for arg in args {
                    if test(heap, *arg)? != wanted {
                        return Ok(Value::Bool(false));
                    }
                }
                Ok(Value::Bool(true))
            }
        }
    }
}

/// All natives; a value names one by its position.
pub(super) fn all() -> &'static [Native] {
    static ALL: OnceLock<Vec<Native>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = Vec::new();
        for (name, min, max, run) in
            [arithmetic::TABLE, collection::TABLE, object::TABLE, text::TABLE].into_iter().flatten()
        {
            let arity = Arity { min: *min, max: (*max != MANY).then_some(*max) };
            all.push(Native { name, arity, run: Run::Call(*run) });
        }
        for (names, test) in predicate::TABLE {
            for (name, wanted) in names.iter().zip([true, false]) {
                let arity = Arity { min: 1, max: None };
                all.push(Native { name, arity, run: Run::Test { test: *test, wanted } });
            }
        }
        all
    })
}

pub(super) fn named(name: &str) -> Option<(u16, Arity)> {
    static INDEX: OnceLock<HashMap<&'static str, u16>> = OnceLock::new();
    let index =
        INDEX.get_or_init(|| all().iter().zip(0..).map(|(native, id)| (native.name, id)).collect());
    let id = *index.get(name)?;
    Some((id, all()[usize::from(id)].arity))
}

/// The most arguments, where there is no such number.
const MANY: usize = usize::MAX;

type Entry = (&'static str, usize, usize, fn(&mut Heap<'_>, &[Value]) -> Result<Value>);

fn number(heap: &mut Heap<'_>, value: Value) -> Result<Number> {
    match heap.as_number(value) {
        Some(number) => Ok(number),
        None => Err(not_a(heap, value, "a number")),
    }
}

/// An argument that counts or names a position.
fn index(heap: &mut Heap<'_>, value: Value) -> Result<usize> {
    match value {
        Value::Int(index) if index >= 0 => Ok(usize::try_from(index).unwrap_or(usize::MAX)),
        _ => Err(not_a(heap, value, "a position: 0, 1, 2, ...")),
    }
}

fn not_a(heap: &mut Heap<'_>, value: Value, what: &str) -> Fail {
    Fail::raise(format!("{} is not {what}", excerpt(heap, value)))
}
