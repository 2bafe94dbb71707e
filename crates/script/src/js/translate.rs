//! From TypeScript to JavaScript. Types are blanked out, so that every position stays; what has a
//! meaning at run time (enums, namespaces, parameter properties) is rewritten, with a source map.

use std::ops::Range;
use std::sync::Arc;

use parking_lot::Mutex;
use swc_common::errors::{DiagnosticBuilder, Emitter, Handler};
use swc_common::sync::Lrc;
use swc_common::{GLOBALS, Globals, SourceMap};
use swc_ecma_parser::TsSyntax;
use swc_ts_fast_strip::{ErrorCode, Mode, Options, TransformOutput, TsError, operate};

use super::positions::PositionMap;
use super::syntax::{Language, compile_error, edited, parse};
use super::text::at_offset;
use crate::ScriptError;

pub(super) use super::syntax::Import;

/// A module as QuickJS can compile it.
pub(super) struct Translated {
    pub(super) code: String,
    pub(super) map: PositionMap,
    pub(super) imports: Vec<Import>,
    pub(super) regexes: Vec<Range<usize>>,
}

/// All that is wrong with the file comes back, not only the first error.
pub(super) fn translate(
    file: &str,
    text: &str,
    language: Language,
) -> Result<Translated, Vec<ScriptError>> {
    let parsed = parse(file, text, language)?;
    let (imports, regexes) = (parsed.imports, parsed.regexes);
    match language {
        Language::JavaScript => {
            Ok(Translated { code: text.to_owned(), map: PositionMap::same(text), imports, regexes })
        }
        Language::Json => {
            let code = json_module(text).map_err(|error| vec![json_error(&error, file, text)])?;
            Ok(Translated { map: PositionMap::same(&code), code, imports, regexes })
        }
        Language::TypeScript => {
            let text = edited(text, &parsed.edits);
            let (code, map) = without_types(file, &text)?;
            Ok(Translated { code, map, imports, regexes })
        }
    }
}

/// JSON is JavaScript, but for `__proto__`, which only `JSON.parse` takes for an ordinary key.
fn json_module(text: &str) -> serde_json::Result<String> {
    let value: serde_json::Value = serde_json::from_str(text)?;
    let quoted = serde_json::to_string(&value.to_string())?;
    Ok(format!("export default JSON.parse({quoted});"))
}

fn json_error(error: &serde_json::Error, file: &str, text: &str) -> ScriptError {
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let offset = line_start + error.column().saturating_sub(1);
    at_offset(compile_error(format!("not JSON: {error}")), file, text, offset)
}

fn without_types(file: &str, text: &str) -> Result<(String, PositionMap), Vec<ScriptError>> {
    match strip(text, Mode::StripOnly) {
        Ok(output) => {
            // Blanking keeps every byte in its place, not every character.
            let map = PositionMap::same(text);
            Ok((output.code, map))
        }
        Err((TsError { code: ErrorCode::UnsupportedSyntax, .. }, _)) => {
            let output =
                strip(text, Mode::Transform).map_err(|failed| errors_of(file, text, failed))?;
            let map = output.map.as_deref();
            let map = map.and_then(|map| PositionMap::rewritten(map, &output.code, text));
            let map = map.unwrap_or_else(|| PositionMap::same(&output.code));
            Ok((output.code, map))
        }
        Err(failed) => Err(errors_of(file, text, failed)),
    }
}

type Failed = (TsError, Vec<(String, usize)>);

fn strip(text: &str, mode: Mode) -> Result<TransformOutput, Failed> {
    let sources = Lrc::new(SourceMap::default());
    let found = Arc::new(Mutex::new(Vec::new()));
    let handler = Handler::with_emitter(false, false, Box::new(Collector(found.clone())));
    let options = Options {
        module: Some(true),
        parser: TsSyntax::default(),
        source_map: matches!(mode, Mode::Transform),
        mode,
        ..Options::default()
    };
    let output = GLOBALS
        .set(&Globals::new(), || operate(&sources, &handler, text.to_owned(), options))
        .map_err(|error| (error, std::mem::take(&mut *found.lock())))?;
    Ok(output)
}

fn errors_of(file: &str, text: &str, (error, found): Failed) -> Vec<ScriptError> {
    if found.is_empty() {
        return vec![at_offset(compile_error(error.message), file, text, 0)];
    }
    let errors = found.into_iter();
    errors.map(|(message, offset)| at_offset(compile_error(message), file, text, offset)).collect()
}

/// swc tells its errors to an emitter and returns only that there were some.
struct Collector(Arc<Mutex<Vec<(String, usize)>>>);

impl Emitter for Collector {
    fn emit(&mut self, diagnostic: &mut DiagnosticBuilder<'_>) {
        // There is one file, and positions in it begin at 1.
        let offset = diagnostic.span.primary_span().map_or(0, |span| span.lo.0.saturating_sub(1));
        self.0.lock().push((diagnostic.message(), offset as usize));
    }
}
