//! Tokens of work items: what a service knows a work item by, and what lets it answer.

use hmac::{Hmac, Mac};
use sha2::Sha256;
use stepwell_journal::RunId;
use subtle::ConstantTimeEq;
use uuid::Uuid;

use crate::limits::WORK_ITEMS_MAX;

/// How many bits of a token hold the place of its work item.
const PLACE_BITS: u32 = 14;
const _: () = assert!(WORK_ITEMS_MAX <= 1 << PLACE_BITS);

/// What tokens are made with. Who has it can answer for any work item, so it is kept like a password.
///
/// A token is a UUID (version 8): the place of the work item, and 108 bits of an HMAC of the run, the step and the
/// place. So it is the same in every attempt and after every crash without being written down, nobody can guess it,
/// and it can be checked without looking into the run.
#[derive(Clone)]
pub struct TokenKey([u8; 32]);

impl TokenKey {
    pub fn new(key: [u8; 32]) -> TokenKey {
        TokenKey(key)
    }

    /// The token of a work item.
    pub fn token(&self, run: RunId, step: &str, place: usize) -> Uuid {
        let mut mac = self.mac();
        mac.update(run.0.as_bytes());
        mac.update(&(step.len() as u64).to_le_bytes());
        mac.update(step.as_bytes());
        mac.update(&(place as u64).to_le_bytes());
        let digest = mac.finalize().into_bytes();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        // The place is hidden in the first bits, by bits that depend on the key as well.
        let hidden = (place as u16) ^ self.veil(run, &bytes);
        bytes[0] = (hidden >> 6) as u8;
        bytes[1] = ((hidden & 0x3f) << 2) as u8 | (bytes[1] & 0x03);
        uuid::Builder::from_custom_bytes(bytes).into_uuid()
    }

    /// The place of the work item that this is the token of; none if it is the token of no work item. Takes as long
    /// whichever part of the token is wrong.
    pub fn place(&self, run: RunId, step: &str, token: Uuid) -> Option<usize> {
        let bytes = token.as_bytes();
        let hidden = (u16::from(bytes[0]) << 6) | u16::from(bytes[1] >> 2);
        let place = usize::from(hidden ^ self.veil(run, bytes));
        let expected = self.token(run, step, place);
        let is_token = bool::from(expected.as_bytes().ct_eq(bytes));
        (is_token && place < WORK_ITEMS_MAX).then_some(place)
    }

    /// As many bits as a place has, from the bytes of a token that do not hold it.
    fn veil(&self, run: RunId, bytes: &[u8; 16]) -> u16 {
        let mut mac = self.mac();
        mac.update(b"veil");
        mac.update(run.0.as_bytes());
        // Bytes 6 and 8 hold the version and the variant of the UUID.
        mac.update(&bytes[9..]);
        let digest = mac.finalize().into_bytes();
        u16::from_le_bytes([digest[0], digest[1]]) & ((1 << PLACE_BITS) - 1)
    }

    fn mac(&self) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "an HMAC takes keys of every length")]
        Hmac::<Sha256>::new_from_slice(&self.0).expect("32 bytes are a key")
    }
}

/// Never prints the key.
impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_tells_its_place_to_whoever_has_the_key() {
        let (key, other) = (TokenKey::new([7; 32]), TokenKey::new([8; 32]));
        let (run, elsewhere) = (RunId(Uuid::from_u128(1)), RunId(Uuid::from_u128(2)));
        for place in [0, 1, 63, 64, 9_999] {
            let token = key.token(run, "send", place);
            assert_eq!(key.place(run, "send", token), Some(place));
            assert_eq!(token, key.token(run, "send", place));
            assert_eq!(key.place(elsewhere, "send", token), None);
            assert_eq!(key.place(run, "sen", token), None);
            assert_eq!(other.place(run, "send", token), None);
            assert_eq!(token.get_version_num(), 8);
        }
        let tokens: std::collections::BTreeSet<Uuid> =
            (0..WORK_ITEMS_MAX).map(|place| key.token(run, "send", place)).collect();
        assert_eq!(tokens.len(), WORK_ITEMS_MAX);
        assert_eq!(format!("{key:?}"), "TokenKey");
    }

    #[test]
    fn a_token_with_one_other_bit_is_none() {
        let key = TokenKey::new([7; 32]);
        let run = RunId(Uuid::from_u128(1));
        let token = key.token(run, "send", 3).as_u128();
        for bit in 0..128 {
            let changed = Uuid::from_u128(token ^ (1 << bit));
            assert_eq!(key.place(run, "send", changed), None, "bit {bit}");
        }
    }
}
