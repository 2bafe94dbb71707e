//! Runs compiled scripts.
//!
//! All state is in arrays: values on a stack, calls as frames. Nothing here calls itself for a call of
//! the script, so that the depth of a script's recursion is a number to compare with a limit and not a
//! matter of the thread's stack. Procedures, lazy sequences and natives meet in `call`.

use std::collections::HashSet;

use super::code::{Capture, Const, Op, Program, Proto};
use super::heap::{Heap, out_of_memory};
use super::language::Prelude;
use super::meter::Meter;
use super::names::Names;
use super::native::{self, Native};
use super::value::{Fail, Lazy, Object, Ref, Value};
use crate::{CallOptions, ErrorKind, ScriptLimits};

pub(super) struct Machine<'p> {
    pub(super) heap: Heap<'p>,
    pub(super) code: Code<'p>,
    pub(super) stack: Vec<Value>,
    pub(super) frames: Vec<Frame>,
    globals: Vec<Option<Value>>,
    /// Constants that have been made in this call.
    pub(super) consts: Vec<Option<Value>>,
    /// Calls of Ale procedures that have not returned.
    pub(super) depth: usize,
    pub(super) limits: ScriptLimits,
    pub(super) natives: &'static [Native],
    pub(super) result: Option<Value>,
}

/// The language's program and the script's.
#[derive(Clone, Copy)]
pub(super) struct Code<'p> {
    prelude: &'p Prelude,
    script: &'p Program,
}

pub(super) enum Frame {
    /// A procedure.
    Code(CodeFrame),
    /// Waits for the value of a thunk, to make it the value of a lazy sequence.
    Force { target: Ref },
    /// Waits for a lazy sequence, to make a call again whose callee and arguments are on the stack.
    Retry { argc: usize },
    /// The same for a native whose arguments are on the stack.
    RetryNative { id: u16, argc: usize },
    /// Walks values and forces lazy sequences in them.
    Realize(Box<Walk>),
    /// Catches what is raised above. The handler lies on the stack at this height.
    Recover { height: usize },
}

#[derive(Clone, Copy)]
pub(super) struct CodeFrame {
    pub(super) proto: u32,
    pub(super) ip: u32,
    pub(super) base: u32,
}

/// What is still to be realized.
pub(super) struct Walk {
    pub(super) pending: Vec<Value>,
    /// Into all items, and not only along the sequence.
    pub(super) deep: bool,
    pub(super) seen: HashSet<Ref>,
}

impl Walk {
    /// Memory that it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.pending.len() * size_of::<Value>() + self.seen.len() * size_of::<u64>()
    }
}

/// Why a procedure's code was left.
enum Exit {
    Call(usize),
    TailCall(usize),
    Recover,
    Return,
    Native { id: u16, argc: usize, fail: Fail },
    Fail(Fail),
}

impl<'p> Code<'p> {
    pub(super) fn proto(self, id: u32) -> &'p Proto {
        let own = id.checked_sub(self.script.first_proto);
        own.map_or_else(
            || &self.prelude.program.protos[id as usize],
            |own| &self.script.protos[own as usize],
        )
    }

    pub(super) fn constant(self, id: u32) -> &'p Const {
        let own = id.checked_sub(self.script.first_const);
        own.map_or_else(
            || &self.prelude.program.consts[id as usize],
            |own| &self.script.consts[own as usize],
        )
    }

    /// A procedure of the prelude.
    pub(super) fn named(self, name: &str) -> Option<Value> {
        self.prelude.named(name).map(Value::Proc)
    }

    /// Whether a procedure was written by the script's author.
    pub(super) fn is_script(self, proto: u32) -> bool {
        proto >= self.script.first_proto
    }
}

impl<'p> Machine<'p> {
    pub(super) fn new(
        prelude: &'p Prelude,
        script: &'p Program,
        options: &CallOptions,
    ) -> Machine<'p> {
        let names = Names::new(&prelude.program.names, &script.names);
        Machine {
            heap: Heap::new(names, Meter::start(options), options.limits.memory_bytes),
            code: Code { prelude, script },
            stack: Vec::new(),
            frames: Vec::new(),
            globals: vec![None; script.globals.len()],
            consts: vec![None; script.first_const as usize + script.consts.len()],
            depth: 0,
            limits: options.limits,
            natives: native::all(),
            result: None,
        }
    }

    /// Calls the script's main procedure. What fails has been offered to the script's handlers.
    pub(super) fn run(&mut self, args: Vec<Value>) -> Result<Value, Fail> {
        let argc = args.len();
        self.stack.push(Value::Proc(self.code.script.main));
        self.stack.extend(args);
        let mut outcome = self.invoke(argc);
        loop {
            if let Err(fail) = outcome {
                self.rescue(fail)?;
            }
            if let Some(value) = self.result.take() {
                return Ok(value);
            }
            outcome = self.advance();
        }
    }

    /// Forces all lazy sequences in a value.
    pub(super) fn realize(&mut self, value: Value) -> Result<(), Fail> {
        self.stack.push(value);
        let walk = Walk { pending: vec![value], deep: true, seen: HashSet::new() };
        self.frames.push(Frame::Realize(Box::new(walk)));
        while !self.frames.is_empty() {
            if let Err(fail) = self.advance() {
                self.rescue(fail)?;
            }
        }
        self.stack.pop();
        Ok(())
    }

    /// Lets the frame on top do what it is there for.
    fn advance(&mut self) -> Result<(), Fail> {
        match self.frames.last() {
            Some(Frame::Code(frame)) => {
                let frame = *frame;
                self.run_code(frame)
            }
            Some(Frame::Retry { argc }) => {
                let argc = *argc;
                self.frames.pop();
                self.invoke(argc)
            }
            Some(Frame::RetryNative { id, argc }) => {
                let (id, argc) = (*id, *argc);
                self.frames.pop();
                self.retry_native(id, argc)
            }
            Some(Frame::Realize(_)) => self.walk(),
            // These wait for a value that somebody above gives them.
            Some(Frame::Force { .. } | Frame::Recover { .. }) | None => {
                Err(Fail::stop(ErrorKind::Unavailable, "nothing is left to run"))
            }
        }
    }

    fn run_code(&mut self, frame: CodeFrame) -> Result<(), Fail> {
        let proto = self.code.proto(frame.proto);
        let mut ip = frame.ip as usize;
        let exit = self.run_ops(proto, frame.base as usize, &mut ip);
        if let Some(Frame::Code(frame)) = self.frames.last_mut() {
            frame.ip = ip as u32;
        }
        let before_return = matches!(proto.ops.get(ip), Some(Op::Return));
        match exit {
            Exit::Call(argc) => self.invoke(argc),
            Exit::TailCall(argc) => self.invoke_last(argc),
            Exit::Return => {
                let value = self.stack.pop().unwrap_or(Value::Null);
                self.leave();
                self.deliver(value)
            }
            Exit::Recover => self.begin_recover(),
            Exit::Native { id, argc, fail } => {
                let again = Frame::RetryNative { id, argc };
                self.pause(fail, self.stack.len() - argc, again, before_return)
            }
            Exit::Fail(fail) => Err(fail),
        }
    }

    /// Runs instructions until one of them concerns more than this procedure.
    fn run_ops(&mut self, proto: &'p Proto, base: usize, ip: &mut usize) -> Exit {
        loop {
            if let Err(fail) = self.heap.meter.charge(1) {
                return Exit::Fail(fail);
            }
            let op = proto.ops[*ip];
            *ip += 1;
            match op {
                Op::Native { id, argc } => {
                    let argc = usize::from(argc);
                    match self.run_native(id, argc) {
                        Ok(value) => {
                            self.stack.truncate(self.stack.len() - argc);
                            self.stack.push(value);
                        }
                        Err(fail) => return Exit::Native { id, argc, fail },
                    }
                }
                Op::Call(argc) => return Exit::Call(argc.into()),
                Op::TailCall(argc) => return Exit::TailCall(argc.into()),
                Op::Recover => return Exit::Recover,
                Op::Return => return Exit::Return,
                Op::Jump(target) => *ip = target as usize,
                Op::JumpFalse(target) => {
                    if !self.stack.pop().is_some_and(Value::is_true) {
                        *ip = target as usize;
                    }
                }
                Op::JumpFalseKeep(target) => self.jump_keeping(false, target, ip),
                Op::JumpTrueKeep(target) => self.jump_keeping(true, target, ip),
                Op::SetGlobal(slot) => self.globals[usize::from(slot)] = self.stack.last().copied(),
                Op::FillCell(slot) => self.fill_cell(base + usize::from(slot)),
                Op::Pop => {
                    self.stack.pop();
                }
                Op::Slide(n) => {
                    if let Some(value) = self.stack.pop() {
                        self.stack.truncate(self.stack.len() - usize::from(n));
                        self.stack.push(value);
                    }
                }
                op => match self.load(op, base) {
                    Ok(value) => self.stack.push(value),
                    Err(fail) => return Exit::Fail(fail),
                },
            }
        }
    }

    /// The value of an instruction that only puts one on the stack.
    fn load(&mut self, op: Op, base: usize) -> Result<Value, Fail> {
        match op {
            Op::Null => Ok(Value::Null),
            Op::Bool(value) => Ok(Value::Bool(value)),
            Op::Int(value) => Ok(Value::Int(value.into())),
            Op::Const(id) => self.constant(id),
            Op::Local(slot) => Ok(self.stack[base + usize::from(slot)]),
            Op::Cell(slot) => self.cell(self.stack[base + usize::from(slot)]),
            Op::Captured(index) => Ok(self.captured(base, index)),
            Op::CapturedCell(index) => self.cell(self.captured(base, index)),
            Op::Global(slot) => self.globals[usize::from(slot)].ok_or_else(used_too_early),
            Op::NewCell => {
                self.with_room(|heap, _| heap.alloc(Object::Cell(None)).map(Value::Object))
            }
            Op::Closure(id) => self.closure(id, base),
            Op::Lazy => {
                let lazy = self.with_room(|heap, stack| {
                    heap.lazy(Lazy::Thunk(stack.last().copied().unwrap_or(Value::Null)))
                })?;
                self.stack.pop();
                Ok(lazy)
            }
            // `run_ops` deals with all others.
            _ => Ok(Value::Null),
        }
    }

    fn fill_cell(&mut self, at: usize) {
        if let (Some(value), Value::Object(cell)) = (self.stack.pop(), self.stack[at]) {
            self.heap.fill_cell(cell, value);
        }
    }

    fn jump_keeping(&mut self, wanted: bool, target: u32, ip: &mut usize) {
        if self.stack.last().is_some_and(|value| value.is_true()) == wanted {
            *ip = target as usize;
        } else {
            self.stack.pop();
        }
    }

    fn cell(&self, value: Value) -> Result<Value, Fail> {
        match self.heap.object(value) {
            Some(Object::Cell(Some(value))) => Ok(*value),
            _ => Err(used_too_early()),
        }
    }

    /// What the procedure at the base has captured.
    fn captured(&self, base: usize, index: u16) -> Value {
        match self.heap.object(self.stack[base - 1]) {
            Some(Object::Closure { captures, .. }) => captures[usize::from(index)],
            _ => Value::Null,
        }
    }

    fn closure(&mut self, id: u32, base: usize) -> Result<Value, Fail> {
        let captures = self.code.proto(id).captures.iter().map(|capture| match capture {
            Capture::Local(slot) => self.stack[base + usize::from(*slot)],
            Capture::Captured(index) => self.captured(base, *index),
        });
        let captures: Box<[Value]> = captures.collect();
        self.with_room(|heap, _| {
            heap.alloc(Object::Closure { proto: id, captures: captures.clone() }).map(Value::Object)
        })
    }

    /// Makes something, after a collection if there is no room for it.
    pub(super) fn with_room<T>(
        &mut self,
        make: impl Fn(&mut Heap<'p>, &[Value]) -> Result<T, Fail>,
    ) -> Result<T, Fail> {
        match make(&mut self.heap, &self.stack) {
            Err(Fail::Full) => {
                self.make_room()?;
                make(&mut self.heap, &self.stack).map_err(|fail| match fail {
                    Fail::Full => out_of_memory(self.limits.memory_bytes),
                    other => other,
                })
            }
            other => other,
        }
    }

    /// Collects because the heap is full.
    pub(super) fn make_room(&mut self) -> Result<(), Fail> {
        self.collect();
        if self.heap.is_crowded() { Err(out_of_memory(self.limits.memory_bytes)) } else { Ok(()) }
    }

    pub(super) fn collect(&mut self) {
        let frames = self.frames.iter().flat_map(|frame| {
            let (forced, walked): (Option<Value>, &[Value]) = match frame {
                Frame::Force { target } => (Some(Value::Object(*target)), &[]),
                Frame::Realize(walk) => (None, &walk.pending),
                _ => (None, &[]),
            };
            forced.into_iter().chain(walked.iter().copied())
        });
        let slots = self.globals.iter().chain(&self.consts).flatten().copied();
        self.heap.collect(self.stack.iter().copied().chain(slots).chain(frames));
    }
}

fn used_too_early() -> Fail {
    Fail::raise("the name is used before it has a value")
}
