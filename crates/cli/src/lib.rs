//! The `stepwell` command: serves the API, and speaks to it.
//!
//! ```text
//!   args (clap) --> commands --> client (HTTP) --> a server
//!                      |            |
//!                      |            +--> watch: live progress of a run
//!                      +--> settings --> stepwell-server, in this process
//!                      +--> out: tables, trees, JSON, colours
//! ```
//!
//! Results go to standard output, everything else to standard error, so that scripts can read the one and people the
//! other. This crate must not know the kernel, the journal's wire format or any database but by its facade.

mod args;
mod client;
mod commands;
pub mod documentation;
mod error;
mod exit;
mod input;
mod logging;
mod out;
#[cfg(test)]
mod sample;
mod settings;
mod times;
mod watch;

use clap::FromArgMatches;
pub use exit::Exit;

use crate::args::Cli;
use crate::out::Out;

/// Carries out a command line, and says how the process ends.
pub async fn run(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Exit {
    let parsed = args::command()
        .try_get_matches_from(arguments)
        .and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, matches)));
    let (cli, matches) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            let is_asked_for = !error.use_stderr();
            // There is nowhere to say that nothing can be said.
            let _ = error.print();
            return if is_asked_for { Exit::Ok } else { Exit::Usage };
        }
    };
    let mut out = Out::of_process(cli.global.json);
    match commands::run(cli, &matches, &mut out).await {
        Ok(exit) => exit,
        Err(error) => {
            let _ = match out.json {
                _ if error.exit == Exit::Ok => Ok(()),
                true => out.say(&error.json().to_string()),
                false => out.say(&error.text()),
            };
            error.exit
        }
    }
}
