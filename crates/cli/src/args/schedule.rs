//! `stepwell schedule ...`

use clap::{ArgGroup, Args, Subcommand, ValueEnum};

use crate::input::{JsonInput, Pair};
use crate::times::Length;
use stepwell_server::config::Span;

#[derive(Debug, Subcommand)]
pub enum ScheduleCommand {
    /// List the schedules of this namespace
    List,
    /// Show a schedule with its next times
    Show { name: String },
    /// Make a schedule, or replace it
    Put(Box<PutSchedule>),
    /// Remove a schedule; its runs stay
    Delete { name: String },
    /// Start nothing by this schedule until it is resumed
    Pause { name: String },
    /// Let a paused schedule go on
    Resume { name: String },
    /// Print the next times of a schedule, or of a cron text to try it out
    Next(NextTimes),
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("times").required(true).args(["cron", "every"]))]
pub struct PutSchedule {
    pub name: String,
    /// The workflow that it starts
    #[arg(long, value_name = "NAME")]
    pub workflow: String,
    /// Five fields, or six with seconds first: '0 9 * * MON-FRI'; also @daily and the like
    #[arg(long, value_name = "CRON")]
    pub cron: Option<String>,
    /// The time zone of --cron, such as Europe/Berlin; UTC if left out
    #[arg(long, value_name = "ZONE", conflicts_with = "every")]
    pub time_zone: Option<String>,
    /// Again and again after this long, such as 90s or 6h
    #[arg(long, value_name = "SPAN")]
    pub every: Option<Span>,
    /// The runs' input: JSON, @FILE, or - for standard input
    #[arg(long, short, value_name = "JSON|@FILE|-")]
    pub input: Option<JsonInput>,
    /// What happens when the last run has not ended
    #[arg(long, default_value = "skip")]
    pub overlap: OverlapArg,
    /// What happens with the times that passed while no server ran
    #[arg(long, default_value = "last")]
    pub catch_up: CatchUpArg,
    /// Start nothing yet
    #[arg(long)]
    pub paused: bool,
    /// A label of its runs; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<Pair>,
    /// How long each run may take
    #[arg(long, value_name = "SPAN")]
    pub deadline: Option<Length>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum OverlapArg {
    /// This time is left out
    Skip,
    /// The next run starts when the last one has ended
    Queue,
    /// They run side by side
    Allow,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum CatchUpArg {
    /// They are left out
    None,
    /// One run for the latest of them
    Last,
    /// One run for each
    All,
}

#[derive(Debug, Args)]
#[command(group = ArgGroup::new("what").required(true).args(["name", "cron", "every"]))]
pub struct NextTimes {
    /// A schedule
    pub name: Option<String>,
    /// A cron text
    #[arg(long, value_name = "CRON")]
    pub cron: Option<String>,
    /// The time zone of --cron; UTC if left out
    #[arg(long, value_name = "ZONE", conflicts_with_all = ["every", "name"])]
    pub time_zone: Option<String>,
    /// An interval, such as 90s or 6h
    #[arg(long, value_name = "SPAN")]
    pub every: Option<Span>,
}
