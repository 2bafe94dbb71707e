//! The refs of a step: what they may refer to, and the edges that come of them.

use serde_json::Value;

use super::{CTX_FIELDS, Checker, RESERVED};
use crate::graph::{Edge, EdgeKind};
use crate::limits::INPUT_DEPTH_MAX;
use crate::problem::{Code, Path, did_you_mean};
use crate::refs::{Key, Ref, Wired, looks_like_ref, parse};

/// Where a ref stands.
#[derive(Clone, Copy)]
struct Spot<'a> {
    kind: EdgeKind,
    field: &'a Path,
    /// Whether `@item` and `@index` mean something here.
    has_items: bool,
}

impl Checker {
    pub(super) fn when_ref(&mut self, text: &str, field: &Path) -> Option<Ref> {
        self.single(text, Spot { kind: EdgeKind::When, field, has_items: false })
    }

    pub(super) fn each_ref(&mut self, text: &str, field: &Path) -> Option<Ref> {
        self.single(text, Spot { kind: EdgeKind::ForEach, field, has_items: false })
    }

    /// The value of an `input`, with its refs parsed.
    pub(super) fn input(&mut self, value: &Value, path: &Path, has_items: bool) -> Option<Wired> {
        self.check_depth(value, path)?;
        self.check_unknown(value, path);
        let wired = self.wired(value, path)?;
        for place in wired.refs(path) {
            self.wire(&place.found, Spot { kind: EdgeKind::Input, field: &place.path, has_items });
        }
        Some(wired)
    }

    /// A value that may hold no refs.
    pub(super) fn literal(&mut self, value: &Value, path: &Path) -> Option<Value> {
        self.check_depth(value, path)?;
        let wired = self.wired(value, path)?;
        if let Wired::Literal(literal) = wired {
            return Some(literal);
        }
        for place in wired.refs(path) {
            let message = format!(
                "`{}` is not resolved here: what `ref` is compared with is a literal; for the text itself write `@@`",
                place.found
            );
            self.problem_at(&place.path, Some(place.found.span), Code::Operand, message);
        }
        None
    }

    /// None if nobody should go through the value by recursion.
    fn check_depth(&mut self, value: &Value, path: &Path) -> Option<()> {
        let is_within = is_within(value, INPUT_DEPTH_MAX);
        if !is_within {
            let message = format!(
                "values lie deeper in one another than the limit INPUT_DEPTH_MAX of {INPUT_DEPTH_MAX}"
            );
            self.problem(path, Code::TooLarge, message);
        }
        is_within.then_some(())
    }

    /// None if something in it is wrong.
    fn wired(&mut self, value: &Value, path: &Path) -> Option<Wired> {
        let names = &self.names;
        let is_root = |root: &str| RESERVED.contains(&root) || names.contains_key(root);
        match Wired::parse(value, path, &is_root) {
            Ok(wired) => Some(wired),
            Err(errors) => {
                for error in errors {
                    let span = Some(error.error.span);
                    self.problem_at(&error.path, span, Code::RefSyntax, error.error.message);
                }
                None
            }
        }
    }

    /// A string that is a ref and nothing else, with any root: whoever writes that means a ref.
    fn check_unknown(&mut self, value: &Value, path: &Path) {
        match value {
            Value::String(text) => {
                if let Some(root) = looks_like_ref(text).filter(|root| !self.is_known(root)) {
                    let mut message = self.no_such_root(&root);
                    message.push_str(&format!(" If the text itself is meant, write `@{text}`"));
                    self.problem(path, Code::UnknownRoot, message);
                }
            }
            Value::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    self.check_unknown(item, &path.item(n));
                }
            }
            Value::Object(fields) => {
                for (key, inner) in fields {
                    self.check_unknown(inner, &path.key(key));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn single(&mut self, text: &str, spot: Spot<'_>) -> Option<Ref> {
        if text.is_empty() {
            // The reader has said so.
            return None;
        }
        let parsed = parse(text, &|_| true);
        if let Some(error) = parsed.errors.first() {
            self.problem_at(spot.field, Some(error.span), Code::RefSyntax, error.message.clone());
            return None;
        }
        let Some(only) = parsed.only_ref() else {
            let message = "must be one ref and nothing else, as in `@lookup.friends`";
            self.problem(spot.field, Code::NotARef, message);
            return None;
        };
        if !self.is_known(&only.root) {
            let message = self.no_such_root(&only.root);
            self.problem_at(spot.field, Some(only.span), Code::UnknownRoot, message);
            return None;
        }
        self.wire(only, spot);
        Some(only.clone())
    }

    /// Checks a ref whose root is known, and makes an edge of it if that is a step.
    fn wire(&mut self, found: &Ref, spot: Spot<'_>) {
        let root = found.root.as_str();
        if let (Some(from), Some((to, _))) = (self.names.get(root).copied(), &self.step) {
            self.edges.push(Edge {
                from,
                to: *to,
                kind: spot.kind,
                field: spot.field.clone(),
                written: found.to_string(),
            });
            return;
        }
        if matches!(root, "item" | "index") && !spot.has_items {
            let message = match spot.kind {
                EdgeKind::Input => {
                    format!("`@{root}` exists only in the `input` of a step with `forEach`")
                }
                EdgeKind::When | EdgeKind::ForEach => {
                    format!("`@{root}` does not exist here: this is decided once, before the items")
                }
            };
            self.problem_at(spot.field, Some(found.span), Code::ItemOutsideForEach, message);
        }
        if let ("ctx", Some(part)) = (root, found.path.first()) {
            let is_field =
                matches!(&part.key, Key::Name(name) if CTX_FIELDS.contains(&name.as_str()));
            if !is_field {
                let fields = CTX_FIELDS.map(|field| format!("`{field}`")).join(", ");
                let message = format!("`@ctx` has no `{}`; it has {fields}", part.key);
                self.problem_at(spot.field, Some(part.span), Code::UnknownCtx, message);
            }
        }
    }

    fn is_known(&self, root: &str) -> bool {
        RESERVED.contains(&root) || self.names.contains_key(root)
    }

    fn no_such_root(&self, root: &str) -> String {
        let known = self.names.keys().map(String::as_str).chain(RESERVED);
        let guess = did_you_mean(root, known);
        format!("there is no step `{root}`.{guess}")
    }
}

/// Whether values lie at most so deep in one another.
fn is_within(value: &Value, depth: usize) -> bool {
    let mut inner: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(fields) => Box::new(fields.values()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return true,
    };
    inner.all(|inner| depth > 0 && is_within(inner, depth - 1))
}
