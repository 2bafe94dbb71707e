//! `stepwell schedule ...`

use serde::Serialize;
use stepwell::UnixMillis;
use stepwell_server::api::{
    CatchUp, Overlap, PutSchedule, ScheduleList, ScheduleView, Timestamp, UpcomingTimes,
};
use stepwell_server::config::Span;

use super::start::labels;
use super::{Cx, deleted};
use crate::args::{self, NextTimes, ScheduleCommand};
use crate::client::{Call, Reply};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::{Document, Paint, Style, Table, ago, clean, labels_text, now, short};

/// How many of its next times a schedule shows.
const TIMES: u32 = 5;

pub async fn schedule(cx: &mut Cx<'_>, command: ScheduleCommand) -> Result<Exit> {
    match command {
        ScheduleCommand::List => {
            let reply: Reply<ScheduleList> =
                cx.client.call(Call::get(&["api", "schedules"])).await?;
            cx.show(&reply, |list, style| schedules_table(list, now(), style))
        }
        ScheduleCommand::Show { name } => {
            let reply = get(cx, &name).await?;
            cx.show(&reply, |schedule, style| schedule_text(schedule, now(), style))
        }
        ScheduleCommand::Put(wish) => {
            let schedule = wanted(&wish)?;
            put(cx, &wish.name, &schedule).await
        }
        ScheduleCommand::Delete { name } => {
            cx.client.call_for_nothing(Call::delete(&["api", "schedules", &name])).await?;
            cx.done(&deleted(&name), &format!("schedule {} is gone", clean(&name)))
        }
        ScheduleCommand::Pause { name } => set_paused(cx, &name, true).await,
        ScheduleCommand::Resume { name } => set_paused(cx, &name, false).await,
        ScheduleCommand::Next(next) => next_times(cx, next).await,
    }
}

async fn get(cx: &Cx<'_>, name: &str) -> Result<Reply<ScheduleView>> {
    cx.client.call(Call::get(&["api", "schedules", name])).await
}

async fn put(cx: &mut Cx<'_>, name: &str, schedule: &impl Serialize) -> Result<Exit> {
    let call = Call::put(&["api", "schedules", name]).body(schedule);
    let reply: Reply<ScheduleView> = cx.client.call(call).await?;
    cx.show(&reply, |schedule, style| schedule_text(schedule, now(), style))
}

async fn set_paused(cx: &mut Cx<'_>, name: &str, paused: bool) -> Result<Exit> {
    let schedule = get(cx, name).await?.value.schedule;
    put(cx, name, &PutSchedule { paused, ..schedule }).await
}

fn wanted(wish: &args::PutSchedule) -> Result<PutSchedule> {
    let input = match &wish.input {
        Some(input) => input.read("--input")?.to(),
        None => Ok(serde_json::Value::Null),
    };
    Ok(PutSchedule {
        workflow: wish.workflow.clone(),
        input: input.map_err(|error| Error::usage(format!("--input: {error}")))?,
        cron: wish.cron.clone(),
        time_zone: wish.time_zone.clone(),
        interval_ms: wish.every.map(Span::as_ms),
        overlap: match wish.overlap {
            args::OverlapArg::Skip => Overlap::Skip,
            args::OverlapArg::Queue => Overlap::Queue,
            args::OverlapArg::Allow => Overlap::Allow,
        },
        catch_up: match wish.catch_up {
            args::CatchUpArg::None => CatchUp::None,
            args::CatchUpArg::Last => CatchUp::Last,
            args::CatchUpArg::All => CatchUp::All,
        },
        paused: wish.paused,
        labels: labels(&wish.label)?,
        deadline_ms: wish.deadline.map(|length| length.ms(now())),
    })
}

async fn next_times(cx: &mut Cx<'_>, next: NextTimes) -> Result<Exit> {
    let NextTimes { name, cron, time_zone, every } = next;
    let print = |times: &[Timestamp]| {
        let lines: Vec<String> =
            times.iter().map(|at| format!("{at}  {}", ago(at.0, now()))).collect();
        lines.join("\n")
    };
    if let Some(name) = name {
        let schedule = get(cx, &name).await?.value;
        if schedule.schedule.paused && !cx.out.json {
            cx.out.say("it is paused: `stepwell schedule resume` lets it go on")?;
        }
        let times = UpcomingTimes { next_at: schedule.next_at };
        return cx.done(&times, &print(&times.next_at));
    }
    let call = Call::get(&["api", "schedule-times"])
        .with("cron", cron)
        .with("time_zone", time_zone)
        .with("interval_ms", every.map(Span::as_ms))
        .with("n", Some(TIMES));
    let reply: Reply<UpcomingTimes> = cx.client.call(call).await?;
    cx.show(&reply, |times, _| print(&times.next_at))
}

fn schedules_table(list: &ScheduleList, now: UnixMillis, style: Style) -> String {
    let mut table = Table::new(["NAME", "WORKFLOW", "TIMES", "NEXT", "LAST", "STARTED"]);
    for schedule in &list.schedules {
        let next = match schedule.schedule.paused {
            true => (Paint::Warn, "paused".to_owned()),
            false => (
                Paint::Plain,
                schedule.next_at.first().map(|at| ago(at.0, now)).unwrap_or_default(),
            ),
        };
        let last = schedule.last_at.map(|at| ago(at.0, now)).unwrap_or_default();
        let last_paint = if schedule.last_problem.is_some() { Paint::Bad } else { Paint::Dim };
        table.row([
            (Paint::Bold, schedule.name.clone()),
            (Paint::Plain, schedule.schedule.workflow.clone()),
            (Paint::Plain, times_text(&schedule.schedule)),
            next,
            (last_paint, last),
            (Paint::Dim, schedule.n_started.to_string()),
        ]);
    }
    table.render(style)
}

fn times_text(schedule: &PutSchedule) -> String {
    let zone = schedule.time_zone.as_ref().map(|zone| format!(" ({zone})")).unwrap_or_default();
    match (&schedule.cron, schedule.interval_ms) {
        (Some(cron), _) => format!("{cron}{zone}"),
        (None, Some(ms)) => format!("every {}", Span::from_ms(ms)),
        (None, None) => String::new(),
    }
}

fn schedule_text(view: &ScheduleView, now: UnixMillis, style: Style) -> String {
    let schedule = &view.schedule;
    let mut text = Document::default();
    text.text("schedule", Some(&view.name));
    text.text("workflow", Some(&schedule.workflow));
    text.line("times", clean(&times_text(schedule)));
    text.line("input", short(&schedule.input.to_string(), 200));
    let overlap = match schedule.overlap {
        Overlap::Skip => "this time is left out",
        Overlap::Queue => "the next run waits for it",
        Overlap::Allow => "they run side by side",
    };
    text.line("while one runs", overlap);
    let catch_up = match schedule.catch_up {
        CatchUp::None => "none are made up for",
        CatchUp::Last => "the latest is made up for",
        CatchUp::All => "all are made up for",
    };
    text.line("missed times", catch_up);
    if !schedule.labels.is_empty() {
        text.line("labels", labels_text(&schedule.labels));
    }
    if let Some(ms) = schedule.deadline_ms {
        text.line("deadline", Span::from_ms(ms).to_string());
    }
    if schedule.paused {
        text.line("next", style.paint(Paint::Warn, "paused"));
    }
    for at in &view.next_at {
        text.line("next", format!("{at} ({})", ago(at.0, now)));
    }
    if let Some(at) = view.last_at {
        text.line("last", format!("{at} ({})", ago(at.0, now)));
    }
    text.text("last run", view.last_run.as_deref());
    text.text("last problem", view.last_problem.as_deref());
    text.line("runs", format!("{} started, {} left out", view.n_started, view.n_skipped));
    text.render(style)
}
