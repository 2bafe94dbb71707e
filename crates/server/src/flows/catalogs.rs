//! The catalogs of all namespaces, each kept as a journal of events.
//!
//! An event is a document, numbered; the head is a document that says how many there are, and changes only together
//! with them. So changes come one after another on all nodes, and who reads the head knows whether its copy is old.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use stepwell_engine::{Clock, Engine};
use stepwell_flow::{Catalog, CatalogEvent, Changed, Problems, Scripts};
use stepwell_store::{Expect, Store};

use super::step_problem;
use crate::documents::{Documents, Found, write_all};
use crate::problem::{Code, Problem, internal};

/// How often a change is decided anew because others changed the catalog meanwhile.
const TRIES_MAX: usize = 32;

const HEAD: &str = "head";

pub struct Catalogs {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    heads: Documents,
    events: Documents,
    scripts: Scripts,
    /// What was read last, by namespace.
    known: Mutex<BTreeMap<String, Known>>,
}

#[derive(Clone, Default)]
struct Known {
    n_events: u64,
    catalog: Catalog,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Head {
    n_events: u64,
}

/// An event of a catalog, with its time.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StoredEvent {
    /// When it was written, in milliseconds since 1970.
    pub at: u64,
    #[serde(flatten)]
    pub event: CatalogEvent,
}

/// The key of an event: in the order of their numbers.
fn key(n: u64) -> String {
    format!("{n:012}")
}

impl Catalogs {
    pub fn new(engine: &Engine, scripts: Scripts) -> Catalogs {
        let (store, clock) = (Arc::clone(engine.store()), Arc::clone(engine.clock()));
        let documents = |kind| Documents::new(Arc::clone(&store), Arc::clone(&clock), kind);
        Catalogs {
            heads: documents("catalog"),
            events: documents("catalog-event"),
            known: Mutex::default(),
            store,
            clock,
            scripts,
        }
    }

    /// The catalog of a namespace as it is now.
    pub async fn get(&self, namespace: &str) -> Result<Catalog, Problem> {
        let head = self.heads.get::<Head>(namespace, HEAD).await?;
        Ok(self.at(namespace, head.as_ref()).await?.catalog)
    }

    /// The namespaces that have a catalog.
    pub async fn namespaces(&self) -> Result<Vec<String>, Problem> {
        let heads = self.heads.list::<Head>(None).await?;
        Ok(heads.into_iter().map(|head| head.namespace).collect())
    }

    /// Events from this number on, and the number of the next page's first.
    pub async fn events(
        &self,
        namespace: &str,
        from: u64,
        limit: usize,
    ) -> Result<(Vec<(u64, StoredEvent)>, Option<u64>), Problem> {
        let found = self.read(namespace, from, limit + 1).await?;
        let mut events = Vec::with_capacity(found.len());
        for found in found {
            let n = found.key.parse().map_err(|_| internal("a catalog's event has no number"))?;
            events.push((n, found.body));
        }
        let next = events.get(limit).map(|(n, _)| *n);
        events.truncate(limit);
        Ok((events, next))
    }

    /// Changes a catalog as `decide` says, which may be asked several times.
    pub async fn change(
        &self,
        namespace: &str,
        decide: impl Fn(&Catalog, &Scripts) -> Result<Changed, Problems> + Send + Clone + 'static,
    ) -> Result<Changed, Problem> {
        for _ in 0..TRIES_MAX {
            let head = self.heads.get::<Head>(namespace, HEAD).await?;
            let known = self.at(namespace, head.as_ref()).await?;
            let (decide, scripts) = (decide.clone(), self.scripts.clone());
            let catalog = known.catalog.clone();
            // Scripts are compiled in it.
            let decided = tokio::task::spawn_blocking(move || decide(&catalog, &scripts)).await;
            let decided = decided.map_err(|error| internal(&error.to_string()))?;
            let changed = decided.map_err(step_problem)?;
            if changed.events.is_empty() {
                return Ok(changed);
            }
            match self.write(namespace, head.as_ref(), &known, &changed).await {
                Ok(()) => return Ok(changed),
                Err(problem) if problem.is(Code::Changed) => {}
                Err(problem) => return Err(problem),
            }
        }
        Err(Problem::new(Code::TooBusy, "others change this catalog all the time: try again"))
    }

    async fn write(
        &self,
        namespace: &str,
        head: Option<&Found<Head>>,
        known: &Known,
        changed: &Changed,
    ) -> Result<(), Problem> {
        let n_events = known.n_events + changed.events.len() as u64;
        let expect = head.map_or(Expect::Absent, |head| Expect::Revision(head.revision));
        let mut writes =
            vec![self.heads.write(namespace, HEAD, Some(&Head { n_events }), expect)?];
        let at = self.clock.now().0;
        for (n, event) in (known.n_events..).zip(&changed.events) {
            let stored = StoredEvent { at, event: event.clone() };
            writes.push(self.events.write(namespace, &key(n), Some(&stored), Expect::Absent)?);
        }
        write_all(&*self.store, writes).await?;
        let catalog = changed.catalog.clone();
        self.keep(namespace, Known { n_events, catalog });
        Ok(())
    }

    /// The catalog as of a head.
    async fn at(&self, namespace: &str, head: Option<&Found<Head>>) -> Result<Known, Problem> {
        let Some(head) = head else { return Ok(Known::default()) };
        let n_events = head.body.n_events;
        let mut known = self.known.lock().get(namespace).cloned().unwrap_or_default();
        if known.n_events > n_events {
            // Somebody was faster since the head was read; what was decided on it would be refused.
            known = Known::default();
        }
        while known.n_events < n_events {
            let found = self.read(namespace, known.n_events, usize::MAX).await?;
            if found.is_empty() {
                return Err(internal("a catalog has fewer events than its head says"));
            }
            for found in found {
                if found.key != key(known.n_events) || known.n_events == n_events {
                    break;
                }
                let applied = known.catalog.apply(&found.body.event);
                applied.map_err(|error| internal(&format!("a catalog is damaged: {error}")))?;
                known.n_events += 1;
            }
        }
        self.keep(namespace, known.clone());
        Ok(known)
    }

    async fn read(
        &self,
        namespace: &str,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Found<StoredEvent>>, Problem> {
        let after = from.checked_sub(1).map(key);
        self.events.list_after(namespace, after.as_deref(), limit).await
    }

    fn keep(&self, namespace: &str, known: Known) {
        let mut all = self.known.lock();
        let newest = all.entry(namespace.to_owned()).or_default();
        if newest.n_events <= known.n_events {
            *newest = known;
        }
    }
}
