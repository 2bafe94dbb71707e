//! What lies beside the program and must follow it: the pages of docs/reference, and how it is packaged. `UPDATE_DOCS=1 cargo test -p stepwell-cli --test pages`
//! writes them anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::path::Path;
use std::process::Command;

#[track_caller]
fn is_fresh(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/reference/{name} is stale: UPDATE_DOCS=1 cargo test -p stepwell-cli --test pages"
    );
}

#[test]
fn the_page_about_the_command_line_is_what_help_says() {
    is_fresh("cli.md", &stepwell_cli::documentation::command_line_page());
}

#[test]
fn the_page_about_settings_lists_them_all() {
    is_fresh("configuration.md", &stepwell_cli::documentation::configuration_page());
}

/// The commands that a file of `packaging` calls, as their arguments.
fn calls(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let lists =
        text.lines().filter(|line| line.starts_with("CMD ") || line.starts_with("HEALTHCHECK "));
    let lists = lists.map(|line| {
        let list: Vec<String> = serde_json::from_str(&line[line.find('[').unwrap()..]).unwrap();
        list.into_iter().filter(|word| word != "stepwell").collect()
    });
    let starts = text.lines().filter_map(|line| line.strip_prefix("ExecStart="));
    let starts = starts.map(|line| line.split_whitespace().skip(1).map(str::to_owned).collect());
    lists.chain(starts).collect()
}

#[test]
fn packages_call_commands_that_there_are() {
    let all: Vec<Vec<String>> =
        ["stepwell.service", "Dockerfile"].into_iter().flat_map(calls).collect();
    assert_eq!(all.len(), 3, "{all:?}");
    for args in all {
        let help = Command::new(env!("CARGO_BIN_EXE_stepwell"))
            .args(&args)
            .arg("--help")
            .output()
            .unwrap();
        assert!(help.status.success(), "{args:?}: {}", String::from_utf8_lossy(&help.stderr));
    }
}
