//! `stepwell cluster ...`

use std::time::Duration;

use stepwell_server::api::{ClusterView, NodeView};

use super::Cx;
use crate::args::ClusterCommand;
use crate::client::{Call, Reply};
use crate::error::Result;
use crate::exit::Exit;
use crate::out::{Paint, Style, Table, clean};

pub async fn cluster(cx: &mut Cx<'_>, command: &ClusterCommand) -> Result<Exit> {
    let ClusterCommand::Status { shards } = command;
    let reply: Reply<ClusterView> = cx.client.call(Call::get(&["api", "cluster"])).await?;
    cx.show(&reply, |view, style| text(view, *shards, style))
}

fn text(view: &ClusterView, with_shards: bool, style: Style) -> String {
    if !view.shared {
        return "one process owns every run: its store is not shared".to_owned();
    }
    let mut nodes = Table::new(["node", "address", "version", "alive", "last beat", "shards"]);
    for node in &view.nodes {
        let (paint, alive) = if node.is_alive { (Paint::Good, "yes") } else { (Paint::Bad, "no") };
        let beat = format!("{:.1?} ago", Duration::from_millis(node.beat_ago_ms));
        nodes.row([
            (Paint::Plain, name(node)),
            (Paint::Plain, clean(node.address.as_deref().unwrap_or("-")).to_string()),
            (Paint::Plain, clean(&node.version).to_string()),
            (paint, alive.to_owned()),
            (Paint::Plain, beat),
            (Paint::Plain, node.n_shards.to_string()),
        ]);
    }
    let n_free = view.shards.iter().filter(|shard| shard.node.is_none()).count();
    let mut text = nodes.render(style);
    text.push_str(&format!("\n{} shards, {n_free} of them without an owner", view.shards.len()));
    if with_shards {
        let mut shards = Table::new(["shard", "epoch", "node"]);
        for shard in &view.shards {
            let owner = view.nodes.iter().find(|node| Some(&node.id) == shard.node.as_ref());
            let owner = owner.map_or_else(|| "-".to_owned(), name);
            let cells = [shard.shard.to_string(), shard.epoch.to_string(), owner];
            shards.row(cells.map(|cell| (Paint::Plain, cell)));
        }
        text.push_str("\n\n");
        text.push_str(&shards.render(style));
    }
    text
}

/// Nodes may have the same name; their ids differ at the end.
fn name(node: &NodeView) -> String {
    let end = &node.id[node.id.len().saturating_sub(6)..];
    let mark = if node.is_self { " *" } else { "" };
    format!("{} ({}){mark}", clean(&node.name), clean(end))
}
