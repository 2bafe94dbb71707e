//! The canonical form of a definition, and its version.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::{
    Action, Attribute, ChildFlow, Collect, Http, Input, Mapping, Script, StepDefinition, ValueType,
    Work,
};
use crate::names::{AttributeName, StepId};

/// The hash of a canonical form: two definitions with the same version are the same.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Version(Arc<str>);

impl Version {
    /// SHA-256, in hexadecimal digits.
    pub(crate) fn of(canonical: &str) -> Version {
        let digest = Sha256::digest(canonical.as_bytes());
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Version(Arc::from(digits))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl StepDefinition {
    /// JSON without white space, fields in a fixed order, attributes and labels by name, and nothing
    /// that stands at its default.
    pub fn canonical(&self) -> String {
        #[expect(clippy::expect_used, reason = "only keys that are no texts have no form in JSON")]
        serde_json::to_string(self).expect("a definition has a form in JSON")
    }

    pub fn version(&self) -> Version {
        Version::of(&self.canonical())
    }
}

impl Serialize for StepDefinition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        StepForm {
            id: &self.id,
            name: (self.name != self.id.as_str()).then_some(&self.name),
            kind: self.action.type_name(),
            labels: filled(&self.labels),
            memoizable: self.memoizable.then_some(true),
            memo_ttl_ms: self.memo_ttl_ms,
            attributes: self.attributes.iter().map(|(name, it)| (name, it.into())).collect(),
            http: self.http().map(HttpForm::from),
            script: match &self.action {
                Action::Script(script) => Some(script.into()),
                Action::Sync(_) | Action::Async(_) | Action::Flow(_) => None,
            },
            flow: self.child_flow().map(FlowForm::from),
            predicate: self.predicate.as_ref().map(ScriptForm::from),
            work: (self.work != Work::default()).then(|| self.work.into()),
        }
        .serialize(serializer)
    }
}

#[derive(Serialize)]
struct StepForm<'a> {
    id: &'a StepId,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a String>,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    labels: Option<&'a BTreeMap<String, String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memoizable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memo_ttl_ms: Option<u64>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    attributes: BTreeMap<&'a AttributeName, AttributeForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<HttpForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<ScriptForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<FlowForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<ScriptForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    work: Option<WorkForm>,
}

#[derive(Serialize, Default)]
struct AttributeForm<'a> {
    role: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    for_each: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collect: Option<&'static str>,
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    matches: Option<ScriptForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mapping: Option<MappingForm<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deadline_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'static str>,
}

#[derive(Serialize)]
struct MappingForm<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    script: Option<ScriptForm<'a>>,
}

#[derive(Serialize)]
struct ScriptForm<'a> {
    language: &'static str,
    source: &'a str,
}

#[derive(Serialize)]
struct HttpForm<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook_timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    health_url: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compensate_url: Option<&'a String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<&'a String>,
}

#[derive(Serialize)]
struct FlowForm<'a> {
    goals: &'a [StepId],
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<&'a BTreeMap<AttributeName, AttributeName>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outputs: Option<&'a BTreeMap<AttributeName, AttributeName>>,
}

#[derive(Serialize)]
struct WorkForm {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_retries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    backoff: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_backoff_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_backoff_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parallelism: Option<u64>,
}

/// Nothing if it stands at its default.
fn unusual<T: PartialEq>(value: T, usual: T) -> Option<T> {
    (value != usual).then_some(value)
}

fn filled<K, V>(map: &BTreeMap<K, V>) -> Option<&BTreeMap<K, V>> {
    (!map.is_empty()).then_some(map)
}

impl<'a> From<&'a Attribute> for AttributeForm<'a> {
    fn from(attribute: &'a Attribute) -> AttributeForm<'a> {
        let mut form = AttributeForm {
            role: attribute.role(),
            kind: unusual(attribute.kind(), ValueType::Any).map(ValueType::as_str),
            mapping: attribute.mapping().map(MappingForm::from),
            ..AttributeForm::default()
        };
        if let Some(Input { kind: _, for_each, matches, collect, mapping: _ }) = attribute.input() {
            form.for_each = for_each.then_some(true);
            form.matches = matches.as_ref().map(ScriptForm::from);
            form.collect = unusual(*collect, Collect::First).map(Collect::as_str);
        }
        match attribute {
            Attribute::Required(_) | Attribute::Output { .. } => {}
            Attribute::Optional { input: _, default, deadline_ms } => {
                form.default = default.as_ref();
                form.deadline_ms = *deadline_ms;
            }
            Attribute::Const { kind: _, value } => form.value = Some(value),
            Attribute::Meta { kind: _, key } => form.key = Some(key.as_str()),
        }
        form
    }
}

impl<'a> From<&'a Mapping> for MappingForm<'a> {
    fn from(mapping: &'a Mapping) -> MappingForm<'a> {
        MappingForm {
            name: mapping.name.as_ref(),
            script: mapping.script.as_ref().map(ScriptForm::from),
        }
    }
}

impl<'a> From<&'a Script> for ScriptForm<'a> {
    fn from(script: &'a Script) -> ScriptForm<'a> {
        ScriptForm { language: script.language.as_str(), source: &script.source }
    }
}

impl<'a> From<&'a Http> for HttpForm<'a> {
    fn from(http: &'a Http) -> HttpForm<'a> {
        HttpForm {
            url: &http.url,
            method: unusual(http.method, Default::default()).map(|method| method.as_str()),
            timeout_ms: unusual(http.timeout_ms, Http::TIMEOUT_MS_DEFAULT),
            webhook_timeout_ms: http.webhook_timeout_ms,
            health_url: http.health_url.as_ref(),
            compensate_url: http.compensate_url.as_ref(),
            secret: http.secret.as_ref(),
        }
    }
}

impl<'a> From<&'a ChildFlow> for FlowForm<'a> {
    fn from(flow: &'a ChildFlow) -> FlowForm<'a> {
        FlowForm {
            goals: &flow.goals,
            inputs: filled(&flow.inputs),
            outputs: filled(&flow.outputs),
        }
    }
}

impl From<Work> for WorkForm {
    fn from(work: Work) -> WorkForm {
        let usual = Work::default();
        WorkForm {
            max_retries: unusual(work.max_retries, usual.max_retries),
            backoff: unusual(work.backoff, usual.backoff).map(|backoff| backoff.as_str()),
            initial_backoff_ms: unusual(work.initial_backoff_ms, usual.initial_backoff_ms),
            max_backoff_ms: unusual(work.max_backoff_ms, usual.max_backoff_ms),
            parallelism: unusual(work.parallelism, usual.parallelism),
        }
    }
}
