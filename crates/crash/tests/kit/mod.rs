//! Processes that get killed.

#![allow(dead_code, reason = "each campaign uses a part of this")]

use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A process that does not outlive its test.
pub struct Victim(pub Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Serves the store in this folder.
pub fn spawn(dir: &Path) -> Victim {
    let _ = std::fs::remove_file(dir.join("address"));
    let child = Command::new(env!("CARGO_BIN_EXE_stepwell-crash-server"))
        .arg(dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Victim(child.unwrap())
}
