//! Tool schemas in which a ref may stand wherever a value may.

use serde_json::{Map, Value, json};

/// What a ref looks like to a schema.
const REF_PATTERN: &str = "^@[A-Za-z_]";

/// Keywords whose value is one schema of a part of the value.
const INNER: &[&str] =
    &["items", "additionalProperties", "contains", "unevaluatedProperties", "unevaluatedItems"];
/// Keywords whose value has schemas of parts of the value, by name.
const INNER_MAPS: &[&str] = &["properties", "patternProperties"];
/// Keywords whose value is a list of schemas of parts of the value.
const INNER_LISTS: &[&str] = &["prefixItems"];
/// Keywords whose schemas are about the value itself.
const SAME_LISTS: &[&str] = &["anyOf", "oneOf", "allOf"];
const SAME: &[&str] = &["then", "else"];
const SAME_MAPS: &[&str] = &["$defs", "definitions", "dependentSchemas"];

/// The schema of a tool's input, with refs allowed in every place but the whole.
pub fn widened(schema: &Value) -> Value {
    within(schema)
}

/// A ref may stand in every part of the value.
fn within(schema: &Value) -> Value {
    let Value::Object(fields) = schema else { return schema.clone() };
    let mut wide = Map::new();
    for (key, value) in fields {
        let keyword = key.as_str();
        let value = match value {
            Value::Object(inner) if INNER_MAPS.contains(&keyword) => each(inner, or_ref),
            Value::Object(inner) if SAME_MAPS.contains(&keyword) => each(inner, within),
            Value::Array(inner) if INNER_LISTS.contains(&keyword) || keyword == "items" => {
                Value::Array(inner.iter().map(or_ref).collect())
            }
            Value::Array(inner) if SAME_LISTS.contains(&keyword) => {
                Value::Array(inner.iter().map(within).collect())
            }
            Value::Object(_) if INNER.contains(&keyword) => or_ref(value),
            Value::Object(_) if SAME.contains(&keyword) => within(value),
            other => other.clone(),
        };
        wide.insert(key.clone(), value);
    }
    Value::Object(wide)
}

fn each(schemas: &Map<String, Value>, widen: impl Fn(&Value) -> Value) -> Value {
    Value::Object(schemas.iter().map(|(name, schema)| (name.clone(), widen(schema))).collect())
}

/// The value, or a ref in its place.
fn or_ref(schema: &Value) -> Value {
    let wide = within(schema);
    let Value::Object(fields) = &wide else { return wide };
    if takes_any_text(fields) {
        return wide;
    }
    let mut either = Map::new();
    // What people read stays where they look for it.
    for key in ["title", "description", "default", "examples"] {
        if let Some(value) = fields.get(key) {
            either.insert(key.to_owned(), value.clone());
        }
    }
    let a_ref = json!({
        "type": "string", "pattern": REF_PATTERN, "description": "a ref, such as @get_user_1.id",
    });
    either.insert("anyOf".to_owned(), json!([wide, a_ref]));
    Value::Object(either)
}

/// Whether the schema takes every text, so that a ref needs no leave.
fn takes_any_text(schema: &Map<String, Value>) -> bool {
    const ABOUT: &[&str] =
        &["type", "title", "description", "default", "examples", "$comment", "deprecated"];
    let is_plain = schema.keys().all(|key| ABOUT.contains(&key.as_str()));
    let takes_text = match schema.get("type") {
        None => true,
        Some(Value::String(kind)) => kind == "string",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "string"),
        Some(_) => false,
    };
    is_plain && takes_text
}

#[cfg(test)]
mod tests {
    use stepwell_graph::Schema;

    use super::*;

    fn check(schema: &Value, value: &Value) -> bool {
        Schema::compile(&widened(schema)).unwrap().check(value).is_ok()
    }

    #[test]
    fn a_ref_may_stand_wherever_a_value_may() {
        let schema = json!({
            "type": "object",
            "properties": {
                "id": {"type": "integer", "description": "whose"},
                "name": {"type": "string"},
                "mail": {"type": "string", "format": "email"},
                "kind": {"enum": ["a", "b"]},
                "tags": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
                "place": {"$ref": "#/$defs/place"},
                "either": {"oneOf": [
                    {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"], "additionalProperties": false},
                    {"type": "boolean"}
                ]},
            },
            "required": ["id"],
            "additionalProperties": false,
            "$defs": {"place": {"type": "object", "properties": {"lat": {"type": "number"}}}},
        });
        let good = [
            json!({"id": 1}),
            json!({"id": "@get_user_1.id"}),
            json!({"id": 1, "name": "@a", "mail": "@a.mail", "kind": "@a.kind", "tags": "@a.tags"}),
            json!({"id": 1, "tags": [1, "@a.b"], "place": "@a", "either": "@a"}),
            json!({"id": 1, "place": {"lat": "@a.lat"}, "either": {"x": "@a.x"}}),
        ];
        for value in good {
            assert!(check(&schema, &value), "{value}");
        }
        let bad = [
            json!({}),
            json!("@a"),
            json!({"id": "one"}),
            json!({"id": 1, "mail": "nobody"}),
            json!({"id": 1, "kind": "c"}),
            json!({"id": 1, "tags": []}),
            json!({"id": 1, "tags": ["x"]}),
            json!({"id": 1, "more": "@a"}),
            json!({"id": 1, "either": {"x": "y"}}),
        ];
        for value in bad {
            assert!(!check(&schema, &value), "{value}");
        }
    }

    #[test]
    fn texts_and_what_is_said_of_a_field_stay_as_they_are() {
        let schema = json!({"properties": {"a": {"type": "string", "description": "x"}, "b": {"type": "integer", "description": "y"}}});
        let wide = widened(&schema);
        assert_eq!(wide["properties"]["a"], schema["properties"]["a"]);
        assert_eq!(wide["properties"]["b"]["description"], "y");
        assert_eq!(widened(&json!(true)), json!(true));
    }
}
