//! What is in the log and not yet folded, by run.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use stepwell_journal::{RunId, Seq, UnixMillis};

use crate::block::{Block, Header, Segment};

/// About what a run and a block take in memory beside their events. Without these, a hundred thousand
/// small runs would weigh nothing.
const RUN_BYTES: usize = 256;
const BLOCK_BYTES: usize = 64;

/// The end of one run's journal.
#[derive(Debug, Clone)]
pub(crate) struct RunTail {
    /// The run's number in the tables.
    pub id: i64,
    /// What lies in `chunk` rows is no longer part of the journal.
    pub replaces: bool,
    pub next_seq: Seq,
    pub at: UnixMillis,
    /// The bytes of the events.
    pub n_bytes: usize,
    pub blocks: Vec<Block>,
}

impl RunTail {
    /// About what it takes in memory.
    fn weight(&self) -> usize {
        RUN_BYTES + self.blocks.len() * BLOCK_BYTES + self.n_bytes
    }

    /// The first event that the tail may have.
    pub fn first_seq(&self) -> Seq {
        if self.replaces {
            return Seq(0);
        }
        self.blocks.first().map_or(self.next_seq, |block| block.first_seq)
    }
}

#[derive(Default)]
pub(crate) struct Tail {
    runs: HashMap<RunId, RunTail>,
    /// The runs in the order in which their tails began, which is the order of folding.
    order: VecDeque<RunId>,
    /// How many blocks of each row of the log are not folded.
    segments: BTreeMap<i64, usize>,
    /// About what all of it takes in memory.
    weight: usize,
    n_removals: u64,
}

/// One new block of a run that has this number.
#[derive(Debug)]
pub(crate) struct NewBlock {
    pub id: i64,
    pub header: Header,
    pub start: u32,
    pub end: u32,
}

impl Tail {
    pub fn get(&self, run: RunId) -> Option<&RunTail> {
        self.runs.get(&run)
    }

    pub fn runs(&self) -> &HashMap<RunId, RunTail> {
        &self.runs
    }

    /// About how many bytes it takes in memory.
    pub fn weight(&self) -> usize {
        self.weight
    }

    /// Changes whenever tails are folded: as long as it is the same, whatever was in the tail still is.
    pub fn n_removals(&self) -> u64 {
        self.n_removals
    }

    /// Takes in a row of the log.
    pub fn add(&mut self, segment: Segment, blocks: Vec<NewBlock>) {
        self.segments.insert(segment.log_id, blocks.len());
        let segment = Arc::new(segment);
        for block in blocks {
            self.add_block(&segment, &block);
        }
    }

    fn add_block(&mut self, segment: &Arc<Segment>, new: &NewBlock) {
        let NewBlock { id, header, start, end } = *new;
        let n_bytes = (end - start) as usize;
        let run = self.runs.entry(header.run).or_insert_with(|| {
            self.order.push_back(header.run);
            self.weight += RUN_BYTES;
            RunTail {
                id,
                replaces: false,
                next_seq: header.next_seq,
                at: header.at,
                n_bytes: 0,
                blocks: Vec::new(),
            }
        });
        if header.replaces {
            run.replaces = true;
            self.weight -= run.weight() - RUN_BYTES;
            run.n_bytes = 0;
            for old in run.blocks.drain(..) {
                release(&mut self.segments, old.segment.log_id);
            }
        }
        run.next_seq = header.next_seq;
        run.at = run.at.max(header.at);
        run.n_bytes += n_bytes;
        self.weight += BLOCK_BYTES + n_bytes;
        let segment = Arc::clone(segment);
        run.blocks.push(Block { segment, start, end, first_seq: header.first_seq });
    }

    /// The oldest tails, at least one, of about this weight together.
    pub fn oldest(&self, weight_max: usize) -> Vec<(RunId, RunTail)> {
        let mut oldest = Vec::new();
        let mut weight = 0;
        for run in &self.order {
            let Some(tail) = self.runs.get(run) else { continue };
            weight += tail.weight();
            oldest.push((*run, tail.clone()));
            if weight >= weight_max {
                break;
            }
        }
        oldest
    }

    /// The rows of the log that hold nothing any more once these tails are folded.
    pub fn emptied_by(&self, folded: &[(RunId, RunTail)]) -> Vec<i64> {
        let mut n_folded = BTreeMap::new();
        for block in folded.iter().flat_map(|(_, tail)| &tail.blocks) {
            *n_folded.entry(block.segment.log_id).or_insert(0) += 1;
        }
        // Blocks that a compaction made void have left rows with nothing in them.
        let empty = self.segments.iter().filter(|(_, n_live)| **n_live == 0).map(|(id, _)| *id);
        let emptied = n_folded
            .iter()
            .filter(|(id, n_blocks)| self.segments.get(id) == Some(n_blocks))
            .map(|(id, _)| *id);
        empty.chain(emptied).collect()
    }

    /// Forgets tails that are folded, and the rows of the log that are gone. Nothing may have been
    /// added since `oldest` gave these tails.
    pub fn remove(&mut self, folded: &[(RunId, RunTail)], emptied: &[i64]) {
        self.n_removals += 1;
        for (run, _) in folded {
            let Some(tail) = self.runs.remove(run) else { continue };
            self.weight -= tail.weight();
            for block in tail.blocks {
                release(&mut self.segments, block.segment.log_id);
            }
        }
        self.order.drain(..folded.len().min(self.order.len()));
        for id in emptied {
            self.segments.remove(id);
        }
    }
}

fn release(segments: &mut BTreeMap<i64, usize>, log_id: i64) {
    if let Some(n_live) = segments.get_mut(&log_id) {
        *n_live -= 1;
    }
}
