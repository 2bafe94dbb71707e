//! `stepwell.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

use super::known::{find, is_section};
use super::{FILE_NAME, Held, Origin, Path, SETTINGS, Sources, written};
use crate::error::{Error, Result, nearest};

/// The largest file that is read.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

pub fn read(sources: &Sources, held: &mut BTreeMap<Path, Held>) -> Result<()> {
    let (path, must_be_there) = match &sources.config {
        Some(path) => (path.clone(), true),
        None => (sources.dir.join(FILE_NAME), false),
    };
    let cannot =
        |error: std::io::Error| Error::usage(format!("{} cannot be read: {error}", path.display()));
    match std::fs::metadata(&path) {
        Ok(about) if about.len() > FILE_BYTES_MAX => {
            let what = format!("{} has more than {FILE_BYTES_MAX} bytes", path.display());
            return Err(Error::usage(what));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !must_be_there => {
            return Ok(());
        }
        Err(error) => return Err(cannot(error)),
    }
    let text = std::fs::read_to_string(&path).map_err(cannot)?;
    Reader { path, text: &text, held }.read()
}

struct Reader<'a> {
    path: PathBuf,
    text: &'a str,
    held: &'a mut BTreeMap<Path, Held>,
}

impl Reader<'_> {
    fn read(mut self) -> Result<()> {
        let table = DeTable::parse(self.text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            Error::usage(format!("{}: {}", self.place(at), error.message().trim_end()))
        })?;
        self.table(&mut Vec::new(), table.get_ref())
    }

    fn table(&mut self, path: &mut Path, table: &DeTable<'_>) -> Result<()> {
        for (name, value) in table {
            path.push(name.get_ref().to_string());
            self.value(path, name.span().start, value)?;
            path.pop();
        }
        Ok(())
    }

    fn value(&mut self, path: &mut Path, at: usize, value: &Spanned<DeValue<'_>>) -> Result<()> {
        if let DeValue::Table(table) = value.get_ref()
            && is_section(path)
        {
            return self.table(path, table);
        }
        let Some(setting) = find(path) else { return Err(self.unknown(path, at)) };
        let value = owned(value.get_ref()).and_then(|value| setting.kind.check(value));
        let value = value.map_err(|problem| {
            Error::usage(format!("{}: `{}`: {problem}", self.place(at), written(path)))
        })?;
        let from = Origin::File { path: self.path.clone(), line: self.line(at) };
        self.held.insert(path.clone(), Held { value, from });
        Ok(())
    }

    fn unknown(&self, path: &Path, at: usize) -> Error {
        let name = written(path);
        if is_section(path) {
            let what = format!("{}: `{name}` is a section, not a value", self.place(at));
            return Error::usage(what).hint(format!("write [{name}], and its settings below that"));
        }
        let what = format!("{}: there is no setting `{name}`", self.place(at));
        Error::usage(what).hint(match meant(path) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "`stepwell config show` lists every setting".to_owned(),
        })
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        before.iter().filter(|byte| **byte == b'\n').count() + 1
    }

    fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path.display(), self.line(at))
    }
}

/// The setting that was probably meant.
fn meant(path: &Path) -> Option<String> {
    let given = path.join(".");
    // A setting of a workflow is compared under that workflow's own name.
    let workflow = path.get(1).filter(|_| path[0] == "workflows");
    let known: Vec<String> = SETTINGS
        .iter()
        .filter(|setting| setting.is_per_workflow() == workflow.is_some())
        .map(|setting| setting.key.replace('*', workflow.map_or("*", String::as_str)))
        .collect();
    let sections = SETTINGS.iter().filter_map(|setting| Some(setting.key.split_once('.')?.0));
    if let [name] = path.as_slice()
        && let Some(section) = nearest(name, sections)
    {
        return Some(format!("[{section}]"));
    }
    let last = path.last()?;
    let elsewhere = known.iter().find(|key| key.rsplit('.').next() == Some(last));
    elsewhere
        .map(String::as_str)
        .or_else(|| nearest(&given, known.iter().map(String::as_str)))
        .map(str::to_owned)
        .or_else(|| {
            let names = known.iter().filter_map(|key| Some((key.rsplit('.').next()?, key)));
            let names: BTreeMap<&str, &String> = names.collect();
            nearest(last, names.keys().copied()).map(|name| names[name].clone())
        })
}

/// The value without its places.
fn owned(value: &DeValue<'_>) -> std::result::Result<Value, String> {
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(n) => {
            let parsed = i64::from_str_radix(n.as_str(), n.radix());
            Value::Integer(parsed.map_err(|_| format!("`{}` is too large", n.as_str()))?)
        }
        DeValue::Float(n) => Value::Float(n.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(is_so) => Value::Boolean(*is_so),
        DeValue::Datetime(date) => Value::Datetime(*date),
        DeValue::Array(values) => {
            let values: std::result::Result<Vec<Value>, String> =
                values.iter().map(|value| owned(value.get_ref())).collect();
            Value::Array(values?)
        }
        DeValue::Table(_) => Value::Table(toml::Table::new()),
    })
}
