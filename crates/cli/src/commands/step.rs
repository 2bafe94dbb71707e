//! `stepwell step ...`

use serde_json::{Value, json};
use stepwell_server::Code;
use stepwell_server::api::{LostProviderView, StepChanged, StepList, StepView};

use super::Cx;
use crate::args::{RegisterSteps, StepCommand};
use crate::client::{Call, Reply};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::input::{JsonInput, Pair};
use crate::out::{Document, Paint, Style, Table, clean, indented};

/// How many steps are asked for at a time.
const PAGE: u32 = 1_000;

pub async fn step(cx: &mut Cx<'_>, command: StepCommand) -> Result<Exit> {
    match command {
        StepCommand::Register(wish) => register(cx, wish).await,
        StepCommand::List { label } => list(cx, &label).await,
        StepCommand::Show { id } => {
            let reply: Reply<StepView> = cx.client.call(Call::get(&["api", "steps", &id])).await?;
            cx.show(&reply, step_text)
        }
        StepCommand::Delete { id } => {
            let call = Call::delete(&["api", "steps", &id]);
            let reply: Reply<StepChanged> = cx.client.call(call).await?;
            cx.show(&reply, |changed, _| {
                let mut text = format!("step {} is gone\n", clean(&id));
                changed.lost.iter().for_each(|lost| text.push_str(&lost_text(lost)));
                text
            })
        }
    }
}

async fn register(cx: &mut Cx<'_>, wish: RegisterSteps) -> Result<Exit> {
    let mut done = Vec::new();
    for file in &wish.files {
        let input = match file.as_str() {
            "-" => JsonInput::Stdin,
            path => JsonInput::File(path.into()),
        };
        let read: Value = input
            .read("FILE")?
            .to()
            .map_err(|error| Error::usage(format!("{file} is not JSON: {error}")))?;
        let definitions = match read {
            Value::Array(definitions) => definitions,
            definition => vec![definition],
        };
        for definition in definitions {
            done.push(register_one(cx, &definition, wish.update).await?);
        }
    }
    let mut text = String::new();
    for (id, what, lost) in &done {
        text.push_str(&format!("step {} {what}\n", clean(id)));
        lost.iter().for_each(|lost| text.push_str(&lost_text(lost)));
    }
    let all: Vec<Value> =
        done.iter().map(|(id, what, lost)| json!({ "id": id, "is": what, "lost": lost })).collect();
    cx.done(&json!({ "steps": all }), &text)
}

/// Registers one step; or changes it, if it is there and that is wanted.
async fn register_one(
    cx: &mut Cx<'_>,
    definition: &Value,
    update: bool,
) -> Result<(String, &'static str, Vec<LostProviderView>)> {
    let id = definition["id"].as_str().unwrap_or_default().to_owned();
    let call = Call::post(&["api", "steps"]).body(definition);
    match cx.client.call::<StepChanged>(call).await {
        Ok(reply) => {
            let what = if reply.value.changed { "registered" } else { "was there already" };
            Ok((id, what, reply.value.lost))
        }
        Err(error) if update && is_there(&error) => {
            let call = Call::put(&["api", "steps", &id]).body(definition);
            let reply: Reply<StepChanged> = cx.client.call(call).await?;
            Ok((id, "updated", reply.value.lost))
        }
        Err(error) if is_there(&error) => Err(error.hint("add --update to change it")),
        Err(error) => Err(error),
    }
}

fn is_there(error: &Error) -> bool {
    error.problem.as_ref().is_some_and(|problem| problem.is(Code::StepExists))
}

async fn list(cx: &mut Cx<'_>, labels: &[Pair]) -> Result<Exit> {
    let mut all = StepList { steps: Vec::new(), next_cursor: None };
    loop {
        let mut call = Call::get(&["api", "steps"])
            .with("limit", Some(PAGE))
            .with("cursor", all.next_cursor.clone());
        for Pair { key, value } in labels {
            call = call.with("label", Some(format!("{key}={value}")));
        }
        let mut page: StepList = cx.client.call(call).await?.value;
        all.steps.append(&mut page.steps);
        all.next_cursor = page.next_cursor;
        if all.next_cursor.is_none() {
            break;
        }
    }
    let text = steps_table(&all, cx.out.style);
    cx.done(&all, &text)
}

fn steps_table(list: &StepList, style: Style) -> String {
    let mut table = Table::new(["STEP", "TYPE", "HEALTH", "NEEDS", "GIVES"]);
    for step in &list.steps {
        table.row([
            (Paint::Bold, step.id.clone()),
            (Paint::Plain, text_of(&step.definition["type"])),
            (health_paint(&step.health.status), step.health.status.clone()),
            (Paint::Plain, names(&step.definition, &["required", "optional"])),
            (Paint::Plain, names(&step.definition, &["output"])),
        ]);
    }
    table.render(style)
}

/// The attributes of some roles; optional ones have a question mark.
fn names(definition: &Value, roles: &[&str]) -> String {
    let attributes = definition["attributes"].as_object().into_iter().flatten();
    let of = attributes.filter(|(_, it)| roles.iter().any(|role| it["role"] == *role));
    let named = of.map(|(name, it)| match it["role"] == "optional" {
        true => format!("{name}?"),
        false => name.clone(),
    });
    named.collect::<Vec<_>>().join(", ")
}

fn health_paint(status: &str) -> Paint {
    match status {
        "healthy" => Paint::Good,
        "unhealthy" => Paint::Bad,
        _ => Paint::Dim,
    }
}

fn step_text(step: &StepView, style: Style) -> String {
    let mut text = Document::default();
    text.text("step", Some(&step.id));
    text.text("type", step.definition["type"].as_str());
    text.text("version", Some(&step.version));
    let health = style.paint(health_paint(&step.health.status), &clean(&step.health.status));
    text.line("health", health);
    text.text("error", step.health.error.as_deref());
    format!("{}\n{}\n", text.render(style), indented(&step.definition.to_string()))
}

fn lost_text(lost: &LostProviderView) -> String {
    let left = match lost.providers.is_empty() {
        true => "nobody provides it any more".to_owned(),
        false => format!("still provided by {}", lost.providers.join(", ")),
    };
    format!(
        "step {} loses a provider of {}: {}\n",
        clean(&lost.step),
        clean(&lost.attribute),
        clean(&left)
    )
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
