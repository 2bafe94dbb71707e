//! The key that the tokens of webhooks are made with: made once, and kept with the store.

use stepwell_engine::Engine;
use stepwell_flow::TokenKey;
use stepwell_store::Expect;
use uuid::Uuid;

use crate::documents::{Documents, SYSTEM};
use crate::problem::{Code, Problem, internal};

const KEY: &str = "webhooks";

pub async fn load_or_make(engine: &Engine) -> Result<TokenKey, Problem> {
    let (store, clock) = (engine.store().clone(), engine.clock().clone());
    let documents = Documents::new(store, clock, "flow-key");
    loop {
        if let Some(found) = documents.get::<[u8; 32]>(SYSTEM, KEY).await? {
            return Ok(TokenKey::new(found.body));
        }
        let mut key = [0; 32];
        // Random UUIDs come from the system's source of randomness; each has 122 bits of it.
        for part in key.chunks_mut(8) {
            let random = Uuid::new_v4();
            part.copy_from_slice(&random.as_bytes()[8..]);
        }
        match documents.put(SYSTEM, KEY, &key, Expect::Absent).await {
            Ok(()) => return Ok(TokenKey::new(key)),
            // Another node was faster.
            Err(problem) if problem.is(Code::Changed) => {}
            Err(problem) => return Err(internal(&problem.detail)),
        }
    }
}
