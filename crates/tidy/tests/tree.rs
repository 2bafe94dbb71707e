//! The rules, applied to the tree as it is.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::BTreeSet;

use stepwell_tidy::{
    Long, Tree, allowed_licences, edges, forbidden_marks, layer_problems, licence_problems,
    map_problems, ratchet_problems, read_table, refused_names, relative_links, source_problems,
    too_long, unwanted_mentions, write_table,
};

const TABLE: &str = "crates/tidy/long-files.txt";

#[track_caller]
fn none(problems: Vec<String>) {
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

fn files(tree: &Tree) -> Vec<(String, String)> {
    let files = tree.files().unwrap();
    assert!(files.iter().any(|(path, _)| path == "Cargo.toml"), "git lists the tree's files");
    files
}

fn per_file(rule: impl Fn(&str, &str) -> Vec<String>) -> Vec<String> {
    let tree = Tree::here().unwrap();
    files(&tree).iter().flat_map(|(path, text)| rule(path, text)).collect()
}

#[test]
fn every_crate_sees_only_the_layers_below() {
    none(layer_problems(&edges(&Tree::here().unwrap().members().unwrap())));
}

#[test]
fn files_and_functions_only_get_shorter() {
    let tree = Tree::here().unwrap();
    let found: Long = files(&tree).iter().flat_map(|(path, text)| too_long(path, text)).collect();
    if std::env::var_os("UPDATE_TIDY").is_some() {
        std::fs::write(tree.root.join(TABLE), write_table(&found)).unwrap();
    }
    none(ratchet_problems(&read_table(&tree.read(TABLE).unwrap()), &found));
}

#[test]
fn no_name_holds_a_refused_word() {
    none(per_file(refused_names));
}

#[test]
fn nothing_is_left_unfinished_or_switched_off() {
    none(per_file(forbidden_marks));
}

#[test]
fn no_file_tells_how_it_was_made() {
    none(per_file(unwanted_mentions));
}

#[test]
fn the_map_of_crates_is_the_folder_of_crates() {
    let tree = Tree::here().unwrap();
    let folders: BTreeSet<String> = files(&tree)
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("crates/")?.strip_suffix("/Cargo.toml"))
        .map(str::to_owned)
        .collect();
    let document = tree.read("ARCHITECTURE.md").unwrap_or_default();
    none(map_problems(&document, &folders));
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let tree = Tree::here().unwrap();
    let mut problems = Vec::new();
    for (path, text) in files(&tree).iter().filter(|(path, _)| path.ends_with(".md")) {
        let folder = tree.root.join(path).parent().unwrap().to_owned();
        for link in relative_links(text) {
            if !folder.join(&link.target).exists() {
                problems.push(format!("{path}:{}: {} does not exist", link.line, link.target));
            }
        }
    }
    none(problems);
}

#[test]
fn everything_comes_from_crates_io() {
    none(source_problems(&Tree::here().unwrap().read("Cargo.lock").unwrap()));
}

#[test]
fn every_licence_is_allowed() {
    let tree = Tree::here().unwrap();
    let allowed = allowed_licences(&tree.read("deny.toml").unwrap());
    assert!(allowed.contains(&"Apache-2.0".to_owned()));
    none(licence_problems(&tree.packages().unwrap(), &allowed));
}
