//! The functions that the prelude calls. They are made once for each engine, before its first image is
//! taken, and one object holds them all for as long as the engine lives: a script cannot free them.

use std::sync::Arc;

use parking_lot::Mutex;
use rquickjs::convert::List;
use rquickjs::{ArrayBuffer, Ctx, Exception, Function, Object, Result};
use url::{Url, form_urlencoded, quirks};

use super::state::{CallState, Settled};

/// What `crypto.getRandomValues` gives at a time, by its standard.
const RANDOM_BYTES_MAX: usize = 65_536;

pub(super) type SharedState = Arc<Mutex<CallState>>;

pub(super) fn natives<'js>(ctx: &Ctx<'js>, state: &SharedState) -> Result<Object<'js>> {
    let natives = Object::new(ctx.clone())?;
    add_outcome(ctx, &natives, state)?;
    add_time(ctx, &natives, state)?;
    add_fetch(ctx, &natives, state)?;
    add_positions(ctx, &natives, state)?;
    add_text(ctx, &natives)?;
    Ok(natives)
}

fn add_outcome<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, state: &SharedState) -> Result<()> {
    let shared = state.clone();
    let settle = move |kind: String, text: Option<String>| {
        // The first word counts.
        shared.lock().settled.get_or_insert(Settled { kind, text });
    };
    natives.set("settle", Function::new(ctx.clone(), settle)?)?;

    let shared = state.clone();
    let log = move |level: String, text: String| {
        let line = shared.lock().line(&level, text);
        if let Some((line, sink)) = line {
            sink(line);
        }
    };
    natives.set("log", Function::new(ctx.clone(), log)?)?;

    let shared = state.clone();
    let emit = move |ctx: Ctx<'js>, channel: String, text: String| -> Result<()> {
        let sink = shared.lock().emitting(text.len());
        let sink = sink.map_err(|message| Exception::throw_range(&ctx, &message))?;
        let value = serde_json::from_str(&text)
            .map_err(|error| Exception::throw_type(&ctx, &format!("not JSON: {error}")))?;
        if let Some(sink) = sink {
            sink(&channel, value);
        }
        Ok(())
    };
    natives.set("emit", Function::new(ctx.clone(), emit)?)
}

fn add_time<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, state: &SharedState) -> Result<()> {
    let shared = state.clone();
    let now = Function::new(ctx.clone(), move || shared.lock().chance.now_ms())?;
    natives.set("nowMs", now)?;
    let shared = state.clone();
    let elapsed = Function::new(ctx.clone(), move || shared.lock().chance.elapsed_ms())?;
    natives.set("elapsedMs", elapsed)?;
    let shared = state.clone();
    let random = Function::new(ctx.clone(), move || shared.lock().chance.random())?;
    natives.set("random", random)?;
    let shared = state.clone();
    let bytes = move |ctx: Ctx<'js>, n_bytes: usize| -> Result<ArrayBuffer<'js>> {
        let bytes = shared.lock().chance.bytes(n_bytes.min(RANDOM_BYTES_MAX));
        let bytes = bytes.ok_or_else(|| Exception::throw_message(&ctx, "no entropy"))?;
        ArrayBuffer::new_copy(ctx, bytes)
    };
    natives.set("randomBytes", Function::new(ctx.clone(), bytes)?)?;

    let shared = state.clone();
    let set = Function::new(ctx.clone(), move |id: u32, ms: u32| shared.lock().timers.set(id, ms))?;
    natives.set("setTimer", set)?;
    let shared = state.clone();
    let clear = Function::new(ctx.clone(), move |id: u32| shared.lock().timers.clear(id))?;
    natives.set("clearTimer", clear)
}

fn add_fetch<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, state: &SharedState) -> Result<()> {
    let shared = state.clone();
    let start = move |id: u32, head: String, body: Option<ArrayBuffer<'js>>| {
        let body = body.map(|body| bytes_of(&body));
        shared.lock().start_fetch(id, &head, body);
    };
    natives.set("startFetch", Function::new(ctx.clone(), start)?)?;
    let shared = state.clone();
    let abort = Function::new(ctx.clone(), move |id: u32| shared.lock().end_fetch(id))?;
    natives.set("abortFetch", abort)
}

fn add_positions<'js>(ctx: &Ctx<'js>, natives: &Object<'js>, state: &SharedState) -> Result<()> {
    let shared = state.clone();
    let position = move |file: String, line: u32, column: u32| {
        let program = shared.lock().program.clone();
        let position = program.and_then(|program| program.source_position(&file, line, column));
        position.map(|position| List((position.file, position.line, position.column)))
    };
    natives.set("sourcePosition", Function::new(ctx.clone(), position)?)?;

    let shared = state.clone();
    let show = move |head: String, stack: String| {
        let program = shared.lock().program.clone();
        let stack = program.and_then(|program| program.source_stack(&stack).1);
        match stack {
            Some(stack) => format!("{head}\n    {}", stack.replace('\n', "\n    ")),
            None => head,
        }
    };
    natives.set("showError", Function::new(ctx.clone(), show)?)
}

fn add_text<'js>(ctx: &Ctx<'js>, natives: &Object<'js>) -> Result<()> {
    let encode = |ctx: Ctx<'js>, text: String| ArrayBuffer::new_copy(ctx, text);
    natives.set("encodeUtf8", Function::new(ctx.clone(), encode)?)?;
    let decode = |bytes: ArrayBuffer<'js>, is_fatal: bool| match String::from_utf8(bytes_of(&bytes))
    {
        Ok(text) => Some(text),
        Err(_) if is_fatal => None,
        Err(error) => Some(String::from_utf8_lossy(error.as_bytes()).into_owned()),
    };
    natives.set("decodeUtf8", Function::new(ctx.clone(), decode)?)?;

    let parse = |text: String, base: Option<String>| {
        let base = match base.map(|base| Url::parse(&base)) {
            Some(base) => Some(base.ok()?),
            None => None,
        };
        Url::options().base_url(base.as_ref()).parse(&text).ok().as_ref().map(parts)
    };
    natives.set("parseUrl", Function::new(ctx.clone(), parse)?)?;
    natives.set("setUrlPart", Function::new(ctx.clone(), set_part)?)?;
    let parse_form = |text: String| -> Vec<Vec<String>> {
        let pairs = form_urlencoded::parse(text.as_bytes());
        pairs.map(|(name, value)| vec![name.into_owned(), value.into_owned()]).collect()
    };
    natives.set("parseForm", Function::new(ctx.clone(), parse_form)?)?;
    let format_form = |pairs: Vec<Vec<String>>| {
        let mut form = form_urlencoded::Serializer::new(String::new());
        for pair in &pairs {
            if let [name, value] = pair.as_slice() {
                form.append_pair(name, value);
            }
        }
        form.finish()
    };
    natives.set("formatForm", Function::new(ctx.clone(), format_form)?)
}

/// A copy; nothing of a buffer that was detached.
fn bytes_of(buffer: &ArrayBuffer<'_>) -> Vec<u8> {
    #[expect(unsafe_code, reason = "see SAFETY")]
    // SAFETY: no JavaScript runs while the bytes are copied.
    let bytes = unsafe { buffer.as_bytes() };
    bytes.unwrap_or_default().to_vec()
}

/// In the order of `PARTS` in `prelude/url.js`.
fn parts(url: &Url) -> Vec<String> {
    let parts = [
        quirks::href(url),
        quirks::protocol(url),
        quirks::username(url),
        quirks::password(url),
        quirks::host(url),
        quirks::hostname(url),
        quirks::port(url),
        quirks::pathname(url),
        quirks::search(url),
        quirks::hash(url),
        &quirks::origin(url),
    ];
    parts.map(str::to_owned).into()
}

/// The parts after one was set; nothing if it could not be set.
fn set_part(href: String, part: String, value: String) -> Option<Vec<String>> {
    let mut url = Url::parse(&href).ok()?;
    match part.as_str() {
        "href" => quirks::set_href(&mut url, &value).ok()?,
        "protocol" => quirks::set_protocol(&mut url, &value).ok()?,
        "username" => quirks::set_username(&mut url, &value).ok()?,
        "password" => quirks::set_password(&mut url, &value).ok()?,
        "host" => quirks::set_host(&mut url, &value).ok()?,
        "hostname" => quirks::set_hostname(&mut url, &value).ok()?,
        "port" => quirks::set_port(&mut url, &value).ok()?,
        "pathname" => quirks::set_pathname(&mut url, &value),
        "search" => quirks::set_search(&mut url, &value),
        "hash" => quirks::set_hash(&mut url, &value),
        _ => return None,
    }
    Some(parts(&url))
}
