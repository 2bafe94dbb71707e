//! Special forms that stand for other forms. What they are rewritten to names the language's own
//! meanings, so that a script may call its variables `if` or `map`.

use std::sync::Arc;

use super::compile::{Compiler, Result};
use super::reader::{Form, FormKind, Place, error_at};
use super::special::binding_pairs;

/// Makes the form that another one, given as its arguments and as a whole, stands for.
pub(super) type Rewrite = fn(&mut Compiler<'_>, &[Form], &Form) -> Result<Form>;

pub(super) fn named(name: &str) -> Option<Rewrite> {
    Some(match name {
        "when" => when,
        "when-not" => when_not,
        "unless" => unless,
        "case" => case,
        "if-let" => if_let,
        "when-let" => when_let,
        "->" => |compiler, args, whole| thread(compiler, args, whole, End::First),
        "->>" => |compiler, args, whole| thread(compiler, args, whole, End::Last),
        "some->" => |compiler, args, whole| thread_some(compiler, args, whole, End::First),
        "some->>" => |compiler, args, whole| thread_some(compiler, args, whole, End::Last),
        "cond->" => |compiler, args, whole| thread_cond(compiler, args, whole, End::First),
        "cond->>" => |compiler, args, whole| thread_cond(compiler, args, whole, End::Last),
        "let->" => let_thread,
        "letfn" => letfn,
        "label" => label,
        "thunk" => thunk,
        "for" => for_each,
        ":" => access,
        "!and" => |_, args, whole| Ok(negated("and", args, whole.at)),
        "!or" => |_, args, whole| Ok(negated("or", args, whole.at)),
        _ => return None,
    })
}

#[derive(Clone, Copy)]
enum End {
    First,
    Last,
}

fn core(name: &'static str, at: Place) -> Form {
    Form { kind: FormKind::Core(name), at }
}

fn list(items: impl IntoIterator<Item = Form>, at: Place) -> Form {
    Form { kind: FormKind::List(items.into_iter().collect()), at }
}

fn vector(items: impl IntoIterator<Item = Form>, at: Place) -> Form {
    Form { kind: FormKind::Vector(items.into_iter().collect()), at }
}

fn symbol(name: &Arc<str>, at: Place) -> Form {
    Form { kind: FormKind::Symbol(name.clone()), at }
}

/// `(name form ...)` with the language's own meaning of the name.
fn call(name: &'static str, args: impl IntoIterator<Item = Form>, at: Place) -> Form {
    list(std::iter::once(core(name, at)).chain(args), at)
}

fn begin(forms: &[Form], at: Place) -> Form {
    match forms {
        [only] => only.clone(),
        _ => call("begin", forms.iter().cloned(), at),
    }
}

fn negated(name: &'static str, args: &[Form], at: Place) -> Form {
    call("not", [call(name, args.iter().cloned(), at)], at)
}

fn when(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let [test, body @ ..] = args else { return Err(error_at(whole.at, "`when` takes a test")) };
    Ok(call("if", [test.clone(), begin(body, whole.at)], whole.at))
}

fn when_not(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let [test, body @ ..] = args else { return Err(error_at(whole.at, "`when-not` takes a test")) };
    let at = whole.at;
    Ok(call("if", [test.clone(), core("null", at), begin(body, at)], at))
}

fn unless(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let (test, then, other) = match args {
        [test] => (test, core("null", at), core("null", at)),
        [test, then] => (test, then.clone(), core("null", at)),
        [test, then, other] => (test, then.clone(), other.clone()),
        _ => {
            let message = "`unless` takes a test, what then, and perhaps what else; `when-not` takes many forms";
            return Err(error_at(at, message));
        }
    };
    Ok(call("if", [test.clone(), other, then], at))
}

/// `(case form [value form] [(value value) form] ...)`
fn case(compiler: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let [subject, clauses @ ..] = args else { return Err(error_at(at, "`case` takes a form")) };
    let name = compiler.made_up_name();
    let mut tests = vec![];
    for clause in clauses {
        let FormKind::Vector(parts) = &clause.kind else {
            return Err(error_at(clause.at, "a clause of `case` is [value form]"));
        };
        let [test, branch] = &**parts else {
            return Err(error_at(clause.at, "a clause of `case` is [value form]"));
        };
        let is = |value: &Form| call("eq", [symbol(&name, at), value.clone()], clause.at);
        let test = match &test.kind {
            FormKind::List(values) => call("or", values.iter().map(is), clause.at),
            FormKind::Keyword(word) if &**word == "else" => test.clone(),
            _ => is(test),
        };
        tests.push(vector([test, branch.clone()], clause.at));
    }
    let message = Form { kind: FormKind::Text("no case matches".into()), at };
    let otherwise = Form { kind: FormKind::Bool(true), at };
    tests.push(vector([otherwise, call("raise", [message], at)], at));
    let binding = vector([symbol(&name, at), subject.clone()], at);
    Ok(call("let", [binding, call("cond", tests, at)], at))
}

fn if_let(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let ([binding, then @ ..], 2..=3) = (args, args.len()) else {
        return Err(error_at(at, "`if-let` takes a binding, what then, and perhaps what else"));
    };
    let name = single_binding(binding)?;
    let test = call("if", std::iter::once(name).chain(then.iter().cloned()), at);
    Ok(call("let", [binding.clone(), test], at))
}

fn when_let(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let [binding, body @ ..] = args else { return Err(error_at(at, "`when-let` takes a binding")) };
    let name = single_binding(binding)?;
    Ok(call("let", [binding.clone(), call("if", [name, begin(body, at)], at)], at))
}

/// The name of `[name form]`.
fn single_binding(binding: &Form) -> Result<Form> {
    match (&binding.kind, binding_pairs(binding)?.as_slice()) {
        (FormKind::Vector(_), [(name, _)]) => Ok((*name).clone()),
        _ => Err(error_at(binding.at, "one binding is expected: [name form]")),
    }
}

/// A step of a chain with the value put in: `(f a)` becomes `(f value a)` or `(f a value)`, `f` becomes `(f value)`.
fn threaded(step: &Form, value: Form, end: End) -> Form {
    let mut items = match &step.kind {
        FormKind::List(items) if !items.is_empty() => items.to_vec(),
        _ => vec![step.clone()],
    };
    match end {
        End::First => items.insert(1, value),
        End::Last => items.push(value),
    }
    list(items, step.at)
}

/// One variable after another, so that a chain of any length nests no deeper than one step.
fn thread(compiler: &mut Compiler<'_>, args: &[Form], whole: &Form, end: End) -> Result<Form> {
    let [value, steps @ ..] = args else {
        return Err(error_at(whole.at, "a chain begins with a form"));
    };
    let Some((last, before)) = steps.split_last() else { return Ok(value.clone()) };
    let mut bindings = Vec::new();
    let mut next = value.clone();
    for step in before {
        let name = compiler.made_up_name();
        bindings.push(vector([symbol(&name, step.at), next], step.at));
        next = threaded(step, symbol(&name, step.at), end);
    }
    let name = compiler.made_up_name();
    bindings.push(vector([symbol(&name, last.at), next], last.at));
    let body = threaded(last, symbol(&name, last.at), end);
    Ok(call("let*", [list(bindings, whole.at), body], whole.at))
}

/// Stops at the first null.
fn thread_some(compiler: &mut Compiler<'_>, args: &[Form], whole: &Form, end: End) -> Result<Form> {
    let at = whole.at;
    let [value, steps @ ..] = args else { return Err(error_at(at, "a chain begins with a form")) };
    let [step, further @ ..] = steps else { return Ok(value.clone()) };
    let name = compiler.made_up_name();
    let next = threaded(step, symbol(&name, at), end);
    let chain = match end {
        End::First => "some->",
        End::Last => "some->>",
    };
    let rest = call(chain, std::iter::once(next).chain(further.iter().cloned()), step.at);
    let test = call("null?", [symbol(&name, at)], step.at);
    let body = call("if", [test, core("null", at), rest], step.at);
    Ok(call("let", [vector([symbol(&name, at), value.clone()], at), body], at))
}

/// Takes only those steps whose test holds for the value so far.
fn thread_cond(compiler: &mut Compiler<'_>, args: &[Form], whole: &Form, end: End) -> Result<Form> {
    let at = whole.at;
    let [value, clauses @ ..] = args else {
        return Err(error_at(at, "a chain begins with a form"));
    };
    let mut name = compiler.made_up_name();
    let mut bindings = vec![vector([symbol(&name, at), value.clone()], at)];
    for clause in clauses {
        let FormKind::Vector(parts) = &clause.kind else {
            return Err(error_at(clause.at, "a clause is [test form]"));
        };
        let [test, step] = &**parts else {
            return Err(error_at(clause.at, "a clause is [test form]"));
        };
        let so_far = symbol(&name, clause.at);
        let taken = threaded(step, so_far.clone(), end);
        let next = call("if", [threaded(test, so_far.clone(), end), taken, so_far], clause.at);
        name = compiler.made_up_name();
        bindings.push(vector([symbol(&name, clause.at), next], clause.at));
    }
    Ok(call("let*", [list(bindings, at), symbol(&name, at)], at))
}

/// `(let-> [x form] form ...)`: each form gives the next value of `x`.
fn let_thread(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let [binding, steps @ ..] = args else { return Err(error_at(at, "`let->` takes a binding")) };
    let name = single_binding(binding)?;
    let steps = steps.iter().map(|step| vector([name.clone(), step.clone()], step.at));
    let bindings = std::iter::once(binding.clone()).chain(steps);
    Ok(call("let*", [list(bindings, at), name], at))
}

/// `(letfn [(lambda-rec name (param ...) form ...) ...] form ...)`
fn letfn(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let [Form { kind: FormKind::Vector(procedures), .. }, body @ ..] = args else {
        return Err(error_at(at, "`letfn` takes a vector of procedures and a body"));
    };
    let mut bindings = Vec::new();
    for procedure in procedures.iter() {
        let name = match &procedure.kind {
            FormKind::List(items) => items.get(1),
            _ => None,
        };
        let Some(name @ Form { kind: FormKind::Symbol(_), .. }) = name else {
            return Err(error_at(
                procedure.at,
                "a procedure of `letfn` is (lambda-rec name (param ...) form ...)",
            ));
        };
        bindings.push(vector([name.clone(), procedure.clone()], procedure.at));
    }
    Ok(call("let-rec", std::iter::once(list(bindings, at)).chain(body.iter().cloned()), at))
}

fn label(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let [name, form] = args else {
        return Err(error_at(whole.at, "`label` takes a name and a form"));
    };
    let binding = vector([name.clone(), form.clone()], whole.at);
    Ok(call("let-rec", [binding, name.clone()], whole.at))
}

fn thunk(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let params = list([], whole.at);
    Ok(call("lambda", [params, begin(args, whole.at)], whole.at))
}

/// `(for ([x xs] [y ys]) form ...)`: a lazy sequence over all combinations.
fn for_each(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let [bindings, body @ ..] = args else {
        return Err(error_at(at, "`for` takes bindings and a body"));
    };
    let pairs = binding_pairs(bindings)?;
    let mut pairs = pairs.into_iter().rev();
    let Some((name, items)) = pairs.next() else {
        return Err(error_at(bindings.at, "`for` takes at least one binding"));
    };
    let over = |how: &'static str, name: &Form, items: &Form, form: Form| {
        let lambda = call("lambda", [list([name.clone()], name.at), form], name.at);
        call(how, [lambda, items.clone()], at)
    };
    let innermost = over("map", name, items, begin(body, at));
    Ok(pairs.fold(innermost, |inner, (name, items)| over("mapcat", name, items, inner)))
}

/// `(: object key argument ...)` calls what the object has under the key.
fn access(_: &mut Compiler<'_>, args: &[Form], whole: &Form) -> Result<Form> {
    let at = whole.at;
    let [target, key, args @ ..] = args else {
        return Err(error_at(at, "`:` takes an object and a key"));
    };
    let procedure = call("get", [target.clone(), key.clone()], at);
    Ok(list(std::iter::once(procedure).chain(args.iter().cloned()), at))
}

/// A procedure that takes what was raised, from `(catch [name predicate] form ...)` clauses.
pub(super) fn catch_handler(
    compiler: &mut Compiler<'_>,
    catches: &[Form],
    at: Place,
) -> Result<Form> {
    let raised = symbol(&compiler.made_up_name(), at);
    let mut clauses = Vec::new();
    for clause in catches {
        let FormKind::List(items) = &clause.kind else { continue };
        let [_, binding, body @ ..] = &**items else {
            return Err(error_at(clause.at, "a clause is (catch [name predicate] form ...)"));
        };
        let always = Form { kind: FormKind::Bool(true), at: clause.at };
        let (name, test) = match &binding.kind {
            FormKind::Symbol(_) => (binding, always),
            FormKind::Vector(parts) => match &**parts {
                [name] => (name, always),
                [name, predicate] => (name, threaded(predicate, raised.clone(), End::First)),
                _ => return Err(error_at(binding.at, "a catch binds [name predicate]")),
            },
            _ => return Err(error_at(binding.at, "a catch binds [name predicate]")),
        };
        let bound = vector([name.clone(), raised.clone()], clause.at);
        let body = call("let", [bound, begin(body, clause.at)], clause.at);
        clauses.push(vector([test, body], clause.at));
    }
    let otherwise = Form { kind: FormKind::Bool(true), at };
    clauses.push(vector([otherwise, call("raise", [raised.clone()], at)], at));
    Ok(call("lambda", [list([raised], at), call("cond", clauses, at)], at))
}
