//! `stepwell store ...`: works on the store itself, without a server.

use std::path::Path;

use serde_json::json;
use stepwell::{PostgresStore, SqliteStore, Store, StoreError, StoreReport};

use super::migrate;
use crate::args::{StoreCommand, StoreFile};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::{Out, Paint, clean};
use crate::settings::{SETTINGS, SettingFlags, Settings, Sources, StoreUrl};

pub async fn store(command: StoreCommand, out: &mut Out) -> Result<Exit> {
    match command {
        StoreCommand::Check(file) => check(&url(&file)?, out).await,
        StoreCommand::Backup { to, force, store } => backup(&url(&store)?, &to, force, out).await,
        StoreCommand::Migrate { from, store } => {
            migrate::migrate(from.as_deref(), &url(&store)?, out).await
        }
    }
}

/// The store that is named, or the one of the settings.
fn url(file: &StoreFile) -> Result<StoreUrl> {
    let named = SETTINGS.iter().find(|setting| setting.key == "store").zip(file.store.clone());
    let given = named.map(|(setting, text)| (setting, vec![text])).into_iter().collect();
    let flags = SettingFlags { config: file.config.clone(), given };
    Ok(Settings::load(&Sources::of_process(&flags))?.store)
}

async fn check(url: &StoreUrl, out: &mut Out) -> Result<Exit> {
    let store = open(url).await?;
    let report = store.check().await;
    store.close().await;
    let StoreReport { n_runs, n_events, n_documents, problems } =
        report.map_err(|error| failed(&error))?;
    let exit = if problems.is_empty() { Exit::Ok } else { Exit::Local };
    if out.json {
        out.print_json_of(&json!({
            "store": url.to_string(),
            "n_runs": n_runs,
            "n_events": n_events,
            "n_documents": n_documents,
            "problems": problems,
        }))?;
        return Ok(exit);
    }
    let style = out.style;
    for problem in &problems {
        out.print(&style.paint(Paint::Bad, &clean(problem)))?;
    }
    let verdict = match problems.len() {
        0 => style.paint(Paint::Good, "all is well"),
        1 => style.paint(Paint::Bad, "1 problem"),
        n => style.paint(Paint::Bad, &format!("{n} problems")),
    };
    out.print(&format!(
        "{url}: {n_runs} runs, {n_events} events, {n_documents} documents: {verdict}"
    ))?;
    if exit == Exit::Local {
        out.say("hint: restore a backup, or ask for help with these lines")?;
    }
    Ok(exit)
}

async fn backup(url: &StoreUrl, to: &Path, force: bool, out: &mut Out) -> Result<Exit> {
    if to.exists() && !force {
        return Err(Error::local(format!("{} is there already", to.display()))
            .hint("give another name, or --force to replace it"));
    }
    if url.path().is_some_and(|path| same_file(path, to)) {
        return Err(
            Error::usage("the copy would replace the store itself").hint("give another name")
        );
    }
    let store = open_file(url).await?;
    let written = store.backup(to).await;
    store.close().await;
    written.map_err(|error| failed(&error))?;
    let n_bytes = std::fs::metadata(to).map_or(0, |about| about.len());
    match out.json {
        true => out.print_json_of(
            &json!({ "store": url.to_string(), "backup": to, "n_bytes": n_bytes }),
        )?,
        false => out.print(&format!("{} has all of {url} ({n_bytes} bytes)", to.display()))?,
    }
    Ok(Exit::Ok)
}

/// Opens a store that is there; never makes one.
async fn open(url: &StoreUrl) -> Result<Box<dyn Store>> {
    if let StoreUrl::Postgres(address) = url {
        let opened = PostgresStore::options().existing().open(address).await;
        return Ok(Box::new(opened.map_err(|error| failed(&error))?));
    }
    Ok(Box::new(open_file(url).await?))
}

/// The same for a file.
pub async fn open_file(url: &StoreUrl) -> Result<SqliteStore> {
    let Some(path) = url.path() else {
        return Err(Error::usage(format!("{url} is not a file"))
            .hint("copy a database with pg_dump or its like"));
    };
    if !path.is_file() {
        return Err(Error::local(format!("there is no store at {}", path.display()))
            .hint("name it with --store sqlite:PATH, or go to the folder where the server runs"));
    }
    SqliteStore::open(path).await.map_err(|error| failed(&error))
}

fn same_file(a: &Path, b: &Path) -> bool {
    let (a, b) = (std::fs::canonicalize(a).ok(), std::fs::canonicalize(b).ok());
    a.is_some() && a == b
}

/// Why a store cannot be used, and what to do.
pub fn failed(error: &StoreError) -> Error {
    let what = stepwell_server::problem::with_causes(error);
    let hint = match error {
        StoreError::InUse { .. } => {
            "a server has it open: stop that first (systemctl stop stepwell), or work on a copy"
        }
        StoreError::Full { .. } => "make room on the disk; nothing that was acknowledged is lost",
        StoreError::ReadOnly { .. } => "see who owns the file and its folder, and who you are",
        StoreError::Damaged { .. } => {
            "restore a backup; `stepwell store check` says what is damaged"
        }
        StoreError::NewerLayout { .. } => {
            "use the version of stepwell that wrote it, or a later one"
        }
        StoreError::Unavailable(_) => "see whether the store is named right, and is there and well",
        _ => "see whether the path is right and the disk is well",
    };
    Error::local(what).hint(hint)
}
