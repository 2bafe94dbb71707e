//! `cargo run -p flow-scorer [PORT]`, and it says where it listens.
#![allow(clippy::print_stdout, reason = "an example says where it listens")]

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(8102_u16);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("scorer on http://{}", listener.local_addr()?);
    flow_scorer::serve(listener).await
}
