//! `stepwell graph ...`

use serde_json::Value;
use stepwell::Json;
use stepwell_server::api::{GraphCheck, StartRun, StartedRun, WorkflowView};

use super::start::{wait, wanted};
use super::{Cx, deleted};
use crate::args::{GraphCommand, RunGraph};
use crate::client::{Call, Reply};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::input::JsonInput;
use crate::out::{clean, short};

pub async fn graph(cx: &mut Cx<'_>, command: GraphCommand) -> Result<Exit> {
    match command {
        GraphCommand::Check { file } => check(cx, &file).await,
        GraphCommand::Save { file } => {
            let reply = save(cx, &file).await?;
            cx.show(&reply, |saved, _| {
                format!("saved {}, version {}", clean(&saved.name), short(&saved.version, 16))
            })
        }
        GraphCommand::Run(run) => start(cx, *run).await,
        GraphCommand::Delete { name } => {
            cx.client.call_for_nothing(Call::delete(&["api", "workflows", &name])).await?;
            cx.done(&deleted(&name), &format!("graph {} is gone", clean(&name)))
        }
        GraphCommand::Schema => {
            let reply: Reply<Value> =
                cx.client.call(Call::get(&["api", "schemas", "graph"])).await?;
            cx.out.print_json(&reply.text)?;
            Ok(Exit::Ok)
        }
    }
}

async fn check(cx: &mut Cx<'_>, file: &str) -> Result<Exit> {
    let definition = read(file)?;
    let call = Call::post(&["api", "graphs", "check"]).body(&definition);
    let reply: Reply<GraphCheck> = cx.client.call(call).await?;
    cx.show(&reply, |check, _| {
        if check.valid {
            return format!("{}: nothing is wrong with it", clean(file));
        }
        let line = |problem: &stepwell_server::api::GraphProblem| {
            let step =
                problem.step.as_ref().map(|step| format!(" (step {step})")).unwrap_or_default();
            clean(&format!("{}{step}: {}", problem.field, problem.message))
        };
        check.problems.iter().map(line).collect::<Vec<_>>().join("\n")
    })?;
    Ok(if reply.value.valid { Exit::Ok } else { Exit::Refused })
}

async fn start(cx: &mut Cx<'_>, run: RunGraph) -> Result<Exit> {
    let watch = wanted(&run.wait)?;
    let input = match &run.input {
        Some(input) => input.read("--input")?,
        None => Json::default(),
    };
    let saved = save(cx, &run.file).await?.value;
    let wish = StartRun { input, ..StartRun::default() };
    let call = Call::post(&["api", "workflows", &saved.name, "runs"]).body(&wish);
    let reply: Reply<StartedRun> = cx.client.call(call).await?;
    match watch {
        Some(watch) => {
            cx.out.say(&format!("run {}", reply.value.run_id))?;
            wait(cx, &reply.value.run_id, watch, true).await
        }
        None => cx.show(&reply, |started, _| started.run_id.clone()),
    }
}

async fn save(cx: &mut Cx<'_>, file: &str) -> Result<Reply<WorkflowView>> {
    let definition = read(file)?;
    let value: Value = definition.to().unwrap_or_default();
    let Some(id) = value["id"].as_str() else {
        return Err(Error::usage(format!("{file}: the graph has no `id`, which is its name"))
            .hint("`stepwell graph check FILE` says everything that is wrong with it"));
    };
    cx.client.call(Call::put(&["api", "workflows", id]).body(&definition)).await
}

fn read(file: &str) -> Result<Json> {
    match file {
        "-" => JsonInput::Stdin.read("the graph"),
        path => JsonInput::File(path.into()).read("the graph"),
    }
}
