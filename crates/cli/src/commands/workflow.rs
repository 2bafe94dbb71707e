//! `stepwell workflow ...`

use serde_json::Value;
use stepwell_server::api::{WorkflowList, WorkflowView};

use super::Cx;
use crate::args::WorkflowCommand;
use crate::client::{Call, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Document, Paint, Style, Table, indented, short};

pub async fn workflow(cx: &mut Cx<'_>, command: WorkflowCommand) -> Result<Exit> {
    match command {
        WorkflowCommand::List => {
            let reply: Reply<WorkflowList> =
                cx.client.call(Call::get(&["api", "workflows"])).await?;
            if reply.value.workflows.is_empty() && !cx.out.json {
                cx.out.say("this server has no workflows; those in Rust are served by your own program: stepwell::serve")?;
            }
            cx.show(&reply, workflows_table)
        }
        WorkflowCommand::Show { name } => {
            let call = Call::get(&["api", "workflows", &name]);
            let reply: Reply<WorkflowView> = cx.client.call(call).await?;
            cx.show(&reply, workflow_text)
        }
    }
}

fn workflows_table(list: &WorkflowList, style: Style) -> String {
    let mut table = Table::new(["NAME", "DIALECT", "VERSION", "ABOUT"]);
    for workflow in &list.workflows {
        let about = workflow.description.clone().or(workflow.title.clone()).unwrap_or_default();
        table.row([
            (Paint::Bold, workflow.name.clone()),
            (Paint::Plain, workflow.dialect.clone()),
            (Paint::Dim, short(&workflow.version, 16)),
            (Paint::Plain, about),
        ]);
    }
    table.render(style)
}

fn workflow_text(workflow: &WorkflowView, style: Style) -> String {
    let mut about = Document::default();
    about.text("workflow", Some(&workflow.name));
    about.text("title", workflow.title.as_deref());
    about.text("about", workflow.description.as_deref());
    about.text("dialect", Some(&workflow.dialect));
    about.text("version", Some(&workflow.version));
    let mut text = about.render(style);
    for (name, schema) in [("input", &workflow.input_schema), ("output", &workflow.output_schema)] {
        text.push_str(&format!("\n{}\n", style.paint(Paint::Dim, name)));
        match schema {
            Some(schema) => text.push_str(&schema_text(schema)),
            None => text.push_str("anything\n"),
        }
    }
    text
}

fn schema_text(schema: &Value) -> String {
    format!("{}\n", indented(&schema.to_string()))
}
