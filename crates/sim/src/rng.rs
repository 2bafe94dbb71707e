//! Chance that is the same for the same seed, on every machine.

/// SplitMix64: small, fast, and good enough to make decisions with.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// Another stream, so that one part's appetite for numbers does not change what others get.
    pub fn fork(&mut self) -> Rng {
        Rng(self.next_u64())
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 up to, but not including, `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.next_u64() % n }
    }

    /// From `low` to `high`, both included.
    pub fn range(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// True in `n` of 10,000 cases.
    pub fn odds(&mut self, n: u32) -> bool {
        self.below(10_000) < u64::from(n)
    }

    pub fn percent(&mut self, n: u32) -> bool {
        self.odds(n * 100)
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let n = self.below(items.len() as u64);
        items.get(usize::try_from(n).unwrap_or(0)).copied()
    }

    pub fn index(&mut self, len: usize) -> usize {
        usize::try_from(self.below(len as u64)).unwrap_or(0)
    }
}
