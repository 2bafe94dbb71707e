//! Engines that wait for their next call.

use std::collections::VecDeque;

use super::realm::{Realm, RealmKey};

/// The engines, the one that was used last at the end.
pub(super) struct IdleRealms {
    realms: VecDeque<Realm>,
    n_max: usize,
}

impl IdleRealms {
    pub(super) fn new(n_max: usize) -> IdleRealms {
        IdleRealms { realms: VecDeque::new(), n_max }
    }

    /// An engine that has the program loaded. If there is none, and no more can be kept anyway, the one
    /// that was idle longest, to be loaded anew.
    pub(super) fn take(&mut self, key: RealmKey, memory_bytes: usize) -> Option<Realm> {
        let is_large_enough = |realm: &Realm| realm.memory_bytes_max() >= memory_bytes;
        let fits = |realm: &Realm| realm.key() == Some(key) && is_large_enough(realm);
        if let Some(index) = self.realms.iter().rposition(fits) {
            return self.realms.remove(index);
        }
        if self.realms.len() < self.n_max {
            return None;
        }
        let index = self.realms.iter().position(is_large_enough)?;
        self.realms.remove(index)
    }

    /// Returns the engine that has to go in exchange, if any.
    pub(super) fn keep(&mut self, realm: Realm) -> Option<Realm> {
        self.realms.push_back(realm);
        if self.realms.len() > self.n_max { self.realms.pop_front() } else { None }
    }
}
