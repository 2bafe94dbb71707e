//! What a script computes with. A value is a few bytes and is copied freely; whatever is larger lives
//! in the heap and is named by a [`Ref`].

use std::num::NonZeroU32;
use std::sync::Arc;

use num_bigint::BigInt;
use num_rational::BigRational;

use super::names::Name;
use crate::ErrorKind;

#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// The empty list, which is also JSON's null.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Keyword(Name),
    Symbol(Name),
    /// A procedure written in Rust.
    Native(u16),
    /// A procedure written in Ale that captures nothing.
    Proc(u32),
    Object(Ref),
}

/// A place in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Ref(NonZeroU32);

#[derive(Debug)]
pub(super) enum Object {
    /// Nothing lives here.
    Free,
    Text(Text),
    Big(Box<BigInt>),
    Ratio(Box<BigRational>),
    /// A list of at least one item.
    List {
        first: Value,
        rest: Option<Ref>,
        len: u32,
    },
    /// Two values that are no list: `(a . b)`.
    Pair {
        car: Value,
        cdr: Value,
    },
    /// What vectors look into. Only ever grows, and only at its end, so that what a vector sees never changes.
    Buffer(Vec<Value>),
    Vector {
        buffer: Ref,
        start: u32,
        len: u32,
    },
    Map {
        root: Option<Ref>,
    },
    Set {
        root: Option<Ref>,
    },
    /// A node of the tree behind a map or a set.
    Node(Box<Node>),
    Lazy(Lazy),
    Closure {
        proto: u32,
        captures: Box<[Value]>,
    },
    /// A procedure with its first arguments.
    Partial {
        target: Value,
        args: Box<[Value]>,
    },
    /// A variable of a `let-rec`; empty until its value is known.
    Cell(Option<Value>),
}

/// A text, or a part of one that others share.
#[derive(Debug, Clone)]
pub(super) struct Text {
    pub(super) whole: Arc<str>,
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) key: Value,
    pub(super) value: Value,
    pub(super) left: Option<Ref>,
    pub(super) right: Option<Ref>,
    pub(super) size: u32,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Lazy {
    /// A procedure without parameters that gives the sequence.
    Thunk(Value),
    /// The procedure is being called.
    Running,
    Empty,
    Cons {
        first: Value,
        rest: Value,
    },
    /// The same sequence as another.
    Same(Ref),
    /// The procedure raised this, and would again.
    Failed(Value),
}

/// Why a native procedure has no value yet, or never will.
#[derive(Debug)]
pub(super) enum Fail {
    /// The heap has no room left; a collection may help.
    Full,
    /// Needs to know how this lazy sequence begins, and wants to be called again then.
    Force(Ref),
    /// Needs to know all items of a sequence (`deep`: and all of theirs), and wants to be called again then.
    Realize {
        value: Value,
        deep: bool,
    },
    /// The value is what this call gives.
    Invoke {
        callee: Value,
        args: Vec<Value>,
    },
    /// The same for a procedure of the prelude.
    Delegate {
        name: &'static str,
        args: Vec<Value>,
    },
    Raise(Box<Raise>),
}

#[derive(Debug)]
pub(super) struct Raise {
    pub(super) kind: ErrorKind,
    pub(super) message: String,
    /// What the script raised, if it did.
    pub(super) value: Option<Value>,
}

impl Ref {
    pub(super) fn at(index: usize) -> Ref {
        // The heap is full long before there are this many objects: one takes more than 16 bytes.
        Ref(NonZeroU32::MIN.saturating_add(u32::try_from(index).unwrap_or(u32::MAX - 1)))
    }

    pub(super) fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl Text {
    pub(super) fn new(text: impl Into<Arc<str>>) -> Text {
        let whole = text.into();
        let end = whole.len() as u32;
        Text { whole, start: 0, end }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.whole[self.start as usize..self.end as usize]
    }

    /// The part from byte `from` to byte `to` of this text.
    pub(super) fn part(&self, from: usize, to: usize) -> Text {
        let (start, end) = (self.start + from as u32, self.start + to as u32);
        Text { whole: self.whole.clone(), start, end }
    }
}

impl Fail {
    pub(super) fn raise(message: impl Into<String>) -> Fail {
        Fail::stop(ErrorKind::Thrown, message)
    }

    /// An error that a script cannot catch, unless it is of the kind `Thrown`.
    pub(super) fn stop(kind: ErrorKind, message: impl Into<String>) -> Fail {
        Fail::Raise(Box::new(Raise { kind, message: message.into(), value: None }))
    }
}

impl Value {
    pub(super) fn is_true(self) -> bool {
        !matches!(self, Value::Bool(false))
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}
