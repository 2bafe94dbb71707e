//! Three real servers on one PostgreSQL with steady load of every dialect, while servers are killed and stopped, connections
//! are cut, answers are late or lost, and the database restarts and crashes. Steps do something to the world outside, some of
//! them through webhooks, and runs wait for messages.
//!
//! Afterwards every acknowledged run has completed, no recorded step has run again, no epoch wrote after a later one, and
//! every message and webhook was taken once.
//!
//! `CHAOS_FAULTS=200 cargo test -p stepwell-crash --test dialects` does more; `CRASH_SEED` repeats the choice of faults.

#[path = "../campaign/mod.rs"]
mod campaign;
#[path = "../kit/mod.rs"]
mod kit;
#[path = "../nodes/nodes.rs"]
mod nodes;

mod check;
mod load;
mod outside;

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use campaign::{Chance, Harm, from_env};
use load::Load;
use nodes::Nodes;
use outside::Outside;
use stepwell_store_postgres::testkit::Server;
use stepwell_store_postgres::testkit::proxy::Proxy;

const LEASE: Duration = Duration::from_secs(2);
/// Longer than the lease.
const STOPPED: Duration = Duration::from_secs(3);
/// How many kinds of faults there are. Each comes once before any comes again.
const KINDS: u64 = 2 + Harm::KINDS;
const NAMES: [&str; 3] = ["a", "b", "c"];

#[derive(Debug, Default)]
pub struct Counts {
    kills: u64,
    stops: u64,
    harm: Harm,
    /// Of every dialect, and those that are nested in them.
    runs: usize,
    /// Things done to the world outside that a journal has recorded, and those that were done again before that.
    effects: usize,
    repeated_before_recorded: usize,
    /// Begun by a server that had been stopped, in the moment when it went on.
    begun_by_stopped: usize,
    messages: usize,
    webhooks: usize,
    /// Webhooks whose answer was lost, and that were found to be taken when they were sent again.
    webhooks_again: usize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_happens_every_dialect_ends_its_runs_and_repeats_nothing() {
    let n_faults: u64 = from_env("CHAOS_FAULTS").unwrap_or(KINDS);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = from_env("CRASH_SEED").unwrap_or(now.subsec_nanos().into());
    println!("CRASH_SEED={seed}");
    let mut chance = Chance(seed | 1);
    let server = Arc::new(tokio::task::spawn_blocking(Server::start).await.unwrap());
    let proxy = Proxy::start(server.port()).await;
    let outside = Outside::start().await;
    let address = server.address_through(proxy.port(), "chaos");
    let more = vec![("CRASH_SERVICE", outside.url.clone())];
    let mut nodes = Nodes::start_on(address, &NAMES, LEASE, more, |dir| load::prepare(dir)).await;
    let load = Load::start(&nodes, &outside).await;
    let mut counts = Counts::default();
    let mut kinds = Vec::new();
    for fault in 0..n_faults {
        tokio::time::sleep(Duration::from_millis(500 + chance.below(1_000))).await;
        let node = chance.below(NAMES.len() as u64) as usize;
        if fault % KINDS == 0 {
            kinds = chance.order(KINDS);
        }
        match kinds[(fault % KINDS) as usize] {
            0 => {
                counts.kills += 1;
                nodes.all[node].victim.kill();
                nodes.serve_again(node).await;
                load.moved(&nodes);
            }
            1 => {
                counts.stops += 1;
                nodes.all[node].victim.tell("-STOP");
                tokio::time::sleep(STOPPED).await;
                nodes.all[node].victim.tell("-CONT");
            }
            kind => {
                counts.harm.inflict(kind - 2, (&server, &proxy), STOPPED, &mut chance).await;
            }
        }
    }
    let acknowledged = load.finish().await;
    // Whatever is still under way must not change what is looked at.
    nodes.all.clear();
    check::check(&server.address_of("chaos"), &acknowledged, &outside, &mut counts).await;
    println!("{counts:?}");
}
