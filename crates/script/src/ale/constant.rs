//! Constants of a program as values of a call.

use super::code::{Const, Data};
use super::heap::Heap;
use super::machine::Machine;
use super::native;
use super::value::{Fail, Value};

impl Machine<'_> {
    /// Made when it is first needed.
    pub(super) fn constant(&mut self, id: u32) -> Result<Value, Fail> {
        if let Some(value) = self.consts[id as usize] {
            return Ok(value);
        }
        let constant = self.code.constant(id);
        let value = match constant {
            Const::Value(value) => return Ok(*value),
            Const::Text(text) => self.with_room(|heap, _| heap.text(text.clone()))?,
            Const::Number(number) => self.with_room(|heap, _| heap.number(number.clone()))?,
            Const::Data(data) => self.with_room(|heap, _| instantiate(heap, data))?,
        };
        self.consts[id as usize] = Some(value);
        Ok(value)
    }
}

/// Makes quoted data. Nests no deeper than what the reader accepts.
fn instantiate(heap: &mut Heap<'_>, data: &Data) -> Result<Value, Fail> {
    let all = |heap: &mut Heap<'_>, items: &[Data]| {
        items.iter().map(|item| instantiate(heap, item)).collect::<Result<Vec<_>, Fail>>()
    };
    match data {
        Data::Value(value) => Ok(*value),
        Data::Text(text) => heap.text(text.clone()),
        Data::Number(number) => heap.number(number.clone()),
        Data::List(items) => {
            let items = all(heap, items)?;
            heap.list(&items)
        }
        Data::Dotted(items, last) => {
            let items = all(heap, items)?;
            let last = instantiate(heap, last)?;
            items.into_iter().rev().try_fold(last, |rest, item| heap.pair(item, rest))
        }
        Data::Vector(items) => {
            let items = all(heap, items)?;
            heap.vector(items)
        }
        Data::Set(items) => {
            let items = all(heap, items)?;
            native::set_of(heap, &items)
        }
        Data::Map(entries) => {
            let mut items = Vec::with_capacity(entries.len() * 2);
            for (key, value) in entries {
                items.push(instantiate(heap, key)?);
                items.push(instantiate(heap, value)?);
            }
            native::map_of(heap, &items)
        }
    }
}
