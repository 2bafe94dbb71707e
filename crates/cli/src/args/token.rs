//! `stepwell token ...`

use clap::{Args, Subcommand, ValueEnum};

use crate::times::When;

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token, and print it this once
    Create(CreateToken),
    /// List the tokens of this namespace
    List,
    /// Revoke a token; it counts at once
    Revoke { name: String },
}

#[derive(Debug, Args)]
pub struct CreateToken {
    /// What people call it
    pub name: String,
    /// What it may do; each includes the ones before it
    #[arg(long)]
    pub scope: ScopeArg,
    /// Let it work in every namespace
    #[arg(long)]
    pub all_namespaces: bool,
    /// Until when it is valid: a date, or +90d; for ever if left out
    #[arg(long, value_name = "WHEN")]
    pub expires: Option<When>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ScopeArg {
    /// Look at everything
    Read,
    /// Start, steer and cancel runs, send messages
    Launch,
    /// Change definitions, schedules and tokens
    Admin,
}
