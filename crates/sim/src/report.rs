//! What came of a simulation.

use std::ops::AddAssign;

use crate::ledger::Violation;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub n_runs: u64,
    pub n_bodies: u64,
    pub n_commits: u64,
    pub n_crashes: u64,
    pub n_faults: u64,
    /// Commits of engines that did not know that they were replaced.
    pub n_fenced: u64,
    pub n_calls: u64,
    pub n_cancels: u64,
    pub n_resumes: u64,
    pub n_jumps: u64,
    pub n_shutdowns: u64,
    /// Journals, and prefixes of them, that were replayed.
    pub n_replays: u64,
    /// Simulations with several nodes.
    pub n_shared: u64,
    /// Shards that were taken from a node whose lease had run out.
    pub n_takeovers: u64,
    /// Shards that were free, and taken.
    pub n_moves: u64,
    /// Nodes that stood still.
    pub n_pauses: u64,
    /// What nodes were told and did not hear.
    pub n_calls_lost: u64,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.n_runs += other.n_runs;
        self.n_bodies += other.n_bodies;
        self.n_commits += other.n_commits;
        self.n_crashes += other.n_crashes;
        self.n_faults += other.n_faults;
        self.n_fenced += other.n_fenced;
        self.n_calls += other.n_calls;
        self.n_cancels += other.n_cancels;
        self.n_resumes += other.n_resumes;
        self.n_jumps += other.n_jumps;
        self.n_shutdowns += other.n_shutdowns;
        self.n_replays += other.n_replays;
        self.n_shared += other.n_shared;
        self.n_takeovers += other.n_takeovers;
        self.n_moves += other.n_moves;
        self.n_pauses += other.n_pauses;
        self.n_calls_lost += other.n_calls_lost;
    }
}

#[derive(Debug)]
pub struct Report {
    pub seed: u64,
    /// The same for the same seed: everything that happened, as one number.
    pub trace_hash: u64,
    pub counts: Counts,
    pub violation: Option<Violation>,
    /// The last lines of the trace, and the journal of the run that the violation is about. Empty if
    /// all is well.
    pub tail: Vec<String>,
    pub journal: String,
}
