//! A queue in which keys take turns: the next item is the oldest of the key that was served least
//! recently. One key with ten thousand items delays another key's single item by one.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;

pub(super) struct FairQueue<K, T> {
    by_key: HashMap<K, VecDeque<T>>,
    /// Keys with items, in the order in which they are served.
    turns: VecDeque<K>,
    n_items: usize,
}

impl<K: Eq + Hash + Clone, T> FairQueue<K, T> {
    pub(super) fn new() -> Self {
        FairQueue { by_key: HashMap::new(), turns: VecDeque::new(), n_items: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.n_items
    }

    pub(super) fn push(&mut self, key: K, item: T) {
        let items = self.by_key.entry(key.clone()).or_default();
        if items.is_empty() {
            self.turns.push_back(key);
        }
        items.push_back(item);
        self.n_items += 1;
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        let key = self.turns.pop_front()?;
        let items = self.by_key.get_mut(&key)?;
        let item = items.pop_front();
        if items.is_empty() {
            self.by_key.remove(&key);
        } else {
            self.turns.push_back(key);
        }
        self.n_items -= 1;
        item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_take_turns_and_items_of_a_key_keep_their_order() {
        let mut queue = FairQueue::new();
        for n in 0..4 {
            queue.push("many", n);
        }
        queue.push("one", 10);
        queue.push("two", 20);
        queue.push("two", 21);
        assert_eq!(queue.len(), 7);
        let order: Vec<i32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(order, [0, 10, 20, 1, 21, 2, 3]);
        assert_eq!((queue.len(), queue.pop()), (0, None));
        assert!(queue.by_key.is_empty());
    }
}
