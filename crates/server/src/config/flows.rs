//! What flows may do.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};
use stepwell_flow::{MEMO_BYTES_MAX, MEMO_RESULTS_MAX, RESPONSE_BYTES_MAX, Secret};

use super::{ServeError, Span};

/// The shortest time between two looks at the health of steps.
const HEALTH_INTERVAL_MS_MIN: u64 = 1_000;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FlowsConfig {
    /// Where services reach this server, for webhooks: `https://flows.example.com`. Its address if left out.
    pub public_url: Option<String>,
    /// The hosts that steps may call: `api.example.com`, `localhost:8080`, `*.example.com`. All if there are none.
    pub allowed_hosts: Vec<String>,
    /// The largest response of a service.
    pub response_bytes_max: usize,
    /// What requests are signed with, by the name that steps give: `whsec_` and base64.
    #[serde(skip_serializing)]
    pub secrets: BTreeMap<String, String>,
    /// How often services are asked whether they are well.
    pub health_interval: Span,
    /// How many results of memoizable steps are kept.
    pub memo_results_max: NonZeroUsize,
    /// How many bytes they may have together.
    pub memo_bytes_max: usize,
}

impl Default for FlowsConfig {
    fn default() -> FlowsConfig {
        FlowsConfig {
            public_url: None,
            allowed_hosts: Vec::new(),
            response_bytes_max: RESPONSE_BYTES_MAX,
            secrets: BTreeMap::new(),
            health_interval: Span::from_ms(30_000),
            memo_results_max: MEMO_RESULTS_MAX,
            memo_bytes_max: MEMO_BYTES_MAX,
        }
    }
}

impl FlowsConfig {
    pub(super) fn check(&self) -> Result<(), ServeError> {
        let refused = |setting: &str, value: &str, problem: &str| {
            Err(ServeError::Setting {
                setting: format!("flows.{setting}"),
                value: value.to_owned(),
                problem: problem.to_owned(),
            })
        };
        if let Some(url) = &self.public_url
            && !reqwest::Url::parse(url)
                .is_ok_and(|it| it.scheme().starts_with("http") && it.query().is_none())
        {
            return refused("public_url", url, "give a URL such as https://flows.example.com");
        }
        if self.health_interval.as_ms() < HEALTH_INTERVAL_MS_MIN {
            let value = self.health_interval.to_string();
            return refused("health_interval", &value, "give at least 1s");
        }
        self.parsed_secrets().map(drop)
    }

    /// Where webhooks are posted to, without a slash at the end.
    pub fn public_url(&self, listen: SocketAddr) -> String {
        let own = || format!("http://{listen}");
        self.public_url.clone().unwrap_or_else(own).trim_end_matches('/').to_owned()
    }

    pub fn parsed_secrets(&self) -> Result<BTreeMap<String, Secret>, ServeError> {
        let parsed = self.secrets.iter().map(|(name, text)| match Secret::parse(text) {
            Ok(secret) => Ok((name.clone(), secret)),
            Err(error) => Err(ServeError::Setting {
                setting: "flows.secrets".to_owned(),
                value: name.clone(),
                problem: error.to_string(),
            }),
        });
        parsed.collect()
    }
}

/// Never prints the secrets.
impl std::fmt::Debug for FlowsConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FlowsConfig")
            .field("public_url", &self.public_url)
            .field("allowed_hosts", &self.allowed_hosts)
            .field("response_bytes_max", &self.response_bytes_max)
            .field("secrets", &self.secrets.keys().collect::<Vec<_>>())
            .field("health_interval", &self.health_interval)
            .field("memo_results_max", &self.memo_results_max)
            .field("memo_bytes_max", &self.memo_bytes_max)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused_with_their_name() {
        let secret = |text: &str| BTreeMap::from([("mail".to_owned(), text.to_owned())]);
        let cases = [
            (
                FlowsConfig { public_url: Some("here".to_owned()), ..Default::default() },
                "public_url",
            ),
            (
                FlowsConfig { health_interval: Span::from_ms(999), ..Default::default() },
                "health_interval",
            ),
            (FlowsConfig { secrets: secret("short"), ..Default::default() }, "secrets"),
        ];
        for (config, setting) in cases {
            let error = config.check().unwrap_err().to_string();
            assert!(error.contains(&format!("flows.{setting}")), "{error}");
            assert!(!error.contains("short"), "{error}");
        }
        let config = FlowsConfig {
            secrets: secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
            ..Default::default()
        };
        assert!(config.check().is_ok());
        assert!(!format!("{config:?}").contains("MfKQ"));
        assert!(!toml::to_string(&config).unwrap().contains("MfKQ"));
    }

    #[test]
    fn webhooks_go_to_the_address_unless_said_otherwise() {
        let listen = "127.0.0.1:7070".parse().unwrap();
        assert_eq!(FlowsConfig::default().public_url(listen), "http://127.0.0.1:7070");
        let config =
            FlowsConfig { public_url: Some("https://x/y/".to_owned()), ..Default::default() };
        assert_eq!(config.public_url(listen), "https://x/y");
    }
}
