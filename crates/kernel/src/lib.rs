//! Durable functions: Ctx, the deterministic executor, retry policy.
