//! Who may see whom. A new edge is a change of the design.

use serde_json::Value;

/// What each crate may depend on. Others of the workspace it must not know.
const MAY_SEE: &[(&str, &[&str])] = &[
    ("journal", &[]),
    ("kernel", &["journal"]),
    ("store", &["journal"]),
    ("store-laws", &["journal", "store"]),
    ("store-sqlite", &["journal", "store"]),
    ("store-postgres", &["journal", "store"]),
    ("engine", &["journal", "kernel", "store"]),
    ("script", &[]),
    ("sequence", &["journal", "kernel", "script"]),
    ("flow", &["journal", "kernel", "script"]),
    ("graph", &["journal", "kernel", "script"]),
    ("mcp", &["journal", "kernel", "graph"]),
    ("files", &["journal", "kernel", "store", "engine", "sequence"]),
    (
        "server",
        &[
            "journal", "kernel", "store", "engine", "files", "script", "sequence", "flow", "graph",
            "mcp",
        ],
    ),
    (
        "stepwell",
        &[
            "journal",
            "kernel",
            "store",
            "store-sqlite",
            "store-postgres",
            "engine",
            "files",
            "script",
            "sequence",
            "server",
        ],
    ),
    ("cli", &["stepwell", "server"]),
    ("sim", &["journal", "kernel", "store", "engine"]),
    ("crash", &["stepwell"]),
    (
        "bench",
        &[
            "stepwell",
            "journal",
            "kernel",
            "store",
            "store-sqlite",
            "store-postgres",
            "engine",
            "flow",
            "mcp",
            "server",
        ],
    ),
    ("tidy", &[]),
    ("example", &["stepwell"]),
];

/// What even tests must not pull in from below.
const TOP: &[&str] = &["server", "cli"];

/// One crate of the workspace depends on another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// Also those of build scripts.
    Normal,
    Dev,
}

/// The edges between members, from `cargo metadata --no-deps`. All examples are called `example`.
pub fn edges(metadata: &Value) -> Vec<Edge> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let mut edges = Vec::new();
    for package in packages {
        let from = short_name(package);
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let Some(to) = dependency["name"].as_str().filter(|name| names.contains(name)) else {
                continue;
            };
            let kind = if dependency["kind"] == "dev" { EdgeKind::Dev } else { EdgeKind::Normal };
            edges.push(Edge { from: from.clone(), to: strip(to).to_owned(), kind });
        }
        if MAY_SEE.iter().all(|(name, _)| *name != from) {
            // A crate that the table lacks shows even if it depends on nothing.
            edges.push(Edge { from, to: String::new(), kind: EdgeKind::Normal });
        }
    }
    edges
}

pub fn layer_problems(edges: &[Edge]) -> Vec<String> {
    edges.iter().filter_map(problem).collect()
}

fn problem(edge: &Edge) -> Option<String> {
    let Edge { from, to, kind } = edge;
    let Some((_, may_see)) = MAY_SEE.iter().find(|(name, _)| name == from) else {
        return Some(format!("`{from}` is not in the table of layers (crates/tidy/src/layers.rs)"));
    };
    let is_allowed = match kind {
        EdgeKind::Normal => may_see.contains(&to.as_str()),
        EdgeKind::Dev => !TOP.contains(&to.as_str()) && to != "tidy",
    };
    (!is_allowed).then(|| format!("`{from}` must not know `{to}`"))
}

fn short_name(package: &Value) -> String {
    let manifest = package["manifest_path"].as_str().unwrap_or_default();
    if manifest.contains("/examples/") {
        return "example".to_owned();
    }
    strip(package["name"].as_str().unwrap_or_default()).to_owned()
}

fn strip(name: &str) -> &str {
    name.strip_prefix("stepwell-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems_of(from: &str, to: &str, kind: EdgeKind) -> Vec<String> {
        layer_problems(&[Edge { from: from.into(), to: to.into(), kind }])
    }

    #[test]
    fn an_edge_upwards_is_a_problem() {
        assert_eq!(problems_of("journal", "store", EdgeKind::Normal).len(), 1);
        assert_eq!(problems_of("kernel", "store", EdgeKind::Normal).len(), 1);
        assert_eq!(problems_of("example", "engine", EdgeKind::Normal).len(), 1);
        assert_eq!(problems_of("engine", "journal", EdgeKind::Normal).len(), 0);
    }

    #[test]
    fn tests_may_see_more_but_not_the_top() {
        assert_eq!(problems_of("store-sqlite", "store-laws", EdgeKind::Dev).len(), 0);
        assert_eq!(problems_of("store-sqlite", "server", EdgeKind::Dev).len(), 1);
    }

    #[test]
    fn nobody_may_see_tidy() {
        assert_eq!(problems_of("engine", "tidy", EdgeKind::Normal).len(), 1);
        assert_eq!(problems_of("engine", "tidy", EdgeKind::Dev).len(), 1);
    }

    #[test]
    fn edges_are_read_from_what_cargo_says() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "stepwell-journal", "manifest_path": "/w/crates/journal/Cargo.toml", "dependencies": [
                { "name": "stepwell-store", "kind": null }, { "name": "serde", "kind": null },
            ] },
            { "name": "stepwell-store", "manifest_path": "/w/crates/store/Cargo.toml", "dependencies": [] },
            { "name": "shop", "manifest_path": "/w/examples/code/shop/Cargo.toml", "dependencies": [
                { "name": "stepwell-store", "kind": "dev" },
            ] },
            { "name": "stepwell-common", "manifest_path": "/w/crates/common/Cargo.toml", "dependencies": [] },
        ] });
        let edges = edges(&metadata);
        assert_eq!(
            edges[0],
            Edge { from: "journal".into(), to: "store".into(), kind: EdgeKind::Normal }
        );
        assert_eq!(
            edges[1],
            Edge { from: "example".into(), to: "store".into(), kind: EdgeKind::Dev }
        );
        assert_eq!(layer_problems(&edges).len(), 2, "the edge upwards, and the unknown crate");
    }
}
