//! Files that import files.

use std::fs;

use serde_json::json;
use stepwell_script::js::{Bundle, BundleLimits, Library, Program};
use stepwell_script::{ErrorKind, ScriptError};

use crate::kit::{POOL, bundle, error_of, files, options, program};

async fn run(texts: &[(&str, &str)]) -> serde_json::Value {
    let program = program(texts[0].0, texts);
    POOL.call(&program, options()).await.unwrap().unwrap()
}

fn errors(texts: &[(&str, &str)]) -> Vec<ScriptError> {
    bundle(texts[0].0, texts).unwrap_err()
}

#[tokio::test]
async fn imports_find_files_with_and_without_extension() {
    let specifiers =
        ["./lib/tree", "./lib/tree.ts", "./lib/tree.js", "./lib/../lib/tree", ".//lib/tree"];
    for specifier in specifiers {
        let text = format!("import {{ id }} from '{specifier}'; export default () => id;");
        let found = run(&[("a.ts", &text), ("lib/tree.ts", "export const id = 'oak';")]).await;
        assert_eq!(found, json!("oak"), "{specifier}");
    }
}

#[tokio::test]
async fn a_directory_means_its_index() {
    let texts = [
        (
            "flows/a.ts",
            "import { x } from '../lib'; import { y } from '.'; export default () => x + y;",
        ),
        ("lib/index.ts", "export * from './deep/';"),
        ("lib/deep/index.js", "export const x = 1;"),
        ("flows/index.ts", "export const y = 2;"),
    ];
    assert_eq!(run(&texts).await, json!(3));
}

#[tokio::test]
async fn plain_javascript_is_not_read_as_typescript() {
    // In TypeScript, `f<b>(c)` would be a call with a type argument.
    let texts = [
        ("a.mjs", "import { less } from './b.js'; export default () => less;"),
        ("b.js", "const f = 1, b = 2, c = 0; export const less = [f<b>(c)];"),
    ];
    assert_eq!(run(&texts).await, json!([true]));
}

#[tokio::test]
async fn json_files_are_values() {
    let texts = [
        (
            "a.ts",
            "import prices from './prices.json' with { type: 'json' }; import p from './prices'; export default () => [prices.oak, p === prices];",
        ),
        ("prices.json", "{ \"oak\": [1, 2.5], \"__proto__\": 3 }"),
    ];
    assert_eq!(run(&texts).await, json!([[1, 2.5], true]));
}

#[tokio::test]
async fn json_that_is_none_is_an_error_with_a_place() {
    let texts = [
        ("a.ts", "import x from './x.json'; export default () => x;"),
        ("x.json", "{\n \"a\": nope }"),
    ];
    let bundle = bundle("a.ts", &texts).unwrap();
    let errors = Program::compile(&bundle, &Library::new()).err().unwrap();
    assert_eq!(errors[0].position.as_ref().unwrap().to_string(), "x.json:2:8");
}

#[tokio::test]
async fn cycles_and_live_bindings_work() {
    let texts = [
        (
            "a.ts",
            "import { next, n } from './b'; export const start = () => 1; export default () => { next(); return n; };",
        ),
        (
            "b.ts",
            "import { start } from './a'; export let n = 0; export function next() { n += start() + 1; }",
        ),
    ];
    assert_eq!(run(&texts).await, json!(2));
}

#[tokio::test]
async fn a_file_may_be_imported_when_it_is_needed() {
    let texts = [
        ("a.ts", "export default async () => { const { x } = await import('./b'); return x; };"),
        ("b.ts", "export const x = 'late';"),
    ];
    assert_eq!(run(&texts).await, json!("late"));
}

#[tokio::test]
async fn the_top_level_may_await() {
    let texts = [
        ("a.ts", "import { x } from './b'; export default () => x;"),
        (
            "b.ts",
            "export const x = await new Promise<number>((done) => setTimeout(() => done(4), 2));",
        ),
    ];
    assert_eq!(run(&texts).await, json!(4));
}

#[tokio::test]
async fn all_missing_files_are_reported_at_once_with_their_places() {
    let found = errors(&[
        (
            "flows/a.ts",
            "import { x } from './b';\nimport { y } from '../c';\nexport default () => [x, y];",
        ),
        ("flows/b.ts", "export { x } from './gone';"),
    ]);
    let places: Vec<String> =
        found.iter().map(|e| e.position.as_ref().unwrap().to_string()).collect();
    assert_eq!(places, ["flows/a.ts:2:19", "flows/b.ts:1:19"]);
    assert!(found[0].message.contains("looked for c.ts, "), "{}", found[0]);
    assert_eq!(found[0].kind, ErrorKind::Compile);
}

#[tokio::test]
async fn packages_cannot_be_imported_and_the_error_says_what_can() {
    for name in [
        "lodash",
        "node:fs",
        "https://example.com/x.js",
        "/etc/passwd",
        "file:///etc/passwd",
        "stepwell:core",
        "stepwell:host",
    ] {
        let text = format!("import x from '{name}'; export default () => x;");
        let found = errors(&[("a.ts", &text)]);
        assert!(found[0].message.contains("cannot be imported"), "{}", found[0]);
        assert!(found[0].message.contains("`zod`"), "{}", found[0]);
    }
}

#[tokio::test]
async fn nothing_above_the_root_can_be_imported() {
    let found = errors(&[("a/b.ts", "import '../../secret';")]);
    assert!(found[0].message.contains("outside the project"), "{}", found[0]);
}

#[tokio::test]
async fn computed_imports_reach_files_of_the_bundle_only() {
    for specifier in ["stepwell:core", "../../x", "zodd", "./b.ts", "/etc/passwd"] {
        let text = format!("export default async () => import(['{specifier}'].join(''));");
        let error = error_of(&text).await;
        assert_eq!(error.kind, ErrorKind::Thrown, "{specifier}: {error}");
    }
}

#[tokio::test]
async fn code_made_at_run_time_cannot_reach_the_machinery() {
    for code in [
        "new Function('return import(\"stepwell:core\")')()",
        "eval('import(\"stepwell:core\")')",
        "(0, eval)('import(\"stepwell:main\")')",
        "Reflect.construct(Function, ['return import(\"stepwell:host\")'])()",
    ] {
        let error =
            error_of(&format!("export default async () => Object.keys(await {code});")).await;
        assert_eq!(error.kind, ErrorKind::Thrown, "{code}: {error}");
    }
}

#[tokio::test]
async fn an_export_that_is_not_there_is_reported_where_it_is_imported() {
    let program = program(
        "a.ts",
        &[
            ("a.ts", "import { x,\n  findTre } from './b';\nexport default () => [x, findTre];"),
            ("b.ts", "export const x = 1, findTree = 2;"),
        ],
    );
    let error = POOL.call(&program, options()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Compile, "{error}");
    assert_eq!(error.position.as_ref().unwrap().to_string(), "a.ts:2:3");
    assert!(error.message.contains("findTre"), "{error}");
}

#[tokio::test]
async fn other_kinds_of_files_are_refused() {
    let found = errors(&[("a.tsx", "export default () => 1;")]);
    assert!(found[0].message.contains("only .ts"), "{}", found[0]);
}

#[test]
fn the_number_and_size_of_files_are_bounded() {
    let limits = BundleLimits { files_max: 3, file_bytes_max: 200, total_bytes_max: 400 };
    let collect = |texts: &[(&str, &str)]| {
        Bundle::collect(texts[0].0, &files(texts), &Library::new(), limits)
            .map_err(|errors| errors[0].message.clone())
    };
    let chain: Vec<(String, String)> =
        (0..4).map(|n| (format!("f{n}.ts"), format!("import './f{}';", n + 1))).collect();
    let mut chain: Vec<(&str, &str)> =
        chain.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    chain.push(("f4.ts", ""));
    assert_eq!(collect(&chain).unwrap_err(), "f3.ts is one file too many: 3 are allowed");

    let large = "//".repeat(150);
    assert!(collect(&[("a.ts", &large)]).unwrap_err().contains("more than 200 bytes"));
    let imports = collect(&[("a.ts", "import './b';"), ("b.ts", &large)]).unwrap_err();
    assert!(imports.contains("more than 200 bytes"), "{imports}");

    let half = "//".repeat(95);
    let text = format!("import './b'; import './c'; {}", "/".repeat(80));
    let total = collect(&[("a.ts", &text), ("b.ts", &half), ("c.ts", &half)]).unwrap_err();
    assert!(total.contains("more than 400 bytes"), "{total}");
}

#[test]
fn the_hash_is_that_of_all_files() {
    let texts = [("a.ts", "import './b';"), ("b.ts", "export {};")];
    let first = bundle("a.ts", &texts).unwrap();
    assert_eq!(first.hash(), bundle("a.ts", &texts).unwrap().hash());
    let edited = bundle("a.ts", &[texts[0], ("b.ts", "export { };")]).unwrap();
    assert_ne!(first.hash(), edited.hash());
    let unrelated = bundle("a.ts", &[texts[0], texts[1], ("c.ts", "1;")]).unwrap();
    assert_eq!(first.hash(), unrelated.hash(), "a file that is not imported is no part of it");
    let stored: Bundle = serde_json::from_str(&serde_json::to_string(&first).unwrap()).unwrap();
    assert_eq!(stored, first);
}

#[tokio::test]
async fn a_directory_is_read_from_disk() {
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    fs::create_dir_all(path("flows/steps")).unwrap();
    fs::write(
        path("flows/a.ts"),
        "\u{feff}import { x } from './steps/tree';\nexport default () => x;",
    )
    .unwrap();
    fs::write(path("flows/steps/tree.ts"), "export const x = 'disk';").unwrap();
    let bundle =
        Bundle::from_disk(root.path(), &path("flows/a.ts"), &Library::new(), BundleLimits::DEFAULT)
            .unwrap();
    assert_eq!(bundle.entry(), "flows/a.ts");
    assert_eq!(bundle.files().len(), 2);
    let program = Program::compile(&bundle, &Library::new()).unwrap();
    assert_eq!(POOL.call(&program, options()).await.unwrap(), Some(json!("disk")));

    let missing =
        Bundle::from_disk(root.path(), &path("b.ts"), &Library::new(), BundleLimits::DEFAULT);
    assert!(missing.unwrap_err()[0].message.contains("there is no file"));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_directory_are_not_followed() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.ts"), "export const x = 'secret';").unwrap();
    let root = tempfile::tempdir().unwrap();
    let path = |name: &str| root.path().join(name);
    std::os::unix::fs::symlink(outside.path().join("secret.ts"), path("b.ts")).unwrap();
    std::os::unix::fs::symlink(outside.path(), path("dir")).unwrap();
    fs::create_dir(path("sub")).unwrap();
    fs::write(path("sub/inner.ts"), "export const y = 1;").unwrap();
    std::os::unix::fs::symlink(path("sub/inner.ts"), path("inside.ts")).unwrap();
    let collect = |text: &str| {
        fs::write(path("a.ts"), text).unwrap();
        Bundle::from_disk(root.path(), &path("a.ts"), &Library::new(), BundleLimits::DEFAULT)
    };
    for specifier in ["./b", "./dir/secret"] {
        let errors = collect(&format!("import '{specifier}';")).unwrap_err();
        assert!(errors[0].message.contains("symbolic link"), "{}", errors[0]);
    }
    collect("import './inside';").unwrap();
    let entry =
        Bundle::from_disk(root.path(), &path("b.ts"), &Library::new(), BundleLimits::DEFAULT);
    assert!(entry.unwrap_err()[0].message.contains("is not below"));
}

#[test]
fn a_file_that_is_not_text_or_a_directory_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("a.ts"), "import './b'; import './c.ts';").unwrap();
    fs::write(root.path().join("b.ts"), [0xff, 0xfe, 0x00]).unwrap();
    fs::create_dir(root.path().join("c.ts")).unwrap();
    let errors = Bundle::from_disk(
        root.path(),
        &root.path().join("a.ts"),
        &Library::new(),
        BundleLimits::DEFAULT,
    )
    .unwrap_err();
    assert_eq!(errors.len(), 2);
    assert!(errors[0].message.contains("not UTF-8"), "{}", errors[0]);
    assert!(errors[1].message.contains("is not there"), "{}", errors[1]);
}
