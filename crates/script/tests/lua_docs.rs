//! Lua: the page about the language tells the truth.

use serde_json::{Map, Value};
use stepwell_script::{CallOptions, LuaScript, LuaStates};

const PAGE: &str = include_str!("../../../docs/reference/lua.md");

fn call(source: &str) -> Value {
    let script = LuaScript::compile::<&str>(&LuaStates::new(), source, &[])
        .unwrap_or_else(|error| panic!("{source}: {error}"));
    script
        .call(&Map::new(), &CallOptions::default())
        .unwrap_or_else(|error| panic!("{source}: {error}"))
}

#[test]
fn every_example_of_the_page_gives_what_it_says() {
    // What stands in the fences of code.
    let code = PAGE.split("```").skip(1).step_by(2).flat_map(str::lines);
    let examples: Vec<(&str, &str)> = code.filter_map(|line| line.split_once("--> ")).collect();
    for (source, expected) in &examples {
        let expected: Value = serde_json::from_str(expected)
            .unwrap_or_else(|error| panic!("{source}: {expected}: {error}"));
        assert_eq!(call(source), expected, "{source}");
    }
    assert!(examples.len() > 10, "{}", examples.len());
}

#[test]
fn everything_that_the_page_names_is_there() {
    let section = PAGE.split("## What is there").nth(1).unwrap_or_default();
    let sentence = section.split("```").next().unwrap_or_default();
    let names: Vec<&str> =
        sentence.split('`').skip(1).step_by(2).flat_map(str::split_whitespace).collect();
    for name in &names {
        // `null` is a value of its own.
        assert_ne!(call(&format!("return typeof({name})")), "nil", "{name}");
    }
    assert!(names.len() > 25, "{}", names.len());
}
