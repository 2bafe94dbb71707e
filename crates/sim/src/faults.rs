//! How badly things go, which every seed decides for itself.

use crate::rng::Rng;

/// A connection that is lost is there again within seconds.
const DEAF_MS_MAX: u64 = 4_000;

/// How likely each fault is, in cases out of 10,000.
#[derive(Debug, Clone, Copy, Default)]
pub struct Faults {
    /// A call to the store fails, and nothing happened.
    pub refuse: u32,
    /// A call fails although it happened.
    pub lose_answer: u32,
    /// The process ends before, or after, the call.
    pub crash: u32,
    /// The call, or its answer, takes a while.
    pub delay: u32,
    pub delay_ms_max: u64,
    /// The store does not answer anybody for a while.
    pub stall: u32,
    /// The process that is said to have crashed lives on for a while.
    pub zombie: u32,
    /// The process stands still with the call under way, for longer than a lease.
    pub freeze: u32,
    /// A node does not hear what others say, for a while.
    pub deaf: u32,
    /// It hears it late.
    pub late_call: u32,
    /// It hears it twice.
    pub second_call: u32,
}

/// What happens to something that is said to one node.
#[derive(Debug, Clone, Copy, Default)]
pub struct CallFate {
    /// For how long it hears nothing, this included.
    pub deaf_ms: Option<u64>,
    pub late_ms: u64,
    /// When it hears it once more.
    pub again_ms: Option<u64>,
}

/// What happens to one call to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Pass,
    Refuse,
    LoseAnswer,
    CrashBefore,
    CrashAfter,
    Freeze,
}

/// One call's fate, with its delays.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub fate: Fate,
    pub before_ms: u64,
    pub after_ms: u64,
    pub stall_ms: u64,
}

/// Something deliberately wrong, to see that the checks see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sabotage {
    /// The store says yes to a commit of events and forgets it.
    DropCommit,
    /// The store puts a message into the inbox twice, as two messages.
    DoubleMessage,
    /// The store lets a fenced engine write.
    IgnoreFence,
    /// The store says yes to a message and forgets it.
    DropMessage,
    /// A shard is taken over, and its epoch stays what it was.
    KeepEpoch,
    /// Shards are taken from nodes whose lease has not run out.
    TakeFromLiving,
    /// The owner of a run is not called, and is not told that it missed something.
    LoseCalls,
}

impl Faults {
    pub fn random(rng: &mut Rng) -> Faults {
        // Some seeds are calm, so that long plain stretches are tried, too.
        let share = rng.pick(&[0, 1, 1, 3, 10]).unwrap_or(1);
        let delays = rng.pick(&[0, 500, 3_000, 8_000]).unwrap_or(0);
        Faults {
            refuse: 60 * share,
            lose_answer: 60 * share,
            crash: 25 * share,
            delay: delays,
            delay_ms_max: rng.pick(&[2, 10, 200, 4_000]).unwrap_or(10),
            stall: 10 * share,
            zombie: 3_000,
            freeze: 0,
            deaf: 150 * share,
            late_call: delays,
            second_call: 300 * share,
        }
    }

    /// The same where several nodes share the store. There each is paused now and then, and nobody is replaced.
    pub fn of_several(self) -> Faults {
        Faults { freeze: self.crash, zombie: 0, ..self }
    }

    /// What happens to what is said to one node.
    pub fn call(&self, rng: &mut Rng) -> CallFate {
        let mut late_ms =
            |odds: u32| rng.odds(odds).then(|| rng.range(1, self.delay_ms_max.max(1)));
        let fate = CallFate {
            deaf_ms: None,
            late_ms: late_ms(self.late_call).unwrap_or(0),
            again_ms: late_ms(self.second_call),
        };
        CallFate { deaf_ms: rng.odds(self.deaf).then(|| rng.range(1, DEAF_MS_MAX)), ..fate }
    }

    pub fn plan(&self, rng: &mut Rng, is_write: bool) -> Plan {
        let roll = u32::try_from(rng.below(10_000)).unwrap_or(0);
        let steps = [
            (self.refuse, Fate::Refuse),
            (self.lose_answer, Fate::LoseAnswer),
            (self.crash / 2, Fate::CrashBefore),
            (self.crash / 2, Fate::CrashAfter),
            (self.freeze, Fate::Freeze),
        ];
        let mut fate = Fate::Pass;
        let mut bound = 0;
        for (odds, candidate) in steps {
            bound += odds;
            if roll < bound {
                fate = candidate;
                break;
            }
        }
        // Nobody can tell a read that failed early from one that failed late.
        if !is_write && fate == Fate::LoseAnswer {
            fate = Fate::Refuse;
        }
        let mut delay_ms =
            || if rng.odds(self.delay) { rng.range(1, self.delay_ms_max) } else { 0 };
        let (before_ms, after_ms) = (delay_ms(), delay_ms());
        let stall_ms = if rng.odds(self.stall) { rng.range(50, 20_000) } else { 0 };
        Plan { fate, before_ms, after_ms, stall_ms }
    }
}
