//! Launching runs over HTTP, beside an empty handler on the same machine.
//!
//! Client and server share the cores, in both measurements alike. The client is as small as can be: it keeps its
//! connections, writes a request, and reads an answer of known length.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use stepwell::ServerConfig;
use stepwell::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::Outcome;
use crate::report::{Goal, Report, percentile};

type Failed = Box<dyn std::error::Error + Send + Sync>;

const CONNECTIONS: [usize; 3] = [1, 16, 256];

/// How long each point is measured.
const SPAN: Duration = Duration::from_secs(3);

/// What a client asks for, again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// A run that begins in a year: what the request itself costs.
    Later,
    /// A run whose five steps are carried out while others are launched.
    Now,
    /// The same, and its end is waited for.
    ToTheEnd,
}

impl Ask {
    fn body(self) -> String {
        match self {
            Ask::Later => {
                let at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * 365);
                format!("{{\"input\":1,\"start_at\":\"{at}\"}}")
            }
            Ask::Now | Ask::ToTheEnd => "{\"input\":1}".to_owned(),
        }
    }
}

/// What one point came to.
struct Point {
    per_second: f64,
    p50_ms: f64,
    p99_ms: f64,
}

async fn five(ctx: Ctx, n: u64) -> Result<u64> {
    let mut total = n;
    for step in ["a", "b", "c", "d", "e"] {
        total += ctx.step(step, async || Ok::<_, Error>(1)).await?;
    }
    Ok(total)
}

pub async fn launches(report: &mut Report) -> Outcome {
    let dir = tempfile::tempdir_in(".")?;
    let engine = Engine::open(dir.path().join("bench.db")).await?;
    engine.register(workflow("five", five))?;
    let config = ServerConfig { listen: "127.0.0.1:0".parse()?, ..ServerConfig::default() };
    let server = stepwell::bind(&engine, config).await?;
    let address = server.local_addr()?.to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(server.run(async move {
        let _ = stopped.await;
    }));
    let empty = empty_handler().await.map_err(|error| error.to_string())?;
    for n in CONNECTIONS {
        let bare = measure(&empty, n, Ask::Now).await.map_err(|error| error.to_string())?;
        report.plain(&format!("http: empty handler, {n} connections"), bare.per_second, "req/s");
        // No launch is answered before it is on disk.
        let disk = report.value(&format!("limit: store alone, {n} commits waiting"));
        let bound = disk.unwrap_or(f64::INFINITY).min(bare.per_second);
        for (what, ask) in [
            ("launches", Ask::Later),
            ("launches of 5 steps that run meanwhile", Ask::Now),
            ("launch to completed", Ask::ToTheEnd),
        ] {
            let point = measure(&address, n, ask).await.map_err(|error| error.to_string())?;
            let name = format!("http: {what}, {n} connections");
            let goal = (ask == Ask::Later).then_some(Goal::AtLeast(0.3));
            report.beside(&name, point.per_second, "runs/s", bound, goal);
            report.plain(&format!("{name}, p50"), point.p50_ms, "ms");
            report.plain(&format!("{name}, p99"), point.p99_ms, "ms");
        }
    }
    let _ = stop.send(());
    served.await??;
    Ok(())
}

/// An axum handler that reads the body and says yes.
async fn empty_handler() -> Result<String, Failed> {
    let router = axum::Router::new()
        .route("/api/workflows/five/runs", axum::routing::post(async |_: axum::body::Bytes| "{}"));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(address)
}

async fn measure(address: &str, n_connections: usize, ask: Ask) -> Result<Point, Failed> {
    let n_done = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..n_connections {
        let (address, n_done) = (address.to_owned(), Arc::clone(&n_done));
        let body = ask.body();
        clients.push(tokio::spawn(async move {
            let mut client = Client::connect(&address).await?;
            let mut took = Vec::new();
            while begun.elapsed() < SPAN {
                let at = Instant::now();
                let answer = client.post("/api/workflows/five/runs", &body).await?;
                if ask == Ask::ToTheEnd {
                    let run = run_id(&answer).ok_or("no run id in the answer")?;
                    client.get(&format!("/api/runs/{run}/wait")).await?;
                }
                took.push(at.elapsed().as_secs_f64() * 1_000.0);
                n_done.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<_, Failed>(took)
        }));
    }
    let mut took = Vec::new();
    for client in clients {
        took.extend(client.await??);
    }
    let seconds = begun.elapsed().as_secs_f64();
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let per_second = n_done.load(Ordering::Relaxed) as f64 / seconds;
    Ok(Point {
        per_second,
        p50_ms: percentile(&mut took, 0.5),
        p99_ms: percentile(&mut took, 0.99),
    })
}

fn run_id(answer: &str) -> Option<&str> {
    let (_, rest) = answer.split_once("\"run_id\":\"")?;
    rest.split_once('"').map(|(id, _)| id)
}

/// A connection that is kept.
pub struct Client {
    stream: TcpStream,
    host: String,
    buffer: Vec<u8>,
}

impl Client {
    pub async fn connect(address: &str) -> Result<Client, Failed> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Client { stream, host: address.to_owned(), buffer: vec![0; 64 * 1024] })
    }

    pub async fn post(&mut self, path: &str, body: &str) -> Result<String, Failed> {
        self.send("POST", path, body).await
    }

    pub async fn put(&mut self, path: &str, body: &str) -> Result<String, Failed> {
        self.send("PUT", path, body).await
    }

    async fn send(&mut self, method: &str, path: &str, body: &str) -> Result<String, Failed> {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.host,
            body.len(),
        );
        self.exchange(&head).await
    }

    pub async fn get(&mut self, path: &str) -> Result<String, Failed> {
        let head = format!("GET {path} HTTP/1.1\r\nhost: {}\r\n\r\n", self.host);
        self.exchange(&head).await
    }

    async fn exchange(&mut self, request: &str) -> Result<String, Failed> {
        self.stream.write_all(request.as_bytes()).await?;
        let mut n_read = 0;
        loop {
            if n_read == self.buffer.len() {
                self.buffer.resize(2 * n_read, 0);
            }
            let n = self.stream.read(&mut self.buffer[n_read..]).await?;
            if n == 0 {
                return Err("the server closed the connection".into());
            }
            n_read += n;
            let text = std::str::from_utf8(&self.buffer[..n_read])?;
            let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(": ")?;
                name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().ok())?
            });
            if body.len() < length.ok_or("an answer without a length")? {
                continue;
            }
            if !head.starts_with("HTTP/1.1 2") {
                return Err(text.to_owned().into());
            }
            return Ok(body.to_owned());
        }
    }
}
