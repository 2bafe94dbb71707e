//! The map of crates in ARCHITECTURE.md.

use std::collections::BTreeSet;

/// Differences between the folders and the map's lines, such as "| `crates/journal` | ... |". A document
/// without such a line has no map, and no problem.
pub fn map_problems(document: &str, folders: &BTreeSet<String>) -> Vec<String> {
    let mapped: BTreeSet<String> = document
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/")?.split_once('`'))
        .map(|(name, _)| name.trim_end_matches('/').to_owned())
        .collect();
    if mapped.is_empty() {
        return Vec::new();
    }
    let missing = folders.difference(&mapped).map(|name| format!("the map lacks crates/{name}"));
    let gone =
        mapped.difference(folders).map(|name| format!("the map has crates/{name}, the tree not"));
    missing.chain(gone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_that_lacks_a_crate_or_has_one_too_many_is_found() {
        let folders = BTreeSet::from(["journal".to_owned(), "kernel".to_owned()]);
        let map = "| crate | is |\n|---|---|\n| `crates/journal` | x |\n| `crates/gone` | y |\n";
        assert_eq!(map_problems(map, &folders).len(), 2);
        assert_eq!(map_problems("no map", &folders).len(), 0);
        let good = "| `crates/journal` | x |\n| `crates/kernel` | y |\n";
        assert_eq!(map_problems(good, &folders).len(), 0);
    }
}
