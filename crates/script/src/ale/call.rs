//! Calls: of procedures, natives and what else can be called; and lazy sequences, which are calls that
//! somebody waits for.

use std::collections::HashSet;

use super::heap::out_of_memory;
use super::language::expected;
use super::machine::{CodeFrame, Frame, Machine, Walk};
use super::native::{look_up, raise};
use super::sequence::{excerpt, split};
use super::value::{Fail, Lazy, Object, Ref, Value};
use crate::ErrorKind;

/// Most values on the stack at once: 16 MB of them.
pub(super) const STACK_VALUES_MAX: usize = 1 << 20;

type Result<T> = std::result::Result<T, Fail>;

impl Machine<'_> {
    /// Calls what lies on the stack below its arguments.
    pub(super) fn invoke(&mut self, argc: usize) -> Result<()> {
        if self.heap.wants_collection() {
            self.collect();
        }
        let argc = self.insert_partial_args(argc);
        if self.stack.len() > STACK_VALUES_MAX {
            let message =
                format!("more than {STACK_VALUES_MAX} arguments and local values at once");
            return Err(Fail::stop(ErrorKind::StackOverflow, message));
        }
        let at = self.stack.len() - argc - 1;
        match self.stack[at] {
            Value::Proc(proto) => self.enter(proto, argc),
            Value::Native(id) => {
                let native = &self.natives[usize::from(id)];
                if let Err(expected) = native.arity.check(argc) {
                    return Err(wrong_count(native.name, argc, &expected));
                }
                match self.run_native(id, argc) {
                    Ok(value) => self.finish_call(at, value),
                    Err(fail) => self.pause(fail, at, Frame::Retry { argc }, false),
                }
            }
            callee => match self.closure_proto(callee) {
                Some(proto) => self.enter(proto, argc),
                None => self.call_by_lookup(callee, argc),
            },
        }
    }

    /// A call whose value is that of the procedure that makes it: the procedure's frame goes first.
    ///
    /// It stays if the callee is one of the language's own, because errors in there are told by the
    /// place of the call; these do not call back for ever.
    pub(super) fn invoke_last(&mut self, argc: usize) -> Result<()> {
        let argc = self.insert_partial_args(argc);
        let at = self.stack.len() - argc - 1;
        let callee = match self.stack[at] {
            Value::Proc(proto) => Some(proto),
            callee => self.closure_proto(callee),
        };
        if let (Some(callee), Some(Frame::Code(frame))) = (callee, self.frames.last())
            && (self.code.is_script(callee) || !self.code.is_script(frame.proto))
            && self.code.proto(callee).cases.iter().any(|case| case.takes(argc))
        {
            let base = frame.base as usize;
            self.stack.drain(base - 1..at);
            self.frames.pop();
            self.depth -= 1;
        }
        self.invoke(argc)
    }

    fn closure_proto(&self, callee: Value) -> Option<u32> {
        match self.heap.object(callee) {
            Some(Object::Closure { proto, .. }) => Some(*proto),
            _ => None,
        }
    }

    /// Replaces a procedure that has its first arguments already by the procedure and these.
    fn insert_partial_args(&mut self, argc: usize) -> usize {
        let mut argc = argc;
        loop {
            let at = self.stack.len() - argc - 1;
            let Some(Object::Partial { target, args }) = self.heap.object(self.stack[at]) else {
                return argc;
            };
            argc += args.len();
            let with_target =
                std::iter::once(*target).chain(args.iter().copied()).collect::<Vec<_>>();
            self.stack.splice(at..=at, with_target);
        }
    }

    fn call_by_lookup(&mut self, callee: Value, argc: usize) -> Result<()> {
        let at = self.stack.len() - argc - 1;
        let found = match look_up(&mut self.heap, callee, &self.stack[at + 1..]) {
            Err(Fail::Full) => {
                self.make_room()?;
                look_up(&mut self.heap, callee, &self.stack[at + 1..])
            }
            other => other,
        };
        match found {
            Ok(Some(value)) => self.finish_call(at, value),
            Ok(None) => {
                Err(Fail::raise(format!("{} is not a procedure", excerpt(&mut self.heap, callee))))
            }
            Err(fail) => self.pause(fail, at, Frame::Retry { argc }, false),
        }
    }

    fn finish_call(&mut self, at: usize, value: Value) -> Result<()> {
        self.stack.truncate(at);
        self.deliver(value)
    }

    /// Begins a procedure whose arguments are on the stack.
    fn enter(&mut self, proto_id: u32, argc: usize) -> Result<()> {
        let proto = self.code.proto(proto_id);
        let Some(case) = proto.cases.iter().find(|case| case.takes(argc)) else {
            let name = proto.name.map_or("a lambda", |name| self.heap.name_text(name)).to_owned();
            return Err(wrong_count(&name, argc, &expected(&proto.cases)));
        };
        if self.depth >= self.limits.recursion_max {
            let message = format!("more than {} nested calls", self.limits.recursion_max);
            return Err(Fail::stop(ErrorKind::StackOverflow, message));
        }
        let base = self.stack.len() - argc;
        if case.rest {
            let from = base + usize::from(case.params);
            let rest = self.with_room(|heap, stack| heap.vector(stack[from..].to_vec()))?;
            self.stack.truncate(from);
            self.stack.push(rest);
        }
        let frame = CodeFrame { proto: proto_id, ip: case.start, base: base as u32 };
        self.frames.push(Frame::Code(frame));
        self.depth += 1;
        Ok(())
    }

    /// Drops the frame on top, which is a procedure's, and what it has on the stack.
    pub(super) fn leave(&mut self) {
        if let Some(Frame::Code(frame)) = self.frames.pop() {
            self.stack.truncate(frame.base as usize - 1);
            self.depth -= 1;
        }
    }

    /// Runs a native whose arguments are on the stack; they stay there.
    pub(super) fn run_native(&mut self, id: u16, argc: usize) -> Result<Value> {
        let native = &self.natives[usize::from(id)];
        let at = self.stack.len() - argc;
        match native.call(&mut self.heap, &self.stack[at..]) {
            Err(Fail::Full) => {
                self.make_room()?;
                native.call(&mut self.heap, &self.stack[at..])
            }
            other => other,
        }
    }

    pub(super) fn retry_native(&mut self, id: u16, argc: usize) -> Result<()> {
        let at = self.stack.len() - argc;
        match self.run_native(id, argc) {
            Ok(value) => self.finish_call(at, value),
            Err(fail) => self.pause(fail, at, Frame::RetryNative { id, argc }, false),
        }
    }

    /// Does what a native asked for. Its call begins on the stack at `at` and is made again by `again`;
    /// `last` says that its value is the calling procedure's own.
    pub(super) fn pause(&mut self, fail: Fail, at: usize, again: Frame, last: bool) -> Result<()> {
        match fail {
            Fail::Full => Err(out_of_memory(self.limits.memory_bytes)),
            Fail::Force(lazy) => {
                self.frames.push(again);
                self.force(lazy)
            }
            Fail::Realize { value, deep } => {
                self.frames.push(again);
                let walk = Walk { pending: vec![value], deep, seen: HashSet::new() };
                self.frames.push(Frame::Realize(Box::new(walk)));
                Ok(())
            }
            Fail::Delegate { name, args } => {
                let callee = self.code.named(name).unwrap_or(Value::Null);
                self.pause(Fail::Invoke { callee, args }, at, again, last)
            }
            Fail::Invoke { callee, args } => {
                self.stack.truncate(at);
                let argc = args.len();
                self.stack.push(callee);
                self.stack.extend(args);
                if last { self.invoke_last(argc) } else { self.invoke(argc) }
            }
            Fail::Raise(_) => Err(fail),
        }
    }

    /// Gives a value to whoever waits for it.
    pub(super) fn deliver(&mut self, value: Value) -> Result<()> {
        loop {
            match self.frames.last() {
                None => {
                    self.result = Some(value);
                    return Ok(());
                }
                Some(Frame::Force { target }) => {
                    let target = *target;
                    return self.resolve(target, value);
                }
                Some(Frame::Recover { height }) => {
                    self.stack.truncate(*height);
                    self.frames.pop();
                }
                Some(_) => {
                    self.stack.push(value);
                    return Ok(());
                }
            }
        }
    }

    // Lazy sequences.

    /// Begins to find out how a lazy sequence begins.
    fn force(&mut self, lazy: Ref) -> Result<()> {
        match self.heap.lazy_state(lazy) {
            (target, Some(Lazy::Thunk(thunk))) => {
                self.heap.set_lazy(target, Lazy::Running);
                self.frames.push(Frame::Force { target });
                self.stack.push(thunk);
                self.invoke(0)
            }
            (_, Some(Lazy::Running)) => Err(needs_itself()),
            (_, Some(Lazy::Failed(raised))) => Err(raise(&mut self.heap, raised)),
            _ => Ok(()),
        }
    }

    /// The thunk of a lazy sequence has given this value: a sequence, perhaps a lazy one.
    fn resolve(&mut self, target: Ref, value: Value) -> Result<()> {
        self.stack.push(value);
        let parts = self.with_room(|heap, _| split(heap, value));
        self.stack.pop();
        let state = match parts {
            Ok(None) => Lazy::Empty,
            Ok(Some((first, rest))) => Lazy::Cons { first, rest },
            Err(Fail::Force(other)) => return self.resolve_as(target, other),
            Err(fail) => return Err(fail),
        };
        self.heap.set_lazy(target, state);
        self.frames.pop();
        Ok(())
    }

    /// A lazy sequence is the same as another that is not known yet. Goes on with that one's thunk under the
    /// same frame, so that a chain of such sequences takes no more frames than one.
    fn resolve_as(&mut self, target: Ref, other: Ref) -> Result<()> {
        match self.heap.lazy_state(other).1 {
            Some(Lazy::Thunk(thunk)) => {
                self.heap.set_lazy(other, Lazy::Same(target));
                self.stack.push(thunk);
                self.invoke(0)
            }
            Some(Lazy::Failed(raised)) => Err(raise(&mut self.heap, raised)),
            _ => Err(needs_itself()),
        }
    }

    /// Goes on with the walk on top until it meets a lazy sequence that must be forced, or ends.
    pub(super) fn walk(&mut self) -> Result<()> {
        let Some(Frame::Realize(mut walk)) = self.frames.pop() else { return Ok(()) };
        while let Some(value) = walk.pending.pop() {
            self.heap.meter.charge(1)?;
            let Value::Object(at) = value else { continue };
            if walk.deep && !walk.seen.insert(at) {
                continue;
            }
            if let (lazy, Some(Lazy::Thunk(_) | Lazy::Running | Lazy::Failed(_))) =
                self.heap.lazy_state(at)
            {
                walk.seen.remove(&at);
                walk.pending.push(value);
                self.frames.push(Frame::Realize(walk));
                return self.force(lazy);
            }
            self.push_parts(&mut walk, at);
            if self.heap.check_room(walk.bytes()).is_err() {
                // Collected with the walk in its place, where its values are found.
                self.frames.push(Frame::Realize(walk));
                return self.make_room_for_walk();
            }
        }
        Ok(())
    }

    fn make_room_for_walk(&mut self) -> Result<()> {
        self.make_room()?;
        match self.frames.last() {
            Some(Frame::Realize(walk)) if self.heap.check_room(walk.bytes()).is_err() => {
                Err(out_of_memory(self.limits.memory_bytes))
            }
            _ => Ok(()),
        }
    }

    fn push_parts(&self, walk: &mut Walk, at: Ref) {
        let object = self.heap.get(at);
        if let (_, Some(Lazy::Cons { first, rest })) = self.heap.lazy_state(at) {
            walk.pending.push(rest);
            walk.pending.extend(walk.deep.then_some(first));
            return;
        }
        if !walk.deep {
            return;
        }
        match object {
            Object::List { first, rest, .. } => {
                walk.pending.extend(rest.map(Value::Object));
                walk.pending.push(*first);
            }
            Object::Pair { car, cdr } => walk.pending.extend([*cdr, *car]),
            Object::Vector { .. } => {
                walk.pending.extend(self.heap.slice(Value::Object(at)).unwrap_or_default());
            }
            Object::Map { root } | Object::Set { root } => {
                let entries = self.heap.tree_entries(*root).into_iter();
                walk.pending.extend(entries.flat_map(|(key, value)| [key, value]));
            }
            _ => {}
        }
    }
}

fn needs_itself() -> Fail {
    Fail::raise("a lazy sequence needs its own beginning to know how it begins")
}

fn wrong_count(name: &str, argc: usize, expected: &str) -> Fail {
    let plural = if argc == 1 { "" } else { "s" };
    Fail::raise(format!("{name} got {argc} argument{plural}, expected {expected}"))
}
