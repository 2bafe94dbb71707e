//! `stepwell run list`

use std::collections::BTreeMap;

use stepwell::UnixMillis;
use stepwell_server::api::{RunList, RunSummary};

use super::Cx;
use crate::args::{FindRuns, word};
use crate::client::{Call, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Paint, Style, Table, ago, labels_text, now, span_of};

/// How many rows a page has when all are wanted.
const PAGE: u32 = 1_000;

pub async fn list(cx: &mut Cx<'_>, find: FindRuns) -> Result<Exit> {
    let mut reply = page(cx, &find, find.cursor.clone()).await?;
    if find.all && reply.value.next_cursor.is_some() {
        while let Some(cursor) = reply.value.next_cursor.take() {
            let next = page(cx, &find, Some(cursor)).await?.value;
            reply.value.runs.extend(next.runs);
            reply.value.next_cursor = next.next_cursor;
        }
        if cx.out.json {
            cx.out.print_json_of(&reply.value)?;
            return Ok(Exit::Ok);
        }
    }
    let now = now();
    let exit = cx.show(&reply, |list, style| runs_table(&list.runs, now, style))?;
    if !cx.out.json {
        let counts = reply.value.counts.as_ref().map(counts_text).unwrap_or_default();
        if cx.out.stderr_is_terminal && !counts.is_empty() {
            cx.out.say(&counts)?;
        }
        if let Some(cursor) = &reply.value.next_cursor {
            cx.out.say(&format!("there are more: add --cursor {cursor}, or --all"))?;
        }
    }
    Ok(exit)
}

async fn page(cx: &Cx<'_>, find: &FindRuns, cursor: Option<String>) -> Result<Reply<RunList>> {
    let now = now();
    let statuses: Vec<String> = find.status.iter().map(word).collect();
    let mut call = Call::get(&["api", "runs"])
        .with("workflow", find.workflow.as_ref())
        .with("status", Some(statuses.join(",")).filter(|statuses| !statuses.is_empty()))
        .with("from", find.from.map(|when| when.at(now)))
        .with("to", find.to.map(|when| when.at(now)))
        .with("parent", find.parent.as_ref())
        .with("q", find.query.as_ref())
        .with("limit", Some(if find.all { PAGE } else { find.limit }))
        .with("cursor", cursor);
    for pair in &find.label {
        call = call.with("label", Some(format!("{}={}", pair.key, pair.value)));
    }
    for pair in &find.input {
        call = call.with(format!("input.{}", pair.key), Some(&pair.value));
    }
    cx.client.call(call).await
}

fn runs_table(runs: &[RunSummary], now: UnixMillis, style: Style) -> String {
    let mut table = Table::new(["RUN", "WORKFLOW", "STATUS", "CREATED", "TOOK", "ABOUT"]);
    for run in runs {
        let status = if run.cancelling { "cancelling" } else { &run.status };
        let took = run.ended_at.map(|at| span_of(at.0.ms_since(run.created_at.0)));
        table.row([
            (Paint::Plain, run.run_id.clone()),
            (Paint::Plain, run.workflow.clone()),
            (Paint::of_status(status), status.to_owned()),
            (Paint::Dim, ago(run.created_at.0, now)),
            (Paint::Dim, took.unwrap_or_default()),
            (Paint::Plain, about(run, now)),
        ]);
    }
    table.render(style)
}

/// What tells this run from the next: its error, when it wakes, its description or its labels.
fn about(run: &RunSummary, now: UnixMillis) -> String {
    let wakes = run.wake_at.filter(|_| run.ended_at.is_none());
    let parts = [
        run.error.as_ref().map(ToString::to_string),
        wakes.map(|at| format!("wakes {}", ago(at.0, now))),
        run.description.clone(),
        Some(labels_text(&run.labels)).filter(|labels| !labels.is_empty()),
    ];
    parts.into_iter().flatten().take(2).collect::<Vec<_>>().join("; ")
}

/// `3 running, 12 completed`
pub fn counts_text(counts: &BTreeMap<String, u64>) -> String {
    const ORDER: [&str; 7] =
        ["pending", "running", "waiting", "rolling_back", "completed", "failed", "cancelled"];
    let counted = ORDER.iter().filter_map(|status| Some((status, counts.get(*status)?)));
    let parts: Vec<String> = counted
        .filter(|(_, n)| **n > 0)
        .map(|(status, n)| format!("{n} {}", status.replace('_', " ")))
        .collect();
    parts.join(", ")
}
