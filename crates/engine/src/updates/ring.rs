//! The latest updates, in the order of their publication.

use std::collections::VecDeque;
use std::sync::Arc;

use super::Update;

/// Holds at most `kept` updates, or one commit's if that has more.
pub(super) struct Ring {
    /// What was published together stays together: readers take it out of the lock as a whole.
    chunks: VecDeque<Arc<[Update]>>,
    n_updates: usize,
    kept: usize,
    next: u64,
    closed: bool,
}

/// What a reader finds.
pub(super) enum Found {
    /// The next update is the one at this place.
    Chunk(Arc<[Update]>, usize),
    /// The next update that is still there has this position.
    Gone(u64),
    /// There is none yet.
    Nothing,
    Closed,
}

impl Ring {
    pub fn new(kept: usize) -> Ring {
        Ring { chunks: VecDeque::new(), n_updates: 0, kept: kept.max(1), next: 0, closed: false }
    }

    /// Gives the updates their positions, and gives back what has no place any more.
    pub fn push(&mut self, mut updates: Arc<[Update]>) -> Vec<Arc<[Update]>> {
        if self.closed {
            return Vec::new();
        }
        for update in Arc::get_mut(&mut updates).into_iter().flatten() {
            update.position = self.next;
            self.next += 1;
        }
        self.n_updates += updates.len();
        self.chunks.push_back(updates);
        let mut gone = Vec::new();
        while self.n_updates > self.kept
            && self.chunks.len() > 1
            && let Some(first) = self.chunks.pop_front()
        {
            self.n_updates -= first.len();
            gone.push(first);
        }
        gone
    }

    /// The update at this position.
    pub fn find(&self, position: u64) -> Found {
        if position >= self.next {
            return if self.closed { Found::Closed } else { Found::Nothing };
        }
        let oldest = self.oldest();
        if position < oldest {
            return Found::Gone(oldest);
        }
        let place = self.chunks.partition_point(|chunk| first_of(chunk) <= position);
        match place.checked_sub(1).and_then(|place| self.chunks.get(place)) {
            Some(chunk) => {
                let place = usize::try_from(position - first_of(chunk)).unwrap_or(usize::MAX);
                Found::Chunk(Arc::clone(chunk), place)
            }
            None => Found::Gone(self.next),
        }
    }

    /// The position of the first update that is still there, or of the next that will be.
    pub fn oldest(&self) -> u64 {
        self.chunks.front().map_or(self.next, |chunk| first_of(chunk))
    }

    pub fn next_position(&self) -> u64 {
        self.next
    }

    pub fn close(&mut self) {
        self.closed = true;
    }
}

fn first_of(chunk: &[Update]) -> u64 {
    chunk.first().map_or(0, |update| update.position)
}
