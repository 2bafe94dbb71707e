//! A PostgreSQL of its own, for tests.
//!
//! The server of the Debian package is started on a free port, with its data in a temporary directory, once
//! per test program; a process that watches the program stops it and removes the directory when the program ends,
//! however it ends. Each store gets a schema of its own.
//!
//! PostgreSQL refuses to run as root, so root starts it as the user `postgres` of the package.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on must panic")]

pub mod proxy;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use stepwell_store::{MemoryStore, Store};

use crate::PostgresStore;

/// How long the server may take to start or to stop, on a machine that is busy.
const READY_MAX: Duration = Duration::from_secs(120);

/// A server that was started for this test program.
#[derive(Debug)]
pub struct Server {
    folder: PathBuf,
    port: u16,
    user: String,
    programs: PathBuf,
}

/// The server that the tests of this program share.
pub fn server() -> &'static Server {
    static SHARED: OnceLock<Server> = OnceLock::new();
    SHARED.get_or_init(Server::start)
}

/// An empty store for a test: in memory or, if `STEPWELL_TEST_STORE` is `postgres`, in the database of this program.
pub async fn chosen_store() -> Arc<dyn Store> {
    match std::env::var("STEPWELL_TEST_STORE").as_deref() {
        Err(_) | Ok("memory") => Arc::new(MemoryStore::new()),
        Ok("postgres") => {
            let options = PostgresStore::options().readers_max(2);
            Arc::new(options.open(&server().address()).await.unwrap())
        }
        Ok(other) => panic!("STEPWELL_TEST_STORE is {other}: there are memory and postgres"),
    }
}

impl Server {
    /// A new server, with an empty database. It survives its own crash, but not the machine's.
    pub fn start() -> Server {
        Server::start_with("fsync = off")
    }

    /// The same with what it has committed on the disk, for measurements.
    pub fn start_durable() -> Server {
        Server::start_with("fsync = on\nshared_buffers = 256MB")
    }

    fn start_with(more: &str) -> Server {
        let programs = programs();
        let as_root = rustix::process::geteuid().is_root();
        let folder = tempfile::Builder::new().prefix("stepwell-pg-").tempdir().unwrap().keep();
        let user = if as_root { "postgres".to_owned() } else { name_of_user() };
        if as_root {
            run(Command::new("chown").arg(&user).arg(&folder));
        }
        let port = free_port();
        let server = Server { folder, port, user, programs };
        let password_free = ["--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"];
        run(server
            .command("initdb")
            .arg("-D")
            .arg(server.data())
            .args(password_free)
            .args(["--username=stepwell"]));
        let mut settings = std::fs::OpenOptions::new()
            .append(true)
            .open(server.data().join("postgresql.conf"))
            .unwrap();
        writeln!(
            settings,
            "listen_addresses = '127.0.0.1'\nport = {port}\nunix_socket_directories = ''\n\
             max_connections = 400\nshared_buffers = 64MB\nlog_min_messages = warning\n\
             deadlock_timeout = 200ms\n{more}"
        )
        .unwrap();
        server.watch();
        server.boot();
        server
    }

    /// The address of a new, empty place for a store.
    pub fn address(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let schema = format!("well_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.address_of(&schema)
    }

    /// The address of the place with this name.
    pub fn address_of(&self, schema: &str) -> String {
        format!("{}?sslmode=disable&schema={schema}", self.base(self.port))
    }

    /// Like [`Server::address_of`], through something that listens on another port.
    pub fn address_through(&self, port: u16, schema: &str) -> String {
        format!("{}?sslmode=disable&schema={schema}", self.base(port))
    }

    fn base(&self, port: u16) -> String {
        format!("postgres://stepwell@127.0.0.1:{port}/postgres")
    }

    /// A connection past the store, for whoever looks behind it. It is driven on the caller's runtime.
    pub async fn client(&self) -> tokio_postgres::Client {
        let (client, connection) =
            tokio_postgres::connect(&self.base(self.port), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Starts the server after [`Server::stop`].
    pub fn boot(&self) {
        let log = self.folder.join("log");
        run(self.command("pg_ctl").arg("-D").arg(self.data()).arg("-l").arg(log).args([
            "-w",
            "-t",
            &READY_MAX.as_secs().to_string(),
            "start",
        ]));
    }

    /// Stops the server: `fast` in order, `immediate` as if it had crashed.
    pub fn stop(&self, mode: &str) {
        run(self.command("pg_ctl").arg("-D").arg(self.data()).args(["-w", "-m", mode, "stop"]));
    }

    /// Makes the server offer TLS, with a certificate of its own for 127.0.0.1. Gives the file of the certificate.
    pub fn enable_tls(&self) -> PathBuf {
        let (certificate, key) = (self.data().join("server.crt"), self.data().join("server.key"));
        let mut openssl = self.as_user("openssl".as_ref());
        run(openssl
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
            .args(["-nodes", "-days", "30", "-subj", "/CN=localhost"])
            .args(["-addext", "subjectAltName=IP:127.0.0.1"])
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .arg("-keyout")
            .arg(&key)
            .arg("-out")
            .arg(&certificate));
        let conf = self.data().join("postgresql.conf");
        let mut settings = std::fs::OpenOptions::new().append(true).open(conf).unwrap();
        writeln!(settings, "ssl = on").unwrap();
        self.stop("fast");
        self.boot();
        // The server's directory is for the server's user only.
        let copy = self.folder.join("trusted.pem");
        std::fs::copy(&certificate, &copy).unwrap();
        copy
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// A program of the package, run by a user that PostgreSQL accepts.
    fn command(&self, program: &str) -> Command {
        let mut command = self.as_user(&self.programs.join(program));
        command.current_dir(&self.folder).stdin(Stdio::null());
        command
    }

    fn as_user(&self, program: &Path) -> Command {
        if !rustix::process::geteuid().is_root() {
            return Command::new(program);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid", &self.user, "--regid", &self.user, "--clear-groups", "--"]);
        command.arg(program);
        command
    }

    /// A process that waits for the end of its standard input, which is when this program ends, and then stops
    /// the server and removes its folder.
    fn watch(&self) {
        let script = "cat >/dev/null; \"$1\"/pg_ctl -D \"$2\"/data -m immediate stop >/dev/null 2>&1; rm -rf \"$2\"";
        let mut command = self.as_user("sh".as_ref());
        let watcher: Child = command
            .args(["-c", script, "watch"])
            .arg(&self.programs)
            .arg(&self.folder)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh starts");
        // Its input stays open as long as this program lives.
        std::mem::forget(watcher);
    }
}

/// Where the programs of the newest PostgreSQL on this machine are.
fn programs() -> PathBuf {
    let found = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = found
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))
        })
        .filter(|(_, path)| path.join("initdb").exists())
        .collect();
    versions.sort();
    let (_, newest) = versions.pop().expect(
        "PostgreSQL is not installed: run scripts/ensure-tools test (apt-get install postgresql)",
    );
    newest
}

fn free_port() -> u16 {
    std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn name_of_user() -> String {
    let output = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn run(command: &mut Command) {
    // The server that pg_ctl leaves behind would keep a pipe open for ever, so output goes to files.
    let errors = tempfile::NamedTempFile::new().unwrap();
    let begun = Instant::now();
    let status = command
        .stdout(errors.reopen().unwrap())
        .stderr(errors.reopen().unwrap())
        .status()
        .expect("the program starts");
    let said = || read(errors.path());
    assert!(status.success(), "{command:?} after {:?}: {}", begun.elapsed(), said());
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
