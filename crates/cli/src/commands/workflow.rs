//! `stepwell workflow ...`

use serde_json::Value;
use stepwell_server::api::{FailedFile, WorkflowList, WorkflowView};

use super::Cx;
use crate::args::WorkflowCommand;
use crate::client::{Call, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Document, Paint, Style, Table, clean, indented, short};

pub async fn workflow(cx: &mut Cx<'_>, command: WorkflowCommand) -> Result<Exit> {
    match command {
        WorkflowCommand::List => {
            let reply: Reply<WorkflowList> =
                cx.client.call(Call::get(&["api", "workflows"])).await?;
            if reply.value.workflows.is_empty() && !cx.out.json {
                cx.out.say("this server has no workflows: give it a folder of TypeScript files with --workflows; those in Rust are served by your own program: stepwell::serve")?;
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
    let mut text = table.render(style);
    for file in &list.failed_files {
        text.push_str(&failed_text(file, style));
    }
    text
}

/// A file that does not load, and what still stands of it.
fn failed_text(file: &FailedFile, style: Style) -> String {
    let stands = match file.workflows.as_slice() {
        [] => String::new(),
        names => format!(" (the last good version of {} stands)", names.join(", ")),
    };
    let heading = format!("✗ {} does not load{stands}", file.file);
    let mut text = format!("\n{}\n", style.paint(Paint::Bad, &clean(&heading)));
    for problem in &file.problems {
        let place = match (&problem.file, problem.line, problem.column) {
            (Some(file), Some(line), Some(column)) => format!("{file}:{line}:{column}: "),
            _ => String::new(),
        };
        text.push_str(&format!("    {}\n", clean(&format!("{place}{}", problem.message))));
    }
    text
}

fn workflow_text(workflow: &WorkflowView, style: Style) -> String {
    let mut about = Document::default();
    about.text("workflow", Some(&workflow.name));
    about.text("title", workflow.title.as_deref());
    about.text("about", workflow.description.as_deref());
    about.text("dialect", Some(&workflow.dialect));
    about.text("version", Some(&workflow.version));
    about.text("file", workflow.file.as_deref());
    let mut text = about.render(style);
    if let Some(problem) = &workflow.problem {
        text.push_str(&failed_text(problem, style));
    }
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
