//! `stepwell step ...`, `stepwell plan` and `stepwell flow ...`

use clap::{Args, Subcommand, ValueHint};

use super::NewRun;
use crate::input::{JsonInput, Pair};

#[derive(Debug, Subcommand)]
pub enum StepCommand {
    /// Register steps: one definition per file, or a list of them
    Register(RegisterSteps),
    /// List the steps of this namespace
    List {
        /// Only steps with this label; may be given several times
        #[arg(long, value_name = "KEY=VALUE")]
        label: Vec<Pair>,
    },
    /// Show a step: its definition, version and health
    Show { id: String },
    /// Remove a step; says who loses a provider
    Delete { id: String },
}

#[derive(Debug, Args)]
pub struct RegisterSteps {
    /// Files with a definition, or a list of definitions; - for standard input
    #[arg(required = true, value_name = "FILE|-", value_hint = ValueHint::FilePath)]
    pub files: Vec<String>,
    /// Change steps that are there with another definition
    #[arg(long)]
    pub update: bool,
}

#[derive(Debug, Args)]
pub struct Goals {
    /// A step to reach; may be given several times
    #[arg(long, short, required = true, value_name = "STEP")]
    pub goal: Vec<String>,
    /// What is known to begin with: a JSON object, @FILE, or - for standard input
    #[arg(long, short, value_name = "JSON|@FILE|-")]
    pub init: Option<JsonInput>,
}

#[derive(Debug, Subcommand)]
pub enum FlowCommand {
    /// Start a flow that reaches some goals, and wait for it if you like
    Start(Box<StartFlow>),
    /// What has happened in a flow
    Events {
        /// The run's id, or the name it was given
        id: String,
    },
}

#[derive(Debug, Args)]
pub struct StartFlow {
    #[command(flatten)]
    pub goals: Goals,
    #[command(flatten)]
    pub new: NewRun,
}
