//! Following the news.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use stepwell_journal::Epoch;

use super::ring::Found;
use super::{Update, UpdateHub};

/// A place in the news of one life of the engine: after the update of this number, or before all if there
/// is none. What a reader keeps to go on from where it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Every engine that is opened on a store has another one.
    pub life: Epoch,
    /// The position of the last update that was read.
    pub last: Option<u64>,
}

/// Give a position as the engine gave it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no position among the updates: those look like 7-1234")]
pub struct PositionError {
    text: String,
}

/// As text that an event stream can carry: `7-1234`, or `7-` before the first update.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-", self.life.0)?;
        match self.last {
            Some(last) => write!(f, "{last}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Position {
    type Err = PositionError;

    fn from_str(text: &str) -> Result<Position, PositionError> {
        let read = || {
            let (life, last) = text.split_once('-')?;
            let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            if !is_plain(life) || !is_plain(last) {
                return None;
            }
            let life = Epoch(life.parse().ok()?);
            let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
            Some(Position { life, last })
        };
        read().ok_or_else(|| PositionError { text: text.chars().take(64).collect() })
    }
}

/// Why there is no next update.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdatesError {
    /// The reader was too slow, or the engine was opened again since. Look at the runs themselves, and
    /// read on: the next call gives the oldest update that is still there.
    #[error("{} updates were missed", .n_missed.map_or_else(|| "some".to_owned(), |n| n.to_string()))]
    Missed {
        /// None if nobody can know.
        n_missed: Option<u64>,
    },
    #[error("the engine was shut down")]
    Closed,
}

/// A reader of the news. Costs the engine nothing while it does not read.
pub struct Updates {
    hub: Arc<UpdateHub>,
    next: u64,
    /// What was taken out of the ring together with the last update, and where the next one is in it.
    chunk: Option<(Arc<[Update]>, usize)>,
}

impl UpdateHub {
    /// The place after the latest update.
    pub fn position(&self) -> Position {
        let last = self.ring.lock().next_position().checked_sub(1);
        Position { life: self.life, last }
    }

    pub fn subscribe(self: &Arc<Self>) -> Updates {
        let next = self.ring.lock().next_position();
        Updates { hub: Arc::clone(self), next, chunk: None }
    }

    pub fn read_from(self: &Arc<Self>, position: Position) -> Result<Updates, UpdatesError> {
        let (oldest, end) = {
            let ring = self.ring.lock();
            (ring.oldest(), ring.next_position())
        };
        let next = position.last.map_or(0, |last| last.saturating_add(1));
        if position.life != self.life || next > end {
            return Err(UpdatesError::Missed { n_missed: None });
        }
        if next < oldest {
            return Err(UpdatesError::Missed { n_missed: Some(oldest - next) });
        }
        Ok(Updates { hub: Arc::clone(self), next, chunk: None })
    }
}

impl Updates {
    /// The next update; waits for it if need be. May be dropped while it waits: nothing is lost.
    pub async fn next(&mut self) -> Result<Update, UpdatesError> {
        self.wait().await?;
        self.take().ok_or(UpdatesError::Closed)
    }

    /// Up to `max` updates, and at least one: waits until there is one, and takes what is there by then.
    pub async fn next_batch(&mut self, max: usize) -> Result<Vec<Update>, UpdatesError> {
        self.wait().await?;
        let mut batch = Vec::new();
        while batch.len() < max.max(1) {
            if self.chunk.is_none() && !matches!(self.look(), Ok(true)) {
                break;
            }
            batch.extend(self.take());
        }
        Ok(batch)
    }

    /// Where this reader is: what to give to [`Engine::updates_from`](crate::Engine::updates_from) to go
    /// on from here.
    pub fn position(&self) -> Position {
        Position { life: self.hub.life, last: self.next.checked_sub(1) }
    }

    /// Until there is an update to take.
    async fn wait(&mut self) -> Result<(), UpdatesError> {
        if self.chunk.is_some() {
            return Ok(());
        }
        let hub = Arc::clone(&self.hub);
        let mut has_waited = false;
        let looked = loop {
            let news = hub.news.notified();
            tokio::pin!(news);
            // Listen first, look then: nothing falls in between.
            news.as_mut().enable();
            let looked = self.look();
            if looked != Ok(false) {
                break looked;
            }
            news.await;
            has_waited = true;
        };
        if has_waited {
            // Whoever has waited as long as we have has news, too.
            hub.news.notify_one();
        }
        if let Err(UpdatesError::Missed { n_missed: Some(n_missed) }) = looked {
            self.next += n_missed;
        }
        looked.map(|_| ())
    }

    /// Takes what is next out of the ring. False if there is nothing yet.
    fn look(&mut self) -> Result<bool, UpdatesError> {
        match self.hub.ring.lock().find(self.next) {
            Found::Chunk(updates, place) => {
                self.chunk = Some((updates, place));
                Ok(true)
            }
            Found::Gone(oldest) => Err(UpdatesError::Missed { n_missed: Some(oldest - self.next) }),
            Found::Nothing => Ok(false),
            Found::Closed => Err(UpdatesError::Closed),
        }
    }

    fn take(&mut self) -> Option<Update> {
        let (updates, place) = self.chunk.as_mut()?;
        let update = updates.get(*place).cloned();
        *place += 1;
        if *place >= updates.len() {
            self.chunk = None;
        }
        self.next += 1;
        update
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_reads_as_it_was_written() {
        for last in [None, Some(0), Some(1_234)] {
            let position = Position { life: Epoch(7), last };
            assert_eq!(position.to_string().parse(), Ok(position));
        }
        for text in ["", "7", "-", "-3", "7-x", "7--1", "7-1-2", "+7-1", "99999999999999999999-1"] {
            assert!(text.parse::<Position>().is_err(), "{text}");
        }
    }
}
