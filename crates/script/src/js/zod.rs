//! Questions about exported Zod schemas.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::call::{Call, Target};
use super::pool::JsPool;
use super::program::Program;
use crate::{ErrorKind, ScriptError};

/// What a schema says about a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Validated {
    /// The value as the schema made it: with defaults, coerced, transformed. `None` is `undefined`.
    Valid(Option<Value>),
    /// Everything that is wrong with it.
    Invalid(Vec<Issue>),
}

/// One thing that is wrong with a value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Issue {
    /// Keys and indexes from the value's root.
    pub path: Vec<Value>,
    pub message: String,
    /// Zod's word for it: `invalid_type`, `too_small`.
    pub code: String,
}

impl JsPool {
    /// The JSON Schema of the Zod schema that the entry file exports by this name, `None` if there is no
    /// such export. `options` says what limits and grants the call has.
    pub async fn json_schema(
        &self,
        program: &Arc<Program>,
        export: &str,
        options: Call,
    ) -> Result<Option<Value>, ScriptError> {
        let call =
            Call { target: Target::JsonSchema(export.to_owned()), args: Vec::new(), ..options };
        self.call(program, call).await
    }

    /// Applies the Zod schema that the entry file exports by this name.
    pub async fn validate(
        &self,
        program: &Arc<Program>,
        export: &str,
        value: &Value,
        options: Call,
    ) -> Result<Validated, ScriptError> {
        let call =
            Call { target: Target::Validate(export.to_owned()), args: Vec::new(), ..options };
        let result = self.call(program, call.arg(value)?).await?;
        let Some(Value::Object(mut result)) = result else {
            return Err(ScriptError::new(ErrorKind::Unavailable, "Zod gave no result"));
        };
        match result.remove("issues") {
            None => Ok(Validated::Valid(result.remove("value"))),
            Some(issues) => {
                serde_json::from_value(issues).map(Validated::Invalid).map_err(|error| {
                    ScriptError::new(
                        ErrorKind::Unavailable,
                        format!("Zod's issues are odd: {error}"),
                    )
                })
            }
        }
    }
}
