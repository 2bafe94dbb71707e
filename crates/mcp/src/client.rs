//! What we are to an upstream server: a client that calls tools and answers no questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientConfig, Implementation};
use rmcp::service::{NotificationContext, RoleClient};

/// Hears when the server's tools have changed. Questions of the server (elicitation, sampling) are declined: no
/// person sits behind a run.
#[derive(Clone, Default)]
pub(crate) struct Client {
    is_stale: Arc<AtomicBool>,
}

impl Client {
    /// Whether the tools have changed since this was asked last.
    pub fn take_stale(&self) -> bool {
        self.is_stale.swap(false, Ordering::AcqRel)
    }

    pub fn mark_stale(&self) {
        self.is_stale.store(true, Ordering::Release);
    }
}

impl ClientHandler for Client {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.mark_stale();
    }

    fn get_info(&self) -> ClientConfig {
        let us = Implementation::new("stepwell", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), us)
    }
}
