//! The server as a whole: binding, running, going down.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::error_handling::HandleErrorLayer;
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use stepwell_engine::Engine;
use stepwell_mcp::{McpConfig, ToolServers};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{AllowOrigin, CorsLayer};
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};

use crate::access::{Gate, NAMESPACE_HEADER, guard};
use crate::app::{App, Parts};
use crate::config::{ServeError, ServerConfig};
use crate::flows::Flows;
use crate::graphs::Graphs;
use crate::problem::{Code, Problem, internal};
use crate::schedules::Schedules;
use crate::telemetry::{Metrics, measure};
use crate::travel::Travel;
use crate::{files, flows, graphs, limits, recordings, retention, routes, schedules, telemetry};

/// A server that has its address and does not answer yet.
pub struct Server {
    listener: TcpListener,
    app: App,
}

impl Server {
    /// Checks the settings and takes the address.
    pub async fn bind(engine: Engine, config: ServerConfig) -> Result<Server, ServeError> {
        Server::bind_with(engine, config, Metrics::install()?).await
    }

    /// The same with figures of one's own at `/metrics`.
    pub async fn bind_with(
        engine: Engine,
        config: ServerConfig,
        metrics: Metrics,
    ) -> Result<Server, ServeError> {
        config.check()?;
        let files = files::open(&engine, &config).await?;
        let tools = ToolServers::new(mcp_config(&config)?, tokio::runtime::Handle::current());
        recordings::register(&engine, &tools)?;
        let graphs = Graphs::new(engine.clone(), tools.clone(), limits::by_workflow(&config));
        graphs.load().await.map_err(|problem| ServeError::Graphs(problem.detail))?;
        let listen = config.listen;
        let listener = TcpListener::bind(listen).await;
        let listener = listener.map_err(|source| ServeError::Listen { listen, source })?;
        let flows = Flows::open(engine.clone(), &config.flows, listener.local_addr()?).await?;
        limits::apply(&engine, &config)?;
        let (store, clock) = (Arc::clone(engine.store()), Arc::clone(engine.clock()));
        let app = App::new(Parts {
            gate: Gate::new(store, Arc::clone(&clock), &config),
            schedules: Schedules::new(engine.clone()),
            files,
            flows,
            tools,
            graphs,
            metrics,
            travel: Travel::default(),
            readers: Arc::new(Semaphore::new(config.limits.readers_max)),
            started_at: clock.now(),
            closing: watch::Sender::new(false),
            engine,
            config,
        });
        Ok(Server { listener, app })
    }

    /// The address that was taken: the port, if any was asked for.
    pub fn local_addr(&self) -> Result<SocketAddr, ServeError> {
        Ok(self.listener.local_addr()?)
    }

    /// Answers requests until `until` is over; then takes no more, lets those under way end, and stops the engine.
    pub async fn run(
        self,
        until: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ServeError> {
        let Server { listener, app } = self;
        let mut keepers = vec![
            tokio::spawn(schedules::keep(app.clone())),
            tokio::spawn(retention::keep(app.clone())),
            tokio::spawn(files::keep(app.clone())),
            tokio::spawn(flows::keep(app.clone())),
            tokio::spawn(graphs::keep(app.clone())),
        ];
        if let Some(exporting) = telemetry::export(&app)? {
            keepers.push(tokio::spawn(exporting));
        }
        let router = service(app.clone());
        let closing = app.clone();
        let stop = async move {
            until.await;
            tracing::info!("shutting down");
            // Waits and live updates end now; other requests may finish.
            closing.closing.send_replace(true);
        };
        let grace = Duration::from_millis(app.config.shutdown_grace.as_ms());
        let served = axum::serve(listener, router).with_graceful_shutdown(stop);
        let late = async {
            app.closed().await;
            tokio::time::sleep(grace).await;
        };
        let served = tokio::select! {
            served = served => served,
            () = late => {
                tracing::warn!("some requests did not end in time");
                Ok(())
            }
        };
        app.closing.send_replace(true);
        for keeper in keepers {
            // It ends by itself; a panic in it was logged.
            let _ = keeper.await;
        }
        app.engine.shutdown().await;
        app.tools.close().await;
        app.engine.store().close().await;
        Ok(served?)
    }
}

fn mcp_config(config: &ServerConfig) -> Result<McpConfig, ServeError> {
    let Some(path) = &config.mcp_config else { return Ok(McpConfig::default()) };
    McpConfig::read(path).map_err(|error| ServeError::Setting {
        setting: "mcp_config".to_owned(),
        value: path.display().to_string(),
        problem: error.to_string(),
    })
}

/// Serves until the process is told to end (SIGTERM or Ctrl-C), then stops the engine and closes the store.
pub async fn serve(engine: Engine, config: ServerConfig) -> Result<(), ServeError> {
    let server = Server::bind(engine, config).await?;
    tracing::info!("listening on http://{}", server.local_addr()?);
    server.run(told_to_end()).await
}

/// Ends when the process is told to: by SIGTERM or Ctrl-C.
pub async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let ctrl_c = tokio::signal::ctrl_c();
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => {
            tokio::select! {
                _ = ctrl_c => {}
                _ = terminate.recv() => {}
            }
        }
        Err(error) => {
            tracing::warn!(%error, "SIGTERM cannot be caught");
            let _ = ctrl_c.await;
        }
    }
}

/// Every route, with what every request goes through, outermost first.
fn service(app: App) -> Router {
    let request_id = HeaderName::from_static("x-request-id");
    let bounds = ServiceBuilder::new()
        .layer(HandleErrorLayer::new(too_busy))
        .load_shed()
        .concurrency_limit(app.config.limits.requests_max);
    routes::router(app.clone())
        .layer(axum::middleware::from_fn_with_state(app.clone(), guard))
        .layer(bounds)
        .layer(cors(&app.config))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(axum::middleware::from_fn(measure))
        .layer(PropagateRequestIdLayer::new(request_id.clone()))
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().level(tracing::Level::DEBUG))
                .on_response(DefaultOnResponse::new().level(tracing::Level::DEBUG)),
        )
        .layer(SetRequestIdLayer::new(request_id, MakeRequestUuid))
}

/// Off unless configured: then no header is added.
fn cors(config: &ServerConfig) -> CorsLayer {
    let origins = &config.access.origins;
    if origins.is_empty() {
        return CorsLayer::new();
    }
    let allowed = if origins.iter().any(|origin| origin == "*") {
        AllowOrigin::any()
    } else {
        AllowOrigin::list(origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()))
    };
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static(NAMESPACE_HEADER),
            HeaderName::from_static("last-event-id"),
        ])
}

async fn too_busy(_: axum::BoxError) -> Problem {
    Problem::new(Code::TooBusy, "too many requests are under way (limits.requests_max)")
}

fn panicked(panic: Box<dyn std::any::Any + Send + 'static>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("a panic without words");
    internal(text).into_response()
}
