//! What a script finds around it.

use serde_json::{Value, json};
use stepwell_script::ErrorKind;
use stepwell_script::js::{ConsoleLevel, Fixed, Grants};

use crate::kit::{POOL, SCRIPTS, console, error_of, options, program, run, value_of};

/// Pairs of an expression and its value.
async fn check(expectations: &[(&str, Value)]) {
    let list: Vec<String> =
        expectations.iter().map(|(expression, _)| format!("() => ({expression})")).collect();
    let text = format!(
        "export default async () => {{ const found = []; for (const f of [{}]) found.push((await f()) ?? null); return found; }};",
        list.join(",\n")
    );
    let found = run(&text).await;
    for ((expression, expected), found) in expectations.iter().zip(found.as_array().unwrap()) {
        assert_eq!(found, expected, "{expression}");
    }
}

#[tokio::test]
async fn urls_are_parsed_resolved_and_changed() {
    check(&[
        ("new URL('../c?x=1#h', 'https://u:p@example.com:8080/a/b').href", json!("https://u:p@example.com:8080/c?x=1#h")),
        ("(({ protocol, username, password, host, hostname, port, pathname, search, hash, origin }) => [protocol, username, password, host, hostname, port, pathname, search, hash, origin])(new URL('https://u:p@ex.com:81/a?b#c'))",
         json!(["https:", "u", "p", "ex.com:81", "ex.com", "81", "/a", "?b", "#c", "https://ex.com:81"])),
        ("(u => (u.pathname = '/x y', u.search = 'q=ä', u.port = '443', u.hash = '', u.href))(new URL('https://ex.com:81/a#z'))", json!("https://ex.com/x%20y?q=%C3%A4")),
        ("JSON.stringify({ u: new URL('http://ÄÖ.de') })", json!("{\"u\":\"http://xn--4ca0b.de/\"}")),
        ("URL.canParse('nope')", json!(false)),
        ("URL.parse('nope')", json!(null)),
        ("`${new URL('http://a')}`", json!("http://a/")),
        ("(() => { try { new URL('nope') } catch (e) { return [e.name, e.code, e.message] } })()", json!(["TypeError", "ERR_INVALID_URL", "Invalid URL: nope"])),
    ])
    .await;
}

#[tokio::test]
async fn search_params_are_lists_that_keep_their_url_in_step() {
    check(&[
        ("new URLSearchParams('?a=1&b=%C3%A4+x&a=2').getAll('a')", json!(["1", "2"])),
        ("new URLSearchParams('b=%C3%A4+x').get('b')", json!("ä x")),
        ("new URLSearchParams({ q: 'a&b', r: 'ä' }).toString()", json!("q=a%26b&r=%C3%A4")),
        ("new URLSearchParams([['a', 1], ['a', 2]]).size", json!(2)),
        ("[...new URLSearchParams('a=1&b=2')]", json!([["a", "1"], ["b", "2"]])),
        ("(p => (p.set('a', '9'), p.append('c', '3'), p.delete('b'), p.sort(), p.toString()))(new URLSearchParams('a=1&b=2&a=3'))", json!("a=9&c=3")),
        ("(u => (u.searchParams.set('p', '1 2'), [u.href, u.search]))(new URL('http://h/?a=1'))", json!(["http://h/?a=1&p=1+2", "?a=1&p=1+2"])),
        ("(u => { const p = u.searchParams; u.search = '?z=1'; return p.get('z') })(new URL('http://h/?a=1'))", json!("1")),
        ("new URLSearchParams('a=1').has('a', '2')", json!(false)),
    ])
    .await;
}

#[tokio::test]
async fn text_is_encoded_and_decoded() {
    check(&[
        ("[...new TextEncoder().encode('aä€😀')]", json!([97, 195, 164, 226, 130, 172, 240, 159, 152, 128])),
        ("[...new TextEncoder().encode('\\ud800')]", json!([239, 191, 189])),
        ("new TextDecoder().decode(new Uint8Array([239, 187, 191, 195, 164]))", json!("ä")),
        ("new TextDecoder().decode(new Uint8Array([255, 65]))", json!("\u{fffd}A")),
        ("new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array([239, 187, 191])).length", json!(1)),
        ("(d => d.decode(new Uint8Array([226, 130]), { stream: true }) + d.decode(new Uint8Array([172])))(new TextDecoder())", json!("€")),
        ("new TextDecoder().decode(new Uint8Array([1, 97, 98, 2]).subarray(1, 3))", json!("ab")),
        ("(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])) } catch (e) { return e.name } })()", json!("TypeError")),
        ("(() => { try { new TextDecoder('latin1') } catch (e) { return e.name } })()", json!("RangeError")),
        ("new TextEncoder().encodeInto('aä', new Uint8Array(2))", json!({ "read": 1, "written": 1 })),
        ("[btoa('hi'), atob('aGk=')]", json!(["aGk=", "hi"])),
    ])
    .await;
}

#[tokio::test]
async fn values_are_cloned_deeply() {
    check(&[
        ("(o => { const c = structuredClone(o); return [c.self === c, c !== o, c.date.getTime(), c.re.flags, [...c.map], [...c.set], [...c.bytes], c.nested.list] })((() => { const o = { date: new Date(5), re: /a/gi, map: new Map([[1, { a: 2 }]]), set: new Set([3]), bytes: new Uint8Array([1, 2]), nested: { list: [undefined, null] } }; o.self = o; return o })())",
         json!([true, true, 5, "gi", [[1, { "a": 2 }]], [3], [1, 2], [null, null]])),
        ("(e => [e instanceof RangeError, e.message, e.cause.a])(structuredClone(new RangeError('m', { cause: { a: 1 } })))", json!([true, "m", 1])),
        ("structuredClone(7n) === 7n", json!(true)),
        ("(c => [c.admin ?? null, Object.hasOwn(c, '__proto__')])(structuredClone(JSON.parse('{\"__proto__\": {\"admin\": true}}')))", json!([null, true])),
        ("(() => { try { structuredClone({ f() {} }) } catch (e) { return [e.name, e instanceof DOMException] } })()", json!(["DataCloneError", true])),
        ("(() => { try { structuredClone(Symbol('x')) } catch (e) { return e.name } })()", json!("DataCloneError")),
        ("(c => [c[0] === c[1], c.length])(structuredClone((a => [a, a])({})))", json!([true, 2])),
    ])
    .await;
}

#[tokio::test]
async fn timers_fire_in_order_and_can_be_cleared() {
    let text = "export default async () => {
        const log: string[] = [];
        const late = new Promise<void>((done) => setTimeout((a, b) => { log.push('late' + a + b); done(); }, 20, 1, 2));
        setTimeout(() => log.push('early'), 1);
        const gone = setTimeout(() => log.push('gone'), 2);
        clearTimeout(gone); clearTimeout(undefined); clearTimeout(12345);
        let n = 0;
        const ticked = new Promise<void>((done) => {
          const ticks = setInterval(() => { log.push('tick'); if (++n === 3) { clearInterval(ticks); done(); } }, 2);
        });
        queueMicrotask(() => log.push('micro'));
        setImmediate(() => log.push('immediate'));
        await late; await ticked; await new Promise((done) => setTimeout(done, 10));
        return [log[0], log.filter((x) => x === 'tick').length, log.includes('gone'), log.indexOf('early') < log.indexOf('late12'), log.includes('immediate')];
    };";
    assert_eq!(run(text).await, json!(["micro", 3, false, true, true]));
}

#[tokio::test]
async fn timers_want_functions_and_are_bounded() {
    let error = error_of("export default () => { setTimeout('code'); };").await;
    assert!(error.message.contains("function"), "{error}");
    let error = error_of(
        "export default () => { for (let n = 0; n < 10_001; n++) setTimeout(() => {}, 1e6); };",
    )
    .await;
    assert!(error.message.contains("10000 timers"), "{error}");
}

#[tokio::test]
async fn an_abort_is_told_to_listeners_once() {
    let text = "export default async () => {
        const c = new AbortController(); const heard: any[] = [];
        c.signal.addEventListener('abort', (e) => heard.push(e.type), { once: true });
        c.signal.addEventListener('abort', { handleEvent: () => heard.push('object') });
        c.signal.onabort = () => heard.push('on');
        const any = AbortSignal.any([new AbortController().signal, c.signal]);
        const gone = () => heard.push('gone');
        c.signal.addEventListener('abort', gone); c.signal.removeEventListener('abort', gone);
        c.abort(new Error('why')); c.abort('again');
        const timeout = AbortSignal.timeout(2);
        await new Promise((done) => timeout.addEventListener('abort', done));
        let thrown; try { timeout.throwIfAborted() } catch (e) { thrown = e.name }
        return [heard, c.signal.aborted, c.signal.reason.message, any.aborted, any.reason.message, AbortSignal.abort().reason.name, thrown];
    };";
    assert_eq!(
        run(text).await,
        json!([["on", "abort", "object"], true, "why", true, "why", "AbortError", "TimeoutError"])
    );
    let error = error_of("export default () => new AbortSignal();").await;
    assert!(error.message.contains("AbortController"), "{error}");
}

#[tokio::test]
async fn events_reach_their_targets() {
    check(&[(
        "(() => { const t = new EventTarget(), seen = []; t.addEventListener('x', e => { seen.push(e.type, e.target === t); e.preventDefault() }); return [t.dispatchEvent(new Event('x', { cancelable: true })), seen] })()",
        json!([false, ["x", true]]),
    )])
    .await;
}

#[tokio::test]
async fn randomness_is_there() {
    check(&[
        ("/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())", json!(true)),
        ("crypto.randomUUID() !== crypto.randomUUID()", json!(true)),
        ("(a => (crypto.getRandomValues(a), a.some(x => x !== 0)))(new Uint32Array(16))", json!(true)),
        ("(() => { try { crypto.getRandomValues(new Uint8Array(65537)) } catch (e) { return e.name } })()", json!("QuotaExceededError")),
        ("(() => { try { crypto.getRandomValues(new Float64Array(1)) } catch (e) { return e.name } })()", json!("TypeMismatchError")),
        ("(x => x >= 0 && x < 1)(Math.random())", json!(true)),
    ])
    .await;
    assert_ne!(value_of("Math.random()").await, value_of("Math.random()").await, "calls differ");
}

#[tokio::test]
async fn dates_are_dates() {
    check(&[
        ("new Date(2020, 0, 1) instanceof Date", json!(true)),
        ("(before => before <= new Date().getTime() && new Date().getTime() <= Date.now())(Date.now())", json!(true)),
        ("Date.now() > 1.7e12", json!(true)),
        ("typeof Date()", json!("string")),
        ("new Date('2026-11-16T10:00:00Z').toJSON()", json!("2026-11-16T10:00:00.000Z")),
        (
            "[Date.name, Date.length, Date.UTC(1970, 0, 2), Date.parse('1970-01-01T00:00:01Z')]",
            json!(["Date", 7, 86_400_000, 1000]),
        ),
        ("new (class Day extends Date { week() { return this.getUTCDay() } })(0).week()", json!(4)),
        ("new Date(new Date(5)).getTime()", json!(5)),
        ("new Date(0).constructor === Date", json!(true)),
        ("performance.now() >= 0 && performance.now() < 60000", json!(true)),
    ])
    .await;
}

#[tokio::test]
async fn time_and_chance_can_be_fixed() {
    let text = "const loaded = [Date.now(), Math.random()];
        export default () => [Date.now(), new Date().toISOString(), Math.random(), Math.random(), crypto.randomUUID(), performance.now(), loaded];";
    let program = program("a.ts", &[("a.ts", text)]);
    let call = async |now_ms, seed| {
        let grants = Grants { fixed: Some(Fixed { now_ms, seed }), ..Grants::default() };
        POOL.call(&program, options().grants(grants)).await.unwrap().unwrap()
    };
    let first = call(1_000, 7).await;
    assert_eq!(first[0], json!(1_000));
    assert_eq!(first[1], "1970-01-01T00:00:01.000Z");
    assert_ne!(first[2], first[3]);
    assert_eq!(first, call(1_000, 7).await);
    let other = call(2_000, 8).await;
    assert_ne!(first[2], other[2]);
    assert_ne!(first[4], other[4]);
    assert_eq!(
        (&first[6], &first[6][0]),
        (&other[6], &json!(0)),
        "loading does not depend on the call"
    );
    let free = POOL.call(&program, options()).await.unwrap().unwrap();
    assert!(free[6][0].as_f64().unwrap() > 1.7e12, "without it the clock is real");
}

#[tokio::test]
async fn the_console_prints_values_as_people_read_them() {
    let (grants, lines) = console();
    let text = "export default () => {
        console.log('a', 1, -0, true, null, undefined, 10n, Symbol('s'));
        console.info({ a: 'x', 'b-c': [1, 'two', { d: { e: { f: { g: 1 } } } }], f() {}, get h() { return 1 } });
        console.debug(new Map([['k', 1]]), new Set([1]), new Uint8Array([1, 2]), new Date(0), /x/g, [], {});
        console.warn('%s is %d%%, %j, %i, %o', 'oak', 99.5, { a: 1 }, '42px', 'str', 'rest');
        const o: any = {}; o.self = o; console.error(o, class Tree {}, Promise.resolve());
        console.group('outer'); console.log('in\\nside'); console.groupEnd(); console.log('out');
        console.assert(1 === 2, 'math', 3); console.assert(true); console.count(); console.count(); console.dir([1]);
        console.time('t'); console.timeEnd('t'); console.timeEnd('t');
        console.log(new Array(200).fill(0)); console.log('x'.repeat(20_000)); console.log(); console.log('lone \\ud800');
        console.log(new (class Tree { id = 1 })(), { get bad() { throw 1 } }, new Proxy({}, { ownKeys() { throw new Error('trap') } }));
    };";
    let options = options().grants(grants);
    SCRIPTS.eval_default_export("a.ts", text, &json!(null), options).await.unwrap();
    let lines = lines.lock();
    let text_of = |n: usize| lines[n].text.as_str();
    assert_eq!(text_of(0), "a 1 -0 true null undefined 10n Symbol(s)");
    assert_eq!(
        text_of(1),
        "{ a: 'x', 'b-c': [ 1, 'two', { d: { e: [Object] } } ], f: [Function: f], h: [Getter] }"
    );
    assert_eq!(
        text_of(2),
        "Map(1) { 'k' => 1 } Set(1) { 1 } Uint8Array(2) [ 1, 2 ] 1970-01-01T00:00:00.000Z /x/g [] {}"
    );
    assert_eq!(text_of(3), "oak is 99.5%, { a: 1 }, 42, 'str' rest");
    assert_eq!(text_of(4), "{ self: [Circular] } [Function: Tree] Promise { ... }");
    assert_eq!([text_of(5), text_of(6), text_of(7)], ["outer", "  in\n  side", "out"]);
    assert_eq!(
        [text_of(8), text_of(9), text_of(10), text_of(11)],
        ["Assertion failed: math 3", "default: 1", "default: 2", "[ 1 ]"]
    );
    assert!(text_of(12).starts_with("t: ") && text_of(12).ends_with("ms"));
    assert!(text_of(13).ends_with("... 100 more ]"), "{}", text_of(13));
    assert_eq!(text_of(14).len(), 20_000);
    assert_eq!([text_of(15), text_of(16)], ["", "lone \u{fffd}"]);
    assert_eq!(text_of(17), "Tree { id: 1 } { bad: [Getter] } [cannot be shown: trap]");
    let levels: Vec<ConsoleLevel> = lines.iter().take(5).map(|line| line.level).collect();
    use ConsoleLevel::{Debug, Error, Info, Warn};
    assert_eq!(levels, [Info, Info, Debug, Warn, Error]);
}

#[tokio::test]
async fn a_console_that_is_flooded_stops() {
    let (grants, lines) = console();
    let text = "export default () => { console.log('ä'.repeat(1e6)); console.log(['x'.repeat(20_000)]); for (let n = 0; n < 5000; n++) console.log(n); };";
    let options = options().grants(grants);
    SCRIPTS.eval_default_export("a.ts", text, &json!(null), options).await.unwrap();
    let lines = lines.lock();
    assert_eq!(lines.len(), 1001);
    assert!(lines[0].text.len() < 33_000 && lines[0].text.ends_with("ä..."));
    assert!(lines[1].text.ends_with("... 10006 more characters"), "{}", lines[1].text.len());
    assert!(lines[1000].text.contains("more than 1000 lines"));
}

#[tokio::test]
async fn nothing_of_the_machine_is_there() {
    check(&[
        ("['process', 'require', 'module', 'Deno', 'Bun', 'os', 'std', 'WebAssembly', 'SharedArrayBuffer', 'Atomics', 'Worker'].filter(name => name in globalThis)", json!([])),
        ("Object.keys(globalThis)", json!([])),
    ])
    .await;
}

#[tokio::test]
async fn the_page_about_globals_tells_the_truth() {
    let page = include_str!("../../../../docs/reference/javascript.md");
    let section = page.split("## Globals").nth(1).unwrap().split("## ").next().unwrap();
    let (there, absent) = section.split_once("There are no files").unwrap();
    for (text, is_there) in [(there, true), (absent, false)] {
        let names: Vec<&str> =
            text.split('`').skip(1).step_by(2).filter(|n| !n.contains("...")).collect();
        assert!(names.len() >= 3, "{names:?}");
        for name in names {
            let kind = value_of(&format!("typeof {name}")).await;
            assert_eq!(kind != "undefined", is_there, "{name} is {kind}");
        }
    }
}

#[tokio::test]
async fn everything_that_the_types_declare_is_there() {
    let types = include_str!("../../../../sdk/globals.d.ts");
    let declared = types.lines().filter_map(|line| {
        let rest = line.strip_prefix("declare var ").or(line.strip_prefix("declare function "))?;
        rest.split(['<', '(', ':']).next()
    });
    let declared: Vec<&str> = declared.collect();
    assert!(declared.len() > 25, "{declared:?}");
    for name in declared {
        assert_ne!(value_of(&format!("typeof {name}")).await, "undefined", "{name}");
    }
    let section = types.split("interface Console {").nth(1).unwrap().split('}').next().unwrap();
    for name in section.lines().filter_map(|line| line.trim().split_once('(')).map(|(name, _)| name)
    {
        assert_eq!(value_of(&format!("typeof console.{name}")).await, "function", "{name}");
    }
}

#[tokio::test]
async fn the_network_is_off_unless_it_is_granted() {
    let error = error_of("export default () => fetch('http://127.0.0.1:1/');").await;
    assert_eq!(error.kind, ErrorKind::Thrown);
    assert!(error.message.contains("not granted"), "{error}");
}
