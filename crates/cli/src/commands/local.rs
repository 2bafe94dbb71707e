//! Commands that need no server: settings, problem codes, completions.

use clap::ArgMatches;
use clap::parser::ValueSource;
use clap_complete::Shell;
use serde_json::{Value, json};
use stepwell_server::Code;

use super::serve::refusal;
use crate::args::{self, Global};
use crate::error::{Error, Result, nearest};
use crate::exit::Exit;
use crate::out::{Out, Paint, Table};
use crate::settings::{Origin, Row, SettingFlags, Settings, Sources, rows, rows_json, rows_text};

pub fn config_show(
    flags: &SettingFlags,
    global: &Global,
    matches: &ArgMatches,
    out: &mut Out,
) -> Result<Exit> {
    let settings = Settings::load(&Sources::of_process(flags))?;
    let mut all = rows(&settings);
    all.extend(client_rows(global, matches));
    match out.json {
        true => out.print_json_of(&rows_json(&all))?,
        false => out.print(&rows_text(&all, out.style))?,
    }
    if let Err(error) = settings.server.check() {
        let error = refusal(&error);
        out.say(&format!("`stepwell serve` would refuse this: {}", error.what))?;
    }
    Ok(Exit::Ok)
}

/// What commands that call a server use.
fn client_rows(global: &Global, matches: &ArgMatches) -> Vec<Row> {
    let from = |id: &str, flag: &'static str, name: &str| match matches.value_source(id) {
        Some(ValueSource::CommandLine) => Origin::Flag { flag },
        Some(ValueSource::EnvVariable) => Origin::Environment { name: name.to_owned() },
        _ => Origin::Default,
    };
    let token = global.token.as_ref().map(|_| Value::from("(set)"));
    vec![
        Row {
            key: "client.server".to_owned(),
            value: Value::from(global.server.clone()),
            unset: "",
            from: from("server", "server", "STEPWELL_SERVER"),
        },
        Row {
            key: "client.token".to_owned(),
            value: token.unwrap_or_default(),
            unset: "none",
            from: from("token", "token", "STEPWELL_TOKEN"),
        },
        Row {
            key: "client.namespace".to_owned(),
            value: global.namespace.clone().map(Value::from).unwrap_or_default(),
            unset: "the token's, or default",
            from: from("namespace", "namespace", "STEPWELL_NAMESPACE"),
        },
    ]
}

pub fn problem(code: Option<&str>, out: &mut Out) -> Result<Exit> {
    let Some(name) = code else { return problems(out) };
    let Some(code) = Code::parse(name) else {
        let error = Error::new(Exit::NotFound, format!("there is no problem code `{name}`"));
        let known = Code::ALL.iter().map(|code| code.as_str());
        return Err(match nearest(name, known) {
            Some(meant) => error.hint(format!("did you mean `{meant}`?")),
            None => error.hint("`stepwell problem` lists all of them"),
        });
    };
    if out.json {
        out.print_json_of(&about(code))?;
        return Ok(Exit::Ok);
    }
    let style = out.style;
    let heading = format!("{} (HTTP status {})", code.title(), code.status().as_u16());
    out.print(&format!("{}\n\n{}", style.paint(Paint::Bold, &heading), page(code)))?;
    Ok(Exit::Ok)
}

fn problems(out: &mut Out) -> Result<Exit> {
    if out.json {
        let all: Vec<Value> = Code::ALL.iter().map(|code| about(*code)).collect();
        out.print_json_of(&json!({ "problems": all }))?;
        return Ok(Exit::Ok);
    }
    let mut table = Table::new(["CODE", "STATUS", "TITLE"]);
    for code in Code::ALL {
        table.row([
            (Paint::Bold, code.as_str().to_owned()),
            (Paint::Dim, code.status().as_u16().to_string()),
            (Paint::Plain, code.title().to_owned()),
        ]);
    }
    out.print(&table.render(out.style))?;
    Ok(Exit::Ok)
}

fn about(code: Code) -> Value {
    json!({ "code": code.as_str(), "status": code.status().as_u16(), "title": code.title(), "page": page(code) })
}

fn page(code: Code) -> String {
    let lines: Vec<&str> = code.page().lines().map(str::trim).collect();
    lines.join("\n").trim().to_owned()
}

pub fn completions(shell: Shell, out: &mut Out) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut args::command(), "stepwell", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    match out.json {
        true => out.print_json_of(&json!({ "shell": shell.to_string(), "script": script }))?,
        false => out.print(&script)?,
    }
    Ok(Exit::Ok)
}
