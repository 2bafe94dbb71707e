//! Where in a run's tree an entry stands.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The longest name of an entry, branch, message, label or workflow, in bytes.
pub const NAME_BYTES_MAX: usize = 256;

/// The deepest nesting of entries.
const DEPTH_MAX: usize = 64;

/// An entry's path: the names from the run's root to it, and markers for loop iterations.
///
/// Kept as text, `outer/~0/inner`. Inside a name `~` is written `~t` and `/` is written `~s`, and every
/// marker starts with `~` and neither `t` nor `s`, so that two different paths never have the same text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Location(Arc<str>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocationError {
    /// Give it a name.
    #[error("a name may not be empty")]
    EmptyName,
    /// Use a shorter name; put data into values, not names.
    #[error("the name `{start}…` has {n_bytes} bytes, at most {NAME_BYTES_MAX} are allowed")]
    NameTooLong { start: String, n_bytes: usize },
    /// Start a child run instead of nesting deeper.
    #[error("`{location}` lies {DEPTH_MAX} levels deep, and nothing may lie deeper")]
    TooDeep { location: Location },
}

/// What every name must satisfy: not empty, at most [`NAME_BYTES_MAX`] bytes. Any characters will do.
pub fn check_name(name: &str) -> Result<(), LocationError> {
    if name.is_empty() {
        return Err(LocationError::EmptyName);
    }
    if name.len() > NAME_BYTES_MAX {
        let start = name.chars().take(32).collect();
        return Err(LocationError::NameTooLong { start, n_bytes: name.len() });
    }
    Ok(())
}

impl Location {
    pub fn root() -> Location {
        Location(Arc::from(""))
    }

    /// The entry `name` in this scope.
    pub fn named(&self, name: &str) -> Result<Location, LocationError> {
        check_name(name)?;
        if self.depth() >= DEPTH_MAX {
            return Err(LocationError::TooDeep { location: self.clone() });
        }
        let mut text = self.open_segment(name.len());
        for c in name.chars() {
            match c {
                '~' => text.push_str("~t"),
                '/' => text.push_str("~s"),
                c => text.push(c),
            }
        }
        Ok(Location(Arc::from(text)))
    }

    /// The `n`th iteration of the loop at this location.
    pub fn iteration(&self, n: u64) -> Location {
        self.marked(&format!("~{n}"))
    }

    /// The undo handler of the step at this location.
    pub fn undo(&self) -> Location {
        self.marked("~undo")
    }

    /// The sending half of the question asked at this location.
    pub fn sending(&self) -> Location {
        self.marked("~ask")
    }

    /// The `n`th unnamed fact of this scope.
    pub fn note(&self, n: u64) -> Location {
        self.marked(&format!("~note{n}"))
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The scope that this entry stands in; none for the root.
    pub fn parent(&self) -> Option<Location> {
        if self.is_root() {
            return None;
        }
        Some(match self.0.rfind('/') {
            Some(slash) => Location(Arc::from(&self.0[..slash])),
            None => Location::root(),
        })
    }

    /// The last name as the author wrote it; markers as they are.
    pub fn name(&self) -> String {
        let last = self.last_segment();
        if self.is_marker() {
            return last.to_owned();
        }
        last.replace("~s", "/").replace("~t", "~")
    }

    /// Whether the last segment is an iteration, an undo or another marker rather than a name.
    pub fn is_marker(&self) -> bool {
        let last = self.last_segment();
        last.starts_with('~') && !last.starts_with("~t") && !last.starts_with("~s")
    }

    /// The number, if the last segment is a loop's iteration.
    pub fn iteration_number(&self) -> Option<u64> {
        self.last_segment().strip_prefix('~')?.parse().ok()
    }

    /// Which iteration of the loop at `looped` this stands in, if it does.
    pub fn iteration_in(&self, looped: &Location) -> Option<u64> {
        let below = self.0.strip_prefix(&*looped.0)?.strip_prefix('/')?;
        below.split('/').next()?.strip_prefix('~')?.parse().ok()
    }

    pub fn depth(&self) -> usize {
        if self.is_root() { 0 } else { 1 + self.0.matches('/').count() }
    }

    /// Whether this stands below `other`, at whatever depth.
    pub fn is_below(&self, other: &Location) -> bool {
        other.is_root() && !self.is_root()
            || self.0.strip_prefix(&*other.0).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Text that is a location already, from a journal or a caller.
    pub fn from_text(text: &str) -> Location {
        Location(Arc::from(text))
    }

    /// The half-open range of texts that holds exactly what stands below here, in `str` order.
    /// `0` is the character after `/`.
    pub fn below(&self) -> (Location, Location) {
        (Location(Arc::from(format!("{}/", self.0))), Location(Arc::from(format!("{}0", self.0))))
    }

    fn last_segment(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    fn marked(&self, marker: &str) -> Location {
        let mut text = self.open_segment(marker.len());
        text.push_str(marker);
        Location(Arc::from(text))
    }

    fn open_segment(&self, n_more: usize) -> String {
        let mut text = String::with_capacity(self.0.len() + 1 + n_more);
        text.push_str(&self.0);
        if !self.is_root() {
            text.push('/');
        }
        text
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_root() { f.write_str("(the run itself)") } else { f.write_str(&self.0) }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
