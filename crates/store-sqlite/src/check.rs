//! Reading everything and saying what is wrong.

use rusqlite::{Connection, Transaction};
use stepwell_journal::{Event, Json, RunId, RunState, wire};
use stepwell_store::StoreReport;
use uuid::Uuid;

use crate::codec;
use crate::fault::Outcome;
use crate::moment::at_one_moment;
use crate::tail::RunTail;
use crate::writer::Shared;

/// Whoever has so many problems restores a backup; more lines would only fill memory.
const PROBLEMS_MAX: usize = 1_000;

pub(crate) fn check(connection: &Connection, shared: &Shared) -> Outcome<StoreReport> {
    let (tables, tails) = at_one_moment(connection, shared, |tail| tail.runs().clone())?;
    let mut report = StoreReport::default();
    if let Err(fault) = check_pages(&tables, &mut report) {
        report.problems.push(fault.problem());
    }
    let checked = check_runs(&tables, &mut report, |run| tails.get(&run));
    // What cannot be read any further is one problem, and the rest may be worth reading.
    for checked in
        [checked, check_tally(&tables, &mut report), check_documents(&tables, &mut report)]
    {
        if let Err(fault) = checked {
            report.problems.push(fault.problem());
        }
    }
    Ok(report)
}

fn check_pages(tables: &Transaction<'_>, report: &mut StoreReport) -> Outcome<()> {
    let mut pragma = tables.prepare("PRAGMA integrity_check")?;
    let mut rows = pragma.query([])?;
    while let Some(row) = rows.next()? {
        let line: String = row.get(0)?;
        if line != "ok" {
            report.problems.push(line);
        }
    }
    Ok(())
}

fn check_runs<'t>(
    tables: &Transaction<'_>,
    report: &mut StoreReport,
    tail_of: impl Fn(RunId) -> Option<&'t RunTail>,
) -> Outcome<()> {
    let mut select = tables.prepare("SELECT id, run, next_seq FROM runs ORDER BY id")?;
    let mut rows = select.query([])?;
    while report.problems.len() < PROBLEMS_MAX
        && let Some(row) = rows.next()?
    {
        let run = RunId(Uuid::from_bytes(row.get(1)?));
        let tail = tail_of(run);
        let next_seq = codec::seq(row.get(2)?);
        let next_seq = tail.map_or(next_seq, |tail| tail.next_seq.max(next_seq));
        report.n_runs += 1;
        match read_journal(tables, row.get(0)?, tail) {
            Ok(journal) => {
                report.n_events += journal.len() as u64;
                if let Err(error) = RunState::fold(run, &journal) {
                    report.problems.push(error.to_string());
                } else if journal.last().is_none_or(|last| last.seq.next() > next_seq) {
                    report
                        .problems
                        .push(format!("the journal of run {run} is not as its row says"));
                }
            }
            Err(fault) => {
                report.problems.push(format!("the journal of run {run}: {}", fault.problem()));
            }
        }
    }
    Ok(())
}

/// Whether the counts are right, and whether every row belongs to a run or is to be swept away.
fn check_tally(tables: &Transaction<'_>, report: &mut StoreReport) -> Outcome<()> {
    let mut select = tables.prepare(
        "SELECT DISTINCT namespace, workflow FROM (
           SELECT namespace, workflow, status, sum(n) AS n_runs FROM (
             SELECT namespace, workflow, status, n FROM tally
             UNION ALL SELECT namespace, workflow, status, -1 FROM runs
           ) GROUP BY namespace, workflow, status)
         WHERE n_runs <> 0",
    )?;
    let mut rows = select.query([])?;
    while report.problems.len() < PROBLEMS_MAX
        && let Some(row) = rows.next()?
    {
        let (namespace, workflow): (String, String) = (row.get(0)?, row.get(1)?);
        let problem = format!("the runs of workflow {workflow:?} of {namespace:?} are miscounted");
        report.problems.push(problem);
    }
    let n_lost: i64 = tables.query_row(
        "SELECT count(DISTINCT run) FROM chunk
         WHERE run NOT IN (SELECT id FROM runs) AND run NOT IN (SELECT id FROM gone)",
        [],
        |row| row.get(0),
    )?;
    if n_lost > 0 {
        report.problems.push(format!("there are {n_lost} journals that belong to no run"));
    }
    Ok(())
}

fn check_documents(tables: &Transaction<'_>, report: &mut StoreReport) -> Outcome<()> {
    let mut select = tables.prepare("SELECT namespace, kind, key, body FROM document")?;
    let mut rows = select.query([])?;
    while report.problems.len() < PROBLEMS_MAX
        && let Some(row) = rows.next()?
    {
        report.n_documents += 1;
        let body = row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?;
        if let Err(error) = Json::parse(body) {
            let (namespace, kind, key): (String, String, String) =
                (row.get(0)?, row.get(1)?, row.get(2)?);
            let problem = format!("the {kind} {key:?} of namespace {namespace:?}: {error}");
            report.problems.push(problem);
        }
    }
    Ok(())
}

fn read_journal(tables: &Transaction<'_>, id: i64, tail: Option<&RunTail>) -> Outcome<Vec<Event>> {
    let mut journal = Vec::new();
    if tail.is_none_or(|tail| !tail.replaces) {
        let mut select =
            tables.prepare_cached("SELECT body FROM chunk WHERE run = ?1 ORDER BY first_seq")?;
        let mut chunks = select.query([id])?;
        while let Some(chunk) = chunks.next()? {
            let body = chunk.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
            wire::decode_into(body, &mut journal)?;
        }
    }
    for block in tail.iter().flat_map(|tail| &tail.blocks) {
        wire::decode_into(block.events(), &mut journal)?;
    }
    Ok(journal)
}
