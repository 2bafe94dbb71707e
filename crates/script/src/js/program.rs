//! A bundle made ready to run: translated, compiled, linked to a library. It never changes, so any
//! number of engines share it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use rquickjs::module::Declared;
use rquickjs::{Ctx, Module};
use sha2::{Digest, Sha256};

use super::bundle::Bundle;
use super::compiled::{Bytecode, compile};
use super::library::{INTERNAL_PREFIX, Library};
use super::positions::PositionMap;
use super::resolve::{Resolved, resolve};
use super::stack::on_parser_stack;
use super::syntax::{Import, Language, compile_error};
use super::text::{at_offset, frame, position};
use super::trace::stack_frames;
use super::translate::translate;
use crate::{Position, ScriptError};

pub struct Program {
    id: ProgramId,
    entry: String,
    files: BTreeMap<String, File>,
    library: Library,
}

/// The same for the same files and library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProgramId([u8; 32]);

struct File {
    /// As its author wrote it.
    text: String,
    bytecode: Bytecode,
    map: PositionMap,
    imports: Vec<Import>,
}

impl Program {
    /// Translates and compiles every file. Nothing of them is run. All errors come back at once.
    pub fn compile(bundle: &Bundle, library: &Library) -> Result<Arc<Program>, Vec<ScriptError>> {
        Self::compile_wrapped(bundle, library, 0)
    }

    /// `n_lines_before` lines of the entry are not its author's.
    pub(super) fn compile_wrapped(
        bundle: &Bundle,
        library: &Library,
        n_lines_before: u32,
    ) -> Result<Arc<Program>, Vec<ScriptError>> {
        on_parser_stack(|| {
            let mut files = BTreeMap::new();
            let mut errors = Vec::new();
            for (path, text) in bundle.files() {
                let n_lines_before = if path == bundle.entry() { n_lines_before } else { 0 };
                match compile_file(path, text, n_lines_before) {
                    Ok(file) => {
                        files.insert(path.clone(), file);
                    }
                    Err(found) => errors.extend(found),
                }
            }
            if !bundle.files().contains_key(bundle.entry()) {
                errors.push(compile_error(format!("there is no file {}", bundle.entry())));
            }
            let (entry, library) = (bundle.entry().to_owned(), library.clone());
            let program = Program { id: id_of(bundle, &library), entry, files, library };
            if errors.is_empty() {
                errors = program.unresolved();
            }
            if errors.is_empty() { Ok(Arc::new(program)) } else { Err(errors) }
        })
    }

    pub fn id(&self) -> ProgramId {
        self.id
    }

    pub(super) fn entry(&self) -> &str {
        &self.entry
    }

    pub(super) fn library(&self) -> &Library {
        &self.library
    }

    /// What an import in `importer` means. Built-in modules may import anything by its name.
    pub(super) fn resolve(&self, importer: &str, specifier: &str) -> Result<String, String> {
        if self.library.get(importer).is_some() {
            let name = self.library.canonical(specifier).unwrap_or(specifier);
            return Ok(name.to_owned());
        }
        if !self.files.contains_key(importer) {
            return Err("code made at run time cannot import".to_owned());
        }
        let mut exists = |path: &str| Ok(self.files.contains_key(path));
        resolve(importer, specifier, &self.library, &mut exists).map(Resolved::into_name)
    }

    pub(super) fn load<'js>(
        &self,
        ctx: &Ctx<'js>,
        name: &str,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        if let Some(file) = self.files.get(name) {
            return file.bytecode.load(ctx);
        }
        let unknown = || rquickjs::Error::new_loading(name);
        let builtin = self.library.get(name).ok_or_else(unknown)?;
        let bytecode = builtin
            .bytecode()
            .map_err(|error| rquickjs::Error::new_loading_message(name, error.to_string()))?;
        bytecode.load(ctx)
    }

    /// A place in running code, in its author's source. `None` for code that is built in.
    pub(super) fn source_position(&self, file: &str, line: u32, column: u32) -> Option<Position> {
        let (line, column) = self.files.get(file)?.map.to_source(line, column);
        Some(Position { file: file.to_owned(), line, column })
    }

    pub(super) fn frame(&self, position: &Position) -> Option<Box<str>> {
        let file = self.files.get(&position.file)?;
        frame(without_first_lines(file), position.line, position.column)
    }

    /// The stack in positions of the author's source, one call a line, without our own machinery, and
    /// the innermost place in the author's files.
    pub(super) fn source_stack(&self, stack: &str) -> (Option<Position>, Option<Box<str>>) {
        let mut innermost = None;
        let mut lines = Vec::new();
        for call in stack_frames(stack) {
            let position = match self.source_position(call.file, call.line, call.column) {
                Some(position) => {
                    innermost.get_or_insert_with(|| position.clone());
                    position
                }
                None if call.file.starts_with(INTERNAL_PREFIX) => continue,
                None => {
                    Position { file: call.file.to_owned(), line: call.line, column: call.column }
                }
            };
            lines.push(match call.function {
                "" | "<anonymous>" | "<eval>" => format!("at {position}"),
                function => format!("at {function} ({position})"),
            });
        }
        let stack = (!lines.is_empty()).then(|| lines.join("\n").into());
        (innermost, stack)
    }

    /// Where an import stands that asks `module` for an export it doesn't have.
    pub(super) fn position_of_import(&self, module: &str, export: &str) -> Option<Position> {
        self.files.iter().find_map(|(importer, file)| {
            let mut imports = file.imports.iter().filter(|import| {
                self.resolve(importer, &import.specifier).is_ok_and(|name| name == module)
            });
            imports.find_map(|import| {
                let (_, offset) = import.names.iter().find(|(name, _)| name == export)?;
                Some(position(importer, &file.text, *offset))
            })
        })
    }

    fn unresolved(&self) -> Vec<ScriptError> {
        let imports = self.files.iter().flat_map(|(importer, file)| {
            file.imports.iter().map(move |import| (importer, file, import))
        });
        imports
            .filter_map(|(importer, file, import)| {
                let message = self.resolve(importer, &import.specifier).err()?;
                Some(at_offset(compile_error(message), importer, &file.text, import.offset))
            })
            .collect()
    }
}

fn id_of(bundle: &Bundle, library: &Library) -> ProgramId {
    let mut sha = Sha256::new();
    sha.update(bundle.hash());
    sha.update(library.hash());
    ProgramId(sha.finalize().into())
}

fn compile_file(path: &str, text: &str, n_lines_before: u32) -> Result<File, Vec<ScriptError>> {
    let Some(language) = Language::of_path(path) else {
        let message = format!("{path}: only .ts, .mts, .js, .mjs and .json files can be used");
        return Err(vec![compile_error(message)]);
    };
    let shifted = |mut errors: Vec<ScriptError>| {
        errors.iter_mut().for_each(|error| shift(error, text, n_lines_before));
        errors
    };
    let mut translated = translate(path, text, language).map_err(shifted)?;
    translated.map.n_lines_before = n_lines_before;
    let (map, text) = (translated.map, text.to_owned());
    let bytecode = compile(path, &translated.code, true).map_err(|failure| {
        let bad_regex =
            if failure.has_place() { None } else { bad_regex(&text, &translated.regexes) };
        if let Some(offset) = bad_regex {
            return shifted(vec![failure.at_offset(&text, offset)]);
        }
        let to_source = |line, column| map.of_syntax_error(line, column);
        vec![failure.into_script_error(&to_source, skip_lines(&text, n_lines_before))]
    })?;
    Ok(File { text, bytecode, map, imports: translated.imports })
}

/// Where the first regular expression stands that does not compile by itself.
fn bad_regex(text: &str, regexes: &[Range<usize>]) -> Option<usize> {
    let is_bad = |regex: &&Range<usize>| compile("regex", &text[(*regex).clone()], false).is_err();
    regexes.iter().find(is_bad).map(|regex| regex.start)
}

/// Moves an error of the wrapped text to the author's.
fn shift(error: &mut ScriptError, text: &str, n_lines_before: u32) {
    if let Some(position) = &mut error.position {
        position.line = position.line.saturating_sub(n_lines_before).max(1);
        let text = skip_lines(text, n_lines_before);
        error.frame = frame(text, position.line, position.column);
    }
}

fn without_first_lines(file: &File) -> &str {
    skip_lines(&file.text, file.map.n_lines_before)
}

fn skip_lines(text: &str, n_lines: u32) -> &str {
    let mut rest = text;
    for _ in 0..n_lines {
        rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
    }
    rest
}
