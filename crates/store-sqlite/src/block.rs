//! How commits lie in the rows of the log.
//!
//! A row of `log` is a segment: blocks one after the other. A block is what one commit adds to one
//! journal: a header, then the events as `stepwell_journal::wire` writes them.

use std::sync::Arc;

use stepwell_journal::{RunId, Seq, UnixMillis};
use uuid::Uuid;

use crate::fault::{Fault, Outcome};

/// Where a row is full. Small enough that one commit does not wait for another's megabytes, large
/// enough that the cost of a row is shared by many.
pub(crate) const SEGMENT_BYTES: usize = 16 * 1024;

const REPLACES: u8 = 1;

/// A row of the log as it is in memory.
#[derive(Debug)]
pub(crate) struct Segment {
    pub log_id: i64,
    pub bytes: Vec<u8>,
}

/// What a block says beside its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Header {
    pub run: RunId,
    /// The block is the run's whole journal: what came before is gone.
    pub replaces: bool,
    /// The first event in the block, or where one would be.
    pub first_seq: Seq,
    /// Where the journal goes on.
    pub next_seq: Seq,
    /// When the commit's last event happened.
    pub at: UnixMillis,
}

/// The events of a block, in their segment.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub segment: Arc<Segment>,
    pub start: u32,
    pub end: u32,
    pub first_seq: Seq,
}

impl Block {
    pub fn events(&self) -> &[u8] {
        &self.segment.bytes[self.start as usize..self.end as usize]
    }
}

impl Header {
    /// Appends a block and says where in `into` its events lie.
    pub fn write(&self, events: &[u8], into: &mut Vec<u8>) -> (u32, u32) {
        into.push(if self.replaces { REPLACES } else { 0 });
        into.extend_from_slice(self.run.0.as_bytes());
        for number in [self.first_seq.0, self.next_seq.0, self.at.0, events.len() as u64] {
            write_number(number, into);
        }
        let start = into.len() as u32;
        into.extend_from_slice(events);
        (start, into.len() as u32)
    }
}

/// The blocks of a segment, each with the place of its events.
pub(crate) fn read_blocks(bytes: &[u8]) -> Outcome<Vec<(Header, u32, u32)>> {
    let cut_off = || Fault::Damaged("a row of the log is cut off".to_owned());
    let mut blocks = Vec::new();
    let mut rest = bytes;
    while let Some((flags, after)) = rest.split_first() {
        if *flags > REPLACES {
            return Err(Fault::Damaged("a row of the log has unknown flags".to_owned()));
        }
        let (id, mut after) = after.split_first_chunk::<16>().ok_or_else(cut_off)?;
        let mut number = || read_number(&mut after).ok_or_else(cut_off);
        let (first_seq, next_seq, at, len) = (number()?, number()?, number()?, number()?);
        let len = usize::try_from(len).ok().filter(|len| *len <= after.len());
        let len = len.ok_or_else(cut_off)?;
        let start = bytes.len() - after.len();
        blocks.push((
            Header {
                run: RunId(Uuid::from_bytes(*id)),
                replaces: *flags == REPLACES,
                first_seq: Seq(first_seq),
                next_seq: Seq(next_seq),
                at: UnixMillis(at),
            },
            start as u32,
            (start + len) as u32,
        ));
        rest = &after[len..];
    }
    Ok(blocks)
}

fn write_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

fn read_number(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(n: u64) -> Header {
        Header {
            run: RunId(Uuid::from_u128(u128::from(n))),
            replaces: n % 2 == 1,
            first_seq: Seq(n),
            next_seq: Seq(n + 1),
            at: UnixMillis(u64::MAX - n),
        }
    }

    #[test]
    fn blocks_come_back_as_they_were_written() {
        let mut bytes = Vec::new();
        let mut written = Vec::new();
        for n in [0, 1, 127, 128, 1 << 40] {
            let (start, end) = header(n).write(&vec![7; n as usize % 1000], &mut bytes);
            written.push((header(n), start, end));
        }
        assert_eq!(read_blocks(&bytes).unwrap(), written);
    }

    #[test]
    fn a_segment_that_is_cut_off_anywhere_is_damaged_or_shorter() {
        let mut bytes = Vec::new();
        header(1).write(b"abc", &mut bytes);
        let whole = bytes.len();
        header(2).write(b"def", &mut bytes);
        for n_bytes in 1..bytes.len() {
            match read_blocks(&bytes[..n_bytes]) {
                Ok(blocks) => assert_eq!((n_bytes, blocks.len()), (whole, 1)),
                Err(fault) => assert!(matches!(fault, Fault::Damaged(_))),
            }
        }
    }
}
