//! The real Zod, built in.

use serde_json::json;
use stepwell_script::ErrorKind;
use stepwell_script::js::{Issue, Validated};

use crate::kit::{POOL, options, program, run};

const ORDER: &str = "import { z } from 'zod';
    export const input = z.object({
        orderId: z.uuid().describe('which order'),
        quantity: z.number().int().min(1),
        priority: z.enum(['low', 'high']).default('low'),
        tags: z.array(z.string()).optional(),
        when: z.coerce.date().optional(),
    });
    export const name = 'order';";

#[tokio::test]
async fn schemas_parse_and_refuse() {
    let text = "import { z } from 'zod'; import zv4 from 'zod/v4';
        export default () => { const S = z.object({ a: z.string() }); return [S.parse({ a: 'x', b: 1 }), S.safeParse({}).success, zv4 === z, z.string().email().safeParse('a@b.co').success]; };";
    assert_eq!(run(text).await, json!([{ "a": "x" }, false, true, true]));
}

#[tokio::test]
async fn a_schema_is_told_as_json_schema() {
    let program = program("a.ts", &[("a.ts", ORDER)]);
    let schema = POOL.json_schema(&program, "input", options()).await.unwrap().unwrap();
    assert_eq!(schema["type"], "object");
    assert_eq!(
        schema["required"],
        json!(["orderId", "quantity"]),
        "what has a default may be left out"
    );
    assert_eq!(schema["properties"]["orderId"]["format"], "uuid");
    assert_eq!(schema["properties"]["orderId"]["description"], "which order");
    assert_eq!(schema["properties"]["priority"]["enum"], json!(["low", "high"]));
}

#[tokio::test]
async fn an_export_that_is_not_there_has_no_schema() {
    let program = program("a.ts", &[("a.ts", ORDER)]);
    assert_eq!(POOL.json_schema(&program, "output", options()).await.unwrap(), None);
}

#[tokio::test]
async fn an_export_that_is_no_schema_is_an_error() {
    let program = program("a.ts", &[("a.ts", ORDER)]);
    let error = POOL.json_schema(&program, "name", options()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Thrown);
    assert!(error.message.contains("Zod schema"), "{error}");
}

#[tokio::test]
async fn a_valid_value_comes_back_with_defaults_and_coerced() {
    let program = program("a.ts", &[("a.ts", ORDER)]);
    let id = "0190b5d8-3c6e-7d00-8000-000000000001";
    let value = json!({ "orderId": id, "quantity": 2, "when": "2026-11-16T00:00:00Z" });
    let valid = POOL.validate(&program, "input", &value, options()).await.unwrap();
    let expected = json!({ "orderId": id, "quantity": 2, "priority": "low", "when": "2026-11-16T00:00:00.000Z" });
    assert_eq!(valid, Validated::Valid(Some(expected)));
}

#[tokio::test]
async fn every_issue_is_reported_with_its_path() {
    let program = program("a.ts", &[("a.ts", ORDER)]);
    let value = json!({ "orderId": "x", "quantity": 0, "tags": ["a", 3] });
    let Validated::Invalid(issues) =
        POOL.validate(&program, "input", &value, options()).await.unwrap()
    else {
        panic!("it is not valid");
    };
    let paths: Vec<String> =
        issues.iter().map(|Issue { path, .. }| json!(path).to_string()).collect();
    assert_eq!(paths, [r#"["orderId"]"#, r#"["quantity"]"#, r#"["tags",1]"#]);
    assert_eq!(issues[2].code, "invalid_type");
    assert!(issues[1].message.contains(">=1"), "{}", issues[1].message);
}

#[tokio::test]
async fn refinements_may_wait() {
    let text = "import { z } from 'zod';
        const later = (x: boolean) => new Promise<boolean>((done) => setTimeout(() => done(x), 2));
        export const input = z.string().refine(async (s) => later(s.length > 2), 'too short');";
    let program = program("a.ts", &[("a.ts", text)]);
    let check = async |value: &str| {
        POOL.validate(&program, "input", &json!(value), options()).await.unwrap()
    };
    assert_eq!(check("long").await, Validated::Valid(Some(json!("long"))));
    assert!(
        matches!(check("x").await, Validated::Invalid(issues) if issues[0].message == "too short")
    );
}

#[tokio::test]
async fn schemas_of_other_files_and_locales_work() {
    let program = program(
        "a.ts",
        &[
            (
                "a.ts",
                "import { z } from 'zod'; import { tree } from './schemas'; z.config(z.locales.de()); export const input = tree.extend({ n: z.int() });",
            ),
            (
                "schemas.ts",
                "import { z } from 'zod'; export const tree = z.object({ id: z.string() });",
            ),
        ],
    );
    let Validated::Invalid(issues) =
        POOL.validate(&program, "input", &json!({}), options()).await.unwrap()
    else {
        panic!("it is not valid");
    };
    assert_eq!(issues.len(), 2);
    assert!(issues[0].message.contains("Ungültige Eingabe"), "{}", issues[0].message);
}
