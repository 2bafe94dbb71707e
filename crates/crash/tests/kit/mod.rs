//! Processes that get killed.

#![allow(dead_code, reason = "each campaign uses a part of this")]

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A process that does not outlive its test.
pub struct Victim(pub Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Victim {
    /// Sends it a signal, such as `-STOP`.
    pub fn tell(&self, what: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args([what, &pid]).status().unwrap().success());
    }

    /// Waits until it has ended by itself, and says whether that was in order and in time.
    pub fn until_ended(&mut self, bound: Duration) -> bool {
        let until = Instant::now() + bound;
        while Instant::now() < until {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.success();
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Serves the store in this folder.
pub fn spawn(dir: &Path) -> Victim {
    spawn_with(dir, &[])
}

/// The same with something in its environment.
pub fn spawn_with(dir: &Path, environment: &[(&str, &str)]) -> Victim {
    let _ = std::fs::remove_file(dir.join("address"));
    let log = std::fs::OpenOptions::new().create(true).append(true).open(dir.join("log")).unwrap();
    let child = Command::new(env!("CARGO_BIN_EXE_stepwell-crash-server"))
        .arg(dir)
        .envs(environment.iter().copied())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    Victim(child.unwrap())
}
