//! What a file imports, what it must not contain, and which of its imports are only types.

use std::collections::BTreeSet;
use std::ops::Range;

use swc_common::sync::Lrc;
use swc_common::{FileName, SourceMap, Span, Spanned};
use swc_ecma_ast::{
    CallExpr, Callee, Decorator, EsVersion, Expr, Ident, ImportDecl, ImportSpecifier, Lit, Module,
    ModuleDecl, ModuleExportName, ModuleItem, Regex, Str, TsExportAssignment, TsExprWithTypeArgs,
    TsImportEqualsDecl, TsType, TsTypeParamDecl,
};
use swc_ecma_parser::{EsSyntax, Syntax, TsSyntax, parse_file_as_module};
use swc_ecma_visit::{Visit, VisitWith};

use super::text::at_offset;
use crate::{ErrorKind, ScriptError};

/// Bounds of what the parser is given. Its recursion follows the nesting, and some of its loops go over
/// all that encloses a place, so a file that is nothing but nesting could take all stack, or hours.
/// Counted without regard to strings and comments: no file that somebody wrote comes near.
const TOKENS_MAX: usize = 200_000;
const BRACKETS_MAX: usize = 2_000;
/// `<` and `:` without `;`, `,` or a brace between them: casts and labels.
const CHAINED_MAX: usize = 2_000;

/// Errors of one file that are reported.
const ERRORS_MAX: usize = 20;

/// The stack of the thread that parses. Reserved, not used: a usual file takes some kilobytes of it.
pub(super) const PARSER_STACK_BYTES: usize = 512 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    TypeScript,
    JavaScript,
    Json,
}

impl Language {
    pub(super) fn of_path(path: &str) -> Option<Language> {
        match path.rsplit_once('.')?.1 {
            "ts" | "mts" => Some(Language::TypeScript),
            "js" | "mjs" => Some(Language::JavaScript),
            "json" => Some(Language::Json),
            _ => None,
        }
    }
}

/// One `import`, `export ... from` or `import("...")` that is there at run time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import {
    pub(super) specifier: String,
    /// Where the specifier stands, in bytes.
    pub(super) offset: usize,
    /// What is imported by name, and where that name stands.
    pub(super) names: Vec<(String, usize)>,
}

#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) imports: Vec<Import>,
    /// Pieces of the source to replace, in order: imports of which only types are used.
    pub(super) edits: Vec<(Range<usize>, String)>,
    /// Literals of regular expressions, which only the engine can judge, and which it does not locate.
    pub(super) regexes: Vec<Range<usize>>,
}

/// Parses a module. Several syntax errors are reported, not only the first.
pub(super) fn parse(
    file: &str,
    text: &str,
    language: Language,
) -> Result<Parsed, Vec<ScriptError>> {
    if let Some((offset, message)) = excess(text) {
        return Err(vec![at_offset(compile_error(message), file, text, offset)]);
    }
    let syntax = match language {
        Language::TypeScript => {
            Syntax::Typescript(TsSyntax { decorators: true, ..TsSyntax::default() })
        }
        Language::JavaScript => Syntax::Es(EsSyntax {
            decorators: true,
            import_attributes: true,
            explicit_resource_management: true,
            ..EsSyntax::default()
        }),
        Language::Json => return Ok(Parsed::default()),
    };
    let sources = Lrc::new(SourceMap::default());
    let source = sources.new_source_file(FileName::Anon.into(), text.to_owned());
    let offset_of = |span: Span| (span.lo.0.saturating_sub(source.start_pos.0)) as usize;
    let mut errors = Vec::new();
    let parsed = parse_file_as_module(&source, syntax, EsVersion::latest(), None, &mut errors);
    let module = parsed.map_err(|error| errors.insert(0, error)).ok();
    if !errors.is_empty() {
        let errors = errors.iter().take(ERRORS_MAX).map(|error| {
            let message = error.kind().msg().into_owned();
            at_offset(compile_error(message), file, text, offset_of(error.span()))
        });
        return Err(errors.collect());
    }
    let Some(module) = module else { return Ok(Parsed::default()) };

    let mut facts = Facts::default();
    module.visit_with(&mut facts);
    if !facts.refused.is_empty() {
        let refused = facts.refused.into_iter().take(ERRORS_MAX).map(|(span, message)| {
            at_offset(compile_error(message.to_owned()), file, text, offset_of(span))
        });
        return Err(refused.collect());
    }
    let elides = language == Language::TypeScript;
    Ok(imports_of(&module, &facts, &Source { text, offset_of: &offset_of, elides }))
}

pub(super) fn compile_error(message: String) -> ScriptError {
    ScriptError::new(ErrorKind::Compile, message)
}

/// Applies the edits. Lines keep their numbers, and what follows an edit keeps its column.
pub(super) fn edited(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut done = 0;
    for (range, replacement) in edits {
        edited.push_str(&text[done..range.start]);
        edited.push_str(replacement);
        done = range.end;
    }
    edited.push_str(&text[done..]);
    edited
}

struct Source<'a> {
    text: &'a str,
    offset_of: &'a dyn Fn(Span) -> usize,
    elides: bool,
}

impl Source<'_> {
    fn range(&self, span: Span) -> Range<usize> {
        let start = (self.offset_of)(span);
        start..start + (span.hi.0 - span.lo.0) as usize
    }
}

fn imports_of(module: &Module, facts: &Facts, source: &Source<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    for item in &module.body {
        let ModuleItem::ModuleDecl(decl) = item else { continue };
        match decl {
            ModuleDecl::Import(import) if !import.type_only => {
                add_import(&mut parsed, import, facts, source);
            }
            ModuleDecl::ExportAll(export) if !export.type_only => {
                parsed.imports.push(import_of(&export.src, Vec::new(), source));
            }
            ModuleDecl::ExportNamed(export) if !export.type_only => {
                if let Some(src) = &export.src {
                    parsed.imports.push(import_of(src, Vec::new(), source));
                }
            }
            _ => {}
        }
    }
    let dynamic = facts.dynamic_imports.iter().map(|src| import_of(src, Vec::new(), source));
    parsed.imports.extend(dynamic);
    parsed.regexes = facts.regexes.iter().map(|span| source.range(*span)).collect();
    parsed
}

fn import_of(src: &Str, names: Vec<(String, usize)>, source: &Source<'_>) -> Import {
    let specifier = src.value.to_string_lossy().into_owned();
    Import { specifier, offset: (source.offset_of)(src.span), names }
}

/// TypeScript drops an import whose names are used as types only, and the whole statement if none is
/// left, unless it had none to begin with.
fn add_import(parsed: &mut Parsed, import: &ImportDecl, facts: &Facts, source: &Source<'_>) {
    let is_kept = |specifier: &ImportSpecifier| {
        !source.elides
            || !specifier.is_type_only() && facts.values.contains(specifier.local().sym.as_str())
    };
    let kept: Vec<&ImportSpecifier> = import.specifiers.iter().filter(|s| is_kept(s)).collect();
    if kept.len() < import.specifiers.len() {
        let range = source.range(import.span);
        let statement =
            if kept.is_empty() { String::new() } else { shortened(import, &kept, source) };
        let statement = padded(statement, &source.text[range.clone()]);
        parsed.edits.push((range, statement));
        if kept.is_empty() {
            return;
        }
    }
    let names = kept.iter().filter_map(|specifier| imported_name(specifier));
    let names = names.map(|(name, span)| (name, (source.offset_of)(span))).collect();
    parsed.imports.push(import_of(&import.src, names, source));
}

fn imported_name(specifier: &ImportSpecifier) -> Option<(String, Span)> {
    match specifier {
        ImportSpecifier::Named(named) => {
            let name = match &named.imported {
                Some(ModuleExportName::Ident(ident)) => ident.sym.to_string(),
                Some(ModuleExportName::Str(name)) => name.value.to_string_lossy().into_owned(),
                None => named.local.sym.to_string(),
            };
            Some((name, named.span))
        }
        ImportSpecifier::Default(default) => Some(("default".to_owned(), default.span)),
        ImportSpecifier::Namespace(_) => None,
    }
}

/// The statement with the kept specifiers only, and no space that isn't needed: it is never longer
/// than what it replaces.
fn shortened(import: &ImportDecl, kept: &[&ImportSpecifier], source: &Source<'_>) -> String {
    let text_of = |specifier: &ImportSpecifier| &source.text[source.range(specifier.span())];
    let is_named = |specifier: &&&ImportSpecifier| matches!(specifier, ImportSpecifier::Named(_));
    let named: Vec<&str> = kept.iter().filter(is_named).map(|s| text_of(s)).collect();
    let mut clauses: Vec<String> =
        kept.iter().filter(|s| !is_named(s)).map(|s| text_of(s).to_owned()).collect();
    if !named.is_empty() {
        clauses.push(format!("{{{}}}", named.join(",")));
    }
    let rest = &source.text[source.range(import.src.span).start..source.range(import.span).end];
    format!("import {} from {rest}", clauses.join(","))
}

/// As many lines as `replaced`, and the end in the same column.
fn padded(mut text: String, replaced: &str) -> String {
    let n_lines = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count();
    let (have, want) = (n_lines(&text), n_lines(replaced));
    text.extend(std::iter::repeat_n('\n', want.saturating_sub(have)));
    let last = |text: &str| text.rsplit('\n').next().unwrap_or_default().chars().count();
    let n_spaces = last(replaced).saturating_sub(last(&text));
    text.extend(std::iter::repeat_n(' ', n_spaces));
    text
}

/// Where a text exceeds the bounds of the parser, and which.
fn excess(text: &str) -> Option<(usize, String)> {
    let (mut n_tokens, mut n_open, mut n_chained) = (0, 0_usize, 0);
    let mut in_word = false;
    for (offset, byte) in text.bytes().enumerate() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80;
        let goes_on = is_word && in_word;
        if !byte.is_ascii_whitespace() && !goes_on {
            n_tokens += 1;
        }
        in_word = is_word;
        match byte {
            b'(' | b'[' | b'{' => n_open += 1,
            b')' | b']' | b'}' => n_open = n_open.saturating_sub(1),
            b'<' | b':' => n_chained += 1,
            _ => {}
        }
        if matches!(byte, b';' | b',' | b'{' | b'}') {
            n_chained = 0;
        }
        let message = if n_tokens > TOKENS_MAX {
            format!("the file has more than {TOKENS_MAX} tokens; split it")
        } else if n_open > BRACKETS_MAX {
            format!("more than {BRACKETS_MAX} brackets are open here")
        } else if n_chained > CHAINED_MAX {
            format!("more than {CHAINED_MAX} `<` or `:` follow each other here")
        } else {
            continue;
        };
        return Some((offset, message));
    }
    None
}

#[derive(Default)]
struct Facts {
    /// Names that are used as values somewhere, whatever scope they are in: an import that is shadowed
    /// wherever it is used stays, which does no harm.
    values: BTreeSet<String>,
    dynamic_imports: Vec<Str>,
    regexes: Vec<Span>,
    refused: Vec<(Span, &'static str)>,
}

impl Visit for Facts {
    fn visit_ident(&mut self, ident: &Ident) {
        if !self.values.contains(ident.sym.as_str()) {
            self.values.insert(ident.sym.to_string());
        }
    }

    fn visit_call_expr(&mut self, call: &CallExpr) {
        if let Callee::Import(_) = call.callee
            && let Some(argument) = call.args.first()
            && let Expr::Lit(Lit::Str(specifier)) = &*argument.expr
        {
            self.dynamic_imports.push(specifier.clone());
        }
        call.visit_children_with(self);
    }

    fn visit_regex(&mut self, regex: &Regex) {
        self.regexes.push(regex.span);
    }

    fn visit_decorator(&mut self, decorator: &Decorator) {
        let message = "decorators are not supported; call the function on the class instead";
        self.refused.push((decorator.span, message));
    }

    fn visit_ts_import_equals_decl(&mut self, import: &TsImportEqualsDecl) {
        if !import.is_type_only {
            self.refused
                .push((import.span, "write `import x from \"...\"`: modules are ES modules"));
        }
    }

    fn visit_ts_export_assignment(&mut self, export: &TsExportAssignment) {
        self.refused.push((export.span, "write `export default ...`: modules are ES modules"));
    }

    // Names inside types are no values. An import's own names do not make it used either.
    fn visit_import_decl(&mut self, _: &ImportDecl) {}
    fn visit_ts_type(&mut self, _: &TsType) {}
    fn visit_ts_type_param_decl(&mut self, _: &TsTypeParamDecl) {}
    fn visit_ts_expr_with_type_args(&mut self, _: &TsExprWithTypeArgs) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_edits(text: &str) -> (String, Vec<String>) {
        let parsed = parse("a.ts", text, Language::TypeScript).unwrap();
        let imports = parsed.imports.iter().map(|import| import.specifier.clone()).collect();
        (edited(text, &parsed.edits), imports)
    }

    #[test]
    fn imports_used_as_types_only_are_dropped() {
        let (text, imports) = after_edits(
            "import { Tree } from './types'; const t: Tree = make<Tree>() as Tree; export { t };",
        );
        assert!(text.starts_with("                                const t"), "{text}");
        assert!(imports.is_empty());
    }

    #[test]
    fn names_used_as_values_stay_and_nothing_else_moves() {
        let source = "import D, { type A,\n B as b, C } from \"./x\"; b(); const c: C = D;";
        let (text, imports) = after_edits(source);
        assert_eq!(text.lines().count(), source.lines().count());
        assert!(text.starts_with("import D,{B as b} from \"./x\";\n"), "{text}");
        assert_eq!(text.find("b();").map(|at| at - text.find('\n').unwrap()), {
            source.find("b();").map(|at| at - source.find('\n').unwrap())
        });
        assert_eq!(imports, ["./x"]);
    }

    #[test]
    fn side_effects_classes_and_exports_keep_their_imports() {
        for source in [
            "import './side';",
            "import * as all from './x'; export const y = all.z;",
            "import { Base } from './x'; export class Sub extends Base<string> {}",
            "import { x } from './x'; export { x };",
            "import { x } from './x'; export default { x };",
            "import { x } from './x'; export const f = () => `${x}`;",
            "export * from './x';",
            "export { a } from './x';",
            "export const lazy = () => import('./x');",
        ] {
            let (text, imports) = after_edits(source);
            assert_eq!((text.as_str(), imports.len()), (source, 1));
        }
    }

    #[test]
    fn an_interface_that_is_implemented_or_extended_is_a_type() {
        for source in [
            "import { I } from './x'; export class C implements I {}",
            "import { I } from './x'; export interface J extends I {}",
            "import { I } from './x'; export type J = typeof I;",
            "import type { I } from './x'; export let i: I;",
        ] {
            assert!(after_edits(source).1.is_empty(), "{source}");
        }
    }

    #[test]
    fn what_is_not_supported_is_refused_where_it_stands() {
        for (source, word, column) in [
            ("let a;\n  @sealed class A {}", "decorators", 3),
            ("let a;\nimport fs = require('fs');", "import x from", 1),
            ("let a;\nexport = a;", "export default", 1),
        ] {
            let errors = parse("a.ts", source, Language::TypeScript).unwrap_err();
            assert_eq!(errors.len(), 1);
            assert!(errors[0].message.contains(word), "{}", errors[0]);
            let position = errors[0].position.as_ref().unwrap();
            assert_eq!((position.line, position.column), (2, column));
        }
    }

    #[test]
    fn what_the_parser_could_not_bear_is_found() {
        let message = |text: String| excess(&text).map(|(_, message)| message);
        assert_eq!(message("let a=b + 1;".repeat(TOKENS_MAX / 7)), None);
        assert!(message("let a=b + 1;".repeat(TOKENS_MAX / 7 + 1)).unwrap().contains("tokens"));
        assert_eq!(message("([{".repeat(666)), None);
        assert_eq!(excess(&"(".repeat(2001)).unwrap().0, 2000);
        assert_eq!(message("<a>".repeat(2000)), None);
        assert!(message("<a>".repeat(2001)).unwrap().contains('<'));
        assert_eq!(message("a ? b : c;".repeat(3000)), None);
        assert_eq!(message("größe ".repeat(TOKENS_MAX)), None);
    }
}
