//! What the nodes of a simulation hear of each other: late, twice, or not at all.
//!
//! A node whose ear is closed hears nothing of what is said meanwhile. When it opens again, it is told that it may
//! have missed something, as a connection that was made again is.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepwell_journal::UnixMillis;
use stepwell_store::Called;
use tokio::sync::Notify;

#[derive(Default)]
pub struct Calls {
    ears: BTreeMap<u32, Ear>,
    n_said: u64,
}

#[derive(Default)]
struct Ear {
    /// What is on its way, by when it arrives.
    coming: BTreeMap<(UnixMillis, u64), Called>,
    deaf_until: Option<UnixMillis>,
    news: Arc<Notify>,
}

/// When there is something to hear.
pub enum Hearing {
    Now(Vec<Called>),
    At(UnixMillis),
    Nothing,
}

impl Calls {
    /// The node listens from now on. What was said before, it has not heard.
    pub fn open(&mut self, node: u32, now: UnixMillis) {
        self.ears.insert(node, Ear::default());
        self.arrive(node, Called::Missed, now);
    }

    pub fn close(&mut self, node: u32) {
        self.ears.remove(&node);
    }

    pub fn listeners(&self) -> Vec<u32> {
        self.ears.keys().copied().collect()
    }

    /// The node hears nothing until then.
    pub fn deafen(&mut self, node: u32, until: UnixMillis) {
        if let Some(ear) = self.ears.get_mut(&node)
            && ear.deaf_until.is_none_or(|before| before < until)
        {
            ear.deaf_until = Some(until);
            self.arrive(node, Called::Missed, until);
        }
    }

    pub fn is_deaf(&self, node: u32, now: UnixMillis) -> bool {
        let ear = self.ears.get(&node);
        ear.and_then(|ear| ear.deaf_until).is_some_and(|until| until > now)
    }

    /// The node will hear this at that time.
    pub fn arrive(&mut self, node: u32, called: Called, at: UnixMillis) {
        let Some(ear) = self.ears.get_mut(&node) else { return };
        self.n_said += 1;
        ear.coming.insert((at, self.n_said), called);
        ear.news.notify_one();
    }

    pub fn hear(&mut self, node: u32, now: UnixMillis) -> Hearing {
        let Some(ear) = self.ears.get_mut(&node) else { return Hearing::Nothing };
        let later = ear.coming.split_off(&(now.plus_ms(1), 0));
        let due = std::mem::replace(&mut ear.coming, later);
        if !due.is_empty() {
            return Hearing::Now(due.into_values().collect());
        }
        match ear.coming.keys().next() {
            Some((at, _)) => Hearing::At(*at),
            None => Hearing::Nothing,
        }
    }

    /// Rings when something was said to the node.
    pub fn news(&self, node: u32) -> Option<Arc<Notify>> {
        self.ears.get(&node).map(|ear| Arc::clone(&ear.news))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(calls: &mut Calls, now: u64) -> Vec<Called> {
        match calls.hear(1, UnixMillis(now)) {
            Hearing::Now(heard) => heard,
            Hearing::At(_) | Hearing::Nothing => Vec::new(),
        }
    }

    #[test]
    fn calls_are_heard_when_they_arrive_and_whoever_was_deaf_is_told() {
        let mut calls = Calls::default();
        calls.open(1, UnixMillis(0));
        assert_eq!(heard(&mut calls, 0), [Called::Missed]);
        calls.arrive(1, Called::Shards, UnixMillis(7));
        assert!(matches!(calls.hear(1, UnixMillis(6)), Hearing::At(UnixMillis(7))));
        assert_eq!(heard(&mut calls, 7), [Called::Shards]);
        calls.deafen(1, UnixMillis(20));
        assert!(calls.is_deaf(1, UnixMillis(19)) && !calls.is_deaf(1, UnixMillis(20)));
        assert_eq!(heard(&mut calls, 20), [Called::Missed]);
    }
}
