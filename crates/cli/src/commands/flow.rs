//! `stepwell plan` and `stepwell flow ...`

use serde_json::{Map, Value, json};
use stepwell_server::api::{FlowEventPage, FlowEventView, PlanView, PlanWish, StartFlow};

use super::Cx;
use super::start::{labels, launch, wanted};
use crate::args::{self, FlowCommand, Goals};
use crate::client::{Call, Reply};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::{Paint, Style, clean, now, plan_text, short};

/// How many events are asked for at a time.
const PAGE: u32 = 1_000;

/// How much of an event's data is shown.
const DATA_CHARS: usize = 160;

pub async fn plan(cx: &mut Cx<'_>, goals: Goals) -> Result<Exit> {
    let wish = PlanWish { init: init(&goals)?, goals: goals.goal };
    let reply: Reply<PlanView> = cx.client.call(Call::post(&["api", "plans"]).body(&wish)).await?;
    cx.show(&reply, plan_text)
}

pub async fn flow(cx: &mut Cx<'_>, command: FlowCommand) -> Result<Exit> {
    match command {
        FlowCommand::Start(wish) => start(cx, *wish).await,
        FlowCommand::Events { id } => events(cx, &id).await,
    }
}

async fn start(cx: &mut Cx<'_>, start: args::StartFlow) -> Result<Exit> {
    let now = now();
    let new = start.new;
    wanted(&new.wait)?;
    let wish = StartFlow {
        init: init(&start.goals)?,
        goals: start.goals.goal,
        run_id: new.id,
        idempotency_key: new.key,
        labels: labels(&new.label)?,
        start_at: new.start_at.map(|when| when.at(now)),
        deadline_ms: new.deadline.map(|length| length.ms(now)),
    };
    launch(cx, Call::post(&["api", "flows"]).body(&wish), &new.wait).await
}

fn init(goals: &Goals) -> Result<Map<String, Value>> {
    let Some(input) = &goals.init else { return Ok(Map::new()) };
    let read = input.read("--init")?.to::<Value>();
    match read.map_err(|error| Error::usage(format!("--init: {error}")))? {
        Value::Object(init) => Ok(init),
        _ => Err(Error::usage("--init is no object")
            .hint("give what is known by attribute: '{\"user_id\": 7}'")),
    }
}

async fn events(cx: &mut Cx<'_>, id: &str) -> Result<Exit> {
    let mut cursor: Option<String> = None;
    loop {
        let call = Call::get(&["api", "flows", id, "events"])
            .with("limit", Some(PAGE))
            .with("cursor", cursor.clone());
        let page: FlowEventPage = cx.client.call(call).await?.value;
        for event in &page.events {
            match cx.out.json {
                true => cx.out.print(&json!(event).to_string())?,
                false => cx.out.print(&event_line(event, cx.out.style))?,
            }
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            return Ok(Exit::Ok);
        }
    }
}

fn event_line(event: &FlowEventView, style: Style) -> String {
    let mut data = event.data.clone();
    let about = ["step_id", "name"].into_iter().find_map(|key| data[key].as_str());
    let about = about.map(clean).unwrap_or_default();
    if let Some(fields) = data.as_object_mut() {
        fields.retain(|name, _| !["flow_id", "step_id", "plan"].contains(&name.as_str()));
    }
    let kind = style.paint(paint(&event.kind), &clean(&event.kind));
    let data = style.paint(Paint::Dim, &short(&data.to_string(), DATA_CHARS));
    format!("{}  {kind} {about} {data}", clean(&event.timestamp))
}

fn paint(kind: &str) -> Paint {
    match kind {
        _ if kind.ends_with("_failed") => Paint::Bad,
        "work_not_completed" | "retry_scheduled" => Paint::Warn,
        "flow_completed" | "step_completed" => Paint::Good,
        "step_skipped" => Paint::Dim,
        _ => Paint::Plain,
    }
}
