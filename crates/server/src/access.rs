//! Who may do what, in which namespace.
//!
//! Tokens are stored as hashes. A request's token is looked up by its hash, so nothing is compared letter by letter;
//! the admin token of the configuration is compared in constant time.

mod gate;
mod headers;
mod token;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::api::Scope;
use crate::app::App;
use crate::problem::{Code, Problem};

pub use gate::{ALL_NAMESPACES, Gate};
pub use headers::guard;

/// The header that names the namespace of a request.
pub const NAMESPACE_HEADER: &str = "stepwell-namespace";

/// What a request may do, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub namespace: String,
    pub scope: Scope,
    /// The token's name; none without one.
    pub token: Option<String>,
    /// Whether it could choose any other namespace.
    pub is_for_all: bool,
}

/// May look.
pub struct Reader(pub Access);

/// May start and steer runs.
pub struct Launcher(pub Access);

/// May change definitions, schedules and tokens.
pub struct Admin(pub Access);

async fn access(parts: &Parts, app: &App, needed: Scope) -> Result<Access, Problem> {
    let access = app.gate.admit(&parts.headers).await?;
    if access.scope < needed {
        let (has, needs) = (access.scope.as_str(), needed.as_str());
        let detail = format!("this needs scope `{needs}`, and the token has `{has}`");
        return Err(Problem::new(Code::ScopeTooSmall, detail));
    }
    Ok(access)
}

impl FromRequestParts<App> for Reader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Reader, Problem> {
        access(parts, app, Scope::Read).await.map(Reader)
    }
}

impl FromRequestParts<App> for Launcher {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Launcher, Problem> {
        access(parts, app, Scope::Launch).await.map(Launcher)
    }
}

impl FromRequestParts<App> for Admin {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Admin, Problem> {
        access(parts, app, Scope::Admin).await.map(Admin)
    }
}
