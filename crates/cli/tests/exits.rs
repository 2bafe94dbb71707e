//! How commands end, and what they say when they cannot do what they were asked for.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod kit;

use expect_test::expect;
use kit::{Ran, TestServer, ran, stepwell};
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn outcomes_of_runs_are_exit_codes() {
    let server = TestServer::start().await;
    let done = server.run(&["start", "double", "--input", "1", "--wait"]).await;
    assert_eq!((done.code, done.stdout.as_str()), (0, "2\n"), "{done:?}");
    let failed = server.run(&["start", "broken", "--id", "b", "--wait"]).await;
    assert_eq!((failed.code, failed.stdout.as_str()), (1, ""), "{failed:?}");
    assert!(
        failed.stderr.contains(": `second` failed critically: it is broken\nhint: "),
        "{failed:?}"
    );
    let late = server.run(&["start", "long", "--id", "l", "--wait", "--timeout", "200ms"]).await;
    assert_eq!((late.code, late.stdout.as_str()), (4, ""), "{late:?}");
    assert!(late.stderr.contains("hint: wait again with `stepwell run wait "), "{late:?}");
    assert_eq!(server.run(&["run", "cancel", "l", "--reason", "enough"]).await.code, 0);
    let cancelled = server.run(&["run", "wait", "l"]).await;
    assert_eq!((cancelled.code, cancelled.stdout.as_str()), (3, ""), "{cancelled:?}");
    assert!(cancelled.stderr.contains("was cancelled: enough"), "{cancelled:?}");

    let failed = server.run(&["run", "wait", "b", "--json"]).await;
    assert_eq!(failed.code, 1);
    assert_eq!(failed.document()["error"]["message"], "it is broken");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_server_refuses_is_told_with_a_hint() {
    let server = TestServer::start().await;
    let ended = server.run(&["start", "double", "--id", "done", "--input", "1", "--wait"]).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    let waiting = server.started(&["word", "--id", "waits"]).await;
    let cases: &[(i32, &[&str])] = &[
        (5, &["run", "show", "nobody"]),
        (5, &["run", "wait", "nobody"]),
        (5, &["run", "logs", "nobody", "--follow"]),
        (5, &["run", "show", ""]),
        (5, &["run", "show", ".."]),
        (5, &["start", "nothing"]),
        (5, &["workflow", "show", "a/b"]),
        (5, &["schedule", "delete", "nothing"]),
        (5, &["token", "revoke", "nobody"]),
        (5, &["run", "entries", "done", "--location", "nowhere"]),
        (5, &["run", "replay", "done", "--from", "nowhere"]),
        (6, &["start", "double", "--input", "\"one\""]),
        (6, &["start", "double"]),
        (6, &["start", "double", "--input", "1", "--id", "done"]),
        (6, &["run", "cancel", "done"]),
        (6, &["run", "send", "done", "word"]),
        (6, &["run", "resume", "done"]),
        (6, &["run", "resume", "waits"]),
        (6, &["run", "delete", "waits"]),
        (6, &["run", "list", "--cursor", "nonsense"]),
        (6, &["schedule", "next", "--cron", "every day"]),
        (
            6,
            &[
                "schedule",
                "put",
                "s",
                "--workflow",
                "double",
                "--input",
                "1",
                "--cron",
                "* * * * *",
                "--time-zone",
                "Mars/Base",
            ],
        ),
        (4, &["run", "send", "waits", "other", "--answer-within", "100ms"]),
    ];
    let mut told = String::new();
    for (code, args) in cases {
        let Ran { code: found, stdout, stderr } = server.run(args).await;
        assert_eq!((found, stdout.as_str()), (*code, ""), "{args:?}: {stderr}");
        let lines: Vec<&str> = stderr.lines().collect();
        assert!(lines[0].starts_with("error: "), "{args:?}: {stderr}");
        assert!(lines.last().unwrap().starts_with("hint: "), "{args:?}: {stderr}");
        told.push_str(&format!("$ {}\n{stderr}", args.join(" ")));
    }
    // How far the run has come by now is a matter of chance.
    let told = told
        .replace(&waiting, "WAITS")
        .replace("(running)", "(pending)")
        .replace("(waiting)", "(pending)");
    expect![[r#"
        $ run show nobody
        error: there is no run `nobody` in this namespace
        hint: `stepwell run list` shows those there are; see --namespace, too
        $ run wait nobody
        error: there is no run `nobody` in this namespace
        hint: `stepwell run list` shows those there are; see --namespace, too
        $ run logs nobody --follow
        error: there is no run `nobody` in this namespace
        hint: `stepwell run list` shows those there are; see --namespace, too
        $ run show 
        error: an id or a name is empty, or only dots
        hint: give it as the lists print it, such as `stepwell run list`
        $ run show ..
        error: an id or a name is empty, or only dots
        hint: give it as the lists print it, such as `stepwell run list`
        $ start nothing
        error: there is no workflow `nothing` in namespace `default`
        hint: `stepwell workflow list` shows those there are; see --namespace, too
        $ workflow show a/b
        error: there is no workflow `a/b` in this namespace
        hint: `stepwell workflow list` shows those there are; see --namespace, too
        $ schedule delete nothing
        error: there is no schedule `nothing` in this namespace
        hint: `stepwell schedule list` shows those there are; see --namespace, too
        $ token revoke nobody
        error: there is no token `nobody` in this namespace
        hint: `stepwell token list` shows those there are; see --namespace, too
        $ run entries done --location nowhere
        error: the run has no entry at `nowhere`
        hint: `stepwell run show` prints the entries of a run
        $ run replay done --from nowhere
        error: run 8f23722d-b4d9-57af-b725-40b35e303e7d has no entry at `nowhere`
        hint: `stepwell run show` prints the entries of a run
        $ start double --input "one"
        error: the input does not fit workflow `double`: invalid type: string "one", expected u64
        hint: `stepwell workflow show NAME` prints what it takes
        $ start double
        error: the input does not fit workflow `double`: invalid type: null, expected u64
        hint: `stepwell workflow show NAME` prints what it takes
        $ start double --input 1 --id done
        error: run 8f23722d-b4d9-57af-b725-40b35e303e7d exists already
        hint: give another --id, or use --key if the same run is meant
        $ run cancel done
        error: run 8f23722d-b4d9-57af-b725-40b35e303e7d has ended already (completed)
        hint: `stepwell problem run_ended` says more
        $ run send done word
        error: run 8f23722d-b4d9-57af-b725-40b35e303e7d has ended (completed)
        hint: `stepwell problem run_ended` says more
        $ run resume done
        error: run 8f23722d-b4d9-57af-b725-40b35e303e7d completed: there is nothing to recover
        hint: do it again from one entry on with `stepwell run replay ID --from LOCATION`
        $ run resume waits
        error: run WAITS has not ended (pending)
        hint: `stepwell run cancel` ends it, `stepwell run wait` waits for it
        $ run delete waits
        error: run `waits` stays: it has not ended (pending)
        hint: `stepwell run cancel` ends it, `stepwell run wait` waits for it
        $ run list --cursor nonsense
        error: `cursor`: give the `next_cursor` of the page before, as it was
        hint: `stepwell problem invalid_request` says more
        $ schedule next --cron every day
        error: `cron`: Invalid pattern: Pattern must have between 5 and 7 fields.: give five fields such as `0 9 * * MON-FRI`, or six with seconds first
        hint: `stepwell problem invalid_request` says more
        $ schedule put s --workflow double --input 1 --cron * * * * * --time-zone Mars/Base
        error: `time_zone`: `Mars/Base` is not a time zone: give one such as Europe/Berlin
        hint: `stepwell problem invalid_request` says more
        $ run send waits other --answer-within 100ms
        error: run WAITS had not answered `other` after 100 ms
        hint: `stepwell problem answer_timed_out` says more
    "#]].assert_eq(&told);

    let refused = server.run(&["start", "double", "--input", "\"one\"", "--json"]).await;
    let error: serde_json::Value = serde_json::from_str(&refused.stderr).unwrap();
    assert_eq!(
        (&error["exit_code"], &error["problem"]["code"]),
        (&json!(6), &json!("invalid_input"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_line_that_makes_no_sense_does_nothing() {
    let server = TestServer::start().await;
    let cases: &[&[&str]] = &[
        &[],
        &["fly"],
        &["start"],
        &["start", "double", "--inptu", "1"],
        &["start", "double", "--input", "one"],
        &["start", "double", "--input", "@nowhere.json"],
        &["start", "double", "--input", "1", "--label", "x"],
        &["start", "double", "--input", "1", "--label", "x=1", "--label", "x=2"],
        &["start", "double", "--input", "1", "--start-at", "tomorrow"],
        &["start", "double", "--input", "1", "--deadline", "-5m"],
        &["start", "double", "--input", "1", "--timeout", "5s"],
        &["run", "list", "--status", "asleep"],
        &["run", "list", "--limit", "0"],
        &["run", "list", "--limit", "5000"],
        &["run", "list", "--all", "--cursor", "x"],
        &["run", "replay", "x"],
        &["run", "replay", "x", "--from", "y", "--timeout", "5s"],
        &["run", "resume", "x", "--timeout", "5s"],
        &["run", "show", "x", "--at", "-1"],
        &["run", "send", "x", "word", "--body", "{"],
        &["schedule", "put", "s", "--workflow", "double"],
        &["schedule", "put", "s", "--workflow", "double", "--cron", "x", "--every", "1h"],
        &["schedule", "put", "s", "--workflow", "double", "--every", "1h", "--time-zone", "UTC"],
        &["schedule", "next"],
        &["token", "create", "x"],
        &["token", "create", "x", "--scope", "root"],
        &["completions", "tcsh"],
        &["run", "list", "--server", "localhost:7070"],
        &["serve", "--listen", "7070"],
        &["serve", "--admin-token", "secret"],
        &["serve", "--keep-completed", "a while"],
    ];
    for args in cases {
        let ran = server.run(args).await;
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {ran:?}");
        assert!(!ran.stderr.is_empty(), "{args:?}");
    }
    let list = server.json(&["run", "list"]).await;
    assert_eq!(list["runs"], json!([]), "nothing was started");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_is_told_from_one_that_is_none() {
    // Bound and not listened on for HTTP: the port is free again when it is dropped.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nobody = ran(stepwell(&["info", "--server", &format!("http://{free}")])).await;
    assert_eq!(nobody.code, 7, "{nobody:?}");
    assert!(nobody.stderr.contains("no server answers at"), "{nobody:?}");
    assert!(nobody.stderr.contains("hint: start one with `stepwell serve`"), "{nobody:?}");

    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    let answering = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = other.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        let page = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n<p/>";
        stream.write_all(page.as_bytes()).unwrap();
    });
    let other = ran(stepwell(&["info", "--server", &format!("http://{address}")])).await;
    answering.join().unwrap();
    assert_eq!(other.code, 8, "{other:?}");
    assert!(other.stderr.contains("hint: see whether this is a Stepwell server"), "{other:?}");

    let server = TestServer::start().await;
    let elsewhere = server.run(&["info", "--server", &format!("{}/nowhere", server.url)]).await;
    assert_eq!(elsewhere.code, 8, "{elsewhere:?}");
}

#[tokio::test]
async fn problems_are_explained_without_a_server() {
    let told = ran(stepwell(&["problem", "run_ended"])).await;
    assert_eq!(told.code, 0);
    assert!(told.stdout.starts_with("The run has ended (HTTP status 409)\n\n"), "{told:?}");
    let all = ran(stepwell(&["problem", "--json"])).await;
    assert!(all.document()["problems"].as_array().unwrap().len() > 20);
    let slip = ran(stepwell(&["problem", "run_endd"])).await;
    assert_eq!(slip.code, 5);
    assert!(slip.stderr.contains("hint: did you mean `run_ended`?"), "{slip:?}");
}

#[tokio::test]
async fn shells_get_their_completions() {
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = ran(stepwell(&["completions", shell])).await;
        assert_eq!(script.code, 0, "{shell}");
        assert!(
            script.stdout.contains("stepwell") && script.stdout.contains("schedule"),
            "{shell}"
        );
    }
}

#[tokio::test]
async fn help_tells_exit_codes_and_settings_their_names() {
    let help = ran(stepwell(&["--help"])).await;
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("7  no server answers"), "{}", help.stdout);
    let help = ran(stepwell(&["serve", "--help"])).await;
    let words: Vec<&str> = help.stdout.split_whitespace().collect();
    let words = words.join(" ");
    for text in [
        "Logs and traces:",
        "[default: 127.0.0.1:7070] [env: STEPWELL_LISTEN]",
        "STEPWELL_ADMIN_TOKEN",
    ] {
        assert!(words.contains(text), "{text}: {words}");
    }
    let mut with_token = stepwell(&["--help"]);
    with_token.env("STEPWELL_TOKEN", "sw_very_secret");
    assert!(!ran(with_token).await.stdout.contains("sw_very_secret"));
}
