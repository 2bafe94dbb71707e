//! A server on a free port with a store in a temporary folder, and workflows to play with.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use stepwell_engine::Engine;
use stepwell_kernel::{Ctx, Error, Level, branch, millis, secs, workflow};
use stepwell_server::{Metrics, Server, ServerConfig};
use stepwell_store::Store;
use stepwell_store_postgres::{PostgresStore, testkit};
use stepwell_store_sqlite::SqliteStore;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// How long a test waits for something before it says that it did not come.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub struct Running {
    pub url: String,
    pub engine: Engine,
    client: reqwest::Client,
    token: Option<String>,
    namespace: Option<String>,
    inside: Arc<Inside>,
}

struct Inside {
    stop: parking_lot::Mutex<Option<oneshot::Sender<()>>>,
    served: parking_lot::Mutex<Option<JoinHandle<()>>>,
    dir: parking_lot::Mutex<Option<tempfile::TempDir>>,
}

/// An answer, read.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct Order {
    #[expect(dead_code, reason = "only checked")]
    pub sku: String,
    pub n: u32,
}

pub async fn start() -> Running {
    start_with(|_| {}).await
}

pub async fn start_with(change: impl FnOnce(&mut ServerConfig)) -> Running {
    let dir = tempfile::tempdir().unwrap();
    start_in(dir, change).await
}

pub async fn start_in(dir: tempfile::TempDir, change: impl FnOnce(&mut ServerConfig)) -> Running {
    // Only the first of a process counts, and that is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    // Before the engine, which counts from its beginning.
    let metrics = Metrics::install().unwrap();
    let engine = Engine::builder(open_store(dir.path()).await).open().await.unwrap();
    register(&engine);
    let mut config = ServerConfig { listen: "127.0.0.1:0".parse().unwrap(), ..Default::default() };
    change(&mut config);
    let token = config.access.admin_token.clone();
    let server = Server::bind_with(engine.clone(), config, metrics).await.unwrap();
    let url = format!("http://{}", server.local_addr().unwrap());
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(async move {
        let until = async move {
            let _ = stopped.await;
        };
        server.run(until).await.unwrap();
    });
    let inside = Inside {
        stop: parking_lot::Mutex::new(Some(stop)),
        served: parking_lot::Mutex::new(Some(served)),
        dir: parking_lot::Mutex::new(Some(dir)),
    };
    let client = reqwest::Client::builder().timeout(PATIENCE).build().unwrap();
    Running { url, engine, client, token, namespace: None, inside: Arc::new(inside) }
}

/// A file in the folder or, if `STEPWELL_TEST_STORE` is `postgres`, a place in a database that belongs to the folder.
async fn open_store(dir: &Path) -> Arc<dyn Store> {
    match std::env::var("STEPWELL_TEST_STORE").as_deref() {
        Err(_) | Ok("sqlite") => {
            Arc::new(SqliteStore::options().open(&dir.join("test.db")).await.unwrap())
        }
        Ok("postgres") => {
            let name = dir.file_name().unwrap().as_encoded_bytes();
            let schema: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
            let address = testkit::server().address_of(&format!("of_{schema}"));
            let options = PostgresStore::options().readers_max(4).shared(PATIENCE);
            Arc::new(options.open(&address).await.unwrap())
        }
        Ok(other) => panic!("STEPWELL_TEST_STORE is {other}: there are sqlite and postgres"),
    }
}

fn register(engine: &Engine) {
    let echo = |ctx: Ctx, input: Value| async move {
        ctx.step("echo", async || Ok::<_, Error>(input.clone())).await
    };
    engine.register(workflow("echo", echo).described("Says what it hears.")).unwrap();
    let order = |ctx: Ctx, order: Order| async move {
        let mut total = 0;
        for i in 0..order.n {
            total += ctx.step(format!("pick{i}"), async || Ok::<_, Error>(i)).await?;
        }
        Ok::<_, Error>(total)
    };
    engine.register(workflow("order", order)).unwrap();
    let listener = |ctx: Ctx, _: Value| async move {
        ctx.log(Level::Info, "listening");
        let message = ctx.listen::<Value>("go").await?;
        ctx.log(Level::Warn, "heard");
        Ok::<_, Error>(message)
    };
    engine.register(workflow("listener", listener)).unwrap();
    let failing = |ctx: Ctx, _: Value| async move {
        ctx.step("before", async || Ok::<_, Error>(1)).await?;
        ctx.step("fails", async || Err::<i32, Error>(Error::critical(Error::msg("no luck")))).await
    };
    engine.register(workflow("failing", failing)).unwrap();
    let sleeper = |ctx: Ctx, _: Value| async move { ctx.sleep("nap", secs(3_600)).await };
    engine.register(workflow("sleeper", sleeper)).unwrap();
    let wide = |ctx: Ctx, n: u32| async move {
        let branches = (0..n).map(|i| {
            branch(format!("b{i}"), async move |ctx: Ctx| {
                ctx.step("work", async || Ok::<_, Error>(i)).await?;
                ctx.sleep("rest", millis(1)).await?;
                Ok::<_, Error>(i)
            })
        });
        ctx.join("all", branches.collect::<Vec<_>>()).await
    };
    engine.register(workflow("wide", wide)).unwrap();
}

impl Running {
    /// The same server, by another caller.
    pub fn with_token(&self, token: &str) -> Running {
        Running { token: Some(token.to_owned()), ..self.again() }
    }

    pub fn without_token(&self) -> Running {
        Running { token: None, ..self.again() }
    }

    pub fn in_namespace(&self, namespace: &str) -> Running {
        Running { namespace: Some(namespace.to_owned()), ..self.again() }
    }

    fn again(&self) -> Running {
        Running {
            url: self.url.clone(),
            engine: self.engine.clone(),
            client: self.client.clone(),
            token: self.token.clone(),
            namespace: self.namespace.clone(),
            inside: Arc::clone(&self.inside),
        }
    }

    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut request = self.client.request(method, format!("{}{path}", self.url));
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(namespace) = &self.namespace {
            request = request.header("Stepwell-Namespace", namespace);
        }
        request
    }

    pub async fn get(&self, path: &str) -> Answer {
        answer(self.request(Method::GET, path)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        answer(self.request(Method::DELETE, path)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        answer(self.request(Method::PUT, path).json(&body)).await
    }

    /// Starts a run and gives its id.
    pub async fn start(&self, workflow: &str, input: Value) -> String {
        let answer =
            self.post(&format!("/api/workflows/{workflow}/runs"), json!({ "input": input })).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        answer.json()["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a run, and says how it was.
    pub async fn wait(&self, run: &str) -> Value {
        let answer = self.get(&format!("/api/runs/{run}/wait?timeout_ms=30000")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// Waits until the run looks as wanted.
    pub async fn until(&self, run: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = std::time::Instant::now();
        loop {
            let seen = self.get(&format!("/api/runs/{run}")).await.json();
            if wanted(&seen) {
                return seen;
            }
            assert!(begun.elapsed() < PATIENCE, "it did not come: {seen:#}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops the server as SIGTERM would, and gives back the folder of its store.
    pub async fn stop(&self) -> tempfile::TempDir {
        let (stop, served) = (self.inside.stop.lock().take(), self.inside.served.lock().take());
        stop.unwrap().send(()).unwrap();
        tokio::time::timeout(PATIENCE, served.unwrap()).await.unwrap().unwrap();
        self.inside.dir.lock().take().unwrap()
    }
}

pub async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    Answer { status, headers, text: response.text().await.unwrap() }
}

impl Answer {
    #[track_caller]
    pub fn json(&self) -> Value {
        match serde_json::from_str(&self.text) {
            Ok(value) => value,
            Err(error) => panic!("{error}: {} {}", self.status, self.text),
        }
    }

    /// The code of the problem that it must be.
    #[track_caller]
    pub fn problem(&self) -> String {
        let kind = self.headers.get("content-type").map(|value| value.to_str().unwrap());
        assert_eq!(kind, Some("application/problem+json"), "{} {}", self.status, self.text);
        let problem = self.json();
        assert_eq!(problem["status"], self.status.as_u16());
        problem["code"].as_str().unwrap().to_owned()
    }
}
