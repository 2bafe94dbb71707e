//! What each command does.

mod check;
mod cluster;
mod flow;
mod graph;
mod init;
mod local;
mod mcp;
mod migrate;
mod recording;
mod run;
mod runs;
mod schedule;
mod serve;
mod start;
mod step;
mod store;
mod token;
mod workflow;

use clap::ArgMatches;
use serde::Serialize;
use serde_json::json;
use stepwell_server::api::{NamespaceList, ServerInfo};

use crate::args::{CallCommand, Cli, Command, ConfigCommand, NamespaceCommand};
use crate::client::{Call, Client, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Document, Out, Paint, Style, Table, ago, now};

/// What a command that calls the server works with.
pub struct Cx<'a> {
    pub client: Client,
    pub out: &'a mut Out,
}

impl Cx<'_> {
    /// Prints the server's answer as it is, or what people read of it.
    fn show<T>(
        &mut self,
        reply: &Reply<T>,
        text: impl FnOnce(&T, Style) -> String,
    ) -> Result<Exit> {
        match self.out.json {
            true => self.out.print_json(&reply.text)?,
            false => self.out.print(&text(&reply.value, self.out.style))?,
        }
        Ok(Exit::Ok)
    }

    /// Says that something was done.
    fn done(&mut self, what: &impl Serialize, text: &str) -> Result<Exit> {
        match self.out.json {
            true => self.out.print_json_of(what)?,
            false => self.out.print(text)?,
        }
        Ok(Exit::Ok)
    }
}

/// Carries out a command line.
pub async fn run(cli: Cli, matches: &ArgMatches, out: &mut Out) -> Result<Exit> {
    let Cli { global, command } = cli;
    match command {
        Command::Serve(serve) => serve::serve(&serve, out).await,
        Command::Init(init) => init::init(&init, out),
        Command::Check(check) => check::check(&check, out).await,
        Command::Store(command) => store::store(command, out).await,
        Command::Config(ConfigCommand::Show { settings }) => {
            local::config_show(&settings, &global, matches, out)
        }
        Command::Problem { code } => local::problem(code.as_deref(), out),
        Command::Completions { shell } => local::completions(shell, out),
        Command::Call(command) => {
            let mut cx = Cx { client: Client::new(&global)?, out };
            call(&mut cx, command).await
        }
    }
}

/// Carries out a command that calls a server.
async fn call(cx: &mut Cx<'_>, command: CallCommand) -> Result<Exit> {
    match command {
        CallCommand::Workflow(command) => workflow::workflow(cx, command).await,
        CallCommand::Start(start) => start::start(cx, *start).await,
        CallCommand::Run(command) => run::run(cx, command).await,
        CallCommand::Step(command) => step::step(cx, command).await,
        CallCommand::Plan(goals) => flow::plan(cx, goals).await,
        CallCommand::Flow(command) => flow::flow(cx, command).await,
        CallCommand::Graph(command) => graph::graph(cx, command).await,
        CallCommand::Recording(command) => recording::recording(cx, command).await,
        CallCommand::Mcp(command) => mcp::mcp(cx, command).await,
        CallCommand::Schedule(command) => schedule::schedule(cx, command).await,
        CallCommand::Token(command) => token::token(cx, command).await,
        CallCommand::Cluster(command) => cluster::cluster(cx, &command).await,
        CallCommand::Namespace(NamespaceCommand::List) => namespaces(cx).await,
        CallCommand::Info => info(cx).await,
        CallCommand::Health => health(cx).await,
    }
}

async fn namespaces(cx: &mut Cx<'_>) -> Result<Exit> {
    let reply: Reply<NamespaceList> = cx.client.call(Call::get(&["api", "namespaces"])).await?;
    cx.show(&reply, |list, style| {
        let mut table = Table::new(["NAMESPACE", "RUNS"]);
        for namespace in &list.namespaces {
            let counts = runs::counts_text(&namespace.counts);
            table.row([(Paint::Plain, namespace.name.clone()), (Paint::Plain, counts)]);
        }
        table.render(style)
    })
}

async fn info(cx: &mut Cx<'_>) -> Result<Exit> {
    let reply: Reply<ServerInfo> = cx.client.call(Call::get(&["api", "info"])).await?;
    let server = cx.client.server().to_owned();
    cx.show(&reply, |info, style| {
        let mut text = Document::default();
        text.line("server", server);
        text.text("version", Some(&info.version));
        text.line("started", format!("{} ({})", ago(info.started_at.0, now()), info.started_at));
        text.text("namespace", Some(&info.namespace));
        text.line("you may", info.scope.as_str());
        text.text("token", info.token.as_deref());
        text.line("tokens", if info.token_required { "required" } else { "not required" });
        text.render(style)
    })
}

async fn health(cx: &mut Cx<'_>) -> Result<Exit> {
    cx.client.call_for_nothing(Call::get(&["health", "ready"])).await?;
    let text = format!("{} can take work", cx.client.server());
    cx.done(&json!({ "ready": true }), &text)
}

/// `{"deleted": NAME}`
fn deleted(name: &str) -> serde_json::Value {
    json!({ "deleted": name })
}
