//! What a batch comes to, as columns of values for a few statements.
//!
//! Every statement takes the rows of all runs at once (`unnest`), in the order of the runs' ids, so that
//! transactions that touch the same rows meet in the same order.

use std::collections::BTreeMap;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use stepwell_store::stored;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::batch::{Batch, Change, Head};
use crate::codec;
use crate::fault::{Fault, Outcome};
use crate::statements::Statements;

/// A statement that is sent when it is first polled.
macro_rules! execute {
    ($client:expr, $statement:expr, $($value:expr),+) => {
        async move {
            $client.execute(&$statement, &[$(&$value),+]).await?;
            Ok(())
        }
        .boxed()
    };
}

/// What runs are counted by: namespace, workflow and status.
pub(crate) type Tally = BTreeMap<(String, String, i16), i64>;

/// The values of a batch, by statement and column.
#[derive(Default)]
pub(crate) struct Columns {
    new: Rows,
    changed: Rows,
    ends: Rows,
    keys: (Vec<Vec<u8>>, Vec<Uuid>),
    inputs: (Vec<Uuid>, Vec<String>),
    replaced: Vec<Uuid>,
    blocks: (Vec<Uuid>, Vec<i64>, Vec<Vec<u8>>),
    taken: (Vec<Uuid>, Vec<Uuid>),
    items: (Vec<Uuid>, Vec<Uuid>, Vec<i64>, Vec<bool>, Vec<String>),
    lines: Lines,
    old_labels: Labels,
    new_labels: Labels,
    tally: Tally,
}

#[derive(Default)]
struct Rows {
    run: Vec<Uuid>,
    shard: Vec<i16>,
    status: Vec<i16>,
    runnable: Vec<bool>,
    cancelling: Vec<bool>,
    next_seq: Vec<i64>,
    next_line: Vec<i64>,
    created_at: Vec<i64>,
    updated_at: Vec<i64>,
    ended_at: Vec<Option<i64>>,
    wake_at: Vec<Option<i64>>,
    parent: Vec<Option<Uuid>>,
    namespace: Vec<String>,
    workflow: Vec<String>,
    version: Vec<String>,
    parent_location: Vec<Option<String>>,
    labels: Vec<Option<String>>,
    description: Vec<Option<String>>,
    failure: Vec<Option<String>>,
    key: Vec<Option<String>>,
}

#[derive(Default)]
struct Lines {
    run: Vec<Uuid>,
    n: Vec<i64>,
    at: Vec<i64>,
    level: Vec<i16>,
    location: Vec<String>,
    message: Vec<String>,
    fields: Vec<String>,
}

#[derive(Default)]
struct Labels {
    digest: Vec<Uuid>,
    created_at: Vec<i64>,
    run: Vec<Uuid>,
}

impl Rows {
    /// The columns of a run's end, and no others.
    fn push_end(&mut self, head: &Head) {
        let row = &head.row;
        self.run.push(row.run.0);
        self.runnable.push(head.is_runnable());
        self.cancelling.push(row.cancelling);
        self.next_seq.push(stored::of_seq(row.next_seq));
        self.next_line.push(head.next_line);
        self.updated_at.push(stored::of_time(row.updated_at));
    }

    /// All columns that can change.
    fn push_changed(&mut self, head: &Head) -> Outcome<()> {
        let row = &head.row;
        self.push_end(head);
        self.status.push(codec::of_status(row.status));
        self.ended_at.push(row.ended_at.map(stored::of_time));
        self.wake_at.push(row.wake_at.map(stored::of_time));
        self.labels.push(codec::labels_text(&row.labels)?);
        self.description.push(row.description.as_deref().map(codec::owned));
        self.failure.push(row.failure.as_ref().map(serde_json::to_string).transpose()?);
        Ok(())
    }

    fn push_new(&mut self, head: &Head) -> Outcome<()> {
        let row = &head.row;
        self.push_changed(head)?;
        self.shard.push(codec::shard_of(row.run));
        self.created_at.push(stored::of_time(row.created_at));
        self.parent.push(row.parent.as_ref().map(|parent| parent.run.0));
        let location = row.parent.as_ref().map(|parent| codec::owned(parent.location.as_str()));
        self.parent_location.push(location);
        self.namespace.push(codec::owned(&row.namespace));
        self.workflow.push(codec::owned(&row.workflow));
        self.version.push(codec::owned(&row.version));
        self.key.push(head.key.as_deref().map(codec::owned));
        Ok(())
    }
}

impl Labels {
    fn push(&mut self, head: &Head, (key, value): (&String, &String)) {
        self.digest.push(codec::label_digest(key, value));
        self.created_at.push(stored::of_time(head.row.created_at));
        self.run.push(head.row.run.0);
    }
}

impl Columns {
    pub fn of(batch: Batch) -> Outcome<Columns> {
        let mut columns = Columns::default();
        columns.keys = batch.new_keys.into_iter().map(|(digest, run)| (digest, run.0)).unzip();
        for head in batch.heads.into_values().filter(|head| head.change != Change::Nothing) {
            columns.push(head)?;
        }
        Ok(columns)
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        self.new.run.is_empty() && self.changed.run.is_empty() && self.ends.run.is_empty()
    }

    fn push(&mut self, head: Head) -> Outcome<()> {
        let run = head.row.run.0;
        let status = codec::of_status(head.row.status);
        match (&head.before, head.change) {
            (None, _) => {
                self.new.push_new(&head)?;
                self.inputs.0.push(run);
                self.inputs.1.push(head.row.input.as_str().to_owned());
                self.count(&head, status, 1);
                head.row.labels.iter().for_each(|label| self.new_labels.push(&head, label));
            }
            (Some(before), Change::Everything) => {
                self.changed.push_changed(&head)?;
                let was = codec::of_status(before.status);
                if was != status {
                    self.count(&head, was, -1);
                    self.count(&head, status, 1);
                }
                if before.labels != head.row.labels {
                    before.labels.iter().for_each(|label| self.old_labels.push(&head, label));
                    head.row.labels.iter().for_each(|label| self.new_labels.push(&head, label));
                }
            }
            (Some(_), _) => self.ends.push_end(&head),
        }
        if head.replaces && head.before.is_some() {
            self.replaced.push(run);
        }
        for block in head.blocks {
            self.blocks.0.push(run);
            self.blocks.1.push(stored::of_seq(block.first_seq));
            self.blocks.2.push(block.body);
        }
        for item in head.taken {
            self.taken.0.push(run);
            self.taken.1.push(item.0);
        }
        for slot in head.inbox {
            let Some(new) = slot.new else { continue };
            self.items.0.push(run);
            self.items.1.push(slot.id.0);
            self.items.2.push(stored::of_time(new.at));
            self.items.3.push(slot.cancels);
            self.items.4.push(new.body);
        }
        for (n, line) in head.lines {
            self.lines.run.push(run);
            self.lines.n.push(n);
            self.lines.at.push(stored::of_time(line.at));
            self.lines.level.push(codec::of_level(line.level));
            self.lines.location.push(codec::owned(line.location.as_str()));
            self.lines.message.push(codec::owned(&line.message));
            self.lines.fields.push(line.fields.as_str().to_owned());
        }
        Ok(())
    }

    fn count(&mut self, head: &Head, status: i16, n: i64) {
        let (namespace, workflow) = (head.row.namespace.clone(), head.row.workflow.clone());
        *self.tally.entry((namespace, workflow, status)).or_default() += n;
    }

    /// Sends all that is to be written, and then `COMMIT`, without waiting in between. What goes wrong first is
    /// what is wrong; the database then commits nothing.
    pub async fn write(&self, client: &Client, sql: &Statements, slot: i16) -> Outcome<()> {
        let mut sent: Vec<BoxFuture<'_, Outcome<()>>> = Vec::new();
        self.send_rows(client, sql, &mut sent);
        self.send_rest(client, sql, &mut sent);
        if let Some(counting) = send_tally(client, sql, slot, &self.tally) {
            sent.push(counting);
        }
        sent.push(client.batch_execute("COMMIT").map(|done| done.map_err(Fault::from)).boxed());
        let results = join_all(sent).await;
        // A connection that was lost leaves open what became of all of it.
        if let Some(lost) =
            results.iter().filter_map(|result| result.as_ref().err()).find(|fault| fault.is_lost())
        {
            return Err(lost.clone());
        }
        results.into_iter().collect()
    }

    fn send_rows<'a>(
        &'a self,
        client: &'a Client,
        sql: &'a Statements,
        sent: &mut Vec<BoxFuture<'a, Outcome<()>>>,
    ) {
        let (keys, new, changed, ends) = (&self.keys, &self.new, &self.changed, &self.ends);
        if !keys.0.is_empty() {
            sent.push(execute!(client, sql.insert_keys, keys.0, keys.1));
        }
        if !new.run.is_empty() {
            sent.push(execute!(
                client,
                sql.insert_runs,
                new.run,
                new.shard,
                new.status,
                new.runnable,
                new.cancelling,
                new.next_seq,
                new.next_line,
                new.created_at,
                new.updated_at,
                new.ended_at,
                new.wake_at,
                new.parent,
                new.namespace,
                new.workflow,
                new.version,
                new.parent_location,
                new.labels,
                new.description,
                new.failure,
                new.key
            ));
            sent.push(execute!(client, sql.insert_inputs, self.inputs.0, self.inputs.1));
        }
        if !changed.run.is_empty() {
            sent.push(execute!(
                client,
                sql.update_runs,
                changed.run,
                changed.status,
                changed.runnable,
                changed.cancelling,
                changed.next_seq,
                changed.next_line,
                changed.updated_at,
                changed.ended_at,
                changed.wake_at,
                changed.labels,
                changed.description,
                changed.failure
            ));
        }
        if !ends.run.is_empty() {
            sent.push(execute!(
                client,
                sql.update_ends,
                ends.run,
                ends.runnable,
                ends.cancelling,
                ends.next_seq,
                ends.next_line,
                ends.updated_at
            ));
        }
    }

    fn send_rest<'a>(
        &'a self,
        client: &'a Client,
        sql: &'a Statements,
        sent: &mut Vec<BoxFuture<'a, Outcome<()>>>,
    ) {
        let (blocks, items, lines) = (&self.blocks, &self.items, &self.lines);
        if !self.replaced.is_empty() {
            sent.push(execute!(client, sql.delete_journals, self.replaced));
        }
        if !blocks.0.is_empty() {
            sent.push(execute!(client, sql.insert_blocks, blocks.0, blocks.1, blocks.2));
        }
        if !self.taken.0.is_empty() {
            sent.push(execute!(client, sql.delete_items, self.taken.0, self.taken.1));
        }
        if !items.0.is_empty() {
            sent.push(execute!(
                client,
                sql.insert_items,
                items.0,
                items.1,
                items.2,
                items.3,
                items.4
            ));
        }
        if !lines.run.is_empty() {
            sent.push(execute!(
                client,
                sql.insert_lines,
                lines.run,
                lines.n,
                lines.at,
                lines.level,
                lines.location,
                lines.message,
                lines.fields
            ));
        }
        for (statement, labels) in
            [(&sql.delete_labels, &self.old_labels), (&sql.insert_labels, &self.new_labels)]
        {
            if !labels.run.is_empty() {
                sent.push(execute!(
                    client,
                    *statement,
                    labels.digest,
                    labels.created_at,
                    labels.run
                ));
            }
        }
    }
}

/// Notes what changes in the counts of runs; none if nothing does.
pub(crate) fn send_tally<'a>(
    client: &'a Client,
    sql: &'a Statements,
    slot: i16,
    tally: &Tally,
) -> Option<BoxFuture<'a, Outcome<()>>> {
    let changes = tally.iter().filter(|(_, n)| **n != 0);
    let mut columns = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for ((namespace, workflow, status), n) in changes {
        columns.0.push(codec::owned(namespace));
        columns.1.push(codec::owned(workflow));
        columns.2.push(*status);
        columns.3.push(*n);
    }
    if columns.0.is_empty() {
        return None;
    }
    let (namespaces, workflows, statuses, counts) = columns;
    Some(
        async move {
            client
                .execute(&sql.count, &[&slot, &namespaces, &workflows, &statuses, &counts])
                .await?;
            Ok(())
        }
        .boxed(),
    )
}
