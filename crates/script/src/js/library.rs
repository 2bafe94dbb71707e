//! Modules that are built in: Zod, what a dialect supplies, and the machinery below both.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, OnceLock};

use sha2::{Digest, Sha256};

use super::compiled::{Bytecode, compile};
use super::prelude;
use crate::ScriptError;

/// Names that begin with this are for built-in modules only.
pub(super) const INTERNAL_PREFIX: &str = "stepwell:";

/// The module whose functions [`Target::Driver`](super::Target::Driver) names.
pub(super) const DRIVER: &str = "stepwell:driver";

static ZOD: LazyLock<Arc<Builtin>> =
    LazyLock::new(|| Builtin::new("zod", include_str!("../../vendor/zod/zod.mjs")));

/// What scripts can import besides files, and what a dialect runs beside them.
///
/// Built-in modules are JavaScript. They may import each other, and besides
/// - `stepwell:host`: `emit(channel, value)`, `signal()`, `positionOf(function)`;
/// - `stepwell:zod`: `jsonSchemaOf(schema)`, `validate(schema, value)`.
#[derive(Clone)]
pub struct Library {
    modules: BTreeMap<String, Arc<Builtin>>,
    /// Part of a program's id: the same files with another library are another program.
    hash: [u8; 32],
}

/// A built-in module, compiled when it is first needed.
pub(super) struct Builtin {
    name: String,
    source: Cow<'static, str>,
    compiled: OnceLock<Result<Arc<Bytecode>, ScriptError>>,
}

impl Library {
    /// Zod, and nothing else to import.
    pub fn new() -> Library {
        let mut modules = prelude::modules().clone();
        modules.insert(ZOD.name.clone(), ZOD.clone());
        Library { modules, hash: [0; 32] }
    }

    /// A module that files can import by this name.
    #[must_use]
    pub fn module(
        mut self,
        name: impl Into<String>,
        source: impl Into<Cow<'static, str>>,
    ) -> Library {
        let module = Builtin::new(name, source);
        let mut sha = Sha256::new();
        for part in [module.name.as_bytes(), module.source.as_bytes()] {
            sha.update((part.len() as u64).to_le_bytes());
            sha.update(part);
        }
        sha.update(self.hash);
        self.hash = sha.finalize().into();
        self.modules.insert(module.name.clone(), module);
        self
    }

    /// The module whose exports [`Target::Driver`](super::Target::Driver) calls. Each gets the exports of
    /// the entry file as its first argument: that is how a dialect reads what a file defines.
    #[must_use]
    pub fn driver(self, source: impl Into<Cow<'static, str>>) -> Library {
        self.module(DRIVER, source)
    }

    pub(super) fn hash(&self) -> &[u8] {
        &self.hash
    }

    pub(super) fn has_driver(&self) -> bool {
        self.modules.contains_key(DRIVER)
    }

    /// The name under which a module is kept, by any name that it can be imported by.
    pub(super) fn canonical(&self, specifier: &str) -> Option<&str> {
        let specifier = if specifier == "zod/v4" { "zod" } else { specifier };
        self.modules.get_key_value(specifier).map(|(name, _)| name.as_str())
    }

    pub(super) fn public_names(&self) -> Vec<&str> {
        let names = self.modules.keys().map(String::as_str);
        names.filter(|name| !name.starts_with(INTERNAL_PREFIX)).collect()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Arc<Builtin>> {
        self.modules.get(name)
    }
}

impl Default for Library {
    fn default() -> Self {
        Library::new()
    }
}

impl Builtin {
    pub(super) fn new(
        name: impl Into<String>,
        source: impl Into<Cow<'static, str>>,
    ) -> Arc<Builtin> {
        let (name, source) = (name.into(), source.into());
        Arc::new(Builtin { name, source, compiled: OnceLock::new() })
    }

    pub(super) fn bytecode(&self) -> Result<Arc<Bytecode>, ScriptError> {
        let compiled = self.compiled.get_or_init(|| {
            let compiled = compile(&self.name, &self.source, false).map(Arc::new);
            compiled.map_err(|error| {
                error.into_script_error(&|line, column| (line, column), &self.source)
            })
        });
        compiled.clone()
    }
}
