//! Special forms: those whose parts are not simply evaluated and passed on.

use std::collections::HashSet;

use super::body::lambda_cases;
use super::code::{Const, Data, Op};
use super::compile::{Compiler, Result};
use super::derived;
use super::names::Name;
use super::reader::{Form, FormKind, Place, error_at};
use super::value::Value;

#[derive(Clone, Copy)]
pub(super) enum Special {
    Quote,
    If,
    Begin,
    And,
    Or,
    Cond,
    Let,
    LetStar,
    LetRec,
    Lambda,
    LambdaRec,
    Define,
    LazySeq,
    Try,
    /// Stands for other forms; see `derived`.
    Derived(derived::Rewrite),
}

impl Special {
    pub(super) fn named(name: &str) -> Option<Special> {
        Some(match name {
            "quote" => Special::Quote,
            "if" => Special::If,
            "begin" => Special::Begin,
            "and" => Special::And,
            "or" => Special::Or,
            "cond" => Special::Cond,
            "let" => Special::Let,
            "let*" => Special::LetStar,
            "let-rec" | "letrec" => Special::LetRec,
            "lambda" | "λ" => Special::Lambda,
            "lambda-rec" => Special::LambdaRec,
            "define" | "define-lambda" => Special::Define,
            "lazy-seq" => Special::LazySeq,
            "try" => Special::Try,
            _ => Special::Derived(derived::named(name)?),
        })
    }
}

impl Compiler<'_> {
    pub(super) fn special(
        &mut self,
        special: Special,
        args: &[Form],
        whole: &Form,
        tail: bool,
    ) -> Result<()> {
        let at = whole.at;
        match (special, args) {
            (Special::Quote, [what]) => {
                self.quote(what, at)?;
                self.finish(tail, at);
                Ok(())
            }
            (Special::If, [test, then]) => self.conditional(test, then, None, tail),
            (Special::If, [test, then, other]) => self.conditional(test, then, Some(other), tail),
            (Special::Begin, forms) => self.body(forms, tail, at),
            (Special::And, forms) => self.chain(forms, Op::JumpFalseKeep(0), (true, at), tail),
            (Special::Or, forms) => self.chain(forms, Op::JumpTrueKeep(0), (false, at), tail),
            (Special::Cond, clauses) => self.cond(clauses, at, tail),
            (Special::Let, [bindings, body @ ..]) => {
                let bindings = self.bindings(bindings)?;
                self.let_parallel(&bindings, body, at, tail)
            }
            (Special::LetStar, [bindings, body @ ..]) => {
                let bindings = self.bindings(bindings)?;
                self.let_sequential(&bindings, body, at, tail)
            }
            (Special::LetRec, [bindings, body @ ..]) => {
                let bindings = self.bindings(bindings)?;
                self.let_recursive(&bindings, body, at, tail)
            }
            (Special::Lambda, cases) => {
                let cases = lambda_cases(cases, at)?;
                self.lambda(None, &cases, at)?;
                self.finish(tail, at);
                Ok(())
            }
            (Special::LambdaRec, [name, cases @ ..]) => self.lambda_rec(name, cases, at, tail),
            (Special::Define, _) => {
                Err(error_at(at, "`define` stands only at the outside of the script or of a body"))
            }
            (Special::LazySeq, body) => {
                self.thunk(body, at)?;
                self.emit(Op::Lazy, at);
                self.finish(tail, at);
                Ok(())
            }
            (Special::Try, forms) => self.try_catch(forms, at, tail),
            (Special::Derived(rewrite), args) => {
                let form = rewrite(self, args, whole)?;
                self.form(&form, tail)
            }
            (Special::Quote, _) => Err(error_at(at, "`quote` takes one form")),
            (Special::If, _) => {
                Err(error_at(at, "`if` takes a test, what then, and perhaps what else"))
            }
            (Special::Let | Special::LetStar | Special::LetRec, []) => {
                Err(error_at(at, "`let` takes bindings and a body"))
            }
            (Special::LambdaRec, []) => {
                Err(error_at(at, "`lambda-rec` takes a name, parameters and a body"))
            }
        }
    }

    fn quote(&mut self, what: &Form, at: Place) -> Result<()> {
        match self.data(what) {
            Data::Value(Value::Null) => self.emit_push(Op::Null, at),
            Data::Value(value) => self.constant(Const::Value(value), at),
            Data::Text(text) => self.constant(Const::Text(text), at),
            Data::Number(number) => self.constant(Const::Number(number), at),
            data => self.constant(Const::Data(data), at),
        }
    }

    fn conditional(
        &mut self,
        test: &Form,
        then: &Form,
        other: Option<&Form>,
        tail: bool,
    ) -> Result<()> {
        self.form(test, false)?;
        let to_else = self.emit(Op::JumpFalse(0), test.at);
        self.lower_height(1);
        self.form(then, tail)?;
        self.lower_height(1);
        let to_end = (!tail).then(|| self.emit(Op::Jump(0), then.at));
        self.land(to_else);
        match other {
            Some(form) => self.form(form, tail)?,
            None => {
                self.emit_push(Op::Null, test.at)?;
                self.finish(tail, test.at);
            }
        }
        if let Some(jump) = to_end {
            self.land(jump);
        }
        Ok(())
    }

    /// `and` and `or`: evaluates until `jump` leaves with the value at hand.
    fn chain(
        &mut self,
        forms: &[Form],
        jump: Op,
        (empty, at): (bool, Place),
        tail: bool,
    ) -> Result<()> {
        let Some((last, before)) = forms.split_last() else {
            self.emit_push(Op::Bool(empty), at)?;
            self.finish(tail, at);
            return Ok(());
        };
        let mut jumps = Vec::new();
        for form in before {
            self.form(form, false)?;
            jumps.push(self.emit(jump, form.at));
            self.lower_height(1);
        }
        self.form(last, tail)?;
        if !jumps.is_empty() {
            jumps.into_iter().for_each(|jump| self.land(jump));
            self.finish(tail, at);
        }
        Ok(())
    }

    fn cond(&mut self, clauses: &[Form], at: Place, tail: bool) -> Result<()> {
        let mut ends = Vec::new();
        for clause in clauses {
            let (FormKind::Vector(parts) | FormKind::List(parts)) = &clause.kind else {
                return Err(error_at(clause.at, "a clause of `cond` is [test form]"));
            };
            let [test, body @ ..] = &**parts else {
                return Err(error_at(clause.at, "a clause of `cond` is [test form]"));
            };
            if body.is_empty() {
                return Err(error_at(clause.at, "a clause of `cond` is [test form]"));
            }
            let always = Form { kind: FormKind::Bool(true), at: test.at };
            let is_else = matches!(&test.kind, FormKind::Symbol(name) if &**name == "else");
            self.form(if is_else { &always } else { test }, false)?;
            let to_next = self.emit(Op::JumpFalse(0), test.at);
            self.lower_height(1);
            self.body(body, tail, clause.at)?;
            self.lower_height(1);
            if !tail {
                ends.push(self.emit(Op::Jump(0), clause.at));
            }
            self.land(to_next);
        }
        self.emit_push(Op::Null, at)?;
        self.finish(tail, at);
        ends.into_iter().for_each(|jump| self.land(jump));
        Ok(())
    }

    // Bindings.

    fn bindings<'f>(&mut self, form: &'f Form) -> Result<Vec<(Name, &'f Form)>> {
        let pairs = binding_pairs(form)?;
        pairs.into_iter().map(|(name, value)| Ok((self.binding_name(name)?, value))).collect()
    }

    pub(super) fn binding_name(&mut self, form: &Form) -> Result<Name> {
        match &form.kind {
            FormKind::Symbol(name) => Ok(self.name(name)),
            _ => Err(error_at(form.at, "only a name can be bound")),
        }
    }

    fn let_parallel(
        &mut self,
        bindings: &[(Name, &Form)],
        body: &[Form],
        at: Place,
        tail: bool,
    ) -> Result<()> {
        self.refuse_twice(bindings)?;
        let first = self.procedure().height;
        for (_, value) in bindings {
            self.form(value, false)?;
        }
        let outer = self.procedure().n_bound();
        for (slot, (name, _)) in (first..).zip(bindings) {
            self.procedure().bind(*name, slot, false);
        }
        self.bound_body(outer, first, body, at, tail)
    }

    fn let_sequential(
        &mut self,
        bindings: &[(Name, &Form)],
        body: &[Form],
        at: Place,
        tail: bool,
    ) -> Result<()> {
        let first = self.procedure().height;
        let outer = self.procedure().n_bound();
        for (name, value) in bindings {
            let slot = self.procedure().height;
            self.form(value, false)?;
            self.procedure().bind(*name, slot, false);
        }
        self.bound_body(outer, first, body, at, tail)
    }

    fn let_recursive(
        &mut self,
        bindings: &[(Name, &Form)],
        body: &[Form],
        at: Place,
        tail: bool,
    ) -> Result<()> {
        self.refuse_twice(bindings)?;
        let first = self.procedure().height;
        let outer = self.procedure().n_bound();
        for (name, _) in bindings {
            self.cell(*name, at)?;
        }
        for (slot, (name, value)) in (first..).zip(bindings) {
            self.named_value(*name, value)?;
            self.emit(Op::FillCell(slot), value.at);
            self.lower_height(1);
        }
        self.bound_body(outer, first, body, at, tail)
    }

    fn refuse_twice(&self, bindings: &[(Name, &Form)]) -> Result<()> {
        let mut seen = HashSet::new();
        for (name, value) in bindings {
            if !seen.insert(*name) {
                return Err(error_at(value.at, "the name is bound twice in one `let`"));
            }
        }
        Ok(())
    }

    pub(super) fn cell(&mut self, name: Name, at: Place) -> Result<()> {
        let slot = self.procedure().height;
        self.emit_push(Op::NewCell, at)?;
        self.procedure().bind(name, slot, true);
        Ok(())
    }

    /// A value that, if it is a procedure, is known by a name in errors.
    fn named_value(&mut self, name: Name, value: &Form) -> Result<()> {
        if let FormKind::List(items) = &value.kind
            && let [head, cases @ ..] = &**items
            && matches!(&head.kind, FormKind::Symbol(head) if &**head == "lambda" && !self.is_bound(head))
        {
            let cases = lambda_cases(cases, value.at)?;
            return self.lambda(Some(name), &cases, value.at);
        }
        self.form(value, false)
    }

    /// A body above bindings that began at `first`; leaves only its value.
    fn bound_body(
        &mut self,
        outer: usize,
        first: u16,
        body: &[Form],
        at: Place,
        tail: bool,
    ) -> Result<()> {
        self.body(body, tail, at)?;
        let n_bound = self.procedure().height - first - 1;
        if n_bound > 0 && !tail {
            self.emit(Op::Slide(n_bound), at);
        }
        self.lower_height(n_bound);
        self.procedure().unbind_to(outer);
        Ok(())
    }

    /// What is quoted, as data.
    pub(super) fn data(&mut self, form: &Form) -> Data {
        let all = |this: &mut Self, forms: &[Form]| {
            forms.iter().map(|form| this.data(form)).collect::<Vec<_>>()
        };
        match &form.kind {
            FormKind::Bool(value) => Data::Value(Value::Bool(*value)),
            FormKind::Number(number) => Data::Number(number.clone()),
            FormKind::Text(text) => Data::Text(text.clone()),
            FormKind::Keyword(name) => Data::Value(Value::Keyword(self.name(name))),
            FormKind::Symbol(name) => Data::Value(Value::Symbol(self.name(name))),
            FormKind::Core(name) => Data::Value(Value::Symbol(self.name(name))),
            FormKind::List(items) if items.is_empty() => Data::Value(Value::Null),
            FormKind::List(items) => Data::List(all(self, items)),
            FormKind::Dotted(items, last) => {
                Data::Dotted(all(self, items), Box::new(self.data(last)))
            }
            FormKind::Vector(items) => Data::Vector(all(self, items)),
            FormKind::Set(items) => Data::Set(all(self, items)),
            FormKind::Map(items) => {
                let entries =
                    items.chunks_exact(2).map(|pair| (self.data(&pair[0]), self.data(&pair[1])));
                Data::Map(entries.collect())
            }
        }
    }
}

/// `[name form]`, `[name form name form]`, `([name form] [name form])`, the inner ones in any brackets.
pub(super) fn binding_pairs(form: &Form) -> Result<Vec<(&Form, &Form)>> {
    const SHAPE: &str = "a binding is a name and a form: [name form]";
    fn flat<'f>(items: &'f [Form], pairs: &mut Vec<(&'f Form, &'f Form)>, at: Place) -> Result<()> {
        if items.len() % 2 == 1 || items.is_empty() {
            return Err(error_at(at, SHAPE));
        }
        pairs.extend(items.chunks_exact(2).map(|pair| (&pair[0], &pair[1])));
        Ok(())
    }
    let mut pairs = Vec::new();
    match &form.kind {
        FormKind::Vector(items)
            if matches!(items.first(), Some(Form { kind: FormKind::Symbol(_), .. })) =>
        {
            flat(items, &mut pairs, form.at)?;
        }
        FormKind::Vector(items) | FormKind::List(items) => {
            for item in items.iter() {
                let (FormKind::Vector(parts) | FormKind::List(parts)) = &item.kind else {
                    return Err(error_at(item.at, SHAPE));
                };
                flat(parts, &mut pairs, item.at)?;
            }
        }
        _ => {
            return Err(error_at(form.at, "bindings are [name form] or ([name form] [name form])"));
        }
    }
    Ok(pairs)
}
