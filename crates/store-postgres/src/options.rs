//! How a store is opened, and what its address says.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use stepwell_store::StoreError;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;
use url::Url;

use crate::PostgresStore;

/// How many connections write, unless said otherwise.
const WRITERS: u16 = 2;
/// How many connections read, unless said otherwise.
const READERS_MAX: usize = 8;
/// The most connections of one kind, whatever is asked for.
const CONNECTIONS_MAX: usize = 256;
/// The schema that the tables are in, unless said otherwise.
const SCHEMA: &str = "stepwell";
/// A shorter lease would run out between two beats on a busy machine.
pub const LEASE_MIN: Duration = Duration::from_millis(500);
/// With what is put before it, PostgreSQL takes the name whole.
const SCHEMA_BYTES_MAX: usize = 48;

#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) writers: u16,
    pub(crate) readers_max: usize,
    pub(crate) schema: Option<String>,
    pub(crate) patience: Duration,
    pub(crate) answer_max: Duration,
    pub(crate) name: String,
    pub(crate) address: Option<String>,
    pub(crate) version: String,
    pub(crate) lease: Option<Duration>,
    pub(crate) creates: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            writers: WRITERS,
            readers_max: READERS_MAX,
            schema: None,
            patience: Duration::from_secs(30),
            answer_max: Duration::from_secs(10),
            name: "node".to_owned(),
            address: None,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            lease: None,
            creates: true,
        }
    }
}

impl Options {
    /// How many connections write, each with batches of its own. At least 1.
    pub fn writers(mut self, writers: u16) -> Options {
        self.writers = writers.clamp(1, 16);
        self
    }

    /// How many connections read, and are kept. At least 1.
    pub fn readers_max(mut self, readers_max: usize) -> Options {
        self.readers_max = readers_max.clamp(1, CONNECTIONS_MAX);
        self
    }

    /// The schema that the tables are in. What the address says comes first.
    pub fn schema(mut self, schema: impl Into<String>) -> Options {
        self.schema = Some(schema.into());
        self
    }

    /// How long a call waits for a database that does not answer before it fails.
    pub fn patience(mut self, patience: Duration) -> Options {
        self.patience = patience;
        self
    }

    /// After how long without an answer a connection counts as lost.
    pub fn answer_max(mut self, answer_max: Duration) -> Options {
        self.answer_max = answer_max;
        self
    }

    /// What people call this process.
    pub fn name(mut self, name: impl Into<String>) -> Options {
        self.name = name.into();
        self
    }

    /// Where this process answers requests.
    pub fn address(mut self, address: impl Into<String>) -> Options {
        self.address = Some(address.into());
        self
    }

    /// Shares the runs with other processes that do so: each leases a part of them, for this long at a time.
    /// Without this, whoever takes ownership owns all runs.
    pub fn shared(mut self, lease: Duration) -> Options {
        self.lease = Some(lease.max(LEASE_MIN));
        self
    }

    /// Opens only what is there: no tables are created or changed.
    pub fn existing(mut self) -> Options {
        self.creates = false;
        self
    }

    /// Opens the store at an address such as `postgres://user:password@host/database?schema=stepwell`, and
    /// creates its tables if there are none.
    pub async fn open(self, address: &str) -> Result<PostgresStore, StoreError> {
        PostgresStore::open_with(self, Target::parse(address)?).await
    }
}

/// What an address says.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub config: Config,
    pub schema: Option<String>,
    /// A file of certificates that are trusted, beside those of the system.
    pub roots: Option<PathBuf>,
    /// The address without its password.
    pub shown: String,
}

impl Target {
    pub fn parse(address: &str) -> Result<Target, StoreError> {
        let mut url = Url::parse(address).map_err(|error| {
            wrong(format!("it is not an address such as postgres://user@host/database ({error})"))
        })?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(wrong(format!("{}: is not postgres:", url.scheme())));
        }
        let (mut schema, mut roots, mut rest) = (None, None, Vec::new());
        let mut verified = false;
        for (name, value) in url.query_pairs() {
            match (&*name, &*value) {
                ("schema", value) => schema = Some(checked_schema(value)?),
                ("sslrootcert", value) => roots = Some(PathBuf::from(value)),
                // Certificates are always verified, so these three are one.
                ("sslmode", "verify-full" | "verify-ca" | "require") => verified = true,
                (name, value) => rest.push((name.to_owned(), value.to_owned())),
            }
        }
        url.set_query(None);
        if !rest.is_empty() {
            url.query_pairs_mut().extend_pairs(rest);
        }
        let mut config = Config::from_str(url.as_str())
            .map_err(|error| wrong(stepwell_store::with_causes(&error)))?;
        if verified {
            config.ssl_mode(SslMode::Require);
        }
        if config.get_application_name().is_none() {
            config.application_name("stepwell");
        }
        config.connect_timeout(std::time::Duration::from_secs(5));
        config.keepalives_idle(std::time::Duration::from_secs(10));
        // No password, and nothing of the query, which may hold one.
        let _ = url.set_password(None);
        url.set_query(None);
        Ok(Target { config, schema, roots, shown: url.to_string() })
    }

    pub fn schema_of(&self, options: &Options) -> Result<String, StoreError> {
        match (&self.schema, &options.schema) {
            (Some(schema), _) => Ok(schema.clone()),
            (None, Some(schema)) => checked_schema(schema),
            (None, None) => Ok(SCHEMA.to_owned()),
        }
    }
}

fn checked_schema(name: &str) -> Result<String, StoreError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let begins_well = name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    if !begins_well || !name.chars().all(is_plain) || name.len() > SCHEMA_BYTES_MAX {
        return Err(wrong(format!(
            "the schema {name:?} must have 1 to {SCHEMA_BYTES_MAX} of a-z, 0-9 and _, and begin with no digit"
        )));
    }
    Ok(name.to_owned())
}

fn wrong(problem: String) -> StoreError {
    StoreError::Unavailable(format!("the address of the store is wrong: {problem}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(address: &str) -> String {
        let error = Target::parse(address).unwrap_err();
        stepwell_store::with_causes(&error)
    }

    #[test]
    fn an_address_says_schema_and_certificates_beside_what_postgresql_knows() {
        let target = Target::parse(
            "postgres://me:secret@db:6000/x?schema=wells&sslmode=verify-full&sslrootcert=/a/b.pem&application_name=y",
        )
        .unwrap();
        assert_eq!(target.schema.as_deref(), Some("wells"));
        assert_eq!(target.roots, Some(PathBuf::from("/a/b.pem")));
        assert_eq!(target.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(target.config.get_ports(), [6000]);
        assert_eq!(target.config.get_application_name(), Some("y"));
        assert_eq!(target.shown, "postgres://me@db:6000/x");
    }

    #[test]
    fn a_wrong_address_is_refused_and_its_password_is_not_said() {
        for (address, expected) in [
            ("nonsense", "not an address"),
            ("mysql://me:secret@db/x", "mysql: is not postgres:"),
            ("postgres://me:secret@db/x?schema=a-b", "\"a-b\""),
            ("postgres://me:secret@db/x?schema=1a", "begin with no digit"),
            ("postgres://me:secret@db/x?colour=red", "colour"),
        ] {
            let problem = problem(address);
            assert!(problem.contains(expected), "{problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
        let long = "x".repeat(SCHEMA_BYTES_MAX + 1);
        assert!(Target::parse(&format!("postgres://db/x?schema={long}")).is_err());
        assert!(Target::parse(&format!("postgres://db/x?schema={}", &long[1..])).is_ok());
    }
}
