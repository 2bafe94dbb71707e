//! Steps, plans and flows from the command line.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![allow(clippy::expect_used, reason = "as in the kit")]

mod kit;

use kit::TestServer;
use serde_json::json;

fn write_steps(server: &TestServer) {
    let step = |id: &str, needs: &str, gives: &str, source: &str| {
        json!({
            "id": id, "type": "script", "labels": {"team": "sales"},
            "attributes": {needs: {"role": "required"}, gives: {"role": "output"}},
            "script": {"language": "lua", "source": source},
        })
    };
    let price = step("price", "item", "amount", "return {amount = #item}");
    let pay = step("pay", "amount", "receipt", "return {receipt = 'paid ' .. amount}");
    let write =
        |name: &str, text: String| std::fs::write(server.dir.path().join(name), text).unwrap();
    write("price.json", price.to_string());
    write("both.json", json!([price, pay]).to_string());
    let other = step("price", "item", "amount", "return {amount = 2 * #item}");
    write("other.json", other.to_string());
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_are_registered_and_goals_reached() {
    let server = TestServer::start().await;
    write_steps(&server);
    let registered = server.run(&["step", "register", "price.json", "both.json"]).await;
    assert_eq!(registered.code, 0, "{registered:?}");
    let said = "step price registered\nstep price was there already\nstep pay registered\n";
    assert_eq!(registered.stdout, said);
    let refused = server.run(&["step", "register", "other.json"]).await;
    assert!(refused.code != 0 && refused.stderr.contains("add --update"), "{refused:?}");

    let listed = server.run(&["step", "list", "--label", "team=sales"]).await;
    assert!(listed.stdout.starts_with("STEP"), "{listed:?}");
    assert!(
        listed.stdout.lines().any(|line| line.contains("price") && line.contains("healthy")),
        "{listed:?}"
    );
    let none = server.json(&["step", "list", "--label", "team=other"]).await;
    assert_eq!(none["steps"], json!([]));
    let shown = server.run(&["step", "show", "pay"]).await;
    assert!(shown.stdout.contains("\"receipt\""), "{shown:?}");

    let plan = server.run(&["plan", "--goal", "pay"]).await;
    assert_eq!(plan.code, 0, "{plan:?}");
    let tree = "pay (script)\n└─ amount <- price (script)\n   └─ item <- required in --init\n";
    assert!(plan.stdout.starts_with(tree), "{plan:?}");
    let cannot = server.run(&["flow", "start", "--goal", "pay"]).await;
    assert!(cannot.code != 0 && cannot.stderr.contains("`stepwell plan` shows"), "{cannot:?}");

    let init = r#"{"item": "book"}"#;
    let ran =
        server.run(&["flow", "start", "--goal", "pay", "--init", init, "--wait", "--json"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("paid 4"), "{ran:?}");

    let updated = server.run(&["step", "register", "--update", "other.json"]).await;
    assert_eq!(updated.stdout, "step price updated\n");
    let started = server.run(&["flow", "start", "-g", "pay", "-i", init, "--id", "mine"]).await;
    assert_eq!(started.code, 0, "{started:?}");
    server.until("mine", |run| run["status"] == "completed").await;
    let events = server.run(&["flow", "events", "mine"]).await;
    assert!(events.stdout.contains("flow_completed"), "{events:?}");
    assert!(events.stdout.contains("paid 8"), "{events:?}");

    let gone = server.run(&["step", "delete", "price"]).await;
    assert!(
        gone.stdout.contains("step pay loses a provider of amount: nobody provides it any more"),
        "{gone:?}"
    );
    let unknown = server.run(&["step", "show", "price"]).await;
    assert!(unknown.code != 0 && unknown.stderr.contains("`stepwell step list`"), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_known_must_be_an_object() {
    let server = TestServer::start().await;
    let ran = server.run(&["plan", "--goal", "x", "--init", "[1]"]).await;
    assert!(ran.code != 0 && ran.stderr.contains("--init is no object"), "{ran:?}");
}

/// A service of the example as a process of its own, on a free port; ends with it.
struct Service {
    url: String,
    _process: tokio::process::Child,
}

async fn service(program: &str, script: &str) -> Service {
    use tokio::io::{AsyncBufReadExt, BufReader};
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/flow");
    let mut process = tokio::process::Command::new(program)
        .args([script, "0"])
        .current_dir(folder)
        .stdout(std::process::Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{program} is needed for the example: {error}"));
    let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(kit::LONG, lines.next_line()).await.unwrap().unwrap().unwrap();
    let url = line[line.find("http://").unwrap()..].trim().to_owned();
    Service { url, _process: process }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_reaches_its_goal() {
    let server = TestServer::start().await;
    let customers = service("python3", "customers.py").await;
    let reviews = service("node", "reviews.mjs").await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let scorer = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(flow_scorer::serve(listener));
    for (customer, decision) in
        [("ada", "total 24, review approved for Ada at 24"), ("bob", "total 6, review not needed")]
    {
        let mut script = tokio::process::Command::new("sh");
        script
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/flow/run.sh"))
            .arg(customer)
            .env("STEPWELL", env!("CARGO_BIN_EXE_stepwell"))
            .env("STEPWELL_SERVER", &server.url)
            .env("CUSTOMERS", &customers.url)
            .env("SCORER", &scorer)
            .env("REVIEWS", &reviews.url)
            .current_dir(server.dir.path());
        let ran = tokio::time::timeout(kit::LONG, script.output()).await.unwrap().unwrap();
        let (said, told) =
            (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{told}");
        let output: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(output["decision"], decision, "{told}");
    }
}
