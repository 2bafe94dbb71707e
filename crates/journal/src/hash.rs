//! One hash that is the same on every machine, in every process and in every release.

/// FNV-1a over the parts, each ended by its length so that `("ab", "c")` and `("a", "bc")` differ, with
/// the splitmix64 finaliser for well-mixed bits. Not for secrets.
pub fn stable_hash(parts: &[&[u8]]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut eat = |byte: u8| {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
    };
    for part in parts {
        part.iter().copied().for_each(&mut eat);
        (part.len() as u64).to_le_bytes().into_iter().for_each(&mut eat);
    }
    let mut mixed = hash;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::stable_hash;

    #[test]
    fn the_hash_is_the_same_in_every_release() {
        assert_eq!(stable_hash(&[b"stepwell"]), 0xe234_4db3_cef9_8b7e);
    }

    #[test]
    fn where_the_parts_are_cut_matters() {
        assert_ne!(stable_hash(&[b"ab", b"c"]), stable_hash(&[b"a", b"bc"]));
    }
}
