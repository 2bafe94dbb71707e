//! Connections: how they are made, and what is set on each.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod, Runtime};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use stepwell_store::{StoreError, with_causes};
use tokio::task::AbortHandle;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::fault::{Fault, Outcome};
use crate::options::{Options, Target};
use crate::schema::quoted;

/// A transaction that stands still this long is ended by the server, so that a node that was stopped in the
/// middle of one holds nobody up.
pub(crate) const IDLE_IN_TRANSACTION_MAX: Duration = Duration::from_secs(4);

/// What must be polled for a connection to work.
pub(crate) type Driver =
    tokio_postgres::Connection<Socket, <MakeRustlsConnect as MakeTlsConnect<Socket>>::Stream>;

/// What makes connections.
#[derive(Clone)]
pub(crate) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    pub schema: String,
    pub answer_max: Duration,
}

/// A connection, which ends when this is dropped.
pub(crate) struct Link {
    pub client: Client,
    driver: AbortHandle,
}

impl Drop for Link {
    fn drop(&mut self) {
        // Whatever is still under way on it must not go on behind our back.
        self.driver.abort();
    }
}

impl Connector {
    pub fn new(target: &Target, options: &Options) -> Result<Connector, StoreError> {
        let mut config = target.config.clone();
        let schema = target.schema_of(options)?;
        let set = format!(
            "-c search_path={} -c idle_in_transaction_session_timeout={} -c statement_timeout={}",
            quoted(&schema),
            IDLE_IN_TRANSACTION_MAX.as_millis(),
            options.patience.as_millis(),
        );
        let set = match config.get_options() {
            Some(theirs) => format!("{theirs} {set}"),
            None => set,
        };
        config.options(set);
        let tls = MakeRustlsConnect::new(tls_config(target)?);
        Ok(Connector { config, tls, schema, answer_max: options.answer_max })
    }

    /// Where nodes of this store tell each other things.
    pub fn channel(&self) -> String {
        format!("stepwell_{}", self.schema)
    }

    /// One more connection.
    pub async fn connect(&self) -> Outcome<Link> {
        // It ends with the client or with the connection, and its error is seen by whoever waits.
        self.connect_with(|connection| async move { drop(connection.await) }).await
    }

    /// One more connection, which somebody drives.
    pub async fn connect_with<Driven>(&self, drive: impl FnOnce(Driver) -> Driven) -> Outcome<Link>
    where
        Driven: Future<Output = ()> + Send + 'static,
    {
        let connecting = async {
            let (client, connection) =
                self.config.connect(self.tls.clone()).await.map_err(|error| {
                    let hint = tls_hint(&error, self.config.get_ssl_mode());
                    match Fault::from(error) {
                        Fault::Lost(text) => Fault::Lost(format!("{text}{hint}")),
                        // A wrong password, a database that is not there, and so on.
                        fault => fault,
                    }
                })?;
            let driver = tokio::spawn(drive(connection)).abort_handle();
            Ok(Link { client, driver })
        };
        self.in_time(connecting).await
    }

    /// The connections of readers.
    pub fn pool(&self, options: &Options) -> Result<Pool, StoreError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(self.config.clone(), self.tls.clone(), recycling);
        Pool::builder(manager)
            .max_size(options.readers_max)
            .wait_timeout(Some(options.patience))
            .create_timeout(Some(self.answer_max))
            .runtime(Runtime::Tokio1)
            .build()
            .map_err(|error| StoreError::Unavailable(Box::new(error)))
    }

    /// What takes longer than answers may take counts as lost.
    pub async fn in_time<T>(&self, work: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        within(self.answer_max, work).await
    }
}

/// What takes longer than this counts as lost.
pub(crate) async fn within<T>(
    answer_max: Duration,
    work: impl Future<Output = Outcome<T>>,
) -> Outcome<T> {
    tokio::time::timeout(answer_max, work)
        .await
        .unwrap_or_else(|_| Err(Fault::Lost(format!("there was no answer within {answer_max:?}"))))
}

fn tls_config(target: &Target) -> Result<ClientConfig, StoreError> {
    let mut roots = RootCertStore::empty();
    if target.config.get_ssl_mode() != SslMode::Disable {
        let found = rustls_native_certs::load_native_certs();
        roots.add_parsable_certificates(found.certs);
        if let Some(path) = &target.roots {
            let wrong = |problem: String| {
                let path = path.display();
                StoreError::Unavailable(format!("sslrootcert {path}: {problem}").into())
            };
            let certificates = CertificateDer::pem_file_iter(path)
                .map_err(|error| wrong(error.to_string()))?
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| wrong(error.to_string()))?;
            if certificates.is_empty() {
                return Err(wrong("there is no certificate in it".to_owned()));
            }
            roots.add_parsable_certificates(certificates);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

/// How to go on if the server's certificate is not trusted.
fn tls_hint(error: &tokio_postgres::Error, mode: SslMode) -> &'static str {
    let is_certificate = with_causes(error).contains("certificate");
    match mode {
        SslMode::Disable => "",
        _ if is_certificate => {
            " (give the certificate of its authority with sslrootcert=FILE, or sslmode=disable on a network that you trust)"
        }
        _ => "",
    }
}
