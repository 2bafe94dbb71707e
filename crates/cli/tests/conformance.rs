//! The official MCP conformance suite against our server: the scenarios that are about what every server does. The
//! others call tools, resources and prompts of a server made for the suite.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests may panic")]

mod kit;

use std::path::Path;

use kit::{LONG, TestServer};
use tokio::process::Command;

const SCENARIOS: &[&str] = &["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

#[tokio::test]
async fn the_server_conforms() {
    let bin =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/npm/node_modules/.bin");
    assert!(bin.is_dir(), "install the MCP peers first: scripts/ensure-tools mcp");
    let server = TestServer::start().await;
    let results = tempfile::tempdir().unwrap();
    for scenario in SCENARIOS {
        let mut command = Command::new(bin.join("bun"));
        command.arg(bin.join("conformance")).args(["server", "--scenario", scenario]);
        command.args(["--url", &format!("{}/mcp", server.url)]).current_dir(results.path());
        let ran =
            tokio::time::timeout(LONG, command.kill_on_drop(true).output()).await.unwrap().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success(), "{scenario}: {said}{}", String::from_utf8_lossy(&ran.stderr));
        assert!(!said.contains("FAILURE"), "{scenario}: {said}");
    }
}
