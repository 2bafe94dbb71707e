//! Every route, and the OpenAPI document that is made from them.

mod cluster;
mod docs;
mod figures;
mod flows;
pub mod graphs;
mod health;
pub mod recordings;
mod records;
pub mod run;
pub mod runs;
mod schedules;
pub mod steering;
mod steps;
mod tokens;
mod updates;
pub mod workflows;

use axum::Router;
use axum::routing::any;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::problem::{Code, FieldError, Problem};
use crate::routes::docs::Common;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Stepwell",
        description = "Durable workflows: start runs, watch them, steer them.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    components(schemas(Problem, FieldError)),
    modifiers(&Common),
    tags(
        (name = "workflows", description = "Definitions, in every dialect."),
        (name = "runs", description = "Starting runs, finding them, looking into them."),
        (name = "steering", description = "Cancelling, resuming, replaying runs, and sending them messages."),
        (name = "steps", description = "The catalog that flows are planned from."),
        (name = "flows", description = "Plans for goals, the flows that run them, and the webhooks of their steps."),
        (name = "tools", description = "Upstream MCP servers and their tools."),
        (name = "recordings", description = "Workflows that come about by calling tools."),
        (name = "schedules", description = "Runs that start by the clock."),
        (name = "access", description = "Tokens and namespaces."),
        (name = "server", description = "Health and metrics."),
    ),
)]
struct Description;

pub fn router(app: App) -> Router {
    let (router, mut openapi) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
        .routes(routes!(health::metrics))
        .routes(routes!(health::info))
        .routes(routes!(cluster::status))
        .routes(routes!(workflows::list))
        .routes(routes!(workflows::get, graphs::put, graphs::delete))
        .routes(routes!(graphs::check))
        .routes(routes!(graphs::completions))
        .routes(routes!(graphs::schema))
        .routes(routes!(graphs::tools))
        .routes(routes!(graphs::servers))
        .routes(routes!(recordings::list, recordings::start))
        .routes(routes!(recordings::get))
        .routes(routes!(recordings::call))
        .routes(routes!(recordings::preset))
        .routes(routes!(recordings::drop_step))
        .routes(routes!(recordings::name_input))
        .routes(routes!(recordings::propose))
        .routes(routes!(recordings::place_ref))
        .routes(routes!(recordings::finish))
        .routes(routes!(recordings::save))
        .routes(routes!(runs::start))
        .routes(routes!(runs::list))
        .routes(routes!(run::get, run::delete))
        .routes(routes!(run::entries))
        .routes(routes!(records::steps))
        .routes(routes!(run::journal))
        .routes(routes!(run::logs))
        .routes(routes!(run::wait))
        .routes(routes!(steering::cancel))
        .routes(routes!(steering::resume))
        .routes(routes!(steering::replay))
        .routes(routes!(steering::wake))
        .routes(routes!(steering::send))
        .routes(routes!(updates::updates))
        .routes(routes!(schedules::list))
        .routes(routes!(schedules::preview))
        .routes(routes!(schedules::get, schedules::put, schedules::delete))
        .routes(routes!(steps::list, steps::register))
        .routes(routes!(steps::graph))
        .routes(routes!(steps::events))
        .routes(routes!(steps::get, steps::update, steps::remove))
        .routes(routes!(flows::plan))
        .routes(routes!(flows::start))
        .routes(routes!(flows::events))
        .routes(routes!(flows::webhook))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(tokens::namespaces))
        .routes(routes!(figures::counts))
        .routes(routes!(figures::settings))
        .routes(routes!(docs::problem))
        .split_for_parts();
    docs::finish(&mut openapi);
    router
        .merge(docs::pages(&openapi))
        .route("/mcp", any(crate::mcp::main))
        .route("/mcp/recordings/{id}", any(crate::mcp::recording))
        .fallback(crate::console::serve)
        .method_not_allowed_fallback(not_allowed)
        .with_state(app)
}

async fn not_allowed(method: axum::http::Method, uri: axum::http::Uri) -> Problem {
    let path = crate::extract::short(uri.path());
    Problem::new(Code::MethodNotAllowed, format!("`{path}` does not know {method}: see /api/docs"))
}
