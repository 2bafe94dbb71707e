//! Bodies, what they define, and procedures.

use std::collections::HashSet;
use std::sync::Arc;

use super::code::Op;
use super::compile::{Compiler, Result};
use super::derived;
use super::names::Name;
use super::reader::{Form, FormKind, Place, error_at};

/// A `define` and what belongs to it.
pub(super) struct Definition<'f> {
    pub(super) name: Name,
    what: Defined<'f>,
    at: Place,
}

enum Defined<'f> {
    Value(&'f Form),
    Procedure(Vec<LambdaCase<'f>>),
}

impl<'f> Definition<'f> {
    /// The cases of a definition that defines a procedure.
    pub(super) fn cases(self) -> Result<Vec<LambdaCase<'f>>> {
        match self.what {
            Defined::Procedure(cases) => Ok(cases),
            Defined::Value(form) => Err(error_at(form.at, "not a procedure")),
        }
    }
}

/// One way to call a procedure.
pub(super) struct LambdaCase<'f> {
    pub(super) params: Vec<Arc<str>>,
    pub(super) rest: Option<Arc<str>>,
    pub(super) body: &'f [Form],
    pub(super) at: Place,
}

impl Compiler<'_> {
    // Bodies and definitions.

    /// Forms in order; the last one's value counts. What they define they all see.
    pub(super) fn body(&mut self, forms: &[Form], tail: bool, at: Place) -> Result<()> {
        let Some(last) = forms.len().checked_sub(1) else {
            self.emit_push(Op::Null, at)?;
            self.finish(tail, at);
            return Ok(());
        };
        let definitions =
            forms.iter().map(|form| self.definition(form)).collect::<Result<Vec<_>>>()?;
        let first = self.procedure().height;
        let outer = self.procedure().n_bound();
        self.refuse_defined_twice(&definitions)?;
        for definition in definitions.iter().flatten() {
            self.cell(definition.name, definition.at)?;
        }
        let n_cells = self.procedure().height - first;
        let mut slot = first;
        for (index, (form, definition)) in forms.iter().zip(definitions).enumerate() {
            match definition {
                Some(definition) => {
                    self.defined(definition)?;
                    self.emit(Op::FillCell(slot), form.at);
                    self.lower_height(1);
                    if index == last {
                        self.emit_push(Op::Cell(slot), form.at)?;
                        self.finish(tail, form.at);
                    }
                    slot += 1;
                }
                None if index == last => self.form(form, tail)?,
                None => {
                    self.form(form, false)?;
                    self.emit(Op::Pop, form.at);
                    self.lower_height(1);
                }
            }
        }
        if n_cells > 0 && !tail {
            self.emit(Op::Slide(n_cells), at);
        }
        self.lower_height(n_cells);
        self.procedure().unbind_to(outer);
        Ok(())
    }

    /// The script's own forms: what they define is kept beside the stack.
    pub(super) fn script_body(&mut self, forms: &[Form]) -> Result<()> {
        let start = Place { line: 1, column: 1 };
        let definitions =
            forms.iter().map(|form| self.definition(form)).collect::<Result<Vec<_>>>()?;
        self.refuse_defined_twice(&definitions)?;
        for definition in definitions.iter().flatten() {
            self.add_global(definition.name, definition.at)?;
        }
        let last = forms.len().wrapping_sub(1);
        let mut global = 0;
        for (index, (form, definition)) in forms.iter().zip(definitions).enumerate() {
            match definition {
                Some(definition) => {
                    self.defined(definition)?;
                    self.emit(Op::SetGlobal(global), form.at);
                    global += 1;
                    self.finish(index == last, form.at);
                }
                None => self.form(form, index == last)?,
            }
            if index != last {
                self.emit(Op::Pop, form.at);
            }
            self.lower_height(1);
        }
        if forms.is_empty() {
            self.emit_push(Op::Null, start)?;
            self.finish(true, start);
        }
        Ok(())
    }

    fn refuse_defined_twice(&self, definitions: &[Option<Definition<'_>>]) -> Result<()> {
        let mut seen = HashSet::new();
        for definition in definitions.iter().flatten() {
            if !seen.insert(definition.name) {
                return Err(error_at(definition.at, "the name is defined already"));
            }
        }
        Ok(())
    }

    fn defined(&mut self, definition: Definition<'_>) -> Result<()> {
        match definition.what {
            Defined::Value(form) => self.form(form, false),
            Defined::Procedure(cases) => self.lambda(Some(definition.name), &cases, definition.at),
        }
    }

    /// The definition that a form is, if it is one: `(define name form)`, `(define (name param ...) form ...)`,
    /// `(define-lambda name (param ...) form ...)`.
    pub(super) fn definition<'f>(&mut self, form: &'f Form) -> Result<Option<Definition<'f>>> {
        let FormKind::List(items) = &form.kind else { return Ok(None) };
        let [Form { kind: FormKind::Symbol(head), .. }, parts @ ..] = &**items else {
            return Ok(None);
        };
        let is_lambda = &**head == "define-lambda";
        if !(is_lambda || &**head == "define") {
            return Ok(None);
        }
        let at = form.at;
        let [what, rest @ ..] = parts else {
            return Err(error_at(at, "`define` takes a name and a form"));
        };
        let (name, what) = match (&what.kind, rest) {
            (FormKind::Symbol(name), cases) if is_lambda => {
                (name, Defined::Procedure(lambda_cases(cases, at)?))
            }
            (FormKind::Symbol(name), [value]) => (name, Defined::Value(value)),
            (FormKind::Symbol(_), _) => {
                return Err(error_at(at, "`define` takes a name and one form"));
            }
            (FormKind::List(signature), body) => {
                let (name, case) = signature_case(signature, None, body, what.at)?;
                (name, Defined::Procedure(vec![case]))
            }
            (FormKind::Dotted(signature, rest), body) => {
                let (name, case) = signature_case(signature, Some(rest), body, what.at)?;
                (name, Defined::Procedure(vec![case]))
            }
            _ => return Err(error_at(what.at, "only a name can be defined")),
        };
        Ok(Some(Definition { name: self.name(name), what, at }))
    }

    pub(super) fn lambda_rec(
        &mut self,
        name: &Form,
        cases: &[Form],
        at: Place,
        tail: bool,
    ) -> Result<()> {
        let name = self.binding_name(name)?;
        let cases = lambda_cases(cases, at)?;
        let outer = self.procedure().n_bound();
        let slot = self.procedure().height;
        self.cell(name, at)?;
        self.lambda(Some(name), &cases, at)?;
        self.emit(Op::FillCell(slot), at);
        self.lower_height(1);
        self.emit_push(Op::Cell(slot), at)?;
        self.emit(Op::Slide(1), at);
        self.lower_height(1);
        self.procedure().unbind_to(outer);
        self.finish(tail, at);
        Ok(())
    }

    pub(super) fn thunk(&mut self, body: &[Form], at: Place) -> Result<()> {
        self.lambda(None, &[LambdaCase { params: Vec::new(), rest: None, body, at }], at)
    }

    /// `(try form ... (catch [name predicate] form ...) ...)`
    pub(super) fn try_catch(&mut self, forms: &[Form], at: Place, tail: bool) -> Result<()> {
        let is_catch = |form: &Form| {
            matches!(&form.kind, FormKind::List(items) if matches!(items.first(),
                Some(Form { kind: FormKind::Symbol(name), .. }) if &**name == "catch"))
        };
        let n_body = forms.iter().position(is_catch).unwrap_or(forms.len());
        let (body, catches) = forms.split_at(n_body);
        if let Some(stray) = catches.iter().find(|form| !is_catch(form)) {
            return Err(error_at(stray.at, "only `catch` clauses follow a `catch` clause"));
        }
        let handler = derived::catch_handler(self, catches, at)?;
        self.form(&handler, false)?;
        self.thunk(body, at)?;
        self.emit(Op::Recover, at);
        self.lower_height(1);
        self.finish(tail, at);
        Ok(())
    }
}

/// `(a b) body ...`, `(a . rest) body ...`, `rest body ...` or `[(a) body ...] [(a b) body ...]`.
pub(super) fn lambda_cases(forms: &[Form], at: Place) -> Result<Vec<LambdaCase<'_>>> {
    match forms {
        [] => Err(error_at(at, "`lambda` takes parameters and a body")),
        [Form { kind: FormKind::Vector(_), .. }, ..] => forms
            .iter()
            .map(|form| match &form.kind {
                FormKind::Vector(parts) => match &**parts {
                    [params, body @ ..] => lambda_case(params, body),
                    [] => Err(error_at(form.at, "a case is [(param ...) form ...]")),
                },
                _ => Err(error_at(form.at, "a case is [(param ...) form ...]")),
            })
            .collect(),
        [params, body @ ..] => Ok(vec![lambda_case(params, body)?]),
    }
}

fn lambda_case<'f>(params: &Form, body: &'f [Form]) -> Result<LambdaCase<'f>> {
    let at = params.at;
    let (params, rest) = match &params.kind {
        FormKind::List(params) => (&**params, None),
        FormKind::Dotted(params, rest) => (&**params, Some(&**rest)),
        FormKind::Symbol(_) => (&[][..], Some(params)),
        _ => return Err(error_at(at, "parameters are names in parentheses: (a b)")),
    };
    case_of(params, rest, body, at)
}

/// `(name a b)` of `(define (name a b) body ...)`.
fn signature_case<'f>(
    signature: &'f [Form],
    rest: Option<&Form>,
    body: &'f [Form],
    at: Place,
) -> Result<(&'f Arc<str>, LambdaCase<'f>)> {
    match signature {
        [Form { kind: FormKind::Symbol(name), .. }, params @ ..] => {
            Ok((name, case_of(params, rest, body, at)?))
        }
        _ => Err(error_at(at, "only a name can be defined")),
    }
}

fn case_of<'f>(
    params: &[Form],
    rest: Option<&Form>,
    body: &'f [Form],
    at: Place,
) -> Result<LambdaCase<'f>> {
    let mut seen = HashSet::new();
    let mut name = |form: &Form| match &form.kind {
        FormKind::Symbol(name) if seen.insert(name.clone()) => Ok(name.clone()),
        FormKind::Symbol(_) => Err(error_at(form.at, "two parameters have this name")),
        _ => Err(error_at(form.at, "a parameter is a name")),
    };
    let params = params.iter().map(&mut name).collect::<Result<Vec<_>>>()?;
    let rest = rest.map(name).transpose()?;
    if body.is_empty() {
        return Err(error_at(at, "the procedure has no body"));
    }
    Ok(LambdaCase { params, rest, body, at })
}
