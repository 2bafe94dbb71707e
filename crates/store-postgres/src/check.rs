//! Reading everything, to see whether it makes sense.

use std::collections::BTreeMap;

use stepwell_journal::{Event, Json, RunId, RunState, Seq, wire};
use stepwell_store::{StoreReport, stored};
use uuid::Uuid;

use crate::codec::{self, RUNS};
use crate::fault::Outcome;
use crate::read::Reader;

/// A report says no more than this.
const PROBLEMS_MAX: usize = 100;
/// How many runs are read at once.
const PAGE_RUNS: i64 = 100;

/// Where a check stands. A piece of it is done at a time, so that none takes longer than an answer may.
#[derive(Default, Clone)]
pub(crate) struct Check {
    pub report: StoreReport,
    after: Option<Uuid>,
}

impl Check {
    fn add(&mut self, problem: String) {
        if self.report.problems.len() < PROBLEMS_MAX {
            self.report.problems.push(problem);
        }
    }

    /// Looks at the next runs. Says whether there were any.
    pub async fn runs(&mut self, reader: &Reader) -> Outcome<bool> {
        let rows = reader
            .prepare(&format!(
                "SELECT r.run, greatest(r.next_seq, j.next_seq) FROM {RUNS}
                     WHERE $1::uuid IS NULL OR r.run > $1 ORDER BY r.run LIMIT $2",
            ))
            .await?;
        let blocks = "SELECT run, body, epoch FROM journal WHERE run = ANY($1)
             ORDER BY run, first_seq";
        let blocks = reader.prepare(blocks).await?;
        reader.begin().await?;
        let rows = reader.query(&rows, &[&self.after, &PAGE_RUNS]).await?;
        let runs: Vec<Uuid> = rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Outcome<_>>()?;
        let blocks = reader.query(&blocks, &[&runs]).await?;
        reader.end().await?;
        let mut journals = BTreeMap::<Uuid, Result<Vec<Event>, wire::DecodeError>>::new();
        let mut latest = (Uuid::nil(), 0);
        for block in &blocks {
            let run: Uuid = block.try_get(0)?;
            let epoch = block.try_get::<_, i64>(2)?;
            if latest.0 == run && epoch != 0 && epoch < latest.1 {
                let (run, later) = (RunId(run), latest.1);
                self.add(format!("epoch {epoch} wrote to the journal of run {run} after {later}"));
            }
            latest = (run, if latest.0 == run { epoch.max(latest.1) } else { epoch });
            let journal = journals.entry(run).or_insert_with(|| Ok(Vec::new()));
            if let Ok(events) = journal
                && let Err(error) = wire::decode_into(block.try_get(1)?, events)
            {
                *journal = Err(error);
            }
        }
        for row in &rows {
            let run: Uuid = row.try_get(0)?;
            let journal = journals.remove(&run).unwrap_or_else(|| Ok(Vec::new()));
            self.journal(RunId(run), journal, stored::seq(row.try_get(1)?));
        }
        self.after = runs.last().copied();
        Ok(self.after.is_some())
    }

    fn journal(
        &mut self,
        run: RunId,
        journal: Result<Vec<Event>, wire::DecodeError>,
        next_seq: Seq,
    ) {
        self.report.n_runs += 1;
        let journal = match journal {
            Ok(journal) => journal,
            Err(error) => return self.add(format!("the journal of run {run}: {error}")),
        };
        self.report.n_events += journal.len() as u64;
        if let Err(error) = RunState::fold(run, &journal) {
            self.add(error.to_string());
        } else if journal.last().is_none_or(|last| last.seq.next() > next_seq) {
            self.add(format!("the journal of run {run} is not as its row says"));
        }
    }

    /// Whether the counts are right, and whether every row belongs to a run.
    pub async fn tally(&mut self, reader: &Reader) -> Outcome<()> {
        let select = "SELECT DISTINCT namespace, workflow FROM (
               SELECT namespace, workflow, status, sum(n) AS n_runs FROM (
                 SELECT namespace, workflow, status, n FROM tally
                 UNION ALL SELECT namespace, workflow, status, -1 FROM runs
               ) AS counted GROUP BY namespace, workflow, status) AS summed
             WHERE n_runs <> 0 LIMIT 100";
        let statement = reader.prepare(select).await?;
        reader.begin_long().await?;
        for row in reader.query(&statement, &[]).await? {
            let namespace = codec::plain(row.try_get(0)?);
            let workflow = codec::plain(row.try_get(1)?);
            self.add(format!("the runs of workflow {workflow:?} of {namespace:?} are miscounted"));
        }
        for table in ["journal", "input", "inbox", "line", "label", "idempotency"] {
            let select = format!(
                "SELECT count(*) FROM {table} t WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.run = t.run)"
            );
            let rows = reader.query(&reader.prepare(&select).await?, &[]).await?;
            let n_lost = rows.first().map_or(Ok(0), |row| row.try_get::<_, i64>(0))?;
            if n_lost > 0 {
                self.add(format!("{n_lost} rows of {table} belong to no run"));
            }
        }
        reader.end().await
    }

    pub async fn documents(&mut self, reader: &Reader) -> Outcome<()> {
        let page = reader
            .prepare(
                "SELECT kind, namespace, key, body FROM document
                 WHERE $1::text IS NULL OR (kind, namespace, key) > ($1, $2, $3)
                 ORDER BY kind, namespace, key LIMIT 16",
            )
            .await?;
        let mut after = (None::<String>, String::new(), String::new());
        loop {
            let rows = reader.query(&page, &[&after.0, &after.1, &after.2]).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = (Some(last.try_get(0)?), last.try_get(1)?, last.try_get(2)?);
            for row in &rows {
                self.report.n_documents += 1;
                if let Err(error) = Json::parse(row.try_get(3)?) {
                    let names: Vec<&str> =
                        (0..3).map(|n| Ok(row.try_get(n)?)).collect::<Outcome<_>>()?;
                    self.add(format!("the document {names:?}: {error}"));
                }
            }
        }
    }
}
