//! The tables, and how an older layout becomes the present one.
//!
//! Nodes that start at once wait for each other at an advisory lock; the first brings the layout up to date,
//! the others find it done. A layout is never changed once it was released: a change is a new entry.

use tokio_postgres::Client;

use crate::codec::SHARDS;
use crate::fault::{Fault, Outcome};

/// Each entry makes the layout after the one before.
const LAYOUTS: &[&str] = &[LAYOUT_1];

/// The layout that this version writes.
pub(crate) const LAYOUT: u32 = LAYOUTS.len() as u32;

/// Texts have the order of their bytes, whatever the database's language is.
const LAYOUT_1: &str = r#"
CREATE TABLE counter (name TEXT PRIMARY KEY, n BIGINT NOT NULL);
INSERT INTO counter VALUES ('epoch', 0), ('revision', 0);

-- A process that has the store open and writes, or has written, to it.
CREATE TABLE node (
  node UUID PRIMARY KEY,
  name TEXT NOT NULL, address TEXT, version TEXT NOT NULL,
  started_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  beat_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
  lease_until TIMESTAMPTZ
) WITH (fillfactor = 50);

-- A node's connection that writes. Whoever takes shards from a node locks these rows, so that no
-- transaction of that node is under way; and the number of the last transaction tells a node whose connection
-- was lost whether it was committed.
CREATE TABLE writer (
  node UUID NOT NULL, n SMALLINT NOT NULL, batch BIGINT NOT NULL, PRIMARY KEY (node, n)
) WITH (fillfactor = 50);

-- Who owns the runs of a shard, since which epoch.
CREATE TABLE shard (
  shard SMALLINT PRIMARY KEY, epoch BIGINT NOT NULL, node UUID
) WITH (fillfactor = 50);

-- Nodes that want to be told when a run ends or answers.
CREATE TABLE watch (run UUID NOT NULL, node UUID NOT NULL, PRIMARY KEY (run, node));

CREATE TABLE runs (
  run UUID PRIMARY KEY,
  shard SMALLINT NOT NULL, status SMALLINT NOT NULL, runnable BOOLEAN NOT NULL, cancelling BOOLEAN NOT NULL,
  next_seq BIGINT NOT NULL, next_line BIGINT NOT NULL,
  created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, ended_at BIGINT, wake_at BIGINT,
  parent UUID,
  namespace TEXT COLLATE "C" NOT NULL, workflow TEXT COLLATE "C" NOT NULL,
  version TEXT COLLATE "C" NOT NULL, parent_location TEXT COLLATE "C",
  labels TEXT COLLATE "C", description TEXT COLLATE "C", failure TEXT COLLATE "C", key TEXT COLLATE "C"
) WITH (fillfactor = 80);
CREATE INDEX runs_by_age ON runs (created_at, run);
CREATE INDEX runs_by_workflow ON runs (namespace, workflow, created_at, run);
CREATE INDEX runs_by_status ON runs (namespace, status, created_at, run) WHERE status <> 4;
CREATE INDEX runs_by_wake_at ON runs (wake_at, run) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_runnable ON runs (run) WHERE runnable;
CREATE INDEX runs_by_end ON runs (ended_at, run) WHERE ended_at IS NOT NULL;
CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;

CREATE TABLE input (run UUID PRIMARY KEY, body TEXT NOT NULL);

-- A row holds the events of one commit, with the epoch of the owner that made it; 0 is for what anybody may write.
-- Until a run ends, its journal's last row says where it stands: the run's own row may be behind.
CREATE TABLE journal (
  run UUID NOT NULL, first_seq BIGINT NOT NULL, next_seq BIGINT NOT NULL, at BIGINT NOT NULL,
  epoch BIGINT NOT NULL, body BYTEA NOT NULL, PRIMARY KEY (run, first_seq)
);

CREATE TABLE inbox (
  run UUID NOT NULL, item UUID NOT NULL, n BIGINT GENERATED ALWAYS AS IDENTITY, at BIGINT NOT NULL,
  cancels BOOLEAN NOT NULL, body TEXT NOT NULL, PRIMARY KEY (run, item)
);

CREATE TABLE line (
  run UUID NOT NULL, n BIGINT NOT NULL, at BIGINT NOT NULL, level SMALLINT NOT NULL,
  location TEXT COLLATE "C" NOT NULL, message TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (run, n)
);

-- Labels and keys are found by their digests: they may be longer than what an index takes.
CREATE TABLE label (
  digest UUID NOT NULL, created_at BIGINT NOT NULL, run UUID NOT NULL, PRIMARY KEY (digest, created_at, run)
);
CREATE TABLE idempotency (digest BYTEA PRIMARY KEY, run UUID NOT NULL);

-- How many runs are in each status. Every writer counts in a slot of its own, so that none waits for another.
CREATE TABLE tally (
  namespace TEXT COLLATE "C" NOT NULL, workflow TEXT COLLATE "C" NOT NULL, status SMALLINT NOT NULL,
  slot SMALLINT NOT NULL, n BIGINT NOT NULL, PRIMARY KEY (namespace, workflow, status, slot)
) WITH (fillfactor = 50);

CREATE TABLE document (
  kind TEXT COLLATE "C" NOT NULL, namespace TEXT COLLATE "C" NOT NULL, key TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL, at BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, namespace, key)
);
"#;

/// Names the lock at which nodes wait that bring the layout up to date.
const MIGRATION_LOCK: i64 = 0x5354_4550_5745_4c4c;

/// Brings the tables of a schema up to date, and makes them if there are none. Gives the layout that was
/// there before.
pub(crate) async fn migrate(client: &Client, schema: &str) -> Outcome<u32> {
    let found = layout(client, schema).await?;
    if found == LAYOUT {
        return Ok(found);
    }
    client.batch_execute(&format!("BEGIN; SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
    let migrated = migrate_alone(client, schema).await;
    client.batch_execute(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    migrated
}

async fn migrate_alone(client: &Client, schema: &str) -> Outcome<u32> {
    // Somebody else may have done it while we waited.
    let found = layout(client, schema).await?;
    if found == LAYOUT {
        return Ok(found);
    }
    if found == 0 {
        client
            .batch_execute(&format!(
                "CREATE SCHEMA IF NOT EXISTS {name};
                 CREATE TABLE {name}.stepwell_layout (layout INTEGER NOT NULL);
                 INSERT INTO {name}.stepwell_layout VALUES (0)",
                name = quoted(schema),
            ))
            .await?;
    } else {
        tracing::info!(found, layout = LAYOUT, "the store gets a new layout");
    }
    for statements in &LAYOUTS[found as usize..] {
        client.batch_execute(statements).await?;
    }
    if found == 0 {
        client
            .batch_execute(&format!(
                "INSERT INTO shard (shard, epoch) SELECT s, 0 FROM generate_series(0, {}) s",
                SHARDS - 1
            ))
            .await?;
    }
    client.batch_execute(&format!("UPDATE stepwell_layout SET layout = {LAYOUT}")).await?;
    Ok(found)
}

/// The layout that a schema has; 0 if there is none.
pub(crate) async fn layout(client: &Client, schema: &str) -> Outcome<u32> {
    let has_table = "SELECT EXISTS (SELECT 1 FROM information_schema.tables
                       WHERE table_schema = $1 AND table_name = 'stepwell_layout')";
    if !client.query_one(has_table, &[&schema]).await?.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    let select = format!("SELECT layout FROM {}.stepwell_layout", quoted(schema));
    let found = client.query_one(&select, &[]).await?.try_get::<_, i32>(0)?;
    let found = u32::try_from(found)
        .map_err(|_| Fault::Damaged(format!("the layout is said to be {found}")))?;
    if found > LAYOUT {
        return Err(Fault::NewerLayout { found, known: LAYOUT });
    }
    Ok(found)
}

/// A name as it stands in a statement.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
