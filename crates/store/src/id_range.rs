//! The ids that begin with some text.

/// The ids that begin with some text, as a range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdRange {
    pub first: [u8; 16],
    pub last: [u8; 16],
    /// Every id is in it.
    pub is_all: bool,
    /// It is worth looking for these ids first.
    pub is_narrow: bool,
}

impl IdRange {
    /// None if no id can begin like this.
    pub fn of(prefix: &str) -> Option<IdRange> {
        let (mut first, mut last) = ([0; 16], [0xff; 16]);
        let mut n_digits = 0;
        for (c, at) in prefix.chars().zip(0..) {
            if matches!(at, 8 | 13 | 18 | 23) {
                if c != '-' {
                    return None;
                }
                continue;
            }
            let digit = c.to_digit(16)? as u8;
            let shift = if n_digits % 2 == 0 { 4 } else { 0 };
            *first.get_mut(n_digits / 2)? |= digit << shift;
            *last.get_mut(n_digits / 2)? &= !((0xf - digit) << shift);
            n_digits += 1;
        }
        // Ids of the same days begin with the same eight digits, so fewer narrow nothing down.
        Some(IdRange { first, last, is_all: n_digits == 0, is_narrow: n_digits > 8 })
    }
}
