//! What is saved on one node is there on the others at once.

use std::time::Duration;

use serde_json::{Value, json};

use crate::nodes::Nodes;

const LEASE: Duration = Duration::from_secs(60);

fn adder(more: i64) -> Value {
    let code = format!("export default (input: {{ n: number }}) => input.n + {more}");
    json!({
        "id": "adder",
        "steps": [{ "name": "add", "action": { "code": code }, "input": { "n": "@input.n" } }],
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn graphs_steps_schedules_and_files_of_one_node_are_known_to_the_others() {
    let nodes = Nodes::start(&["a", "b", "c"], LEASE, |dir| {
        // Only one node has the file: the others run what it started.
        if dir.ends_with("a") {
            std::fs::create_dir(dir.join("workflows")).unwrap();
            let text =
                "const double = ({ input }: any) => input * 2;\nexport const steps = [double];";
            std::fs::write(dir.join("workflows/twice.ts"), text).unwrap();
        }
    })
    .await;
    let [a, b, c] = [nodes.nth(0), nodes.nth(1), nodes.nth(2)];

    assert_eq!(a.put("/api/workflows/adder", adder(1)).await.0, 201);
    for n in 0..6 {
        let run = b.start("adder", json!({ "n": n })).await;
        assert_eq!(c.wait(&run).await["output"], n + 1);
    }
    let (status, changed) = c.put("/api/workflows/adder", adder(10)).await;
    assert_eq!(status, 200, "{changed}");
    assert_eq!(a.get("/api/workflows/adder").await.1["version"], changed["version"]);
    let listed = b.get("/api/workflows").await.1;
    let listed = listed["workflows"].as_array().unwrap().iter().find(|one| one["name"] == "adder");
    assert_eq!(listed.unwrap()["version"], changed["version"]);
    let run = b.start("adder", json!({ "n": 1 })).await;
    assert_eq!(a.wait(&run).await["output"], 11);
    let schedule = json!({ "workflow": "adder", "interval_ms": 3_600_000, "input": { "n": 1 } });
    let (status, answer) = a.put("/api/schedules/hourly", schedule).await;
    assert_eq!(status, 201, "{answer}");
    assert_eq!(b.get("/api/schedules/hourly").await.1["workflow"], "adder");
    assert_eq!(b.delete("/api/workflows/adder").await, 204);
    for node in [a, b, c] {
        assert_eq!(node.get("/api/workflows/adder").await.1["code"], "unknown_workflow");
        let (_, refused) =
            node.post("/api/workflows/adder/runs", json!({ "input": { "n": 1 } })).await;
        assert_eq!(refused["code"], "unknown_workflow");
    }

    for n in 0..6 {
        let run = a.start("twice", json!(n)).await;
        assert_eq!(b.wait(&run).await["output"], n * 2);
    }
}
