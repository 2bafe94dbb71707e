//! The example as a user runs it: with a crash in the middle.

use std::path::Path;
use std::process::{Command, Output};

fn order_saga(dir: &Path, args: &[&str]) -> Output {
    let store = dir.join("orders.db");
    Command::new(env!("CARGO_BIN_EXE_order-saga"))
        .args(["--store", store.to_str().unwrap()])
        .args(args)
        .output()
        .unwrap()
}

#[test]
fn an_order_that_was_cut_off_is_finished_and_a_declined_one_is_undone() {
    let dir = tempfile::tempdir().unwrap();
    let crashed = order_saga(dir.path(), &["--crash", "charge"]);
    assert!(!crashed.status.success());
    let told = String::from_utf8(crashed.stdout).unwrap();
    assert!(told.contains("here the power goes"), "{told}");

    let resumed = order_saga(dir.path(), &[]);
    let told = String::from_utf8(resumed.stdout).unwrap();
    assert!(resumed.status.success(), "{told}{}", String::from_utf8_lossy(&resumed.stderr));
    assert!(!told.contains("reserved"), "a recorded step ran again:\n{told}");
    assert!(told.contains("A-1  completed: receipt R-A-1 over 1998 cents"), "{told}");
    assert!(told.contains("A-2  failed: card declined; undone: label, reserve"), "{told}");
}

#[test]
fn a_wrong_argument_is_answered_with_the_usage() {
    let dir = tempfile::tempdir().unwrap();
    let wrong = order_saga(dir.path(), &["--crahs", "charge"]);
    assert!(!wrong.status.success());
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert!(told.contains("`--crahs` is not understood"), "{told}");
}
