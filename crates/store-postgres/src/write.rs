//! Writing what a batch comes to, with a few statements.
//!
//! Every statement takes the rows of all runs at once (`unnest`), in the order of the runs' ids, so that
//! transactions that touch the same rows meet in the same order.

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use tokio_postgres::Client;

use crate::codec;
use crate::columns::{Columns, Tally};
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

impl Columns {
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
        if !blocks.run.is_empty() {
            sent.push(execute!(
                client,
                sql.insert_blocks,
                blocks.run,
                blocks.first_seq,
                blocks.next_seq,
                blocks.at,
                blocks.epoch,
                blocks.body
            ));
        }
        if !self.taken.0.is_empty() {
            sent.push(execute!(client, sql.delete_items, self.taken.0, self.taken.1));
        }
        if !items.run.is_empty() {
            sent.push(execute!(
                client,
                sql.insert_items,
                items.run,
                items.item,
                items.at,
                items.cancels,
                items.body
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
        self.send_calls(client, sql, sent);
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

    /// What must come after the rows of runs: whether nobody posted to them, and who is told of them.
    fn send_calls<'a>(
        &'a self,
        client: &'a Client,
        sql: &'a Statements,
        sent: &mut Vec<BoxFuture<'a, Outcome<()>>>,
    ) {
        if !self.quiet.is_empty() {
            sent.push(execute!(client, sql.quiet, self.quiet));
        }
        if !self.spoke.is_empty() {
            sent.push(execute!(client, sql.tell, self.channel, self.spoke));
        }
        if !self.calls.is_empty() {
            sent.push(execute!(client, sql.notify, self.channel, self.calls));
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
