//! JSON to Lua and back.
//!
//! Both recurse, because both refuse what is nested deeper than [`JSON_DEPTH_MAX`].

use std::ffi::c_void;

use mlua::{Table, Value};
use serde_json::{Map, Number, Value as Json};

use super::states::State;
use crate::outputs::{Expected, JSON_DEPTH_MAX, Path};
use crate::{ErrorKind, ScriptError};

/// Beyond this a float does not know its neighbours: what is larger stays a float in JSON.
const WHOLE_MAX: u64 = 1 << 53;

/// Arrays become tables that are marked as arrays, null in a table becomes `null`.
pub(super) struct Incoming<'s> {
    state: &'s State,
    depth: usize,
}

impl<'s> Incoming<'s> {
    pub(super) fn new(state: &'s State) -> Incoming<'s> {
        Incoming { state, depth: 0 }
    }

    pub(super) fn value(&mut self, json: &Json) -> mlua::Result<Value> {
        let lua = self.state.lua();
        Ok(match json {
            Json::Null => Value::NULL,
            Json::Bool(value) => Value::Boolean(*value),
            Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
            Json::String(text) => Value::String(lua.create_string(text)?),
            Json::Array(items) => {
                self.enter()?;
                let table = lua.create_table_with_capacity(items.len(), 0)?;
                for (index, item) in (1..).zip(items) {
                    table.raw_seti(index, self.value(item)?)?;
                }
                table.set_metatable(Some(self.state.array_mark().clone()))?;
                self.depth -= 1;
                Value::Table(table)
            }
            Json::Object(entries) => {
                self.enter()?;
                let table = lua.create_table_with_capacity(0, entries.len())?;
                for (key, value) in entries {
                    table.raw_set(key.as_str(), self.value(value)?)?;
                }
                self.depth -= 1;
                Value::Table(table)
            }
        })
    }

    fn enter(&mut self) -> mlua::Result<()> {
        self.depth += 1;
        if self.depth > JSON_DEPTH_MAX {
            let message = format!("an argument is nested more than {JSON_DEPTH_MAX} levels deep");
            return Err(mlua::Error::external(ScriptError::new(ErrorKind::NotJson, message)));
        }
        Ok(())
    }
}

/// A result on its way to JSON.
pub(super) struct Outgoing<'s> {
    array_mark: &'s Table,
    expected: &'s Expected,
    path: Path,
    /// The tables around the one at hand.
    around: Vec<*const c_void>,
    bytes: usize,
    bytes_max: usize,
}

type Result<T> = std::result::Result<T, ScriptError>;

impl<'s> Outgoing<'s> {
    pub(super) fn new(
        array_mark: &'s Table,
        expected: &'s Expected,
        bytes_max: usize,
    ) -> Outgoing<'s> {
        Outgoing {
            array_mark,
            expected,
            path: Path::default(),
            around: Vec::new(),
            bytes: 0,
            bytes_max,
        }
    }

    pub(super) fn value(&mut self, value: &Value) -> Result<Json> {
        self.count(1)?;
        match value {
            Value::Nil => Ok(Json::Null),
            value if value.is_null() => Ok(Json::Null),
            Value::Boolean(value) => Ok(Json::Bool(*value)),
            Value::Integer(value) if value.unsigned_abs() <= WHOLE_MAX => Ok((*value).into()),
            Value::Integer(value) => self.float(*value as f64),
            Value::Number(value) => self.float(*value),
            Value::String(text) => match text.to_str() {
                Ok(text) => self.text(&text).map(Json::String),
                Err(_) => Err(self.not_json("a text that is not UTF-8")),
            },
            Value::Table(table) => self.table(table),
            other => Err(self.not_json(&format!("a {}", other.type_name()))),
        }
    }

    fn table(&mut self, table: &Table) -> Result<Json> {
        let pointer = table.to_pointer();
        if self.around.contains(&pointer) {
            return Err(self.not_json("a table that contains itself"));
        }
        if self.around.len() >= JSON_DEPTH_MAX {
            let message = format!("the result is nested more than {JSON_DEPTH_MAX} levels deep");
            return Err(ScriptError::new(ErrorKind::NotJson, message));
        }
        self.around.push(pointer);
        let len = table.raw_len();
        let marked = table.metatable().is_some_and(|metatable| &metatable == self.array_mark);
        let json = if marked || len > 0 {
            self.array(table, len)
        } else if table.is_empty() && self.expected.array_at(&self.path) {
            Ok(Json::Array(Vec::new()))
        } else {
            self.object(table)
        };
        self.around.pop();
        json
    }

    fn array(&mut self, table: &Table, len: usize) -> Result<Json> {
        let mut n_entries = 0;
        let counted = table.for_each(|_: Value, _: Value| {
            n_entries += 1;
            Ok(())
        });
        if counted.is_err() || n_entries != len {
            return Err(self.not_json(
                "a table with both positions and names, or with holes (fill them with `null`)",
            ));
        }
        let mut array = Vec::with_capacity(len.min(1024));
        for index in 1..=len {
            let item: Value = table.raw_get(index).map_err(|error| self.lost(&error))?;
            self.path.push_index(index - 1);
            array.push(self.value(&item)?);
            self.path.pop();
        }
        Ok(Json::Array(array))
    }

    fn object(&mut self, table: &Table) -> Result<Json> {
        let mut object = Map::new();
        let mut failure = None;
        let walked = table.for_each(|key: Value, value: Value| {
            self.member(&key, &value, &mut object).map_err(|error| {
                failure = Some(error);
                mlua::Error::runtime("not JSON")
            })
        });
        match (failure, walked) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(self.lost(&error)),
            (None, Ok(())) => Ok(Json::Object(object)),
        }
    }

    fn member(&mut self, key: &Value, value: &Value, object: &mut Map<String, Json>) -> Result<()> {
        let Value::String(name) = key else {
            return Err(self.not_json("a table with a key that is neither a text nor a position"));
        };
        let Ok(name) = name.to_str() else { return Err(self.not_json("a key that is not UTF-8")) };
        let name = self.text(&name)?;
        self.path.push_key(&name);
        let value = self.value(value)?;
        self.path.pop();
        object.insert(name, value);
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<String> {
        self.count(text.len())?;
        Ok(text.to_owned())
    }

    /// Whole numbers are integers as long as all their neighbours are numbers too.
    fn float(&mut self, value: f64) -> Result<Json> {
        if value.fract() == 0.0 && value.abs() <= WHOLE_MAX as f64 {
            return Ok((value as i64).into());
        }
        match Number::from_f64(value) {
            Some(number) => Ok(Json::Number(number)),
            None => Err(self.not_json("an infinite number, or one that is none")),
        }
    }

    fn count(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.bytes_max {
            let message = format!("the result is longer than {} bytes", self.bytes_max);
            return Err(ScriptError::new(ErrorKind::OutputTooLarge, message));
        }
        Ok(())
    }

    fn not_json(&self, what: &str) -> ScriptError {
        ScriptError::new(ErrorKind::NotJson, format!("the result has {what} at {}", self.path))
    }

    fn lost(&self, error: &mlua::Error) -> ScriptError {
        ScriptError::new(
            ErrorKind::NotJson,
            format!("the table at {} cannot be read: {error}", self.path),
        )
    }
}
