//! Ale: the page about the language tells the truth.

use serde_json::Map;
use stepwell_script::{AleScript, CallOptions};

#[test]
fn every_example_of_the_page_gives_what_it_says() {
    let page = include_str!("../../../docs/reference/ale.md");
    let mut n_examples = 0;
    for line in page.lines() {
        let Some((source, expected)) = line.split_once("; => ") else { continue };
        let script = AleScript::compile::<&str>(source, &[])
            .unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(
            script.print(&Map::new(), &CallOptions::default()).unwrap(),
            expected.trim(),
            "{source}"
        );
        n_examples += 1;
    }
    assert!(n_examples > 50, "{n_examples}");
}

#[test]
fn every_procedure_of_the_page_exists() {
    let page = include_str!("../../../docs/reference/ale.md");
    let table = page.split("## Procedures").nth(1).unwrap().split("```").next().unwrap();
    let mut n_names = 0;
    for row in table.lines().filter(|line| line.starts_with("| ") && line.contains('`')) {
        for quoted in row.split('`').skip(1).step_by(2).filter(|quoted| !quoted.starts_with('(')) {
            for name in quoted
                .split(' ')
                .filter(|name| *name != "1" && *name != "1.0" && *name != "!" && *name != "?")
            {
                let compiled = AleScript::compile::<&str>(name, &[]);
                assert!(compiled.is_ok(), "{name}: {:?}", compiled.err());
                n_names += 1;
            }
        }
    }
    assert!(n_names > 120, "{n_names}");
}
