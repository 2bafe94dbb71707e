//! Random programs.

use stepwell_journal::RunId;

use crate::program::{How, ListenOp, ListenShape, Op, Program, StepOp, Trying, UndoOp};
use crate::rng::Rng;

/// How deep operations lie in one another.
const DEPTH_MAX: u32 = 3;

/// The names of all messages: few, so that several listen for the same.
pub const MESSAGES: [&str; 4] = ["m0", "m1", "m2", "q0"];

/// Makes programs for the runs of one simulation.
pub struct Generator<'a> {
    pub rng: &'a mut Rng,
    /// Whom the programs may send messages to.
    pub others: &'a [RunId],
    /// What children may be: names of workflows that take a program.
    pub workflows: &'a [&'static str],
    /// How many more operations may be made.
    pub n_left: u32,
    /// Whether bodies may take the process with them.
    pub kills: bool,
}

impl Generator<'_> {
    pub fn program(&mut self) -> Program {
        let n_ops = self.rng.range(1, 7);
        Program { ops: self.ops(n_ops, 0), key: self.rng.below(3) }
    }

    fn ops(&mut self, n_ops: u64, depth: u32) -> Vec<Op> {
        let mut ops = Vec::new();
        for _ in 0..n_ops {
            if self.n_left == 0 {
                break;
            }
            self.n_left -= 1;
            let op = self.op(depth);
            let ends = matches!(op, Op::Fail { .. });
            ops.push(op);
            if ends {
                break;
            }
        }
        ops
    }

    fn op(&mut self, depth: u32) -> Op {
        let nests = depth < DEPTH_MAX && self.n_left > 0;
        match self.rng.below(if nests { 100 } else { 66 }) {
            0..30 => Op::Step(self.step()),
            30..37 => Op::Sleep { ms: self.sleep_ms(), until: self.rng.percent(30) },
            37..47 => Op::Listen(self.listen()),
            47..50 => self.send(),
            50..52 => self.ask(),
            52..54 => Op::Checkpoint,
            54..56 => Op::Version { latest: 2 },
            56..59 => Op::Notes,
            59..61 => Op::Chance,
            61 => Op::Skip,
            62 => Op::Removed,
            63 => Op::Fail { how: if self.rng.percent(50) { How::Error } else { How::Rollback } },
            64..66 => Op::Step(self.step()),
            66..76 => Op::Join { branches: self.branches(depth) },
            76..84 => Op::Race { branches: self.branches(depth) },
            84..90 => self.looped(depth),
            90..95 => Op::Block { catch_rollback: self.rng.percent(30), body: self.body(depth, 3) },
            _ => self.child(depth),
        }
    }

    fn body(&mut self, depth: u32, n_max: u64) -> Vec<Op> {
        let n_ops = self.rng.range(0, n_max);
        self.ops(n_ops, depth + 1)
    }

    fn branches(&mut self, depth: u32) -> Vec<Vec<Op>> {
        (0..self.rng.range(1, 3)).map(|_| self.body(depth, 3)).collect()
    }

    fn looped(&mut self, depth: u32) -> Op {
        Op::Loop {
            n: self.rng.range(1, 6),
            keep: self.rng.range(1, 3),
            commit_every: if self.rng.percent(70) { 1 } else { 2 },
            body: self.body(depth, 2),
        }
    }

    fn child(&mut self, depth: u32) -> Op {
        let workflow = self.rng.pick(self.workflows).unwrap_or("sim");
        let program = Program { ops: self.body(depth, 3), key: self.rng.below(3) };
        Op::Child { workflow: workflow.to_owned(), program, caught: self.rng.percent(50) }
    }

    fn step(&mut self) -> StepOp {
        let how = match self.rng.below(100) {
            0..55 => How::Error,
            55..67 => How::Critical,
            67..77 => How::Rollback,
            77..87 => How::Panic,
            87..96 => How::Hang,
            _ if self.kills => How::Kill,
            _ => How::Error,
        };
        let fails = match self.rng.below(100) {
            0..60 => 0,
            60..80 => 1,
            80..94 => 2,
            // More than any policy allows.
            _ => 99,
        };
        StepOp {
            fails,
            how,
            retries: u32::try_from(self.rng.below(4)).unwrap_or(0),
            backoff_ms: self.rng.pick(&[0, 1, 100, 5_000]).unwrap_or(0),
            work_ms: self.rng.pick(&[0, 0, 0, 1, 4, 7, 50, 3_000]).unwrap_or(0),
            timeout_ms: self.rng.pick(&[0, 10, 1_000, 30_000]).unwrap_or(0),
            retry_on_timeout: self.rng.percent(40),
            ephemeral: self.rng.percent(12),
            undo: self.rng.percent(35).then(|| UndoOp {
                fails: u32::try_from(self.rng.below(3)).unwrap_or(0),
                work_ms: self.rng.pick(&[0, 0, 6, 500]).unwrap_or(0),
            }),
            trying: self.rng.percent(45).then(|| Trying { catch_rollback: self.rng.percent(50) }),
        }
    }

    fn sleep_ms(&mut self) -> u64 {
        self.rng.pick(&[0, 1, 20, 900, 1_500, 60_000, 7_200_000, 172_800_000]).unwrap_or(0)
    }

    fn listen(&mut self) -> ListenOp {
        let name = self.message();
        let timeout_ms = self.rng.percent(50).then(|| self.sleep_ms());
        let (names, shape) = match self.rng.below(10) {
            0..4 => (vec![name], ListenShape::One),
            4..6 => (MESSAGES.iter().map(|name| (*name).to_owned()).collect(), ListenShape::Any),
            6..8 => {
                let n = self.rng.index(3) + 1;
                let at_least = self.rng.index(n) + 1;
                (vec![name], ListenShape::Batch { n, at_least })
            }
            _ => {
                let answers = self.rng.percent(80);
                (vec!["q0".to_owned()], ListenShape::Completable { answers })
            }
        };
        ListenOp { names, shape, timeout_ms }
    }

    fn message(&mut self) -> String {
        self.rng.pick(&MESSAGES).unwrap_or("m0").to_owned()
    }

    fn send(&mut self) -> Op {
        match self.rng.pick(self.others) {
            Some(to) => Op::Send { to, message: self.message() },
            None => Op::Notes,
        }
    }

    fn ask(&mut self) -> Op {
        match self.rng.pick(self.others) {
            Some(to) => Op::Ask { to, message: "q0".to_owned() },
            None => Op::Chance,
        }
    }
}
