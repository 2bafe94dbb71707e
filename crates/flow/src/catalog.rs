//! The catalog: all steps that plans are made of.
//!
//! A [`Catalog`] is a value. Cloning it is cheap and gives a snapshot; a change gives a new catalog and
//! the events that led there, for the catalog's own journal. Decide with `with_step` and its like, write
//! the events down, and only then use the new catalog. `apply` is the only function that changes one, so
//! the fold of the journal is what was decided.

mod change;
mod cycles;
mod event;
mod health;
mod index;
mod types;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use change::{Changed, Edit, LostProvider};
pub use event::{CatalogEvent, CatalogFoldError, Health, HealthStatus};

pub(crate) use cycles::always_given;
pub(crate) use index::{AttrIx, Entry, Index, InputEdge, StepIx};

use crate::graph::{AttributeEdges, Graph, draw};
use crate::names::{AttributeName, StepId};
use crate::problem::nearest;
use crate::step::{StepDefinition, ValueType};

#[derive(Debug, Clone, Default)]
pub struct Catalog {
    inner: Arc<Inner>,
}

#[derive(Debug, Clone, Default)]
struct Inner {
    index: Index,
    /// Of the steps that somebody has looked at.
    health: BTreeMap<StepId, Health>,
}

/// An attribute, as all steps together declare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeView {
    /// The type that all agree on; any if none says more.
    pub kind: ValueType,
    pub edges: AttributeEdges,
}

impl Catalog {
    pub fn new() -> Catalog {
        Catalog::default()
    }

    /// The catalog that a journal tells of.
    pub fn fold<'a>(
        events: impl IntoIterator<Item = &'a CatalogEvent>,
    ) -> Result<Catalog, CatalogFoldError> {
        let mut catalog = Catalog::new();
        for event in events {
            catalog.apply(event)?;
        }
        Ok(catalog)
    }

    /// Follows one event. The events of a journal were checked before they were written, so they are
    /// not checked again; one that cannot have been is an error, and changes nothing.
    pub fn apply(&mut self, event: &CatalogEvent) -> Result<(), CatalogFoldError> {
        let is_new = matches!(event, CatalogEvent::StepRegistered { .. });
        let id = match event {
            CatalogEvent::StepRegistered { step } | CatalogEvent::StepUpdated { step } => &step.id,
            CatalogEvent::StepRemoved { step_id }
            | CatalogEvent::StepHealthChanged { step_id, .. } => step_id,
        };
        match (self.step(id.as_str()).is_some(), is_new) {
            (true, true) => return Err(CatalogFoldError::RegisteredTwice { id: id.clone() }),
            (false, false) => return Err(CatalogFoldError::UnknownStep { id: id.clone() }),
            (true, false) | (false, true) => {}
        }
        let inner = Arc::make_mut(&mut self.inner);
        match event {
            CatalogEvent::StepRegistered { step } => {
                inner.index.insert(step.clone());
            }
            CatalogEvent::StepUpdated { step } => {
                inner.index.remove(&step.id);
                inner.index.insert(step.clone());
                // Nobody has looked at the new definition yet.
                inner.health.remove(&step.id);
            }
            CatalogEvent::StepRemoved { step_id } => {
                inner.index.remove(step_id);
                inner.health.remove(step_id);
            }
            CatalogEvent::StepHealthChanged { step_id, health } => {
                inner.health.insert(step_id.clone(), health.clone());
            }
        }
        Ok(())
    }

    pub fn len(&self) -> usize {
        self.inner.index.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn step(&self, id: &str) -> Option<&Arc<StepDefinition>> {
        self.inner.index.step(id)
    }

    /// In the order of their ids.
    pub fn steps(&self) -> impl Iterator<Item = &Arc<StepDefinition>> {
        self.inner.index.entries().map(|(_, entry)| &entry.step)
    }

    pub fn health(&self, id: &str) -> Health {
        self.inner.health.get(id).cloned().unwrap_or_default()
    }

    pub fn attribute(&self, name: &str) -> Option<AttributeView> {
        let index = self.index();
        index.find_attribute(name).map(|place| self.view(index.uses_of(place)))
    }

    /// In the order of their names.
    pub fn attributes(&self) -> impl Iterator<Item = (&AttributeName, AttributeView)> {
        self.index().attributes().map(|(name, uses)| (name, self.view(uses)))
    }

    pub fn graph(&self) -> Graph {
        draw(self.steps().map(|step| {
            let health = self.inner.health.get(&step.id).map(|health| health.status);
            (step.as_ref(), Some(health.unwrap_or_default()))
        }))
    }

    /// The ids nearest to one that does not exist.
    pub fn nearest(&self, id: &str) -> Vec<StepId> {
        let ids = self.steps().map(|step| step.id.as_str());
        nearest(id, ids).into_iter().map(StepId::from).collect()
    }

    pub(crate) fn index(&self) -> &Index {
        &self.inner.index
    }

    fn view(&self, uses: &index::AttributeUse) -> AttributeView {
        let ids = |steps: &[StepIx]| steps.iter().map(|it| self.index().id(*it).clone()).collect();
        let kinds = uses.types.keys().map(|types| types.kind());
        AttributeView {
            kind: kinds.fold(
                ValueType::Any,
                |known, kind| {
                    if kind == ValueType::Any { known } else { kind }
                },
            ),
            edges: AttributeEdges {
                providers: ids(&uses.providers),
                consumers: ids(&uses.consumers),
            },
        }
    }
}
