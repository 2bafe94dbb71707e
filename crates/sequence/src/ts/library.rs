//! What files can import: `stepwell` and `zod`.

use std::sync::LazyLock;

use stepwell_script::js::Library;

/// The same for all files, so that it is compiled once.
static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    Library::new()
        .module("stepwell:sequence", include_str!("internal.js"))
        .module("stepwell", include_str!("stepwell.js"))
        .driver(include_str!("driver.js"))
});

pub fn library() -> &'static Library {
    &LIBRARY
}
