//! Tokens as they are made and as they are stored.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use stepwell_journal::UnixMillis;

use crate::api::{Scope, Timestamp, TokenView};

/// What every token begins with, so that people and scanners recognise one.
const PREFIX: &str = "swt_";

/// How many characters of a token are kept to tell it from others.
const HINT_CHARS: usize = 8;

/// A token, before it is forgotten.
pub struct NewToken {
    pub secret: String,
    pub hash: String,
}

/// What the store keeps of a token, by its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredToken {
    pub name: String,
    pub namespace: String,
    pub scope: Scope,
    pub created_at: u64,
    pub expires_at: Option<u64>,
    pub hint: String,
}

impl NewToken {
    /// 244 random bits.
    pub fn make() -> NewToken {
        let random = |()| uuid::Uuid::new_v4().simple().to_string();
        let secret = format!("{PREFIX}{}{}", random(()), random(()));
        NewToken { hash: hash(&secret), secret }
    }

    pub fn hint(&self) -> String {
        self.secret.chars().take(PREFIX.len() + HINT_CHARS).collect()
    }
}

impl StoredToken {
    pub fn is_expired(&self, now: UnixMillis) -> bool {
        self.expires_at.is_some_and(|at| at <= now.0)
    }

    pub fn view(&self) -> TokenView {
        TokenView {
            name: self.name.clone(),
            namespace: self.namespace.clone(),
            scope: self.scope,
            created_at: Timestamp(UnixMillis(self.created_at)),
            expires_at: self.expires_at.map(|at| Timestamp(UnixMillis(at))),
            hint: self.hint.clone(),
        }
    }
}

/// Tokens are random and long, so a plain hash is enough: there is nothing to guess.
pub fn hash(secret: &str) -> String {
    use std::fmt::Write;
    Sha256::digest(secret.as_bytes()).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_their_hash_does_not_tell_them() {
        let (a, b) = (NewToken::make(), NewToken::make());
        assert_ne!(a.secret, b.secret);
        assert_eq!(a.hash, hash(&a.secret));
        assert_eq!(a.hash.len(), 64);
        assert!(a.secret.starts_with(&a.hint()) && a.hint().len() == 12);
    }
}
