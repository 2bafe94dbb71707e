//! `STEPWELL_...` in the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;

use super::{Held, Origin, Path, SETTINGS, Setting};
use crate::error::{Error, Result, nearest};

const PREFIX: &str = "STEPWELL_";

/// What the command line reads for itself.
pub const CLIENT_NAMES: [&str; 4] =
    ["STEPWELL_SERVER", "STEPWELL_TOKEN", "STEPWELL_NAMESPACE", "STEPWELL_CONFIG"];

pub fn read(variables: &[(OsString, OsString)], held: &mut BTreeMap<Path, Held>) -> Result<()> {
    let mut names: BTreeMap<&'static str, String> = BTreeMap::new();
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else { continue };
        if CLIENT_NAMES.contains(&name) || is_of_kubernetes(name) {
            continue;
        }
        let Some(setting) = setting(name) else { return Err(unknown(name)) };
        let Some(text) = value.to_str() else {
            return Err(Error::usage(format!("{name} is not UTF-8")));
        };
        if text.is_empty() {
            // What is set to nothing is meant to be unset: shells and unit files have no other way.
            continue;
        }
        if let Some(other) = names.insert(setting.key, name.to_owned()) {
            let what = format!("{other} and {name} are the same setting, and both are set");
            return Err(Error::usage(what).hint("keep one of them"));
        }
        let value = setting
            .kind
            .of_text(text)
            .map_err(|problem| Error::usage(format!("{name}: {problem}")))?;
        let from = Origin::Environment { name: name.to_owned() };
        held.insert(setting.path(), Held { value, from });
    }
    Ok(())
}

fn setting(name: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.envs().iter().any(|known| known == name))
}

fn unknown(name: &str) -> Error {
    let known: Vec<String> = SETTINGS.iter().flat_map(Setting::envs).collect();
    let all = known.iter().map(String::as_str).chain(CLIENT_NAMES);
    let error = Error::usage(format!("{name} in the environment is no setting"));
    match nearest(name, all) {
        Some(meant) => error.hint(format!("did you mean {meant}?")),
        None => error.hint("unset it; `stepwell serve --help` lists those there are"),
    }
}

/// Kubernetes gives every container the addresses of a service that is called `stepwell`.
fn is_of_kubernetes(name: &str) -> bool {
    let rest = &name[PREFIX.len()..];
    rest == "PORT"
        || rest.starts_with("PORT_")
        || rest.starts_with("SERVICE_HOST")
        || rest.starts_with("SERVICE_PORT")
}
