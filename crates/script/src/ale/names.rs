//! Names of keywords, symbols and variables as small numbers, in three layers: the language's own, a
//! program's, and those that one call meets.

use std::collections::HashMap;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Name(u32);

/// Names that come after `first`, in the order in which they were met.
#[derive(Debug, Default)]
pub(super) struct Layer {
    first: u32,
    texts: Vec<Arc<str>>,
    index: HashMap<Arc<str>, Name>,
}

impl Layer {
    pub(super) fn after(below: &Layer) -> Layer {
        Layer { first: below.end(), texts: Vec::new(), index: HashMap::new() }
    }

    fn end(&self) -> u32 {
        self.first + self.texts.len() as u32
    }

    pub(super) fn find(&self, text: &str) -> Option<Name> {
        self.index.get(text).copied()
    }

    pub(super) fn text(&self, name: Name) -> Option<&Arc<str>> {
        name.0.checked_sub(self.first).and_then(|at| self.texts.get(at as usize))
    }

    pub(super) fn add(&mut self, text: &str) -> Name {
        let name = Name(self.end());
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.index.insert(text, name);
        name
    }
}

/// All names that one call can see.
pub(super) struct Names<'p> {
    language: &'p Layer,
    program: &'p Layer,
    call: Layer,
}

impl<'p> Names<'p> {
    pub(super) fn new(language: &'p Layer, program: &'p Layer) -> Names<'p> {
        Names { language, program, call: Layer::after(program) }
    }

    /// The name of a text that one of the layers has.
    pub(super) fn find(&self, text: &str) -> Option<Name> {
        self.language
            .find(text)
            .or_else(|| self.program.find(text))
            .or_else(|| self.call.find(text))
    }

    pub(super) fn add(&mut self, text: &str) -> Name {
        self.call.add(text)
    }

    pub(super) fn text(&self, name: Name) -> &str {
        let layers = [self.language, self.program, &self.call];
        layers.into_iter().find_map(|layer| layer.text(name)).map_or("", |text| &**text)
    }
}
