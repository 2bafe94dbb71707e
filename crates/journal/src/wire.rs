//! How journals are written: bytes that later versions must be able to read.
//!
//! A block of events starts with one byte that names the format. Inside, each event is a
//! length-delimited protocol buffer. Tags are never reused; a kind that goes away stays reserved in
//! [`v1`]. A reader that meets a kind it does not know says so instead of skipping it.

mod v1;

use crate::{Event, Seq};

/// The format that this version writes.
pub const FORMAT: u8 = 1;

/// The largest event that may be written or read. Values are bounded far below this.
pub const EVENT_BYTES_MAX: usize = 64 * 1024 * 1024;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// A newer Stepwell wrote this; use that version or a later one.
    #[error("the journal has format {found}, this version reads up to {FORMAT}")]
    NewerFormat { found: u8 },
    /// A newer Stepwell wrote this; use that version or a later one.
    #[error("event {seq} is of a kind that this version does not know")]
    UnknownKind { seq: Seq },
    /// The bytes are damaged: restore a backup.
    #[error("event number {n} of the block is damaged")]
    Damaged {
        n: usize,
        #[source]
        source: prost::DecodeError,
    },
    /// The bytes are damaged: restore a backup.
    #[error("event {seq} is damaged: {problem}")]
    Invalid { seq: Seq, problem: &'static str },
    /// The bytes are damaged: restore a backup.
    #[error("the block is cut off or empty")]
    CutOff,
}

/// Appends a block that holds these events.
pub fn encode(events: &[Event], into: &mut Vec<u8>) {
    into.push(FORMAT);
    for event in events {
        v1::encode(event, into);
    }
}

/// Reads a block that [`encode`] wrote.
pub fn decode(block: &[u8]) -> Result<Vec<Event>, DecodeError> {
    let mut events = Vec::new();
    decode_into(block, &mut events)?;
    Ok(events)
}

/// Reads a block and appends its events to those read before.
pub fn decode_into(block: &[u8], events: &mut Vec<Event>) -> Result<(), DecodeError> {
    match block.split_first() {
        None => Err(DecodeError::CutOff),
        Some((1, mut rest)) => {
            let mut n = 0;
            while !rest.is_empty() {
                events.push(v1::decode(&mut rest, n)?);
                n += 1;
            }
            Ok(())
        }
        Some((0, _)) => Err(DecodeError::CutOff),
        Some((found, _)) => Err(DecodeError::NewerFormat { found: *found }),
    }
}
