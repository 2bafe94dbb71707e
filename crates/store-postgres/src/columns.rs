//! What a batch comes to, as columns of values.

use std::collections::{BTreeMap, HashMap};

use stepwell_journal::{Epoch, Json, RunId};
use stepwell_store::{RunRow, stored};
use uuid::Uuid;

use crate::batch::{Batch, Change, Entry, Head};
use crate::codec;
use crate::connect::Connector;
use crate::fault::Outcome;
use crate::kept::{KeptRun, Learned};
use crate::listen;
use crate::writer::Open;

/// What runs are counted by: namespace, workflow and status.
pub(crate) type Tally = BTreeMap<(String, String, i16), i64>;

/// The values of a batch, by statement and column.
#[derive(Default)]
pub(crate) struct Columns {
    pub new: Rows,
    pub changed: Rows,
    pub ends: Rows,
    pub keys: (Vec<Vec<u8>>, Vec<Uuid>),
    pub inputs: (Vec<Uuid>, Vec<String>),
    pub replaced: Vec<Uuid>,
    pub blocks: Blocks,
    pub taken: (Vec<Uuid>, Vec<Uuid>),
    pub items: Items,
    pub lines: Lines,
    pub old_labels: Labels,
    pub new_labels: Labels,
    pub tally: Tally,
    /// What other nodes are told when all is committed.
    pub calls: Vec<String>,
    pub channel: String,
    /// Whoever watches these runs is told.
    pub spoke: Vec<Uuid>,
    /// Runs whose rows are written, and whose inboxes are believed to be empty.
    pub quiet: Vec<Uuid>,
    /// What is to be remembered when all is committed.
    pub learned: Learned,
}

#[derive(Default)]
pub(crate) struct Rows {
    pub run: Vec<Uuid>,
    pub shard: Vec<i16>,
    pub status: Vec<i16>,
    pub runnable: Vec<bool>,
    pub cancelling: Vec<bool>,
    pub next_seq: Vec<i64>,
    pub next_line: Vec<i64>,
    pub created_at: Vec<i64>,
    pub updated_at: Vec<i64>,
    pub ended_at: Vec<Option<i64>>,
    pub wake_at: Vec<Option<i64>>,
    pub parent: Vec<Option<Uuid>>,
    pub namespace: Vec<String>,
    pub workflow: Vec<String>,
    pub version: Vec<String>,
    pub parent_location: Vec<Option<String>>,
    pub labels: Vec<Option<String>>,
    pub description: Vec<Option<String>>,
    pub failure: Vec<Option<String>>,
    pub key: Vec<Option<String>>,
}

#[derive(Default)]
pub(crate) struct Blocks {
    pub run: Vec<Uuid>,
    pub first_seq: Vec<i64>,
    pub next_seq: Vec<i64>,
    pub at: Vec<i64>,
    pub epoch: Vec<i64>,
    pub body: Vec<Vec<u8>>,
}

#[derive(Default)]
pub(crate) struct Items {
    pub run: Vec<Uuid>,
    pub item: Vec<Uuid>,
    pub at: Vec<i64>,
    pub cancels: Vec<bool>,
    pub body: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Lines {
    pub run: Vec<Uuid>,
    pub n: Vec<i64>,
    pub at: Vec<i64>,
    pub level: Vec<i16>,
    pub location: Vec<String>,
    pub message: Vec<String>,
    pub fields: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Labels {
    pub digest: Vec<Uuid>,
    pub created_at: Vec<i64>,
    pub run: Vec<Uuid>,
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

impl Blocks {
    fn push(&mut self, run: RunId, Entry { epoch, block }: Entry) {
        self.run.push(run.0);
        self.first_seq.push(stored::of_seq(block.first_seq));
        self.next_seq.push(stored::of_seq(block.next_seq));
        self.at.push(stored::of_time(block.at));
        self.epoch.push(i64::try_from(epoch.0).unwrap_or(i64::MAX));
        self.body.push(block.body);
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
    pub fn of(batch: Batch, connector: &Connector, open: Open<'_>) -> Outcome<Columns> {
        let mut columns = Columns { channel: connector.channel(), ..Columns::default() };
        if open.is_shared {
            columns.add_calls(&batch, open);
        }
        columns.keys = batch.new_keys.into_iter().map(|(digest, run)| (digest, run.0)).unzip();
        let is_ours = |shard| !open.is_shared || batch.owners.get(&shard) == Some(&Some(open.node));
        let epochs = batch.epochs.into_iter().filter(|(shard, _)| is_ours(*shard));
        let ours: HashMap<i16, Epoch> = epochs.collect();
        for head in batch.heads.into_values().filter(|head| head.change != Change::Nothing) {
            let epoch = ours.get(&codec::shard_of(head.row.run)).copied();
            columns.push(head, epoch)?;
        }
        columns.learned.shards = ours.into_iter().collect();
        Ok(columns)
    }

    fn add_calls(&mut self, batch: &Batch, open: Open<'_>) {
        let is_elsewhere = |run: &RunId| {
            let owner = batch.owners.get(&codec::shard_of(*run)).copied().flatten();
            owner.is_some_and(|owner| owner != open.node)
        };
        self.calls = listen::texts(batch.called.iter().copied().filter(is_elsewhere));
        self.spoke = batch.spoke.iter().map(|run| run.0).collect();
    }

    /// Whether nothing is written.
    pub fn is_empty(&self) -> bool {
        let rows = [&self.new, &self.changed, &self.ends];
        rows.iter().all(|rows| rows.run.is_empty()) && self.blocks.run.is_empty()
    }

    /// A run that is ours is remembered with the epoch that it is ours since.
    fn push(&mut self, head: Head, epoch: Option<Epoch>) -> Outcome<()> {
        let run = head.row.run.0;
        if head.is_kept && head.change > Change::Journal {
            self.quiet.push(run);
        }
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
            (Some(_), Change::Little) => self.ends.push_end(&head),
            (Some(_), Change::Journal | Change::Nothing) => {}
        }
        let is_kept = !head.row.status.is_ended() && head.inbox.is_empty();
        if head.replaces && head.before.is_some() {
            self.replaced.push(run);
        }
        for entry in head.blocks {
            self.blocks.push(head.row.run, entry);
        }
        for item in head.taken {
            self.taken.0.push(run);
            self.taken.1.push(item.0);
        }
        for slot in head.inbox {
            let Some(new) = slot.new else { continue };
            self.items.run.push(run);
            self.items.item.push(slot.id.0);
            self.items.at.push(stored::of_time(new.at));
            self.items.cancels.push(slot.cancels);
            self.items.body.push(new.body);
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
        if let Some(epoch) = epoch.filter(|_| is_kept) {
            let row = RunRow { input: Json::null(), ..head.row };
            self.learned.runs.push(KeptRun { epoch, row, next_line: head.next_line });
        }
        Ok(())
    }

    fn count(&mut self, head: &Head, status: i16, n: i64) {
        let (namespace, workflow) = (head.row.namespace.clone(), head.row.workflow.clone());
        *self.tally.entry((namespace, workflow, status)).or_default() += n;
    }
}
