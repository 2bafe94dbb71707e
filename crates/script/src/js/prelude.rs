//! The JavaScript side of the machinery, and what it needs from Rust. See `prelude/main.js`.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::library::Builtin;

/// The module that sets an engine up.
pub(super) const MAIN: &str = "stepwell:main";

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        [$((concat!("stepwell:", $name), include_str!(concat!("prelude/", $name, ".js")))),*]
    };
}

static MODULES: LazyLock<BTreeMap<String, Arc<Builtin>>> = LazyLock::new(|| {
    let sources = sources![
        "clock", "clone", "console", "core", "encoding", "errors", "events", "fetch", "host",
        "inspect", "main", "timers", "url", "zod",
    ];
    sources.map(|(name, source)| (name.to_owned(), Builtin::new(name, source))).into()
});

pub(super) fn modules() -> &'static BTreeMap<String, Arc<Builtin>> {
    &MODULES
}
