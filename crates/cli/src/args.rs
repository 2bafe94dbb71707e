//! The command line.

mod flow;
mod graph;
mod run;
mod schedule;
mod token;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

use crate::exit::exit_codes;
use crate::input::{JsonInput, Pair};
use crate::settings::SettingFlags;
use crate::times::{Length, When, default_server};

pub use flow::{FlowCommand, Goals, RegisterSteps, StartFlow, StepCommand};
pub use graph::{GraphCommand, Mcp, McpCommand, RecordingCommand, RunGraph};
pub use run::{
    DeleteRun, FindRuns, JournalOf, LogsOf, ReplayRun, RunCommand, SendMessage, ShowEntry, ShowRun,
    WaitForRun,
};
pub use schedule::{CatchUpArg, NextTimes, OverlapArg, PutSchedule, ScheduleCommand};
pub use token::{CreateToken, ScopeArg, TokenCommand};

/// Durable workflows: serve them, start runs, watch them, steer them.
#[derive(Parser)]
#[command(
    name = "stepwell",
    version,
    after_help = exit_codes(),
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes. Not to be printed: it may hold a token.
#[derive(Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// The server to call
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "STEPWELL_SERVER",
        hide_env_values = true,
        default_value_t = default_server(),
        value_hint = ValueHint::Url,
    )]
    pub server: String,
    /// An access token, if the server wants one; better given in the environment
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "STEPWELL_TOKEN",
        hide_env_values = true
    )]
    pub token: Option<String>,
    /// The namespace to work in; the token's, or `default`, if left out
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "STEPWELL_NAMESPACE",
        hide_env_values = true
    )]
    pub namespace: Option<String>,
    /// Print one JSON document, or a line of JSON each for what streams
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run the server
    #[command(long_about = SERVE_ABOUT)]
    Serve(Serve),
    #[command(flatten)]
    Call(CallCommand),
    /// Write a project of TypeScript workflows: an example, and the types that editors need
    Init(Init),
    /// Load workflow files and say everything that is wrong with them; no server is needed
    Check(Check),
    /// Check, copy or move a store
    #[command(subcommand)]
    Store(StoreCommand),
    /// The server's settings
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Explain a problem code, or list all of them
    Problem {
        /// Such as `run_ended`
        code: Option<String>,
    },
    /// Print completions for a shell
    #[command(long_about = COMPLETIONS_ABOUT)]
    Completions { shell: clap_complete::Shell },
}

/// The commands that call a server.
#[derive(Debug, Subcommand)]
pub enum CallCommand {
    /// Look at workflows
    #[command(subcommand)]
    Workflow(WorkflowCommand),
    /// Start a run, and wait for it if you like
    Start(Box<Start>),
    /// Find runs, look into them, steer them
    #[command(subcommand)]
    Run(RunCommand),
    /// The catalog of steps that flows are planned from
    #[command(subcommand)]
    Step(StepCommand),
    /// Show the plan that leads to some goals, without running it
    Plan(Goals),
    /// Start flows that reach goals, and see what happened in them
    #[command(subcommand)]
    Flow(FlowCommand),
    /// Check, save and run graphs: workflows as JSON
    #[command(subcommand)]
    Graph(GraphCommand),
    /// Workflows that come about by calling tools
    #[command(subcommand)]
    Recording(RecordingCommand),
    /// Speak MCP over standard input and output, or look at the upstream MCP servers
    #[command(long_about = MCP_ABOUT)]
    Mcp(Mcp),
    /// Runs that start by the clock
    #[command(subcommand)]
    Schedule(ScheduleCommand),
    /// Access tokens
    #[command(subcommand)]
    Token(TokenCommand),
    /// Look at namespaces
    #[command(subcommand)]
    Namespace(NamespaceCommand),
    /// Look at the nodes that share the store
    #[command(subcommand)]
    Cluster(ClusterCommand),
    /// Say who answers, and what you may do there
    Info,
    /// Say whether the server can take work; needs no token
    Health,
}

const SERVE_ABOUT: &str = "Run the server.

Settings come from `stepwell.toml` in the working directory (or --config FILE), then from the environment, then from these \
options; later ones win. `stepwell config show` prints what is in force and where each value came from.

Workflows are TypeScript files of a folder (--workflows DIR, and --watch to load them again when they change), and those \
that programs register. Workflows written in Rust are served by your own program: `stepwell::serve(engine, config)`. It has the same API, and \
this command line works with it just as well.";

const MCP_ABOUT: &str = "Speak MCP over standard input and output, for agents that start their servers themselves.

It passes every message on to the server's endpoint /mcp, or with --recording to that of a recording. \
`stepwell mcp servers` shows the upstream servers whose tools graphs and recordings call.";

const COMPLETIONS_ABOUT: &str = "Print completions for a shell.

  bash        stepwell completions bash > ~/.local/share/bash-completion/completions/stepwell
  zsh         stepwell completions zsh > \"${fpath[1]}/_stepwell\"
  fish        stepwell completions fish > ~/.config/fish/completions/stepwell.fish
  powershell  stepwell completions powershell >> $PROFILE";

#[derive(Debug, Args)]
pub struct Serve {
    #[command(flatten)]
    pub settings: SettingFlags,
}

#[derive(Debug, Args)]
pub struct Init {
    /// The folder to write into; made if it is not there
    #[arg(default_value = ".", value_hint = ValueHint::DirPath)]
    pub dir: std::path::PathBuf,
    /// Replace files that are there already
    #[arg(long)]
    pub force: bool,
}

#[derive(Debug, Args)]
pub struct Check {
    /// Files, and folders of files
    #[arg(default_value = "workflows", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<std::path::PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum WorkflowCommand {
    /// List the workflows of this namespace
    List,
    /// Show one workflow: its version, what it takes, what it gives
    Show { name: String },
}

#[derive(Debug, Args)]
pub struct Start {
    /// The workflow
    pub workflow: String,
    /// Its input: JSON, @FILE, or - for standard input; null if left out
    #[arg(long, short, value_name = "JSON|@FILE|-")]
    pub input: Option<JsonInput>,
    #[command(flatten)]
    pub new: NewRun,
}

/// What can be said of a run that is started.
#[derive(Debug, Args)]
pub struct NewRun {
    /// The run's id: a UUID, or a name of your own; never used again
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// An idempotency key: a second start with it gives the first run
    #[arg(long, value_name = "KEY")]
    pub key: Option<String>,
    /// A label to find it by; may be given several times
    #[arg(long, value_name = "KEY=VALUE")]
    pub label: Vec<Pair>,
    /// When it may begin: a date, or +10m
    #[arg(long, value_name = "WHEN")]
    pub start_at: Option<When>,
    /// How long it may take, or until when; past that it fails
    #[arg(long, value_name = "SPAN|DATE")]
    pub deadline: Option<Length>,
    #[command(flatten)]
    pub wait: MayWait,
}

/// Whether a run is waited for, and how.
#[derive(Debug, Clone, Args)]
pub struct MayWait {
    /// Wait until it has ended: progress on standard error, its output on standard output
    #[arg(long, short)]
    pub wait: bool,
    #[command(flatten)]
    pub watch: Watch,
}

/// How a run is waited for.
#[derive(Debug, Clone, Args)]
pub struct Watch {
    /// Wait no longer than this; the run goes on
    #[arg(long, value_name = "SPAN|DATE")]
    pub timeout: Option<Length>,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum NamespaceCommand {
    /// List the namespaces that you can see, with their runs by status
    List,
}

#[derive(Debug, Subcommand)]
pub enum ClusterCommand {
    /// List the nodes: which are alive, and how many of the shards each owns
    Status {
        /// List the shards, too
        #[arg(long)]
        shards: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum StoreCommand {
    /// Read everything in the store, and say what is wrong with it
    Check(StoreFile),
    /// Write a copy of the store into a new file
    Backup {
        /// Where the copy goes
        #[arg(value_hint = ValueHint::FilePath)]
        to: std::path::PathBuf,
        /// Replace a file that is there already
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        store: StoreFile,
    },
    /// Bring the tables of a database up to date, or copy a file into a database
    #[command(long_about = MIGRATE_ABOUT)]
    Migrate {
        /// A file to copy everything from: sqlite:PATH. No server may have it open
        #[arg(long, value_name = "URL")]
        from: Option<String>,
        #[command(flatten)]
        store: StoreFile,
    },
}

const MIGRATE_ABOUT: &str = "Bring the tables of a database up to date, or copy a file into a database.

A server does the first by itself when it starts. With --from, every run is copied with its journal, inbox, log, labels \
and idempotency key, and every document: runs that are under way go on in the database. Runs that are there already are \
left as they are, so a copy that was cut off can be made again.

  stepwell store migrate --from sqlite:stepwell.db --store postgres://me@db/stepwell";

#[derive(Debug, Args)]
pub struct StoreFile {
    /// The store; what the settings say if left out
    #[arg(long, value_name = "URL")]
    pub store: Option<String>,
    /// The file of settings that names the store
    #[arg(
        long,
        value_name = "FILE",
        env = "STEPWELL_CONFIG",
        hide_env_values = true,
        value_hint = ValueHint::FilePath
    )]
    pub config: Option<std::path::PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print every setting that is in force, and where it came from; secrets are not shown
    Show {
        #[command(flatten)]
        settings: SettingFlags,
    },
}

/// The whole command line, for completions and for the documentation.
pub fn command() -> clap::Command {
    Cli::command()
}

/// The word that a value has on the command line and in the API, which are the same.
pub fn word(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
