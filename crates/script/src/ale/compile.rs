//! From forms to instructions: names, calls, literals, procedures. Special forms are in `special`.

use std::collections::HashMap;
use std::sync::Arc;

use super::body::LambdaCase;
use super::code::{Case, Const, Op, Program, Proto};
use super::language::{Language, Meaning};
use super::names::{Layer, Name};
use super::native;
use super::number::Number;
use super::reader::{DEPTH_MAX, Form, FormKind, Place, error_at};
use super::scope::{Procedure, resolve};
use super::special::Special;
use super::value::Value;
use crate::{ErrorKind, ScriptError};

pub(super) type Result<T> = std::result::Result<T, ScriptError>;

/// Forms that stand for others may nest deeper than what was written.
const COMPILE_DEPTH_MAX: usize = 2 * DEPTH_MAX;
/// So many levels are compiled on one stack, the next on another: who compiles may have little of it left.
const LEVELS_PER_STACK: usize = 32;
/// A level takes some kilobytes of it, at most.
const STACK_BYTES: usize = 1 << 20;

pub(super) struct Compiler<'l> {
    language: Language<'l>,
    names: Layer,
    consts: Vec<Const>,
    protos: Vec<Option<Proto>>,
    pub(super) procedures: Vec<Procedure>,
    globals: Vec<Name>,
    global_slots: HashMap<Name, u16>,
    /// What the language's own procedures are, while they are compiled.
    own: HashMap<Name, u32>,
    depth: usize,
    made_up: usize,
}

impl<'l> Compiler<'l> {
    fn new(language: Language<'l>) -> Compiler<'l> {
        Compiler {
            names: language.next_layer(),
            language,
            consts: Vec::new(),
            protos: Vec::new(),
            procedures: Vec::new(),
            globals: Vec::new(),
            global_slots: HashMap::new(),
            own: HashMap::new(),
            depth: 0,
            made_up: 0,
        }
    }

    /// A script's program: its forms are the body of a procedure with these parameters.
    pub(super) fn script(
        language: Language<'l>,
        params: &[&str],
        forms: &[Form],
    ) -> Result<Program> {
        let mut compiler = Compiler::new(language);
        compiler.procedures.push(Procedure::default());
        for (slot, param) in params.iter().enumerate() {
            let name = compiler.name(param);
            let slot = small(slot, Place { line: 1, column: 1 })?;
            compiler.procedure().bind(name, slot, false);
            compiler.procedure().height = slot + 1;
        }
        let params = compiler.procedure().height;
        compiler.procedure().cases.push(Case { params, rest: false, start: 0 });
        compiler.script_body(forms)?;
        let main = compiler.reserve();
        compiler.end_procedure(main);
        Ok(compiler.into_program(main))
    }

    /// The language's own procedures, which are defined by its prelude, one form each.
    pub(super) fn prelude(
        language: Language<'l>,
        forms: &[Form],
    ) -> Result<(Program, HashMap<Name, u32>)> {
        let mut compiler = Compiler::new(language);
        let definitions = forms.iter().map(|form| {
            compiler.definition(form)?.ok_or_else(|| error_at(form.at, "not a definition"))
        });
        let definitions = definitions.collect::<Result<Vec<_>>>()?;
        for definition in &definitions {
            let id = compiler.reserve();
            compiler.own.insert(definition.name, id);
        }
        for definition in definitions {
            let id = compiler.own[&definition.name];
            compiler.procedure_at(id, Some(definition.name), &definition.cases()?)?;
        }
        let own = std::mem::take(&mut compiler.own);
        Ok((compiler.into_program(0), own))
    }

    fn into_program(self, main: u32) -> Program {
        let (first_proto, first_const) = self.language.counts();
        Program {
            names: self.names,
            protos: self.protos.into_iter().flatten().collect(),
            consts: self.consts,
            first_proto,
            first_const,
            main,
            globals: self.globals,
        }
    }

    // Forms.

    /// Compiles a form to code that leaves its value on the stack or, in `tail` position, returns it.
    pub(super) fn form(&mut self, form: &Form, tail: bool) -> Result<()> {
        self.depth += 1;
        if self.depth > COMPILE_DEPTH_MAX {
            return Err(error_at(
                form.at,
                format!("nested more than {COMPILE_DEPTH_MAX} levels deep"),
            ));
        }
        match self.depth.is_multiple_of(LEVELS_PER_STACK) {
            true => self.form_on_another_stack(form, tail)?,
            false => self.form_here(form, tail)?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn form_on_another_stack(&mut self, form: &Form, tail: bool) -> Result<()> {
        std::thread::scope(|scope| {
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            let compiled = builder.spawn_scoped(scope, || self.form_here(form, tail));
            match compiled.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                Err(error) => {
                    let message = format!("no thread can be had to compile deep nesting: {error}");
                    Err(ScriptError::new(ErrorKind::Unavailable, message))
                }
            }
        })
    }

    fn form_here(&mut self, form: &Form, tail: bool) -> Result<()> {
        let at = form.at;
        match &form.kind {
            FormKind::Bool(value) => self.emit_push(Op::Bool(*value), at)?,
            FormKind::Number(number) => self.number(number, at)?,
            FormKind::Text(text) => self.constant(Const::Text(text.clone()), at)?,
            FormKind::Keyword(name) => {
                let name = self.name(name);
                self.constant(Const::Value(Value::Keyword(name)), at)?;
            }
            FormKind::Symbol(name) => self.variable(name, at)?,
            FormKind::Core(name) => self.language_name(name, at)?,
            FormKind::Vector(items) => self.collection("vector", items, at)?,
            FormKind::Set(items) => self.collection("set", items, at)?,
            FormKind::Map(items) => self.collection("object", items, at)?,
            FormKind::Dotted(items, last) => self.dotted(items, last, at)?,
            FormKind::List(items) => match items.split_first() {
                None => self.emit_push(Op::Null, at)?,
                Some((head, args)) => return self.list(head, args, form, tail),
            },
        }
        self.finish(tail, at);
        Ok(())
    }

    /// A call or a special form.
    fn list(&mut self, head: &Form, args: &[Form], whole: &Form, tail: bool) -> Result<()> {
        let core = match &head.kind {
            FormKind::Symbol(name) if !self.is_bound(name) => Some(name.to_string()),
            FormKind::Core(name) => Some((*name).to_owned()),
            _ => None,
        };
        if let Some(name) = core {
            if let Some(special) = Special::named(&name) {
                return self.special(special, args, whole, tail);
            }
            match self.meaning(&name) {
                Some(Meaning::Native { id, arity }) => {
                    arity
                        .check(args.len())
                        .map_err(|expected| wrong_count(&name, args, &expected, head.at))?;
                    return self.native_call(id, args, (whole.at, tail));
                }
                Some(Meaning::Proc { cases, .. })
                    if !cases.iter().any(|case| case.takes(args.len())) =>
                {
                    let expected = super::language::expected(cases);
                    return Err(wrong_count(&name, args, &expected, head.at));
                }
                _ => {}
            }
        }
        self.form(head, false)?;
        for arg in args {
            self.form(arg, false)?;
        }
        let argc = count(args, whole.at)?;
        self.emit(if tail { Op::TailCall(argc) } else { Op::Call(argc) }, whole.at);
        self.lower_height(argc);
        self.finish(tail, whole.at);
        Ok(())
    }

    fn native_call(&mut self, id: u16, args: &[Form], (at, tail): (Place, bool)) -> Result<()> {
        for arg in args {
            self.form(arg, false)?;
        }
        let argc = count(args, at)?;
        self.emit(Op::Native { id, argc }, at);
        self.raise_height(at)?;
        self.lower_height(argc);
        self.finish(tail, at);
        Ok(())
    }

    /// A literal is a call of the native procedure that makes such a value.
    fn collection(&mut self, name: &str, items: &[Form], at: Place) -> Result<()> {
        match native::named(name) {
            Some((id, _)) => self.native_call(id, items, (at, false)),
            None => Err(error_at(at, format!("unknown name `{name}`"))),
        }
    }

    /// `(a b . c)` evaluates to pairs of its values.
    fn dotted(&mut self, items: &[Form], last: &Form, at: Place) -> Result<()> {
        let pair = Form { kind: FormKind::Core("%pair"), at };
        let nested = items.iter().rev().fold(last.clone(), |rest, item| Form {
            kind: FormKind::List([pair.clone(), item.clone(), rest].into()),
            at: item.at,
        });
        self.form(&nested, false)
    }

    fn number(&mut self, number: &Number, at: Place) -> Result<()> {
        match number {
            Number::Int(value) => match i32::try_from(*value) {
                Ok(small) => self.emit_push(Op::Int(small), at),
                Err(_) => self.constant(Const::Value(Value::Int(*value)), at),
            },
            Number::Float(value) => self.constant(Const::Value(Value::Float(*value)), at),
            other => self.constant(Const::Number(other.clone()), at),
        }
    }

    pub(super) fn constant(&mut self, value: Const, at: Place) -> Result<()> {
        let (_, first_const) = self.language.counts();
        self.consts.push(value);
        let id = first_const + self.consts.len() as u32 - 1;
        self.emit_push(Op::Const(id), at)
    }

    // Names.

    pub(super) fn name(&mut self, text: &str) -> Name {
        let known = self.language.find_name(text).or_else(|| self.names.find(text));
        known.unwrap_or_else(|| self.names.add(text))
    }

    /// A name that no source can contain.
    pub(super) fn made_up_name(&mut self) -> Arc<str> {
        self.made_up += 1;
        format!(" {}", self.made_up).into()
    }

    /// A variable of the script that all its procedures see.
    pub(super) fn add_global(&mut self, name: Name, at: Place) -> Result<u16> {
        let slot = small(self.globals.len(), at)?;
        self.globals.push(name);
        self.global_slots.insert(name, slot);
        Ok(slot)
    }

    /// Whether the script itself gave the name a meaning.
    pub(super) fn is_bound(&mut self, text: &str) -> bool {
        let name = self.name(text);
        self.global_slots.contains_key(&name) || resolve(&mut self.procedures, name).is_some()
    }

    pub(super) fn variable(&mut self, text: &str, at: Place) -> Result<()> {
        let name = self.name(text);
        if let Some(home) = resolve(&mut self.procedures, name) {
            return self.emit_push(home.load(), at);
        }
        if let Some(global) = self.global_slots.get(&name) {
            return self.emit_push(Op::Global(*global), at);
        }
        self.language_name(text, at)
    }

    fn language_name(&mut self, text: &str, at: Place) -> Result<()> {
        match text {
            "true" => return self.emit_push(Op::Bool(true), at),
            "false" => return self.emit_push(Op::Bool(false), at),
            "null" => return self.emit_push(Op::Null, at),
            _ => {}
        }
        let value = match self.meaning(text) {
            Some(Meaning::Native { id, .. }) => Value::Native(id),
            Some(Meaning::Proc { id, .. }) => Value::Proc(id),
            None if Special::named(text).is_some() => {
                let message =
                    format!("`{text}` is a special form, not a value: wrap it in a lambda");
                return Err(error_at(at, message));
            }
            None => return Err(error_at(at, format!("unknown name `{text}`"))),
        };
        self.constant(Const::Value(value), at)
    }

    fn meaning(&mut self, text: &str) -> Option<Meaning<'l>> {
        let name = self.name(text);
        if let Some(id) = self.own.get(&name) {
            return Some(Meaning::Proc {
                id: *id,
                cases: &[Case { params: 0, rest: true, start: 0 }],
            });
        }
        self.language.meaning(name, text)
    }

    // Procedures.

    fn reserve(&mut self) -> u32 {
        self.protos.push(None);
        self.language.counts().0 + self.protos.len() as u32 - 1
    }

    /// Makes a finished procedure of the innermost one.
    fn end_procedure(&mut self, id: u32) -> bool {
        let Some(done) = self.procedures.pop() else { return false };
        let captures_nothing = done.captures.is_empty();
        let Procedure { name, cases, ops, places, captures, .. } = done;
        let index = (id - self.language.counts().0) as usize;
        self.protos[index] = Some(Proto { name, cases, ops, places, captures });
        captures_nothing
    }

    /// Compiles to code that leaves a procedure on the stack.
    pub(super) fn lambda(
        &mut self,
        name: Option<Name>,
        cases: &[LambdaCase<'_>],
        at: Place,
    ) -> Result<()> {
        let id = self.reserve();
        if self.procedure_at(id, name, cases)? {
            self.constant(Const::Value(Value::Proc(id)), at)
        } else {
            self.emit_push(Op::Closure(id), at)
        }
    }

    fn procedure_at(
        &mut self,
        id: u32,
        name: Option<Name>,
        cases: &[LambdaCase<'_>],
    ) -> Result<bool> {
        self.procedures.push(Procedure::default());
        self.procedure().name = name;
        for case in cases {
            let start = self.procedure().ops.len() as u32;
            self.procedure().height = 0;
            for param in case.params.iter().chain(&case.rest) {
                let name = self.name(param);
                let slot = self.procedure().height;
                self.procedure().bind(name, slot, false);
                self.raise_height(case.at)?;
            }
            let (params, rest) = (small(case.params.len(), case.at)?, case.rest.is_some());
            self.procedure().cases.push(Case { params, rest, start });
            self.body(case.body, true, case.at)?;
            self.procedure().unbind_to(0);
        }
        Ok(self.end_procedure(id))
    }
}

fn count(items: &[Form], at: Place) -> Result<u16> {
    small(items.len(), at)
}

pub(super) fn small(n: usize, at: Place) -> Result<u16> {
    u16::try_from(n).map_err(|_| error_at(at, "more than 65,535 items in one form"))
}

fn wrong_count(name: &str, args: &[Form], expected: &str, at: Place) -> ScriptError {
    let n = args.len();
    let plural = if n == 1 { "" } else { "s" };
    error_at(at, format!("`{name}` got {n} argument{plural}, expected {expected}"))
}
