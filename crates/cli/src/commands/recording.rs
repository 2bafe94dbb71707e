//! `stepwell recording ...`

use serde_json::Value;
use stepwell_server::api::{
    PlaceRef, ProposalList, RecordCall, RecordPreset, RecordedCallView, RecordedInputView,
    RecordingList, RecordingView, SaveRecording, StartRecording, WorkflowView,
};

use super::Cx;
use crate::args::RecordingCommand;
use crate::client::{Call, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::input::JsonInput;
use crate::out::{Document, Paint, Style, Table, ago, clean, indented, now, short};

/// How much longer than usual a call of a tool may take.
const CALL_MS: u64 = 60_000;

pub async fn recording(cx: &mut Cx<'_>, command: RecordingCommand) -> Result<Exit> {
    match command {
        RecordingCommand::Start { title, description } => {
            let wish = StartRecording { title, description, ..StartRecording::default() };
            let call = Call::post(&["api", "recordings"]).body(&wish);
            let reply: Reply<RecordingView> = cx.client.call(call).await?;
            if !cx.out.json {
                let (server, endpoint) = (cx.client.server().to_owned(), &reply.value.endpoint);
                cx.out.say(&format!("MCP clients record through {server}{endpoint}"))?;
            }
            cx.show(&reply, |view, _| view.recording_id.clone())
        }
        RecordingCommand::List => {
            let reply: Reply<RecordingList> =
                cx.client.call(Call::get(&["api", "recordings"])).await?;
            cx.show(&reply, recordings_table)
        }
        RecordingCommand::Show { id } => {
            let reply = cx.client.call(Call::get(&["api", "recordings", &id])).await?;
            cx.show(&reply, recording_text)
        }
        RecordingCommand::Call { id, tool, input, on } => {
            let input = read("--input", input.as_ref())?;
            let wish = RecordCall { tool, server: on, input, timeout_ms: None };
            call(cx, Call::post(&["api", "recordings", &id, "calls"]).body(&wish)).await
        }
        RecordingCommand::Preset { id, output, name, tool } => {
            let output = read("the result", Some(&output))?;
            let wish = RecordPreset { name, tool, server: None, input: Value::Null, output };
            call(cx, Call::post(&["api", "recordings", &id, "presets"]).body(&wish)).await
        }
        RecordingCommand::Drop { id, step } => {
            change(cx, Call::delete(&["api", "recordings", &id, "steps", &step])).await
        }
        RecordingCommand::NameInput { id, name, value, description } => {
            let wish = RecordedInputView { value: read("the value", Some(&value))?, description };
            change(cx, Call::put(&["api", "recordings", &id, "inputs", &name]).body(&wish)).await
        }
        RecordingCommand::Propose { id } => {
            let call = Call::get(&["api", "recordings", &id, "proposals"]);
            let reply: Reply<ProposalList> = cx.client.call(call).await?;
            cx.show(&reply, proposals_table)
        }
        RecordingCommand::PlaceRef { id, step, pointer, written } => {
            let wish = PlaceRef { step, pointer, written };
            change(cx, Call::post(&["api", "recordings", &id, "refs"]).body(&wish)).await
        }
        RecordingCommand::Finish { id } => {
            change(cx, Call::post(&["api", "recordings", &id, "finish"])).await
        }
        RecordingCommand::Save { id, workflow, replace } => {
            let wish = SaveRecording { workflow, replace };
            let call = Call::post(&["api", "recordings", &id, "save"]).body(&wish);
            let reply: Reply<WorkflowView> = cx.client.call(call).await?;
            cx.show(&reply, |saved, _| {
                let name = clean(&saved.name);
                format!(
                    "saved {name}, version {}; start it with: stepwell start {name}",
                    short(&saved.version, 16)
                )
            })
        }
    }
}

async fn call(cx: &mut Cx<'_>, call: Call<'_>) -> Result<Exit> {
    let reply: Reply<RecordedCallView> = cx.client.call(call.and_wait(CALL_MS)).await?;
    cx.show(&reply, |called, style| {
        let how = if called.failed { (Paint::Bad, "failed") } else { (Paint::Good, "recorded") };
        let answer = indented(&called.answer.to_string());
        format!("{} {}\n{answer}\n", style.paint(how.0, how.1), clean(&called.step))
    })?;
    Ok(if reply.value.failed { Exit::RunFailed } else { Exit::Ok })
}

async fn change(cx: &mut Cx<'_>, call: Call<'_>) -> Result<Exit> {
    let reply: Reply<RecordingView> = cx.client.call(call).await?;
    cx.show(&reply, recording_text)
}

fn read(what: &str, input: Option<&JsonInput>) -> Result<Value> {
    match input {
        Some(input) => Ok(input.read(what)?.to().unwrap_or_default()),
        None => Ok(Value::Null),
    }
}

fn recordings_table(list: &RecordingList, style: Style) -> String {
    let mut table = Table::new(["RECORDING", "STATUS", "BEGUN"]);
    for recording in &list.recordings {
        table.row([
            (Paint::Bold, recording.run_id.clone()),
            (Paint::Plain, recording.status.clone()),
            (Paint::Dim, ago(recording.created_at.0, now())),
        ]);
    }
    table.render(style)
}

fn recording_text(view: &RecordingView, style: Style) -> String {
    let mut about = Document::default();
    about.text("recording", Some(&view.recording_id));
    about.text("title", view.title.as_deref());
    about.text("about", view.description.as_deref());
    about.line("state", if view.finished { "finished" } else { "takes calls" });
    for (name, input) in &view.inputs {
        about.line("input", clean(&format!("@input.{name} = {}", input.value)));
    }
    let mut table = Table::new(["STEP", "TOOL", "STATUS", "INPUT"]);
    for step in &view.steps {
        let paint = if step.status == "failed" { Paint::Bad } else { Paint::Plain };
        let status = if step.preset { "preset".to_owned() } else { step.status.clone() };
        table.row([
            (Paint::Bold, step.name.clone()),
            (Paint::Plain, step.tool.clone().unwrap_or_default()),
            (paint, status),
            (Paint::Dim, if step.input.is_null() { String::new() } else { step.input.to_string() }),
        ]);
    }
    format!("{}\n{}", about.render(style), table.render(style))
}

fn proposals_table(list: &ProposalList, style: Style) -> String {
    let mut table = Table::new(["STEP", "POINTER", "LITERAL", "COULD BE"]);
    for proposal in &list.proposals {
        table.row([
            (Paint::Bold, proposal.step.clone()),
            (Paint::Plain, proposal.pointer.clone()),
            (Paint::Plain, proposal.literal.to_string()),
            (Paint::Plain, proposal.refs.join(" or ")),
        ]);
    }
    table.render(style)
}
