//! Nodes that are lost while they work.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::nodes::Nodes;

/// Short, so that it runs out while the test waits.
const LEASE: Duration = Duration::from_secs(2);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_node_had_goes_on_elsewhere_and_a_stopped_one_is_fenced() {
    let mut nodes = Nodes::start(&["a", "b", "c"], LEASE, |_| {}).await;

    let run = nodes.nth(0).start("held", json!(0)).await;
    let killed = nodes.until_began(&run, "hold", |_| true).await;
    let n = nodes.position(killed);
    nodes.all[n].victim.kill();
    let lost_at = Instant::now();
    nodes.until_began(&run, "hold", |pid| pid != killed).await;
    println!("taken over {:?} after a kill, with a lease of {LEASE:?}", lost_at.elapsed());
    nodes.let_go(&run);
    let ended = nodes.nth(n + 1).wait(&run).await;
    assert!(!pids(&ended).contains(&killed), "{ended}");
    nodes.serve_again(n).await;
    nodes.until_shared().await;

    let run = nodes.nth(1).start("held", json!(1)).await;
    let stopped = nodes.until_began(&run, "hold", |_| true).await;
    let n = nodes.position(stopped);
    nodes.all[n].victim.tell("-STOP");
    nodes.until_began(&run, "hold", |pid| pid != stopped).await;
    nodes.let_go(&run);
    let ended = nodes.nth(n + 1).wait(&run).await;
    assert!(!pids(&ended).contains(&stopped), "{ended}");
    let journal = nodes.nth(n + 1).get(&format!("/api/runs/{run}/journal")).await.1;
    nodes.all[n].victim.tell("-CONT");
    // Its body ends now, and what it gives is refused: the node goes on all the same.
    nodes.until_shared().await;
    for k in 0..9 {
        let run = nodes.nth(n).start("five", json!(k)).await;
        assert_eq!(nodes.nth(n + k).wait(&run).await["output"], k + 5);
    }
    assert_eq!(nodes.nth(n).get(&format!("/api/runs/{run}/journal")).await.1, journal);
    assert!(!nodes.began(&run, "after").contains(&stopped));
}

/// Which processes recorded the steps of a run.
fn pids(ended: &Value) -> Vec<u32> {
    assert_eq!(ended["status"], "completed", "{ended}");
    serde_json::from_value(ended["output"].clone()).unwrap()
}
