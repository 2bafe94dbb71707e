//! The world outside: a service that notes what is done to it, and answers some of it later, by webhook.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Json, Router, routing::post};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::load::Addresses;

/// Something that was done, and when, in milliseconds since 1970.
#[derive(Debug, Clone)]
pub struct Effect {
    /// Found again in journals: no two have the same.
    pub mark: String,
    pub at: u64,
}

/// What became of a webhook.
#[derive(Debug, Clone)]
pub struct Called {
    pub mark: String,
    /// Whether it was taken, and not found to be taken already.
    pub is_first: bool,
}

#[derive(Default)]
struct Noted {
    /// By what it was done for, such as `flow-7/first`.
    effects: BTreeMap<String, Vec<Effect>>,
    webhooks: BTreeMap<String, Vec<Called>>,
    n_effects: u64,
    calling: JoinSet<()>,
}

#[derive(Clone)]
pub struct Outside {
    pub url: String,
    noted: Arc<Mutex<Noted>>,
    addresses: Addresses,
}

impl Outside {
    pub async fn start() -> Outside {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let outside = Outside { url, noted: Arc::default(), addresses: Addresses::default() };
        let router = Router::new()
            .route("/effect", post(effect))
            .route("/flow/first", post(first))
            .route("/flow/second", post(second))
            .with_state(outside.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        outside
    }

    /// Where webhooks go.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    pub fn effects(&self) -> BTreeMap<String, Vec<Effect>> {
        self.noted.lock().unwrap().effects.clone()
    }

    /// What became of all webhooks, once no more are under way.
    pub async fn webhooks(&self) -> BTreeMap<String, Vec<Called>> {
        let calling = std::mem::take(&mut self.noted.lock().unwrap().calling);
        calling.join_all().await;
        self.noted.lock().unwrap().webhooks.clone()
    }

    fn note(&self, what: String) -> String {
        let at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as u64;
        let mut noted = self.noted.lock().unwrap();
        noted.n_effects += 1;
        let mark = format!("fx{}x", noted.n_effects);
        noted.effects.entry(what).or_default().push(Effect { mark: mark.clone(), at });
        mark
    }
}

/// `{"what": "sequence-7/a"}`
async fn effect(State(outside): State<Outside>, Json(body): Json<Value>) -> Json<Value> {
    Json(json!({ "mark": outside.note(body["what"].as_str().unwrap().to_owned()) }))
}

async fn first(State(outside): State<Outside>, Json(body): Json<Value>) -> Json<Value> {
    Json(json!({ "first": outside.note(format!("flow-{}/first", body["n"])) }))
}

/// Answers by a webhook, at whichever server, until it knows what became of it.
async fn second(
    State(outside): State<Outside>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Json<Value> {
    let url = headers["stepwell-webhook-url"].to_str().unwrap();
    let path = url[url.find("/webhooks/").unwrap()..].to_owned();
    let what = format!("flow-{}/second", body["n"]);
    let mark = outside.note(what.clone());
    let caller = outside.clone();
    outside.noted.lock().unwrap().calling.spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let (status, answer) = caller.addresses.post(&path, &json!({ "second": mark })).await;
        let is_first = match status {
            200 => true,
            // Somebody else has answered, or this did and was not told.
            409 | 404 | 410 => false,
            _ => panic!("{path}: {status} {answer}"),
        };
        let called = Called { mark, is_first };
        caller.noted.lock().unwrap().webhooks.entry(what).or_default().push(called);
    });
    Json(json!({}))
}
