//! Tells tokens apart.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use parking_lot::Mutex;
use stepwell_engine::{Clock, DEFAULT_NAMESPACE};
use stepwell_journal::{UnixMillis, check_name};
use stepwell_store::{Expect, Store};
use subtle::ConstantTimeEq;

use super::token::{NewToken, StoredToken, hash};
use super::{Access, NAMESPACE_HEADER};
use crate::api::{CreateToken, CreatedToken, Scope, TokenView};
use crate::config::ServerConfig;
use crate::documents::{Documents, SYSTEM, write_all};
use crate::problem::{Code, Problem};

/// The namespace of tokens that may choose any.
pub const ALL_NAMESPACES: &str = "*";

/// How long a token is believed without asking the store: a revocation on another node counts after this.
const BELIEVED_MS: u64 = 5_000;

/// How many tokens are remembered at one time.
const REMEMBERED_MAX: usize = 10_000;

/// The most tokens that a namespace may have.
pub const TOKENS_MAX: usize = 1_000;

/// Knows who may come in.
pub struct Gate {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// By hash.
    tokens: Documents,
    /// The hash of each name, so that a name is taken once.
    names: Documents,
    admin_hash: Option<String>,
    is_token_needed: bool,
    remembered: Mutex<HashMap<String, (UnixMillis, StoredToken)>>,
}

impl Gate {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, config: &ServerConfig) -> Gate {
        let documents = |kind| Documents::new(Arc::clone(&store), Arc::clone(&clock), kind);
        Gate {
            tokens: documents("token"),
            names: documents("token-name"),
            store,
            clock,
            admin_hash: config.access.admin_token.as_deref().map(hash),
            is_token_needed: config.needs_token(),
            remembered: Mutex::default(),
        }
    }

    pub fn is_token_needed(&self) -> bool {
        self.is_token_needed
    }

    /// What a request with these headers may do.
    pub async fn admit(&self, headers: &HeaderMap) -> Result<Access, Problem> {
        let token = match bearer(headers)? {
            Some(secret) => Some(self.find(secret).await?),
            None if self.is_token_needed => {
                let detail = "send an access token: `Authorization: Bearer ...`";
                return Err(Problem::new(Code::TokenRequired, detail));
            }
            None => None,
        };
        let asked = namespace(headers)?;
        let (scope, own, name) = match token {
            Some(token) => (token.scope, token.namespace, Some(token.name)),
            None => (Scope::Admin, ALL_NAMESPACES.to_owned(), None),
        };
        let is_for_all = own == ALL_NAMESPACES;
        let namespace = match asked {
            Some(asked) if is_for_all || asked == own => asked,
            Some(asked) => {
                let detail = format!("the token is not for namespace `{asked}`");
                return Err(Problem::new(Code::NamespaceForbidden, detail));
            }
            None if is_for_all => DEFAULT_NAMESPACE.to_owned(),
            None => own,
        };
        Ok(Access { namespace, scope, token: name, is_for_all })
    }

    async fn find(&self, secret: &str) -> Result<StoredToken, Problem> {
        let hash = hash(secret);
        let now = self.clock.now();
        if let Some(admin) = &self.admin_hash
            && bool::from(admin.as_bytes().ct_eq(hash.as_bytes()))
        {
            return Ok(StoredToken {
                name: "admin".to_owned(),
                namespace: ALL_NAMESPACES.to_owned(),
                scope: Scope::Admin,
                created_at: 0,
                expires_at: None,
                hint: String::new(),
            });
        }
        let known = self.remembered.lock().get(&hash).cloned();
        let token = match known {
            Some((at, token)) if now.ms_since(at) < BELIEVED_MS => Some(token),
            _ => self.look_up(&hash, now).await?,
        };
        match token {
            Some(token) if !token.is_expired(now) => Ok(token),
            Some(_) => Err(Problem::new(Code::InvalidToken, "the token has expired")),
            None => Err(Problem::new(Code::InvalidToken, "the token is unknown or revoked")),
        }
    }

    async fn look_up(&self, hash: &str, now: UnixMillis) -> Result<Option<StoredToken>, Problem> {
        let token = self.tokens.get::<StoredToken>(SYSTEM, hash).await?.map(|found| found.body);
        let mut remembered = self.remembered.lock();
        match &token {
            Some(token) => {
                if remembered.len() >= REMEMBERED_MAX {
                    remembered.clear();
                }
                remembered.insert(hash.to_owned(), (now, token.clone()));
            }
            None => {
                remembered.remove(hash);
            }
        }
        Ok(token)
    }

    /// Makes a token. The secret is in the answer and nowhere else.
    pub async fn create(&self, by: &Access, wish: CreateToken) -> Result<CreatedToken, Problem> {
        let now = self.clock.now();
        if let Err(error) = check_name(&wish.name) {
            return Err(Problem::field("name", error.to_string()));
        }
        let namespace = wish.namespace.unwrap_or_else(|| by.namespace.clone());
        if namespace != ALL_NAMESPACES
            && let Err(error) = check_name(&namespace)
        {
            return Err(Problem::field("namespace", error.to_string()));
        }
        if namespace != by.namespace && !by.is_for_all {
            let detail = format!("this token cannot give access to namespace `{namespace}`");
            return Err(Problem::new(Code::NamespaceForbidden, detail));
        }
        if wish.expires_at.is_some_and(|at| at.0 <= now) {
            return Err(Problem::field("expires_at", "the date has passed"));
        }
        if self.list(&namespace).await?.len() >= TOKENS_MAX {
            let detail = format!(
                "namespace `{namespace}` has {TOKENS_MAX} tokens, and may not have more: revoke one"
            );
            return Err(Problem::new(Code::InvalidRequest, detail));
        }
        let new = NewToken::make();
        let stored = StoredToken {
            name: wish.name,
            namespace,
            scope: wish.scope,
            created_at: now.0,
            expires_at: wish.expires_at.map(|at| at.0.0),
            hint: new.hint(),
        };
        let name = name_key(&stored.namespace, &stored.name);
        let writes = vec![
            self.names.write(SYSTEM, &name, Some(&new.hash), Expect::Absent)?,
            self.tokens.write(SYSTEM, &new.hash, Some(&stored), Expect::Absent)?,
        ];
        match write_all(&*self.store, writes).await {
            Ok(()) => Ok(CreatedToken { token: new.secret, view: stored.view() }),
            Err(problem) if problem.is(Code::Changed) => {
                let name = stored.name;
                let detail =
                    format!("there is a token `{name}` already: revoke it, or use another name");
                Err(Problem::new(Code::NameTaken, detail))
            }
            Err(problem) => Err(problem),
        }
    }

    /// The tokens of a namespace, by name.
    pub async fn list(&self, namespace: &str) -> Result<Vec<TokenView>, Problem> {
        let tokens = self.tokens.list::<StoredToken>(Some(SYSTEM)).await?;
        let own =
            tokens.iter().map(|found| &found.body).filter(|token| token.namespace == namespace);
        let mut views: Vec<TokenView> = own.map(StoredToken::view).collect();
        views.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(views)
    }

    /// From now on nobody comes in with it; on other nodes within seconds.
    pub async fn revoke(&self, namespace: &str, name: &str) -> Result<(), Problem> {
        let unknown = || {
            let name: String = name.chars().take(128).collect();
            Problem::new(
                Code::UnknownToken,
                format!("there is no token `{name}` in this namespace"),
            )
        };
        if check_name(name).is_err() {
            return Err(unknown());
        }
        let key = name_key(namespace, name);
        let Some(found) = self.names.get::<String>(SYSTEM, &key).await? else {
            return Err(unknown());
        };
        let (hash, expect) = (found.body, Expect::Revision(found.revision));
        let writes = vec![
            self.names.write(SYSTEM, &key, None::<&()>, expect)?,
            self.tokens.write(SYSTEM, &hash, None::<&()>, Expect::Anything)?,
        ];
        let written = write_all(&*self.store, writes).await;
        self.remembered.lock().remove(&hash);
        match written {
            Err(problem) if problem.is(Code::Changed) => Err(unknown()),
            written => written,
        }
    }
}

/// Names may hold anything; the length of the namespace keeps two pairs from having one key.
fn name_key(namespace: &str, name: &str) -> String {
    format!("{}:{namespace}:{name}", namespace.len())
}

fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let Some(value) = headers.get(header::AUTHORIZATION) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default();
    match text.split_once(' ') {
        Some((scheme, secret))
            if scheme.eq_ignore_ascii_case("bearer") && !secret.trim().is_empty() =>
        {
            Ok(Some(secret.trim()))
        }
        _ => {
            let detail = "the header Authorization must be `Bearer ` and the token";
            Err(Problem::new(Code::InvalidToken, detail))
        }
    }
}

fn namespace(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let Some(value) = headers.get(NAMESPACE_HEADER) else { return Ok(None) };
    let problem = |message: String| Problem::field("Stepwell-Namespace", message);
    let Ok(text) = value.to_str() else {
        return Err(problem("only visible ASCII characters can be in a header".to_owned()));
    };
    if text == ALL_NAMESPACES {
        return Err(problem("name one namespace".to_owned()));
    }
    match check_name(text) {
        Ok(()) => Ok(Some(text.to_owned())),
        Err(error) => Err(problem(error.to_string())),
    }
}
