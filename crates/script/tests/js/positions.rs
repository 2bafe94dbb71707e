//! Errors stand where the author wrote the code that failed.

use serde_json::{Map, json};
use stepwell_script::{ErrorKind, Position, ScriptError};

use crate::kit::{POOL, SCRIPTS, console, error_of, options, program};

fn place(error: &ScriptError) -> (String, u32, u32) {
    let Position { file, line, column } = error.position.clone().unwrap();
    (file, line, column)
}

fn in_script(line: u32, column: u32) -> (String, u32, u32) {
    ("script.ts".to_owned(), line, column)
}

#[tokio::test]
async fn types_do_not_shift_positions() {
    let error = error_of(
        "interface Long { a: string; b: number }\n\
         export default function run(input: Long): void {\n  \
           const x: Long = input; throw new Error('here');\n\
         }",
    )
    .await;
    assert_eq!(place(&error), in_script(3, 36));
    assert_eq!(error.message, "here");
    assert_eq!(error.stack.as_deref(), Some("at run (script.ts:3:36)"));
    assert!(error.frame.unwrap().ends_with("^"));
}

#[tokio::test]
async fn rewritten_code_is_mapped_back() {
    let error = error_of(
        "enum Size { Small, Large }\n\
         // a comment that the rewritten code may lose\n\n\
         class Tree { constructor(public id: string) {} }\n\n\
         export default function run(): void {\n    \
             new Tree('x'); const s = Size.Large; throw new TypeError('mapped');\n\
         }",
    )
    .await;
    let (file, line, column) = place(&error);
    assert_eq!((file.as_str(), line), ("script.ts", 7));
    assert!((42..=58).contains(&column), "{column}");
}

#[tokio::test]
async fn rewritten_code_with_wide_characters_is_mapped_back() {
    let error = error_of(
        "enum E { A }\nexport default () => {\n  const s = '😀😀😀😀'; const e = E.A; s(); \n};",
    )
    .await;
    let (_, line, column) = place(&error);
    assert_eq!(line, 3);
    assert!((36..=37).contains(&column), "{column}");
}

#[tokio::test]
async fn columns_count_characters_not_bytes() {
    let error = error_of("export default () => { const s = 'äöü😀'; s(); };").await;
    assert_eq!(place(&error), in_script(1, 42));
}

#[tokio::test]
async fn a_dropped_import_moves_nothing() {
    let error = error_of(
        "import {\n  Tree,\n  Leaf,\n} from './types'; export default (t: Tree) => { null.x; };",
    )
    .await;
    assert_eq!(place(&error), in_script(4, 49));
}

#[tokio::test]
async fn an_error_in_an_imported_file_names_that_file() {
    let program = program(
        "flows/main.ts",
        &[
            (
                "flows/main.ts",
                "import { cut } from '../steps/tree';\nexport default () => cut(null);",
            ),
            (
                "steps/tree.ts",
                "type T = { id: string };\nexport function cut(t: T | null) {\n  return t!.id;\n}",
            ),
        ],
    );
    let error = POOL.call(&program, options()).await.unwrap_err();
    assert_eq!(place(&error), ("steps/tree.ts".to_owned(), 3, 10));
    let stack = error.stack.unwrap();
    assert_eq!(
        stack.lines().collect::<Vec<_>>(),
        ["at cut (steps/tree.ts:3:10)", "at default (flows/main.ts:2:26)",]
    );
}

#[tokio::test]
async fn an_error_after_an_await_keeps_its_place() {
    let error = error_of(
        "const later = () => new Promise<void>((done) => setTimeout(done, 1));\n\
         export default async () => {\n  await later();\n  throw new RangeError('late');\n};",
    )
    .await;
    assert_eq!(place(&error), in_script(4, 13));
    assert_eq!(error.thrown.unwrap().name, "RangeError");
}

#[tokio::test]
async fn causes_have_their_own_places() {
    let error = error_of(
        "export default () => {\n  try {\n    null.x;\n  } catch (cause) {\n    throw new Error('outer', { cause });\n  }\n};",
    )
    .await;
    assert_eq!(place(&error).1, 5);
    let cause = error.thrown.unwrap().cause.unwrap();
    assert_eq!(place(&cause).1, 3);
    assert_eq!(cause.thrown.unwrap().name, "TypeError");
}

#[tokio::test]
async fn a_body_counts_its_own_lines() {
    let args = Map::from_iter([("a".to_owned(), json!(null))]);
    let text = "const x: number = 1;\nreturn a.b;";
    let error = SCRIPTS.eval_body("total", text, &args, options()).await.unwrap_err();
    assert_eq!(place(&error), ("total.ts".to_owned(), 2, 8));
    assert_eq!(
        error.frame.as_deref(),
        Some("1 | const x: number = 1;\n2 | return a.b;\n  |        ^")
    );

    let error = SCRIPTS.eval_body("total", "return 1 +;", &args, options()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Compile);
    assert_eq!(place(&error), ("total.ts".to_owned(), 1, 11));
    assert!(error.frame.unwrap().starts_with("1 | return 1 +;"));
}

#[tokio::test]
async fn an_error_at_the_top_level_names_its_line() {
    let error = error_of("const a = 1;\na.b.c;\nexport default () => 1;").await;
    assert_eq!((error.kind, place(&error)), (ErrorKind::Thrown, in_script(2, 1)));
}

#[tokio::test]
async fn an_error_on_the_console_shows_mapped_places() {
    let (grants, lines) = console();
    let text = "enum E { A }\nexport default () => {\n  console.error('failed:', new Error('oops'), E.A);\n};";
    let options = options().grants(grants);
    SCRIPTS.eval_default_export("a.ts", text, &json!(null), options).await.unwrap();
    let lines = lines.lock();
    assert!(lines[0].text.starts_with("failed: Error: oops\n    at "), "{}", lines[0].text);
    assert!(lines[0].text.contains("a.ts:3:"), "{}", lines[0].text);
}

#[tokio::test]
async fn an_error_thrown_in_a_timer_keeps_its_place() {
    let error = error_of(
        "export default () => new Promise(() => {\n  setTimeout(() => {\n    throw new Error('tick');\n  }, 1);\n});",
    )
    .await;
    assert_eq!((error.kind, place(&error).1), (ErrorKind::Thrown, 3));
}
