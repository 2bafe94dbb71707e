//! The API described: the OpenAPI document, a page to browse it, and a page for each problem.

use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{Html, IntoResponse};
use axum::routing::get;
use bytes::Bytes;
use utoipa::Modify;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, OpenApi, Ref, RefOr, Required, ResponseBuilder, schema::ObjectBuilder,
    schema::Type,
};

use crate::app::App;
use crate::extract::{Params, short};
use crate::problem::{Code, Problem};

const PAGE: &str = include_str!("../../assets/docs.html");
const SCHEME: &str = "token";

/// What every operation has: a token, a namespace, and problems.
pub struct Common;

impl Modify for Common {
    fn modify(&self, openapi: &mut OpenApi) {
        openapi.info.version = env!("CARGO_PKG_VERSION").to_owned();
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("An access token, as `POST /api/tokens` gave it."))
            .build();
        let components = openapi.components.get_or_insert_with(Default::default);
        components.add_security_scheme(SCHEME, SecurityScheme::Http(bearer));
        let none: [&str; 0] = [];
        openapi.security =
            Some(vec![SecurityRequirement::new(SCHEME, none), SecurityRequirement::default()]);
    }
}

/// Adds what the routes have in common, once all of them are known.
pub fn finish(openapi: &mut OpenApi) {
    for (path, item) in &mut openapi.paths.paths {
        let operations = [&mut item.get, &mut item.put, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            add_problems(operation);
            if path.starts_with("/api/") {
                add_namespace(operation);
            }
        }
    }
}

fn add_problems(operation: &mut Operation) {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let response = ResponseBuilder::new()
        .description("A problem: its `code` says which.")
        .content("application/problem+json", content)
        .build();
    operation.responses.responses.insert("default".to_owned(), RefOr::T(response));
}

fn add_namespace(operation: &mut Operation) {
    let text =
        ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(256));
    let header = ParameterBuilder::new()
        .name("Stepwell-Namespace")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some("The namespace; the token's, or `default`, if left out."))
        .schema(Some(text))
        .build();
    operation.parameters.get_or_insert_default().push(RefOr::T(header));
}

/// The document, and the page that shows it.
pub fn pages(openapi: &OpenApi) -> Router<App> {
    let document = Bytes::from(openapi.to_json().unwrap_or_default());
    let serve = move || {
        let document = document.clone();
        async move { ([(header::CONTENT_TYPE, "application/json")], document) }
    };
    Router::new()
        .route("/api/openapi.json", get(serve))
        .route("/api/docs", get(async || page(PAGE.to_owned())))
}

/// What a problem means and what to do about it.
#[utoipa::path(
    get, path = "/api/problems/{code}", tag = "server", security(()),
    params(("code" = String, Path, description = "The problem's code.")),
    responses((status = 200, description = "A page.", body = String, content_type = "text/html")),
)]
pub async fn problem(
    Path(code): Path<String>,
    params: Params,
) -> Result<impl IntoResponse, Problem> {
    params.finish(&[])?;
    let Some(known) = Code::parse(&code) else {
        let detail = format!("there is no problem `{}`", short(&code));
        return Err(Problem::new(Code::UnknownRoute, detail));
    };
    let (title, text) = (known.title(), known.page().trim());
    let (code, status) = (known.as_str(), known.status());
    Ok(page(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
         <style>body{{font:16px/1.5 system-ui,sans-serif;max-width:42em;margin:3em auto;padding:0 1em}}\
         code{{background:#8883;padding:.1em .3em;border-radius:3px}}:root{{color-scheme:light dark}}</style>\
         <h1>{title}</h1><p><code>{code}</code>, HTTP {status}</p><p>{}</p>\
         <p><a href=\"/api/docs\">The API</a></p></html>\n",
        text.replace('&', "&amp;").replace('<', "&lt;"),
    )))
}

fn page(html: String) -> impl IntoResponse {
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'";
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(html))
}
