//! `stepwell graph ...`, `stepwell recording ...`, `stepwell mcp ...`

use clap::{Args, Subcommand, ValueHint};

use super::MayWait;
use crate::input::JsonInput;

#[derive(Debug, Subcommand)]
pub enum GraphCommand {
    /// Say everything that is wrong with a graph, without saving it
    Check {
        /// The file with the graph, or - for standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: String,
    },
    /// Save a graph under its id
    Save {
        /// The file with the graph, or - for standard input
        #[arg(value_hint = ValueHint::FilePath)]
        file: String,
    },
    /// Save a graph and start a run of it
    Run(Box<RunGraph>),
    /// Remove a graph; its runs under way go on
    Delete { name: String },
    /// Print the JSON Schema of graphs
    Schema,
}

#[derive(Debug, Args)]
pub struct RunGraph {
    /// The file with the graph, or - for standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: String,
    /// The run's input: JSON, @FILE, or - for standard input; null if left out
    #[arg(long, short, value_name = "JSON|@FILE|-")]
    pub input: Option<JsonInput>,
    #[command(flatten)]
    pub wait: MayWait,
}

#[derive(Debug, Subcommand)]
pub enum RecordingCommand {
    /// Begin a recording, and print its id
    Start {
        /// What people call the workflow that it becomes
        #[arg(long)]
        title: Option<String>,
        /// What the workflow is for
        #[arg(long)]
        description: Option<String>,
    },
    /// List recordings, newest first
    List,
    /// Show what has been recorded so far
    Show { id: String },
    /// Call a tool, and record the call
    Call {
        id: String,
        /// The tool
        tool: String,
        /// Its input, which may hold refs such as @get_user_1.id: JSON, @FILE, or -
        #[arg(long, short, value_name = "JSON|@FILE|-")]
        input: Option<JsonInput>,
        /// Which server's tool; needed only if several have it
        #[arg(long)]
        on: Option<String>,
    },
    /// Record a result without calling anybody
    Preset {
        id: String,
        /// The result: JSON, @FILE, or -
        #[arg(value_name = "JSON|@FILE|-")]
        output: JsonInput,
        /// What the step is called
        #[arg(long)]
        name: Option<String>,
        /// The tool that the saved workflow calls for it
        #[arg(long)]
        tool: Option<String>,
    },
    /// Take a step out
    Drop { id: String, step: String },
    /// Name an input and say what it is while recording: @input.NAME
    NameInput {
        id: String,
        name: String,
        /// JSON, @FILE, or -
        #[arg(value_name = "JSON|@FILE|-")]
        value: JsonInput,
        #[arg(long)]
        description: Option<String>,
    },
    /// List literals that equal earlier outputs, and the refs that could stand there
    Propose { id: String },
    /// Make a literal a ref that has the same value
    PlaceRef {
        id: String,
        step: String,
        /// Where in the step's input, as a JSON pointer such as /user/id
        pointer: String,
        /// Such as @get_user_1.id
        #[arg(value_name = "REF")]
        written: String,
    },
    /// Take no more calls
    Finish { id: String },
    /// Save what was recorded as a workflow
    Save {
        id: String,
        /// The workflow's name
        workflow: String,
        /// Replace a graph of this name
        #[arg(long)]
        replace: bool,
    },
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Mcp {
    #[command(subcommand)]
    pub command: Option<McpCommand>,
    /// Speak for this recording: its tools are those of the upstream servers, and every call is recorded
    #[arg(long, value_name = "ID")]
    pub recording: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Connect to the upstream servers, and say how they are and which tools they have
    Servers,
}
