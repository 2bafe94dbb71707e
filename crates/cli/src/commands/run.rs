//! `stepwell run ...`

use std::time::Duration;

use stepwell_server::api::{
    Accepted, AnswerView, CancelRun, EntryView, EventPage, LogLineView, LogLines, Replay,
    ReplayInto, ResumeRun, RunDetail, SendMessage,
};

use super::start::{wait, wanted};
use super::{Cx, deleted, runs};
use crate::args::{self, JournalOf, LogsOf, ReplayRun, RunCommand, ShowEntry, ShowRun, word};
use crate::client::{Call, Reply, WAIT_MS_MAX};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Paint, Style, clean, entry_text, indented, now, pad, run_text};
use crate::watch::is_ended;

/// How many events or lines are asked for at a time.
const PAGE: u32 = 1_000;

/// How often new log lines are asked for.
const FOLLOW_EVERY: Duration = Duration::from_millis(500);

pub async fn run(cx: &mut Cx<'_>, command: RunCommand) -> Result<Exit> {
    match command {
        RunCommand::List(find) => runs::list(cx, *find).await,
        RunCommand::Show(ShowRun { id, at }) => {
            let call = Call::get(&["api", "runs", &id]).with("at", at);
            let reply: Reply<RunDetail> = cx.client.call(call).await?;
            cx.show(&reply, |run, style| run_text(run, now(), style))
        }
        RunCommand::Journal(of) => journal(cx, of).await,
        RunCommand::Logs(of) => logs(cx, of).await,
        RunCommand::Wait(args::WaitForRun { id, watch }) => wait(cx, &id, &watch, false).await,
        RunCommand::Cancel { id, reason } => {
            let call = Call::post(&["api", "runs", &id, "cancel"]).body(&CancelRun { reason });
            let reply: Reply<Accepted> = cx.client.call(call).await?;
            cx.show(&reply, |run, _| format!("run {} ends as cancelled", run.run_id))
        }
        RunCommand::Resume(resume) => {
            let watch = wanted(&resume.wait)?;
            let deadline_ms = resume.deadline.map(|length| length.ms(now()));
            let call =
                Call::post(&["api", "runs", &resume.id, "resume"]).body(&ResumeRun { deadline_ms });
            let reply: Reply<Accepted> = cx.client.call(call).await?;
            if let Some(watch) = watch {
                return wait(cx, &reply.value.run_id, watch, false).await;
            }
            cx.show(&reply, |run, _| format!("run {} goes on", run.run_id))
        }
        RunCommand::Replay(replay) => replay_run(cx, replay).await,
        RunCommand::Send(send) => send_message(cx, send).await,
        RunCommand::Wake { id } => {
            let reply: Reply<Accepted> =
                cx.client.call(Call::post(&["api", "runs", &id, "wake"])).await?;
            cx.show(&reply, |run, _| format!("run {} looks at the clock and its inbox", run.run_id))
        }
        RunCommand::Delete(args::DeleteRun { id }) => {
            cx.client.call_for_nothing(Call::delete(&["api", "runs", &id])).await?;
            cx.done(&deleted(&id), &format!("run {} is gone", clean(&id)))
        }
        RunCommand::Entries(ShowEntry { id, location, at }) => {
            let call = Call::get(&["api", "runs", &id, "entries"])
                .with("location", Some(location))
                .with("at", at);
            let reply: Reply<EntryView> = cx.client.call(call).await?;
            cx.show(&reply, |entry, style| entry_text(entry, now(), style))
        }
    }
}

async fn replay_run(cx: &mut Cx<'_>, replay: ReplayRun) -> Result<Exit> {
    let ReplayRun { id, from, same_run, wait: may_wait } = replay;
    let watch = wanted(&may_wait)?;
    let into = if same_run { ReplayInto::SameRun } else { ReplayInto::NewRun };
    let call = Call::post(&["api", "runs", &id, "replay"]).body(&Replay { from, into });
    let reply: Reply<Accepted> = cx.client.call(call).await?;
    if let Some(watch) = watch {
        cx.out.say(&format!("run {}", reply.value.run_id))?;
        return wait(cx, &reply.value.run_id, watch, false).await;
    }
    // The id alone, for scripts.
    cx.show(&reply, |run, _| run.run_id.clone())
}

async fn send_message(cx: &mut Cx<'_>, send: args::SendMessage) -> Result<Exit> {
    let body = match &send.body {
        Some(body) => body.read("--body")?,
        None => Default::default(),
    };
    let answer_within_ms = send.answer_within.map(|length| length.ms(now()));
    let wish = SendMessage { name: send.name, body, key: send.key, answer_within_ms };
    let call = Call::post(&["api", "runs", &send.id, "messages"]).body(&wish);
    let reply: Reply<AnswerView> =
        cx.client.call(call.and_wait(answer_within_ms.unwrap_or(0).min(WAIT_MS_MAX))).await?;
    cx.show(&reply, |sent, _| match (&sent.answer, &sent.message_id) {
        (Some(answer), _) => indented(answer.as_str()),
        (None, Some(message_id)) => message_id.clone(),
        (None, None) => String::new(),
    })
}

async fn journal(cx: &mut Cx<'_>, of: JournalOf) -> Result<Exit> {
    let mut events = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let call = Call::get(&["api", "runs", &of.id, "journal"])
            .with("from", of.from.filter(|_| cursor.is_none()))
            .with("cursor", cursor.as_ref())
            .with("limit", Some(PAGE));
        let page: EventPage = cx.client.call(call).await?.value;
        cursor = page.next_cursor;
        if cx.out.json {
            events.extend(page.events);
        } else {
            let lines: Vec<String> = page.events.iter().map(|event| clean(&event.text)).collect();
            cx.out.print(&lines.join("\n"))?;
        }
        if cursor.is_none() {
            break;
        }
    }
    if cx.out.json {
        cx.out.print_json_of(&EventPage { events, next_cursor: None })?;
    }
    Ok(Exit::Ok)
}

/// Streams, so with `--json` each line is a document.
async fn logs(cx: &mut Cx<'_>, of: LogsOf) -> Result<Exit> {
    let mut cursor: Option<String> = None;
    let mut has_ended = !of.follow;
    loop {
        let call = Call::get(&["api", "runs", &of.id, "logs"])
            .with("level", of.level.as_ref().map(word))
            .with("location", of.location.as_ref())
            .with("cursor", cursor.as_ref())
            .with("limit", Some(PAGE));
        let page: LogLines = cx.client.call(call).await?.value;
        for line in &page.lines {
            match cx.out.json {
                true => cx.out.print_json_of(line)?,
                false => cx.out.print(&log_text(line, cx.out.style))?,
            }
        }
        let is_last = page.next_cursor.is_none();
        cursor = page.next_cursor.or(page.tail_cursor).or(cursor);
        if is_last && has_ended {
            return Ok(Exit::Ok);
        }
        if is_last {
            // What is logged before the end is there once the end is: one more look after it.
            has_ended = is_ended(&cx.client.run(&of.id).await?.value.status);
            if !has_ended {
                tokio::time::sleep(FOLLOW_EVERY).await;
            }
        }
    }
}

fn log_text(line: &LogLineView, style: Style) -> String {
    let paint = match line.level.as_str() {
        "error" => Paint::Bad,
        "warn" => Paint::Warn,
        "debug" => Paint::Dim,
        _ => Paint::Good,
    };
    let level = style.paint(paint, &pad(&line.level, 5));
    let at = style.paint(Paint::Dim, &line.at.to_string());
    let mut text = format!("{at} {level} ");
    if !line.location.is_empty() {
        text.push_str(&format!("{}: ", style.paint(Paint::Dim, &clean(&line.location))));
    }
    text.push_str(&clean(&line.message));
    if !matches!(line.fields.as_str(), "null" | "{}") {
        text.push_str(&format!(" {}", clean(line.fields.as_str())));
    }
    text
}
