//! The statements of writers.

use std::borrow::Cow;

use tokio_postgres::{Client, Statement};

use crate::codec::{RUN_COLUMNS, RUNS};
use crate::fault::Outcome;

macro_rules! statements {
    ($($name:ident: $sql:expr,)+) => {
        /// The statements that writers use, prepared on one connection.
        pub(crate) struct Statements { $(pub $name: Statement,)+ }

        impl Statements {
            pub async fn prepare(client: &Client) -> Outcome<Statements> {
                let ($($name,)+) = futures::try_join!($(prepared(client, $sql),)+)?;
                Ok(Statements { $($name,)+ })
            }
        }
    };
}

async fn prepared(client: &Client, sql: impl Into<Cow<'static, str>>) -> Outcome<Statement> {
    Ok(client.prepare(&sql.into()).await?)
}

statements! {
    mark: "UPDATE writer SET batch = $3 WHERE node = $1 AND n = $2",
    epochs: "SELECT shard, epoch, node FROM shard WHERE shard = ANY($1)",
    // Fails unless the mark is set and every shard has the epoch that is meant.
    guard: "SELECT 1 / (EXISTS (SELECT 1 FROM writer WHERE node = $1 AND n = $2 AND batch = $3)
           AND NOT EXISTS (SELECT 1 FROM shard s JOIN unnest($4::int2[], $5::int8[]) AS u (shard, epoch)
             ON s.shard = u.shard WHERE s.epoch <> u.epoch))::int",
    lock_runs: format!("SELECT {RUN_COLUMNS}, r.next_line FROM {RUNS} WHERE r.run = ANY($1)
         ORDER BY r.run FOR UPDATE OF r"),
    inboxes: "SELECT run, item, cancels FROM inbox WHERE run = ANY($1) ORDER BY run, n",
    keyed: "SELECT k.digest, k.run, i.body FROM idempotency k JOIN input i ON i.run = k.run
         WHERE k.digest = ANY($1)",
    // Whoever watches has locked the run's row before, so this comes after the row was written.
    tell: "WITH told AS (DELETE FROM watch WHERE run = ANY($2) RETURNING run)
         SELECT pg_notify($1, 'w' || run) FROM (SELECT DISTINCT run FROM told) AS t",
    // Fails if there is something in an inbox. Whoever posts locks the run's row, so this comes after that was written.
    quiet: "SELECT 1 / (NOT EXISTS (SELECT 1 FROM inbox WHERE run = ANY($1)))::int",
    notify: "SELECT pg_notify($1, text) FROM unnest($2::text[]) AS u (text)",
    insert_keys: "INSERT INTO idempotency (digest, run)
         SELECT * FROM unnest($1::bytea[], $2::uuid[]) ORDER BY 1",
    insert_runs: "INSERT INTO runs (run, shard, status, runnable, cancelling, next_seq, next_line,
           created_at, updated_at, ended_at, wake_at, parent, namespace, workflow, version,
           parent_location, labels, description, failure, key)
         SELECT * FROM unnest($1::uuid[], $2::int2[], $3::int2[], $4::bool[], $5::bool[], $6::int8[],
           $7::int8[], $8::int8[], $9::int8[], $10::int8[], $11::int8[], $12::uuid[], $13::text[],
           $14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[])",
    insert_inputs: "INSERT INTO input (run, body) SELECT * FROM unnest($1::uuid[], $2::text[])",
    update_runs: "UPDATE runs r SET status = u.status, runnable = u.runnable,
           cancelling = u.cancelling, next_seq = u.next_seq, next_line = u.next_line,
           updated_at = u.updated_at, ended_at = u.ended_at, wake_at = u.wake_at, labels = u.labels,
           description = u.description, failure = u.failure
         FROM unnest($1::uuid[], $2::int2[], $3::bool[], $4::bool[], $5::int8[], $6::int8[], $7::int8[],
             $8::int8[], $9::int8[], $10::text[], $11::text[], $12::text[])
           AS u (run, status, runnable, cancelling, next_seq, next_line, updated_at, ended_at, wake_at,
             labels, description, failure)
         WHERE r.run = u.run",
    update_ends: "UPDATE runs r SET runnable = u.runnable, cancelling = u.cancelling,
           next_seq = u.next_seq, next_line = u.next_line, updated_at = u.updated_at
         FROM unnest($1::uuid[], $2::bool[], $3::bool[], $4::int8[], $5::int8[], $6::int8[])
           AS u (run, runnable, cancelling, next_seq, next_line, updated_at)
         WHERE r.run = u.run",
    delete_journals: "DELETE FROM journal WHERE run = ANY($1)",
    insert_blocks: "INSERT INTO journal (run, first_seq, next_seq, at, epoch, body)
         SELECT * FROM unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bytea[])",
    delete_items: "DELETE FROM inbox i USING unnest($1::uuid[], $2::uuid[]) AS u (run, item)
         WHERE i.run = u.run AND i.item = u.item",
    insert_items: "INSERT INTO inbox (run, item, at, cancels, body)
         SELECT u.run, u.item, u.at, u.cancels, u.body
         FROM unnest($1::uuid[], $2::uuid[], $3::int8[], $4::bool[], $5::text[])
           WITH ORDINALITY AS u (run, item, at, cancels, body, place) ORDER BY u.place",
    insert_lines: "INSERT INTO line (run, n, at, level, location, message, fields)
         SELECT * FROM unnest($1::uuid[], $2::int8[], $3::int8[], $4::int2[], $5::text[], $6::text[],
           $7::text[])",
    delete_labels: "DELETE FROM label l USING unnest($1::uuid[], $2::int8[], $3::uuid[])
           AS u (digest, created_at, run)
         WHERE l.digest = u.digest AND l.created_at = u.created_at AND l.run = u.run",
    insert_labels: "INSERT INTO label (digest, created_at, run)
         SELECT * FROM unnest($1::uuid[], $2::int8[], $3::uuid[])",
    count: "INSERT INTO tally (namespace, workflow, status, slot, n)
         SELECT u.namespace, u.workflow, u.status, $1, u.n
         FROM unnest($2::text[], $3::text[], $4::int2[], $5::int8[]) AS u (namespace, workflow, status, n)
         ON CONFLICT (namespace, workflow, status, slot) DO UPDATE SET n = tally.n + EXCLUDED.n",
}
