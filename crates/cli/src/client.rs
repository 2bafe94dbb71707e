//! The API as its caller sees it.

mod failed;
mod updates;

use std::sync::Once;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, Url};
use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_server::api::{RunDetail, RunOutcomeView};

use crate::args::Global;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::times::default_server;

pub use failed::{not_understood, refused, unreachable};
pub use updates::Updates;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);

/// How long an answer may take that nothing has to happen for.
const ANSWER: Duration = Duration::from_secs(60);

/// The longest that one request waits for a run; whoever wants to wait longer asks again.
pub const WAIT_MS_MAX: u64 = 300_000;

/// An answer: as the server wrote it, and as we understand it.
#[derive(Debug)]
pub struct Reply<T> {
    pub text: String,
    pub value: T,
}

/// Calls one server. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    token: Option<String>,
    namespace: Option<String>,
}

/// One call: what, where, with which parameters.
pub struct Call<'a> {
    method: Method,
    path: Vec<&'a str>,
    query: Vec<(String, String)>,
    body: Option<std::result::Result<Vec<u8>, serde_json::Error>>,
    within: Duration,
}

impl<'a> Call<'a> {
    fn new(method: Method, path: &[&'a str]) -> Call<'a> {
        Call { method, path: path.to_vec(), query: Vec::new(), body: None, within: ANSWER }
    }

    /// The parts of the path are encoded, whatever they hold.
    pub fn get(path: &[&'a str]) -> Call<'a> {
        Call::new(Method::GET, path)
    }

    pub fn post(path: &[&'a str]) -> Call<'a> {
        Call::new(Method::POST, path)
    }

    pub fn put(path: &[&'a str]) -> Call<'a> {
        Call::new(Method::PUT, path)
    }

    pub fn delete(path: &[&'a str]) -> Call<'a> {
        Call::new(Method::DELETE, path)
    }

    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: Option<impl ToString>) -> Call<'a> {
        self.query.extend(value.map(|value| (name.into(), value.to_string())));
        self
    }

    #[must_use]
    pub fn body(mut self, body: &impl Serialize) -> Call<'a> {
        self.body = Some(serde_json::to_vec(body));
        self
    }

    /// The server may take this much longer than usual.
    #[must_use]
    pub fn and_wait(mut self, ms: u64) -> Call<'a> {
        self.within = ANSWER + Duration::from_millis(ms);
        self
    }
}

impl Client {
    pub fn new(global: &Global) -> Result<Client> {
        install_tls();
        let base = match global.server.as_str() {
            "" => base_url(&default_server())?,
            server => base_url(server)?,
        };
        let mut builder = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .user_agent(concat!("stepwell-cli/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&base) {
            // A proxy could not reach this machine.
            builder = builder.no_proxy();
        }
        let http = builder
            .build()
            .map_err(|error| Error::local(format!("no connection can be made: {error}")))?;
        // What is set to nothing in the environment is meant to be unset.
        let set = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let (token, namespace) = (set(&global.token), set(&global.namespace));
        Ok(Client { http, base, token, namespace })
    }

    /// The server's address, for people.
    pub fn server(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Calls, and reads the answer.
    pub async fn call<T: DeserializeOwned>(&self, call: Call<'_>) -> Result<Reply<T>> {
        let text = self.send(call).await?;
        match serde_json::from_str(&text) {
            Ok(value) => Ok(Reply { text, value }),
            Err(error) => Err(not_understood(self.server(), &error.to_string())),
        }
    }

    /// Calls where the answer has no body.
    pub async fn call_for_nothing(&self, call: Call<'_>) -> Result<()> {
        self.send(call).await.map(drop)
    }

    /// The run as it stands.
    pub async fn run(&self, id: &str) -> Result<Reply<RunDetail>> {
        self.call(Call::get(&["api", "runs", id])).await
    }

    /// How the run ended; a time-out if it has not after this long.
    pub async fn wait(&self, id: &str, ms: u64) -> Result<Reply<RunOutcomeView>> {
        let call = Call::get(&["api", "runs", id, "wait"]);
        self.call(call.with("timeout_ms", Some(ms)).and_wait(ms)).await
    }

    async fn send(&self, call: Call<'_>) -> Result<String> {
        let within = call.within;
        let request = self.request(call)?.timeout(within);
        let response = request.send().await.map_err(|error| unreachable(self.server(), &error))?;
        self.text_of(response).await
    }

    /// Calls with headers of one's own, and gives the answer unread.
    pub async fn open(
        &self,
        call: Call<'_>,
        headers: &[(&'static str, String)],
    ) -> Result<Response> {
        let within = call.within;
        let mut request = self.request(call)?.timeout(within);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        let response = request.send().await.map_err(|error| unreachable(self.server(), &error))?;
        let is_rpc = response
            .headers()
            .get("content-type")
            .and_then(|value| value.to_str().ok())
            .is_some_and(|kind| kind == "application/json");
        match response.status().is_success() || is_rpc {
            true => Ok(response),
            false => {
                let status = response.status();
                let text = response.text().await.unwrap_or_default();
                Err(refused(self.server(), status, &text))
            }
        }
    }

    async fn text_of(&self, response: Response) -> Result<String> {
        let status = response.status();
        let text = response.text().await.map_err(|error| unreachable(self.server(), &error))?;
        match status.is_success() {
            true => Ok(text),
            false => Err(refused(self.server(), status, &text)),
        }
    }

    fn request(&self, call: Call<'_>) -> Result<RequestBuilder> {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(&call.path);
        }
        if !call.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&call.query);
        }
        if call.path.iter().any(|part| part.is_empty() || *part == "." || *part == "..") {
            // The path would be another one than meant.
            let error = Error::new(Exit::NotFound, "an id or a name is empty, or only dots");
            return Err(error.hint("give it as the lists print it, such as `stepwell run list`"));
        }
        let mut request = self.http.request(call.method, url);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token);
        }
        if let Some(namespace) = &self.namespace {
            request = request.header("Stepwell-Namespace", namespace);
        }
        if let Some(body) = call.body {
            let body =
                body.map_err(|error| Error::usage(format!("no JSON can be made: {error}")))?;
            request = request.header("Content-Type", "application/json").body(body);
        }
        Ok(request)
    }
}

/// Rustls has no cryptography of its own: one provider, for the whole process.
pub fn install_tls() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // Fails only if the program that we are part of has chosen another.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

fn base_url(text: &str) -> Result<Url> {
    let wrong = |problem: &str| {
        Error::usage(format!("--server: `{text}` {problem}"))
            .hint("give one such as http://127.0.0.1:7070 or https://stepwell.example.com")
    };
    let url: Url = text.parse().map_err(|error| wrong(&format!("is no URL: {error}")))?;
    match url.scheme() {
        "http" | "https" if url.has_host() => {}
        "http" | "https" => return Err(wrong("has no host")),
        _ => return Err(wrong("begins with neither http:// nor https://")),
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("has more than an address and a path"));
    }
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    match url.host_str() {
        Some("localhost") => true,
        Some(host) => {
            let host = host.trim_start_matches('[').trim_end_matches(']');
            host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(server: &str) -> Result<Client> {
        let (token, namespace) = (Some("t".to_owned()), Some("n".to_owned()));
        Client::new(&Global { server: server.to_owned(), token, namespace, json: false })
    }

    #[test]
    fn paths_are_encoded_and_stand_below_the_servers_own() {
        let client = client("https://example.com/stepwell/").unwrap();
        let call = Call::get(&["api", "runs", "a/b?c"]).with("at", Some(3)).with("x", None::<u8>);
        let request = client.request(call).unwrap().build().unwrap();
        assert_eq!(request.url().as_str(), "https://example.com/stepwell/api/runs/a%2Fb%3Fc?at=3");
        assert_eq!(request.headers()["authorization"], "Bearer t");
        assert_eq!(request.headers()["stepwell-namespace"], "n");
    }

    #[test]
    fn a_name_that_would_change_the_path_is_not_sent() {
        for name in ["", ".", ".."] {
            let error = client("http://x").unwrap().request(Call::get(&["api", "runs", name]));
            assert_eq!(error.unwrap_err().exit, Exit::NotFound);
        }
    }

    #[test]
    fn what_is_no_address_is_told_how_one_looks() {
        for server in ["localhost:7070", "127.0.0.1:7070", "ftp://x", "http://", "http://x?y"] {
            let error = client(server).map(drop).unwrap_err();
            assert_eq!(error.exit, Exit::Usage, "{server}");
            assert!(error.hint.unwrap().contains("http://127.0.0.1:7070"));
        }
    }

    #[test]
    fn this_machine_is_recognised() {
        let is_here = |url: &str| is_loopback(&url.parse().unwrap());
        assert!(
            is_here("http://127.0.0.1:1")
                && is_here("http://[::1]:1")
                && is_here("http://localhost")
        );
        assert!(!is_here("http://10.0.0.1") && !is_here("http://localhost.example.com"));
    }
}
