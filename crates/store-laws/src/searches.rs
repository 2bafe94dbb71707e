//! Laws about finding runs by what they are about.

use std::sync::Arc;

use stepwell_journal::{Event, Failure, FailureKind, RunStatus, UnixMillis};
use stepwell_store::{Commit, InputFilter, RowChange, RunQuery, Store};

use crate::kit::{Owner, START, change, completed, json, labels, run_id, runs, step, with};

pub(crate) fn of_input(path: &[&str], equals: &str) -> RunQuery {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    RunQuery { input: vec![InputFilter { path, equals: json(equals) }], ..RunQuery::default() }
}

pub async fn an_input_field_is_found_by_its_value(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let inputs = [
        r#"{"customer": {"id": 7, "name": "Zoë"}, "odd.\"key": [1, {"a": null}]}"#,
        r#"{"customer": {"id": "7"}, "total": 1.0}"#,
        r#"{"customer": null, "total": 1}"#,
        r#"{"customer": {"id": 70}}"#,
        r#"[1, 2]"#,
        r#""text""#,
    ];
    for (input, n) in inputs.into_iter().zip(1..) {
        owner.start_run(with(n, |new| new.started.input = json(input))).await;
    }
    assert_eq!(owner.found(of_input(&["customer", "id"], "7")).await, runs(&[1]));
    assert_eq!(owner.found(of_input(&["customer", "id"], r#""7""#)).await, runs(&[2]));
    assert_eq!(owner.found(of_input(&["customer", "name"], r#""Zoë""#)).await, runs(&[1]));
    assert_eq!(owner.found(of_input(&["customer"], "null")).await, runs(&[3]));
    assert_eq!(owner.found(of_input(&["odd.\"key"], r#"[1,{"a":null}]"#)).await, runs(&[1]));
    assert_eq!(owner.found(of_input(&["total"], "1")).await, runs(&[3, 2]));
    assert_eq!(owner.found(of_input(&[], "[1,2]")).await, runs(&[5]));
    assert_eq!(owner.found(of_input(&[], r#""text""#)).await, runs(&[6]));
    assert!(owner.found(of_input(&["customer", "id", "x"], "7")).await.is_empty());
    assert!(owner.found(of_input(&["missing"], "null")).await.is_empty());
}

pub async fn a_run_is_found_by_the_beginning_of_its_id(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in [0x10, 0x11, 0x20] {
        owner.start(n).await;
    }
    let whole = run_id(0x11).to_string();
    let found = |prefix: &str| {
        owner.found(RunQuery { id_prefix: Some(prefix.to_owned()), ..RunQuery::default() })
    };
    assert_eq!(found(&whole).await, runs(&[0x11]));
    assert_eq!(found(&whole.to_uppercase()).await, runs(&[0x11]));
    for n_chars in [0, 1, 8, 9, 13, 14, 20] {
        assert_eq!(found(&whole[..n_chars]).await, runs(&[0x20, 0x11, 0x10]), "{n_chars}");
    }
    assert_eq!(found(&whole[..35]).await, runs(&[0x11, 0x10]));
    for nonsense in ["%", "zz", "ffff", "0192 ", "'", &format!("{whole}0"), &whole[1..]] {
        assert!(found(nonsense).await.is_empty(), "{nonsense}");
    }
}

pub async fn an_input_field_is_found_by_a_path_through_arrays(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let inputs = [
        r#"{"items": [{"sku": "a", "n": 1, "gift": true, "note": null}, {"sku": "b", "n": [2.0, 3]}]}"#,
        r#"{"items": {"0": {"sku": "c"}, "01": {"sku": "d"}}}"#,
        r#"[[1, [false]], "x"]"#,
    ];
    for (input, n) in inputs.into_iter().zip(1..) {
        owner.start_run(with(n, |new| new.started.input = json(input))).await;
    }
    let found = [
        (&["items", "0", "sku"][..], r#""a""#, 1),
        (&["items", "1", "sku"], r#""b""#, 1),
        (&["items", "0", "n"], "1", 1),
        (&["items", "0", "n"], "1.0", 1),
        (&["items", "0", "gift"], "true", 1),
        (&["items", "0", "note"], "null", 1),
        (&["items", "1", "n", "0"], "2", 1),
        (&["items", "1", "n"], "[2, 3.0]", 1),
        (&["items", "1"], r#"{"n": [2, 3], "sku": "b"}"#, 1),
        (&["items", "0", "sku"], r#""c""#, 2),
        (&["items", "01", "sku"], r#""d""#, 2),
        (&["0", "1", "0"], "false", 3),
        (&["1"], r#""x""#, 3),
    ];
    for (path, equals, n) in found {
        assert_eq!(owner.found(of_input(path, equals)).await, runs(&[n]), "{path:?} {equals}");
    }
    for (path, equals) in [
        (&["items", "2", "sku"][..], "null"),
        (&["items", "00", "sku"], r#""a""#),
        (&["items", "+0", "sku"], r#""a""#),
        (&["items", "-1", "sku"], r#""b""#),
        (&["items", "sku"], r#""a""#),
        (&["items", "0", "gift"], r#""true""#),
        (&["items", "0", "gift"], "1"),
        (&["items", "0", "note"], "false"),
        (&["items", "1", "n"], "[2]"),
        (&["1", "0"], r#""x""#),
        (&["99999999999999999999999"], "1"),
    ] {
        assert!(owner.found(of_input(path, equals)).await.is_empty(), "{path:?} {equals}");
    }
}

pub async fn runs_are_found_by_a_piece_of_text(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let failure = |message: &str| Some(Failure::new(FailureKind::Critical, message));
    owner.start_run(with(1, |new| new.started.workflow = "Ship-Order".to_owned())).await;
    owner.start_as(2, change(RunStatus::Running)).await;
    let odd = "50% \"off\"\nBLUE_Äb\u{1}";
    owner.start_run(with(3, |new| new.started.labels = labels(&[("Key", odd)]))).await;
    owner.start(4).await;
    let failed = RowChange {
        failure: failure("Card\tDECLINED \\ twice"),
        description: Some("Moving the Piano".to_owned()),
        ..change(RunStatus::Failed)
    };
    let commit = Commit { row: Some(failed), ..owner.commit_of(4, vec![step(1)]) };
    owner.store.commit(commit).await.unwrap();
    owner.start_run(with(5, |new| new.started.namespace = "test".to_owned())).await;

    let asked = |text: &str| RunQuery { text: Some(text.to_owned()), ..RunQuery::default() };
    for (text, found) in [
        ("ship-", &[1][..]),
        ("SHIP-ORDER", &[1]),
        ("order", &[5, 4, 3, 2, 1]),
        ("off", &[3]),
        ("50%", &[3]),
        ("\"OFF\"\nblue_", &[3]),
        ("_Äb\u{1}", &[3]),
        ("piano", &[4]),
        ("declined", &[4]),
        ("card\tdeclined \\ TWICE", &[4]),
        ("", &[5, 4, 3, 2, 1]),
    ] {
        assert_eq!(owner.found(asked(text)).await, runs(found), "{text}");
        let query = RunQuery { namespace: Some("default".to_owned()), ..asked(text) };
        let expected: Vec<_> = found.iter().copied().filter(|n| *n != 5).collect();
        assert_eq!(owner.found(query).await, runs(&expected), "{text}");
    }
    // A label's key, the letters of an escape, another case of a letter beyond ASCII, other fields.
    for text in ["key", "u0001", "\\n", "_äb", "critical", "no such", "%o", "order ", "default"] {
        assert!(owner.found(asked(text)).await.is_empty(), "{text}");
    }
    let id = run_id(2).to_string();
    assert_eq!(owner.found(asked(&id)).await, runs(&[2]));
    assert_eq!(owner.found(asked(&id.to_uppercase())).await, runs(&[2]));
    assert_eq!(owner.found(asked(&id[..20])).await.len(), 5);
    assert!(owner.found(asked(&id[1..])).await.is_empty());
    // Pages of text go on like others.
    let mut query = RunQuery { limit: 2, ..asked("order") };
    let mut found = Vec::new();
    loop {
        let page = owner.store.query(query.clone()).await.unwrap();
        found.extend(page.runs.iter().map(|row| row.run));
        query.after = page.next;
        if page.next.is_none() {
            break;
        }
    }
    assert_eq!(found, runs(&[5, 4, 3, 2, 1]));
}

pub async fn runs_are_found_by_their_end_and_their_last_update(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=4 {
        owner.start(n).await;
    }
    let at = |at: u64| Some(UnixMillis(START.0 + at));
    for (n, ended_at) in [(1, 2_000), (2, 3_000)] {
        let event = Event { at: UnixMillis(START.0 + ended_at), ..completed(1) };
        owner.commit(n, vec![event]).await;
    }
    owner.commit(3, vec![Event { at: UnixMillis(START.0 + 5_000), ..step(1) }]).await;
    let all = RunQuery::default;
    assert_eq!(owner.found(RunQuery { ended_from: at(2_000), ..all() }).await, runs(&[2, 1]));
    assert_eq!(owner.found(RunQuery { ended_from: at(2_001), ..all() }).await, runs(&[2]));
    assert_eq!(owner.found(RunQuery { ended_before: at(3_000), ..all() }).await, runs(&[1]));
    let between = RunQuery { ended_from: at(2_500), ended_before: at(3_001), ..all() };
    assert_eq!(owner.found(between).await, runs(&[2]));
    assert_eq!(owner.found(RunQuery { updated_from: at(3_000), ..all() }).await, runs(&[3, 2]));
    assert_eq!(owner.found(RunQuery { updated_from: at(5_000), ..all() }).await, runs(&[3]));
    assert!(owner.found(RunQuery { updated_from: at(5_001), ..all() }).await.is_empty());
    assert_eq!(owner.found(RunQuery { updated_from: at(0), ..all() }).await.len(), 4);
}
