//! TypeScript that runs, and TypeScript that is refused.

use serde_json::{Value, json};
use stepwell_script::ErrorKind;

use crate::kit::{error_of, program, run};

async fn check(text: &str, expected: Value) {
    assert_eq!(run(text).await, expected, "{text}");
}

#[tokio::test]
async fn annotations_generics_and_assertions_are_dropped() {
    check(
        "interface Tree { id: string; height?: number }
         type Maybe<T> = T | undefined;
         function first<T extends { id: string }>(items: readonly T[]): Maybe<T> { return items[0]; }
         export default function (this: void, input?: unknown): string {
           const trees = [{ id: 'oak' }] as const satisfies readonly Tree[];
           const tree = first<Tree>(trees)!;
           let definitely!: string;
           definitely = <string>tree.id;
           return (definitely as any) as string;
         }",
        json!("oak"),
    )
    .await;
}

#[tokio::test]
async fn enums_have_values_both_ways() {
    check(
        "enum Size { Small, Medium = 5, Large }
         enum Colour { Red = 'r', Green = 'g' }
         const enum Fixed { One = 1 << 3 }
         export default () => [Size.Large, Size[5], Colour.Green, Fixed.One];",
        json!([6, "Medium", "g", 8]),
    )
    .await;
}

#[tokio::test]
async fn parameter_properties_are_assigned() {
    check(
        "class Tree { constructor(private readonly id: string, public height = 3) {} show() { return this.id + this.height } }
         export default () => new Tree('oak').show();",
        json!("oak3"),
    )
    .await;
}

#[tokio::test]
async fn namespaces_are_objects() {
    check(
        "namespace Units { export const metre = 1; export namespace Deep { export const foot = 0.3048; } }
         export default () => Units.metre + Units.Deep.foot;",
        json!(1.3048),
    )
    .await;
}

#[tokio::test]
async fn classes_may_be_abstract_and_overload() {
    check(
        "abstract class Shape { abstract area(): number; protected declare tag: string; #secret = 2; get secret() { return this.#secret } }
         class Square extends Shape implements Iterable<number> {
           side: number = 3;
           override area(): number { return this.side ** 2; }
           *[Symbol.iterator](): Iterator<number> { yield this.side; }
         }
         function twice(x: string): string; function twice(x: number): number;
         function twice(x: any) { return x + x; }
         export default () => [new Square().area(), new Square().secret, [...new Square()], twice('a'), twice(2)];",
        json!([9, 2, [3], "aa", 4]),
    )
    .await;
}

#[tokio::test]
async fn declarations_and_types_that_are_exported_leave_nothing() {
    check(
        "declare const process: { env: Record<string, string> };
         declare module 'x' { const y: number; }
         declare global { interface Window { z: number } }
         export type Id = string; export interface Named { name: string }
         type Fn = typeof import('./nowhere');
         export default (): string => typeof process;",
        json!("undefined"),
    )
    .await;
}

#[tokio::test]
async fn modern_javascript_runs() {
    check(
        "export default async () => {
           const o: any = { a: { b: null } };
           o.a.b ??= 7; o.c ||= [1, 2, 3].at(-1);
           const { a, ...rest } = o;
           const grouped = Object.groupBy([1, 2, 3], (n: number) => (n % 2 ? 'odd' : 'even'));
           const label = `${o?.x?.y ?? 'none'}`;
           async function* count() { yield 1; yield 2; }
           let sum = 0; for await (const n of count()) sum += n;
           return [a.b, rest.c, grouped.odd, label, sum, [3, 1, 2].toSorted(), 2n ** 3n === 8n, 1_000];
         };",
        json!([7, 3, [1, 3], "none", 3, [1, 2, 3], true, 1000]),
    )
    .await;
}

#[tokio::test]
async fn an_arrow_whose_return_type_spans_lines_keeps_its_meaning() {
    check(
        "const make = (n: number):
           { n: number } => ({ n });
         export default () => make(3);",
        json!({ "n": 3 }),
    )
    .await;
}

#[tokio::test]
async fn imports_of_types_are_not_loaded() {
    let program = program(
        "a.ts",
        &[(
            "a.ts",
            "import type { Tree } from './missing';
             import { type Leaf, Branch } from './also-missing';
             export default (tree: Tree, leaf: Leaf, branch: Branch) => 1;",
        )],
    );
    let result = crate::kit::POOL.call(&program, crate::kit::options()).await;
    assert_eq!(result.unwrap(), Some(json!(1)));
}

#[tokio::test]
async fn syntax_errors_say_where() {
    for (text, line, column, word) in [
        ("let a = ;", 1, 9, "Expression expected"),
        ("export default () => {\n  return 1 +;\n};", 2, 13, "Expression expected"),
        ("const ä😀 = 1; let = ", 1, 0, ""),
        ("function f( {", 1, 14, ""),
        ("const x: = 3;", 1, 10, ""),
        ("enum E { A = ", 1, 0, ""),
    ] {
        let error = error_of(text).await;
        assert_eq!(error.kind, ErrorKind::Compile, "{text}: {error}");
        let position = error.position.unwrap();
        assert_eq!((position.file.as_str(), position.line), ("script.ts", line), "{text}");
        if column > 0 {
            assert_eq!(position.column, column, "{text}: {}", error.message);
        }
        assert!(error.message.contains(word), "{text}: {}", error.message);
    }
}

#[tokio::test]
async fn a_syntax_error_shows_the_source() {
    let error = error_of("const a = 1;\nconst b: number = ;\n").await;
    let frame = error.frame.unwrap();
    assert_eq!(&*frame, "1 | const a = 1;\n2 | const b: number = ;\n  |                   ^");
}

#[tokio::test]
async fn what_quickjs_alone_refuses_has_a_place_too() {
    // swc leaves this to the engine.
    let error = error_of("export default () => {\n  return /(?<a>x)(?<a>y)/v;\n};").await;
    assert_eq!(error.kind, ErrorKind::Compile, "{error}");
    assert_eq!(error.to_string(), "script.ts:2:10: duplicate group name");
}

#[tokio::test]
async fn decorators_are_refused_with_advice() {
    let error = error_of("const a = 1;\n@sealed\nclass A {}\nexport default () => 1;").await;
    assert_eq!(error.kind, ErrorKind::Compile);
    assert!(error.message.contains("decorators are not supported"), "{error}");
    assert_eq!(error.to_string().split(": ").next(), Some("script.ts:2:1"));
}

#[tokio::test]
async fn commonjs_is_refused_with_advice() {
    for text in ["import fs = require('fs');", "export = 3;"] {
        let error = error_of(text).await;
        assert_eq!(error.kind, ErrorKind::Compile);
        assert!(error.message.contains("ES modules"), "{error}");
    }
}

#[tokio::test]
async fn sources_nested_beyond_reason_are_errors() {
    let deep = |open: &str, inner: &str, close: &str, n| {
        format!("export default () => {}{inner}{};", open.repeat(n), close.repeat(n))
    };
    for text in [
        deep("(", "1", ")", 1_990),
        deep("(", "1", ")", 2_010),
        deep("[", "", "]", 60_000),
        deep("!", "1", "", 199_000),
        deep("{a:", "1", "}", 1_990),
        deep("(x => ", "1", ")", 1_990),
        deep("", "1", " + 1", 99_000),
        deep("a ? b : ", "1", "", 1_990),
        deep("`${", "1", "}`", 1_990),
        deep("typeof ", "1", "", 199_000),
        deep("new ", "a", "", 199_000),
        deep("x => ", "1", "", 60_000),
        deep("<a>", "1", "", 1_990),
        deep("", "a", "()", 66_000),
        deep("enum_ = ", "1", "", 60_000) + "enum E { A }",
        format!("{}export default () => 1;", "if (1) ".repeat(40_000)),
        format!("{} {{}}; enum E {{ A }}", "if (1) {} else ".repeat(3_000)),
        format!("type T = {}1{};", "A<".repeat(1_990), ">".repeat(1_990)),
        format!("type T = {}1;", "keyof ".repeat(199_000)),
    ] {
        // Whether it is refused or runs, we are still here.
        if let Err(error) = crate::kit::try_run(&text).await {
            assert!(!error.message.is_empty());
        }
    }
}

#[tokio::test]
async fn a_file_of_too_many_tokens_is_refused() {
    let error = error_of(&"a;".repeat(100_001)).await;
    assert!(error.message.contains("200000 tokens"), "{error}");
}
