//! `fetch`, against a real server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stepwell_script::ErrorKind;
use stepwell_script::js::{AllowedHosts, Grants, WebFetch, WebOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::kit::{SCRIPTS, options};

/// Answers with what was asked, in JSON, unless the path asks for something else.
async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            // A client that goes away in the midst is what some tests are about.
            tokio::spawn(async move { drop(answer(stream).await) });
        }
    });
    address
}

async fn answer(mut stream: TcpStream) -> std::io::Result<()> {
    let mut bytes = Vec::new();
    let head_len = loop {
        if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(());
        }
    };
    let head = String::from_utf8_lossy(&bytes[..head_len]).into_owned();
    let mut lines = head.lines();
    let request: Vec<&str> = lines.next().unwrap().split(' ').collect();
    let headers: serde_json::Map<String, Value> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_lowercase(), json!(value)))
        .collect();
    let n_body = headers.get("content-length").map_or(0, |n| n.as_str().unwrap().parse().unwrap());
    while bytes.len() < head_len + n_body {
        stream.read_buf(&mut bytes).await?;
    }
    let body = String::from_utf8_lossy(&bytes[head_len..]).into_owned();
    let (status, extra, body) = match request[1] {
        "/missing" => ("404 Not Found", String::new(), "gone".to_owned()),
        "/slow" => {
            tokio::time::sleep(Duration::from_secs(600)).await;
            return Ok(());
        }
        "/large" => ("200 OK", String::new(), "x".repeat(1 << 20)),
        "/to-evil" => {
            ("302 Found", "location: http://localhost:1/evil\r\n".to_owned(), String::new())
        }
        "/to-echo" => ("302 Found", "location: /echo?from=redirect\r\n".to_owned(), String::new()),
        "/round" => ("302 Found", "location: /round\r\n".to_owned(), String::new()),
        path => {
            let echo =
                json!({ "method": request[0], "path": path, "headers": headers, "body": body });
            ("200 OK", "x-two: a\r\nx-two: b\r\nset-cookie: c=1\r\n".to_owned(), echo.to_string())
        }
    };
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{extra}\r\n{body}"
    );
    stream.write_all(text.as_bytes()).await
}

async fn run_with(
    text: &str,
    web: WebOptions,
    base: SocketAddr,
) -> Result<Value, stepwell_script::ScriptError> {
    let grants = Grants { fetch: Some(Arc::new(WebFetch::new(web).unwrap())), ..Grants::default() };
    let text = format!("export default async (base: string) => {{ {text} }};");
    let input = json!(format!("http://{base}"));
    let result = SCRIPTS.eval_default_export("a.ts", &text, &input, options().grants(grants)).await;
    result.map(|value| value.unwrap_or(Value::Null))
}

async fn run(text: &str) -> Result<Value, stepwell_script::ScriptError> {
    let address = serve().await;
    run_with(text, WebOptions::new(AllowedHosts::Only(vec!["127.0.0.1".to_owned()])), address).await
}

#[tokio::test]
async fn a_response_is_read_in_every_way() {
    let found = run("
        const r = await fetch(base + '/echo?q=ä');
        const copy = r.clone();
        const { path, headers } = await r.json();
        const buffer = await (await fetch(base + '/missing')).arrayBuffer();
        const bytes = await (await fetch(base + '/missing')).bytes();
        return [r.ok, r.status, r.statusText, path, headers['user-agent'], r.headers.get('X-Two'), r.headers.getSetCookie(), r.bodyUsed, copy.bodyUsed, (await copy.text()).length > 10, buffer.byteLength, bytes[0], r.url.endsWith('/echo?q=%C3%A4'), r.redirected];
    ").await;
    assert_eq!(
        found.unwrap(),
        json!([
            true,
            200,
            "OK",
            "/echo?q=%C3%A4",
            "stepwell",
            "a, b",
            ["c=1"],
            true,
            false,
            true,
            4,
            103,
            true,
            false
        ])
    );
}

#[tokio::test]
async fn a_request_has_a_method_headers_and_a_body() {
    let found = run("
        const post = (init) => send(base + '/x', init);
        const send = async (input, init) => { const { method, headers, body } = await (await fetch(input, init)).json(); return [method, headers['content-type'] ?? null, headers['x-mine'] ?? null, body]; };
        return [
          await post({ method: 'post', body: JSON.stringify({ a: 'ä' }), headers: { 'Content-Type': 'application/json', 'X-Mine': '1' } }),
          await post({ method: 'PUT', body: 'plain', headers: [['x-mine', 'a'], ['x-mine', 'b']] }),
          await post({ method: 'PATCH', body: new URLSearchParams({ q: 'a b' }), headers: new Headers({ 'x-mine': '3' }) }),
          await post({ method: 'DELETE' }),
          await send(new Request(base + '/y', { method: 'POST', body: new Uint8Array([104, 105]) })),
        ];
    ").await;
    assert_eq!(
        found.unwrap(),
        json!([
            ["POST", "application/json", "1", "{\"a\":\"ä\"}"],
            ["PUT", "text/plain;charset=UTF-8", "a, b", "plain"],
            ["PATCH", "application/x-www-form-urlencoded;charset=UTF-8", "3", "q=a+b"],
            ["DELETE", null, null, ""],
            ["POST", null, null, "hi"],
        ])
    );
}

#[tokio::test]
async fn a_status_of_failure_is_a_response() {
    let found =
        run("const r = await fetch(base + '/missing'); return [r.ok, r.status, await r.text()];")
            .await;
    assert_eq!(found.unwrap(), json!([false, 404, "gone"]));
}

#[tokio::test]
async fn a_body_is_read_once() {
    let error = run("const r = await fetch(base + '/missing'); await r.text(); await r.text();")
        .await
        .unwrap_err();
    assert!(error.message.contains("read already"), "{error}");
}

#[tokio::test]
async fn hosts_that_are_not_allowed_are_refused() {
    for url in [
        "http://localhost:1/",
        "https://example.com",
        "http://127.0.0.1.evil.net/",
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
    ] {
        let error = run(&format!("await fetch('{url}');")).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Thrown);
        assert!(
            error.message.contains("not among the allowed")
                || error.message.contains("neither http"),
            "{error}"
        );
        assert_eq!(error.thrown.unwrap().name, "TypeError");
    }
}

#[tokio::test]
async fn redirects_are_followed_only_to_allowed_hosts() {
    let found = run("const r = await fetch(base + '/to-echo'); return [r.redirected, r.url.endsWith('/echo?from=redirect'), (await r.json()).path];").await;
    assert_eq!(found.unwrap(), json!([true, true, "/echo?from=redirect"]));
    let error = run("await fetch(base + '/to-evil');").await.unwrap_err();
    assert!(error.message.contains("localhost:1 is not among"), "{error}");
    let error = run("await fetch(base + '/round');").await.unwrap_err();
    assert!(error.message.contains("more than 10 redirects"), "{error}");
    let manual =
        run("return (await fetch(base + '/to-evil', { redirect: 'manual' })).status;").await;
    assert_eq!(manual.unwrap(), json!(302));
    let error = run("await fetch(base + '/to-evil', { redirect: 'error' });").await.unwrap_err();
    assert!(error.message.contains("redirects"), "{error}");
}

#[tokio::test]
async fn size_and_time_are_bounded() {
    let address = serve().await;
    let small = WebOptions {
        response_bytes_max: 1000,
        request_bytes_max: 10,
        ..WebOptions::new(AllowedHosts::Any)
    };
    let error =
        run_with("await fetch(base + '/large');", small.clone(), address).await.unwrap_err();
    assert!(error.message.contains("more than 1000 bytes"), "{error}");
    let error =
        run_with("await fetch(base, { method: 'POST', body: 'x'.repeat(11) });", small, address)
            .await
            .unwrap_err();
    assert!(error.message.contains("more than 10 bytes"), "{error}");
    let quick =
        WebOptions { time: Duration::from_millis(100), ..WebOptions::new(AllowedHosts::Any) };
    let error = run_with("await fetch(base + '/slow');", quick, address).await.unwrap_err();
    assert!(error.message.contains("timed out"), "{error}");
}

#[tokio::test]
async fn a_request_can_be_aborted() {
    let found = run("
        const c = new AbortController(); setTimeout(() => c.abort(), 20);
        const names = [];
        for (const signal of [c.signal, AbortSignal.timeout(10), AbortSignal.abort()]) {
          try { await fetch(base + '/slow', { signal }); } catch (e) { names.push(e.name); }
        }
        return names;
    ")
    .await;
    assert_eq!(found.unwrap(), json!(["AbortError", "TimeoutError", "AbortError"]));
}

#[tokio::test]
async fn requests_run_side_by_side_and_are_bounded() {
    let found = run("
        const all = await Promise.all([1, 2, 3].map(async (n) => (await (await fetch(`${base}/${n}`)).json()).path));
        const many = await Promise.allSettled(Array.from({ length: 65 }, () => fetch(base + '/slow', { signal: AbortSignal.timeout(300) })));
        return [all, many.filter((r) => r.reason.message.includes('64 requests')).length];
    ").await;
    assert_eq!(found.unwrap(), json!([["/1", "/2", "/3"], 1]));
}

#[tokio::test]
async fn a_call_that_ends_drops_its_requests() {
    let limits = stepwell_script::ScriptLimits { time_ms: 100, ..crate::kit::LIMITS };
    let address = serve().await;
    let fetch = Arc::new(WebFetch::new(WebOptions::new(AllowedHosts::Any)).unwrap());
    let grants = Grants { fetch: Some(fetch.clone()), ..Grants::default() };
    let text = "export default (base) => fetch(base + '/slow')";
    let input = json!(format!("http://{address}"));
    let options = options().limits(limits).grants(grants);
    let error = SCRIPTS.eval_default_export("a.ts", text, &input, options).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    // The task that made the request held the host, too.
    let until = Instant::now() + Duration::from_secs(20);
    while Arc::strong_count(&fetch) > 1 {
        assert!(Instant::now() < until, "the request goes on");
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn malformed_requests_are_refused_before_they_are_sent() {
    for (init, word) in [
        ("{ method: 'GET', body: 'x' }", "no body"),
        ("{ method: 'G E T' }", "HTTP method"),
        ("{ headers: { 'bad name': 'x' } }", "name of a header"),
        ("{ headers: { 'x': 'a\\r\\nevil: 1' } }", "line breaks"),
    ] {
        let error = run(&format!("await fetch(base, {init});")).await.unwrap_err();
        assert!(error.message.contains(word), "{init}: {error}");
    }
    let error = run("await fetch('/relative');").await.unwrap_err();
    assert!(error.message.contains("Invalid URL"), "{error}");
}

#[tokio::test]
async fn responses_can_be_made_by_hand() {
    let found = run("
        const r = Response.json({ a: 1 }, { status: 201 });
        let bad; try { new Response('x', { status: 99 }) } catch (e) { bad = e.name }
        return [r.status, r.headers.get('content-type'), await r.json(), bad, [...new Headers([['b', '1'], ['A', '2']])], new Headers({ a: '1' }).has('A')];
    ").await;
    assert_eq!(
        found.unwrap(),
        json!([201, "application/json", { "a": 1 }, "RangeError", [["a", "2"], ["b", "1"]], true])
    );
}
