//! Makes cargo notice when the console was built anew.

use std::path::Path;

fn main() {
    let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../console/dist");
    // A folder that is not there cannot be watched. Where it cannot be made (a published crate), there is no console
    // to wait for either.
    let _ = std::fs::create_dir_all(&dist);
    println!("cargo::rerun-if-changed=build.rs");
    if dist.exists() {
        println!("cargo::rerun-if-changed={}", dist.display());
    }
}
