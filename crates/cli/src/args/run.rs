//! `stepwell run ...`

use clap::{Args, Subcommand, ValueEnum};

use super::{MayWait, Watch};
use crate::input::{JsonInput, Pair};
use crate::times::{Length, When};

#[derive(Debug, Subcommand)]
pub enum RunCommand {
    /// List runs, newest first
    List(Box<FindRuns>),
    /// Show a run: how it stands, what it waits for, the tree of its entries
    Show(ShowRun),
    /// Print a run's journal, one event a line
    Journal(JournalOf),
    /// Print what a run logged
    Logs(LogsOf),
    /// Wait until a run has ended, and print its output
    Wait(WaitForRun),
    /// End a run; no step of it begins any more
    Cancel {
        id: String,
        /// Why, for whoever looks at it later
        #[arg(long)]
        reason: Option<String>,
    },
    /// Let a run that failed or was cancelled go on; what succeeded stays
    Resume(ResumeRun),
    /// Do everything again from one entry on
    Replay(ReplayRun),
    /// Send a run a message
    Send(SendMessage),
    /// Make a run look at the clock and its inbox now
    Wake { id: String },
    /// Remove a run that has ended, with its journal and its logs
    Delete(DeleteRun),
    /// Show one entry with its whole output, and what stands below it
    Entries(ShowEntry),
}

#[derive(Debug, Args)]
pub struct FindRuns {
    /// Only runs of this workflow
    #[arg(long, value_name = "NAME")]
    pub workflow: Option<String>,
    /// Only runs in this status; may be given several times
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<StatusArg>,
    /// Only runs with this label; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<Pair>,
    /// Only runs created at or after: a date, or -2h
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub from: Option<When>,
    /// Only runs created before: a date, or -1h
    #[arg(long, value_name = "WHEN", allow_hyphen_values = true)]
    pub to: Option<When>,
    /// Only runs with this in their input, such as customer.id=42; may be given several times
    #[arg(long, value_name = "PATH=VALUE")]
    pub input: Vec<Pair>,
    /// Only children of this run
    #[arg(long, value_name = "ID")]
    pub parent: Option<String>,
    /// Begins the id, or is part of the workflow's name, the description, a label or the error
    #[arg(long, short, value_name = "TEXT")]
    pub query: Option<String>,
    /// How many
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Go on after an earlier page
    #[arg(long, value_name = "CURSOR")]
    pub cursor: Option<String>,
    /// Every page, however many there are
    #[arg(long, conflicts_with = "cursor")]
    pub all: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum StatusArg {
    Pending,
    Running,
    Waiting,
    RollingBack,
    Completed,
    Failed,
    Cancelled,
}

#[derive(Debug, Args)]
pub struct ShowRun {
    /// The run's id, or the name it was given
    pub id: String,
    /// As of this event of its journal: time travel
    #[arg(long, value_name = "SEQ")]
    pub at: Option<u64>,
}

#[derive(Debug, Args)]
pub struct JournalOf {
    /// The run's id, or the name it was given
    pub id: String,
    /// Begin with this event
    #[arg(long, value_name = "SEQ")]
    pub from: Option<u64>,
}

#[derive(Debug, Args)]
pub struct LogsOf {
    /// The run's id, or the name it was given
    pub id: String,
    /// Only lines of this level, and worse
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<LevelArg>,
    /// Only what this entry logged, and those below it
    #[arg(long, value_name = "LOCATION")]
    pub location: Option<String>,
    /// Go on until the run has ended
    #[arg(long, short)]
    pub follow: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum LevelArg {
    Debug,
    Info,
    Warn,
    Error,
}

#[derive(Debug, Args)]
pub struct WaitForRun {
    /// The run's id, or the name it was given
    pub id: String,
    #[command(flatten)]
    pub watch: Watch,
}

#[derive(Debug, Args)]
pub struct ResumeRun {
    /// The run's id, or the name it was given
    pub id: String,
    /// How long it may take from now on, or until when
    #[arg(long, value_name = "SPAN|DATE")]
    pub deadline: Option<Length>,
    #[command(flatten)]
    pub wait: MayWait,
}

#[derive(Debug, Args)]
pub struct ReplayRun {
    /// The run's id, or the name it was given
    pub id: String,
    /// The location of the entry to begin with, as `run show` and `run journal` print it
    #[arg(long, value_name = "LOCATION")]
    pub from: String,
    /// In the run itself, which must have ended; otherwise a new run is made
    #[arg(long)]
    pub same_run: bool,
    #[command(flatten)]
    pub wait: MayWait,
}

#[derive(Debug, Args)]
pub struct SendMessage {
    /// The run's id, or the name it was given
    pub id: String,
    /// The message's name, which the run listens for
    pub name: String,
    /// The message: JSON, @FILE, or - for standard input; null if left out
    #[arg(long, short, value_name = "JSON|@FILE|-")]
    pub body: Option<JsonInput>,
    /// A second message with this key is the same message
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// Wait so long for the run's answer, and print it
    #[arg(long, value_name = "SPAN|DATE")]
    pub answer_within: Option<Length>,
}

#[derive(Debug, Args)]
pub struct DeleteRun {
    /// The run's id, or the name it was given
    pub id: String,
}

#[derive(Debug, Args)]
pub struct ShowEntry {
    /// The run's id, or the name it was given
    pub id: String,
    /// The entry's location, such as `outer/~0/inner`
    #[arg(long, value_name = "LOCATION")]
    pub location: String,
    /// As of this event of the journal
    #[arg(long, value_name = "SEQ")]
    pub at: Option<u64>,
}
