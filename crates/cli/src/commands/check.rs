//! `stepwell check [FILES]`

use std::fmt::Write;

use serde_json::json;
use stepwell::sequence::{CheckedFile, TsOptions, TsRuntime, check_files};

use crate::args::Check;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::{Out, Paint, Style};

pub async fn check(check: &Check, out: &mut Out) -> Result<Exit> {
    let runtime = TsRuntime::new(TsOptions::default())
        .map_err(|error| Error::local(format!("no thread can be started: {error}")))?;
    let files = check_files(&runtime, &check.paths).await.map_err(|problems| {
        let hint = "name files or folders; `stepwell init` makes a project with an example";
        Error::usage(problems.to_string()).hint(hint)
    })?;
    match out.json {
        true => out.print_json_of(&json!({ "files": files }))?,
        false => out.print(&files_text(&files, out.style))?,
    }
    let n_problems: usize = files.iter().map(|file| file.problems.len()).sum();
    if n_problems > 0 {
        let plural = if n_problems == 1 { "" } else { "s" };
        return Err(Error::local(format!("{n_problems} problem{plural} in workflow files")));
    }
    Ok(Exit::Ok)
}

fn files_text(files: &[CheckedFile], style: Style) -> String {
    let mut text = String::new();
    for file in files {
        let is_imported = file.workflows.is_empty() && file.problems.is_empty();
        let (mark, paint) = match (file.problems.is_empty(), is_imported) {
            (false, _) => ("✗", Paint::Bad),
            (true, true) => ("·", Paint::Dim),
            (true, false) => ("✓", Paint::Good),
        };
        let said = if is_imported { "  no `steps`: a file that others import" } else { "" };
        let _ = writeln!(text, "{} {}{said}", style.paint(paint, mark), file.file);
        for workflow in &file.workflows {
            let input = if workflow.has_input_schema { ", input checked" } else { "" };
            let plural = if workflow.n_steps == 1 { "" } else { "s" };
            let (name, n_steps) = (&workflow.name, workflow.n_steps);
            let _ = writeln!(text, "    {name}  {n_steps} step{plural}{input}");
            for need in &workflow.needs {
                let _ = writeln!(text, "    needs workflow `{need}`, which the server must have");
            }
        }
        for problem in &file.problems {
            let _ = writeln!(text, "    {}", style.paint(Paint::Bad, &problem.to_string()));
            for line in problem.frame.iter().flat_map(|frame| frame.lines()) {
                let _ = writeln!(text, "      {line}");
            }
        }
    }
    text
}
