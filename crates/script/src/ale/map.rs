//! Maps and sets: trees ordered by key that share what an update leaves alone.
//!
//! Weight-balanced, as in Adams' "Efficient sets: a balancing act": no side of a node is more than
//! `DELTA` times as heavy as the other. The order makes iteration and printing the same everywhere.

use std::cmp::Ordering;

use super::heap::Heap;
use super::order::{check_key, compare, sort_by_key};
use super::value::{Fail, Node, Object, Ref, Value};

const DELTA: u32 = 3;
const GAMMA: u32 = 2;

type Result<T> = std::result::Result<T, Fail>;
type Tree = Option<Ref>;

impl Heap<'_> {
    pub(super) fn tree_len(&self, tree: Tree) -> u32 {
        tree.and_then(|at| self.tree_node(at)).map_or(0, |node| node.size)
    }

    fn tree_node(&self, at: Ref) -> Option<Node> {
        match self.get(at) {
            Object::Node(node) => Some(**node),
            _ => None,
        }
    }

    pub(super) fn tree_get(&mut self, mut tree: Tree, key: Value) -> Result<Option<Value>> {
        while let Some(node) = tree.and_then(|at| self.tree_node(at)) {
            tree = match compare(self, key, node.key)? {
                Ordering::Less => node.left,
                Ordering::Greater => node.right,
                Ordering::Equal => return Ok(Some(node.value)),
            };
        }
        Ok(None)
    }

    /// A tree of many entries at once, without the ones in between. Of entries with one key the last counts.
    pub(super) fn tree_of(&mut self, entries: Vec<(Value, Value)>) -> Result<Tree> {
        for (key, _) in &entries {
            check_key(self, *key)?;
        }
        let sorted = sort_by_key(self, entries, |(key, _)| *key)?;
        let mut kept: Vec<(Value, Value)> = Vec::with_capacity(sorted.len());
        for entry in sorted {
            match kept.last_mut() {
                Some(last) if compare(self, last.0, entry.0)? == Ordering::Equal => {
                    last.1 = entry.1
                }
                _ => kept.push(entry),
            }
        }
        self.tree_of_sorted(&kept)
    }

    fn tree_of_sorted(&mut self, entries: &[(Value, Value)]) -> Result<Tree> {
        let (left, rest) = entries.split_at(entries.len() / 2);
        let Some(((key, value), right)) = rest.split_first() else { return Ok(None) };
        let left = self.tree_of_sorted(left)?;
        let right = self.tree_of_sorted(right)?;
        self.join(*key, *value, left, right)
    }

    pub(super) fn tree_put(&mut self, tree: Tree, key: Value, value: Value) -> Result<Tree> {
        let Some(node) = tree.and_then(|at| self.tree_node(at)) else {
            check_key(self, key)?;
            return self.join(key, value, None, None);
        };
        match compare(self, key, node.key)? {
            Ordering::Less => {
                let left = self.tree_put(node.left, key, value)?;
                self.balance(node.key, node.value, left, node.right)
            }
            Ordering::Greater => {
                let right = self.tree_put(node.right, key, value)?;
                self.balance(node.key, node.value, node.left, right)
            }
            Ordering::Equal => self.join(node.key, value, node.left, node.right),
        }
    }

    pub(super) fn tree_remove(&mut self, tree: Tree, key: Value) -> Result<Tree> {
        let Some(node) = tree.and_then(|at| self.tree_node(at)) else { return Ok(None) };
        match compare(self, key, node.key)? {
            Ordering::Less => {
                let left = self.tree_remove(node.left, key)?;
                self.balance(node.key, node.value, left, node.right)
            }
            Ordering::Greater => {
                let right = self.tree_remove(node.right, key)?;
                self.balance(node.key, node.value, node.left, right)
            }
            Ordering::Equal => match self.tree_first(node.right) {
                None => Ok(node.left),
                Some((key, value)) => {
                    let right = self.tree_without_first(node.right)?;
                    self.balance(key, value, node.left, right)
                }
            },
        }
    }

    /// The entry with the least key.
    pub(super) fn tree_first(&self, mut tree: Tree) -> Option<(Value, Value)> {
        let mut first = None;
        while let Some(node) = tree.and_then(|at| self.tree_node(at)) {
            first = Some((node.key, node.value));
            tree = node.left;
        }
        first
    }

    pub(super) fn tree_without_first(&mut self, tree: Tree) -> Result<Tree> {
        let Some(node) = tree.and_then(|at| self.tree_node(at)) else { return Ok(None) };
        if node.left.is_none() {
            return Ok(node.right);
        }
        let left = self.tree_without_first(node.left)?;
        self.balance(node.key, node.value, left, node.right)
    }

    /// All entries, by key.
    pub(super) fn tree_entries(&self, tree: Tree) -> Vec<(Value, Value)> {
        let mut entries = Vec::with_capacity(self.tree_len(tree) as usize);
        let mut above: Vec<Node> = Vec::new();
        let mut next = tree;
        loop {
            while let Some(node) = next.and_then(|at| self.tree_node(at)) {
                above.push(node);
                next = node.left;
            }
            let Some(node) = above.pop() else { return entries };
            entries.push((node.key, node.value));
            next = node.right;
        }
    }

    fn join(&mut self, key: Value, value: Value, left: Tree, right: Tree) -> Result<Tree> {
        let size = self.tree_len(left) + self.tree_len(right) + 1;
        self.node(Node { key, value, left, right, size }).map(Some)
    }

    fn balance(&mut self, key: Value, value: Value, left: Tree, right: Tree) -> Result<Tree> {
        let (n_left, n_right) = (self.tree_len(left), self.tree_len(right));
        if n_left + n_right < 2 {
            return self.join(key, value, left, right);
        }
        if n_right > DELTA * n_left
            && let Some(heavy) = right.and_then(|at| self.tree_node(at))
        {
            return self.rotate_left(key, value, left, heavy);
        }
        if n_left > DELTA * n_right
            && let Some(heavy) = left.and_then(|at| self.tree_node(at))
        {
            return self.rotate_right(key, value, heavy, right);
        }
        self.join(key, value, left, right)
    }

    fn rotate_left(&mut self, key: Value, value: Value, left: Tree, heavy: Node) -> Result<Tree> {
        if self.tree_len(heavy.left) >= GAMMA * self.tree_len(heavy.right)
            && let Some(inner) = heavy.left.and_then(|at| self.tree_node(at))
        {
            let left = self.join(key, value, left, inner.left)?;
            let right = self.join(heavy.key, heavy.value, inner.right, heavy.right)?;
            return self.join(inner.key, inner.value, left, right);
        }
        let left = self.join(key, value, left, heavy.left)?;
        self.join(heavy.key, heavy.value, left, heavy.right)
    }

    fn rotate_right(&mut self, key: Value, value: Value, heavy: Node, right: Tree) -> Result<Tree> {
        if self.tree_len(heavy.right) >= GAMMA * self.tree_len(heavy.left)
            && let Some(inner) = heavy.right.and_then(|at| self.tree_node(at))
        {
            let right = self.join(key, value, inner.right, right)?;
            let left = self.join(heavy.key, heavy.value, heavy.left, inner.left)?;
            return self.join(inner.key, inner.value, left, right);
        }
        let right = self.join(key, value, heavy.right, right)?;
        self.join(heavy.key, heavy.value, heavy.left, right)
    }
}

/// The key under which a value is kept in a map: JSON knows only texts as keys, so that a keyword and
/// the text of its name are one key.
pub(super) fn map_key(heap: &mut Heap<'_>, key: Value) -> Result<Value> {
    match heap.object(key) {
        Some(Object::Text(text)) => {
            let text = text.clone();
            heap.name(text.as_str()).map(Value::Keyword)
        }
        _ => Ok(key),
    }
}
