//! The example as a user runs it: a process that answers HTTP, and goes down when it is told to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// Ends with the test, however that ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_workflows_are_served_over_http() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_shop-server"))
        .args(["--listen", "127.0.0.1:0", "--store"])
        .arg(dir.path().join("shop.db"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut server = Server(child);
    let first = lines.next().unwrap().unwrap();
    let address = first.rsplit("http://").next().unwrap().to_owned();

    let workflows = get(&address, "/api/workflows");
    for name in ["order", "approval", "thumbnails", "report"] {
        assert!(workflows.contains(&format!("\"name\":\"{name}\"")), "{workflows}");
    }
    let pid = server.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
    assert!(server.0.wait().unwrap().success(), "it ends well when it is told to");
}

#[test]
fn a_wrong_argument_is_answered_with_the_usage() {
    let wrong = Command::new(env!("CARGO_BIN_EXE_shop-server")).arg("--prot").output().unwrap();
    assert!(!wrong.status.success());
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert!(told.contains("`--prot` is not understood"), "{told}");
}
