//! What is in the log and not yet folded, by run.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
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
    /// Which tail it is, of all that ever began.
    began: u64,
    /// What lies in `chunk` rows is no longer part of the journal.
    pub replaces: bool,
    pub next_seq: Seq,
    pub at: UnixMillis,
    /// The bytes of the events.
    pub n_bytes: usize,
    /// About how many events these are: numbers that a compaction has left out count.
    n_events: u64,
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
    /// The runs in the order in which their tails began, which is the order of folding. One whose tail did
    /// not begin with this number is gone.
    order: VecDeque<(u64, RunId)>,
    n_begun: u64,
    /// The rows of the log.
    segments: BTreeMap<i64, LogRow>,
    /// Those of them that hold nothing any more, because a compaction made it void or its run is gone.
    empty: Vec<i64>,
    /// About what all of it takes in memory.
    weight: usize,
    /// The bytes of the rows of the log, whatever of them is still needed.
    log_bytes: usize,
    /// About how many events it has.
    n_events: u64,
    n_removals: u64,
    /// The log's last row that ever was.
    last_log: i64,
}

/// What must be known of a row of the log that is there.
struct LogRow {
    /// How many of its blocks are not folded.
    n_live: usize,
    n_bytes: usize,
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

    /// The bytes of the rows of the log. A row stays as long as one of its blocks is needed, so this may be
    /// far more than the weight.
    pub fn log_bytes(&self) -> usize {
        self.log_bytes
    }

    /// About how many events it has.
    pub fn n_events(&self) -> u64 {
        self.n_events
    }

    /// The number of the log's first row; none if it has no rows.
    pub fn first_log(&self) -> Option<i64> {
        self.segments.first_key_value().map(|(id, _)| *id)
    }

    /// The runs that have an event of this time or later.
    pub fn updated_from(&self, from: UnixMillis) -> HashSet<RunId> {
        self.runs.iter().filter(|(_, tail)| tail.at >= from).map(|(run, _)| *run).collect()
    }

    /// Changes whenever tails are folded or forgotten: as long as it is the same, whatever was in the tail
    /// still is.
    pub fn n_removals(&self) -> u64 {
        self.n_removals
    }

    /// The number of the log's last row that ever was.
    pub fn last_log(&self) -> i64 {
        self.last_log
    }

    /// Rows up to this one were there, and were folded.
    pub fn log_was_up_to(&mut self, last_log: i64) {
        self.last_log = self.last_log.max(last_log);
    }

    /// Takes in a row of the log.
    pub fn add(&mut self, segment: Segment, blocks: Vec<NewBlock>) {
        let row = LogRow { n_live: blocks.len(), n_bytes: segment.bytes.len() };
        self.log_bytes += row.n_bytes;
        self.log_was_up_to(segment.log_id);
        if row.n_live == 0 {
            self.empty.push(segment.log_id);
        }
        self.segments.insert(segment.log_id, row);
        let segment = Arc::new(segment);
        for block in blocks {
            self.add_block(&segment, &block);
        }
    }

    fn add_block(&mut self, segment: &Arc<Segment>, new: &NewBlock) {
        let NewBlock { id, header, start, end } = *new;
        let n_bytes = (end - start) as usize;
        let run = self.runs.entry(header.run).or_insert_with(|| {
            self.n_begun += 1;
            self.order.push_back((self.n_begun, header.run));
            self.weight += RUN_BYTES;
            RunTail {
                id,
                began: self.n_begun,
                replaces: false,
                next_seq: header.next_seq,
                at: header.at,
                n_bytes: 0,
                n_events: 0,
                blocks: Vec::new(),
            }
        });
        if header.replaces {
            run.replaces = true;
            self.weight -= run.weight() - RUN_BYTES;
            run.n_bytes = 0;
            self.n_events -= run.n_events;
            run.n_events = 0;
            for old in run.blocks.drain(..) {
                release(&mut self.segments, &mut self.empty, old.segment.log_id);
            }
        }
        run.next_seq = header.next_seq;
        run.at = run.at.max(header.at);
        run.n_bytes += n_bytes;
        let n_events = header.next_seq.0.saturating_sub(header.first_seq.0);
        run.n_events += n_events;
        self.n_events += n_events;
        self.weight += BLOCK_BYTES + n_bytes;
        let segment = Arc::clone(segment);
        run.blocks.push(Block { segment, start, end, first_seq: header.first_seq });
    }

    /// The oldest tails, at least one, of about this weight together.
    pub fn oldest(&self, weight_max: usize) -> Vec<(RunId, RunTail)> {
        let mut oldest = Vec::new();
        let mut weight = 0;
        for (began, run) in &self.order {
            let Some(tail) = self.runs.get(run).filter(|tail| tail.began == *began) else {
                continue;
            };
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
        let emptied = n_folded.iter().filter(|(id, n_blocks)| {
            self.segments.get(id).is_some_and(|row| row.n_live == **n_blocks)
        });
        self.empty.iter().chain(emptied.map(|(id, _)| id)).copied().collect()
    }

    /// Forgets tails that are folded, and the rows of the log that are gone, which are all that hold nothing.
    /// Nothing may have been added since `oldest` gave these tails.
    pub fn remove(&mut self, folded: &[(RunId, RunTail)], emptied: &[i64]) {
        self.n_removals += 1;
        for (run, tail) in folded {
            while let Some((began, _)) = self.order.pop_front()
                && began != tail.began
            {}
            self.remove_run(*run);
        }
        self.empty.clear();
        for id in emptied {
            if let Some(row) = self.segments.remove(id) {
                self.log_bytes -= row.n_bytes;
            }
        }
    }

    /// Forgets the tails of runs that are gone.
    pub fn forget(&mut self, gone: &[RunId]) {
        let n_runs = self.runs.len();
        for run in gone {
            self.remove_run(*run);
        }
        if self.runs.len() < n_runs {
            self.n_removals += 1;
        }
    }

    fn remove_run(&mut self, run: RunId) {
        let Some(tail) = self.runs.remove(&run) else { return };
        self.weight -= tail.weight();
        self.n_events -= tail.n_events;
        for block in tail.blocks {
            release(&mut self.segments, &mut self.empty, block.segment.log_id);
        }
    }
}

/// One block of the row is no longer needed.
fn release(segments: &mut BTreeMap<i64, LogRow>, empty: &mut Vec<i64>, log_id: i64) {
    let Some(row) = segments.get_mut(&log_id) else { return };
    row.n_live -= 1;
    if row.n_live == 0 {
        empty.push(log_id);
    }
}
