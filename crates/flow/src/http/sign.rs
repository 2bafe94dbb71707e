//! Signatures of requests, in the way of Standard Webhooks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// How the text of a secret may begin.
const PREFIX: &str = "whsec_";

/// How many bytes a secret has.
const BYTES: std::ops::RangeInclusive<usize> = 16..=128;

/// What requests are signed with.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a secret is `{PREFIX}` and {} to {} bytes in base64, such as `openssl rand -base64 32` gives",
    BYTES.start(), BYTES.end()
)]
pub struct BadSecret;

/// The values of the headers.
pub(super) struct Signature {
    pub timestamp: String,
    pub signature: String,
}

impl Secret {
    /// Reads `whsec_` and base64; the beginning may be left out.
    pub fn parse(text: &str) -> Result<Secret, BadSecret> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX).unwrap_or(text)).ok();
        bytes.filter(|bytes| BYTES.contains(&bytes.len())).map(Secret).ok_or(BadSecret)
    }

    pub(super) fn sign(&self, id: &str, body: &str) -> Signature {
        self.sign_at(id, body, now_ms() / 1_000)
    }

    fn sign_at(&self, id: &str, body: &str, seconds: i64) -> Signature {
        #[expect(clippy::expect_used, reason = "an HMAC takes keys of every length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("it is a key");
        mac.update(format!("{id}.{seconds}.{body}").as_bytes());
        let signature = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        Signature { timestamp: seconds.to_string(), signature }
    }
}

/// Never prints the secret.
impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret")
    }
}

#[expect(clippy::disallowed_methods, reason = "services compare it with their own clocks")]
pub(super) fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the specification of Standard Webhooks.
    #[test]
    fn a_signature_is_that_of_the_specification() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
        let signed = secret.sign_at(id, r#"{"test": 2432232314}"#, 1_614_265_330);
        assert_eq!(signed.signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(signed.timestamp, "1614265330");
    }

    #[test]
    fn secrets_are_long_enough_and_not_printed() {
        assert!(Secret::parse("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").is_ok());
        for bad in ["", "whsec_", "whsec_!!!", "whsec_c2hvcnQ="] {
            assert_eq!(Secret::parse(bad), Err(BadSecret), "{bad}");
        }
        let secret = Secret::parse("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
