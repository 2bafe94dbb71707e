//! The pages of `docs/reference` that are made from the program itself. A test compares them with the files.

use std::fmt::Write;

use clap::Command;

use crate::args;
use crate::exit::Exit;

pub use crate::settings::configuration_page;

const INTRO: &str = "# The command line

`stepwell` runs the server and speaks to it. Results go to standard output, progress, advice and errors to standard error. With `--json`
a command prints exactly one JSON document, or one a line for what streams (`run logs`); errors are JSON then, too. Colours are used on a terminal only, and not
with `NO_COLOR` set.

Dates are RFC 3339 (`2026-11-16T03:05:17Z`) or count from now (`+10m`, `-2h`). Spans are `250ms`, `90s`, `5m`, `12h`, `30d`. JSON is given as it is, as `@FILE`, or as `-` for
standard input.

`start --wait` and `run wait` print the run's output as JSON on standard output when it completed. On a terminal they show each step as it goes; piped, one line for each
change. Ctrl-C stops the watching, not the run. They outlive a server that is restarted, for up to a minute.
";

/// `docs/reference/cli.md`, whole.
pub fn command_line_page() -> String {
    let mut page = String::from(INTRO);
    page.push_str("\n## Exit codes\n\n| code | means |\n|---|---|\n");
    for exit in Exit::ALL {
        let _ = writeln!(page, "| {} | {} |", exit.code(), exit.about());
    }
    let mut command = args::command().term_width(100);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "stepwell", &mut pages);
    for (name, help) in pages {
        let _ = write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", help.trim_end());
    }
    page
}

/// Each command that does something, with its help.
fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) {
    let children: Vec<&Command> = command
        .get_subcommands()
        .filter(|child| child.get_name() != "help" && !child.is_hide_set())
        .collect();
    if children.is_empty() {
        let mut command = command.clone().bin_name(name);
        // What every command takes stands once, with the first page.
        let globals: Vec<_> = command
            .get_arguments()
            .filter(|arg| arg.is_global_set())
            .map(|arg| arg.get_id().clone())
            .collect();
        for id in globals {
            command = command.mut_arg(id, |arg| arg.hide(true));
        }
        pages.push((name.to_owned(), tidy(&command.render_long_help().to_string())));
        return;
    }
    if name == "stepwell" {
        pages.push((name.to_owned(), tidy(&command.clone().render_help().to_string())));
    }
    for child in children {
        collect(child, &format!("{name} {}", child.get_name()), pages);
    }
}

/// The same on every machine: without spaces at the ends of lines, and without the environment's values.
fn tidy(help: &str) -> String {
    let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
    lines.join("\n")
}
