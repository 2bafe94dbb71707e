//! Laws about logs.

use std::sync::Arc;

use stepwell_journal::{Location, UnixMillis};
use stepwell_store::{Commit, Forget, LogLevel, LogLine, LogQuery, PAGE_ROWS_MAX, Store};

use crate::kit::{Owner, START, completed, json, run_id, step};

fn line(n: u64, level: LogLevel, location: &str) -> LogLine {
    LogLine {
        at: UnixMillis(START.0 + n),
        level,
        location: Location::from_text(location),
        message: format!("line {n}"),
        fields: json(r#"{"n": 1}"#),
    }
}

async fn write(owner: &Owner, seq: u64, logs: Vec<LogLine>) {
    owner.store.commit(Commit { logs, ..owner.commit_of(1, vec![step(seq)]) }).await.unwrap();
}

async fn read(owner: &Owner, query: LogQuery) -> Vec<String> {
    let page = owner.store.logs(query).await.unwrap();
    page.lines.into_iter().map(|line| line.message).collect()
}

pub async fn log_lines_come_back_in_order_and_whole(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start(2).await;
    let lines = vec![
        line(1, LogLevel::Debug, ""),
        line(2, LogLevel::Error, "a/~0/b"),
        LogLine { message: "zwölf \0 🦀\n".to_owned(), ..line(3, LogLevel::Warn, "ä") },
    ];
    write(&owner, 1, lines[..1].to_vec()).await;
    write(&owner, 2, lines[1..].to_vec()).await;
    let page = owner.store.logs(LogQuery::of(run_id(1))).await.unwrap();
    assert_eq!(page.lines, lines);
    assert_eq!(page.next, None);
    assert!(owner.store.logs(LogQuery::of(run_id(2))).await.unwrap().lines.is_empty());
    assert!(owner.store.logs(LogQuery::of(run_id(3))).await.unwrap().lines.is_empty());
}

pub async fn logs_come_in_pages(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    for seq in 1..=7 {
        write(&owner, seq, vec![line(seq, LogLevel::Info, "a")]).await;
    }
    let mut query = LogQuery { limit: 3, ..LogQuery::of(run_id(1)) };
    let mut pages = Vec::new();
    loop {
        let page = owner.store.logs(query.clone()).await.unwrap();
        pages.push(page.lines.len());
        query.after = page.next;
        if page.next.is_none() {
            break;
        }
        // Lines that come while somebody reads stand at the end.
        write(&owner, 7 + pages.len() as u64, vec![line(9, LogLevel::Info, "a")]).await;
    }
    assert_eq!(pages, [3, 3, 3]);
    let all = LogQuery { limit: usize::MAX, ..LogQuery::of(run_id(1)) };
    let many = (0..PAGE_ROWS_MAX as u64).map(|n| line(n, LogLevel::Info, "b")).collect();
    write(&owner, 10, many).await;
    assert_eq!(read(&owner, all).await.len(), PAGE_ROWS_MAX);
    assert_eq!(read(&owner, LogQuery::of(run_id(1))).await.len(), 200);
}

pub async fn a_log_is_followed_from_its_end(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    for level_min in [LogLevel::Debug, LogLevel::Warn] {
        let mut query = LogQuery { level_min, limit: 2, ..LogQuery::of(run_id(1)) };
        let page = owner.store.logs(query.clone()).await.unwrap();
        assert_eq!((page.lines.len(), page.next), (0, None));
        assert_eq!(page.end, 0);
        query.after = Some(page.end);
        let first_seq = owner.row(1).await.next_seq.0;
        let mut seen = Vec::new();
        let mut written = Vec::new();
        for round in 0..4 {
            let levels = [LogLevel::Warn, LogLevel::Info, LogLevel::Error, LogLevel::Debug];
            let lines = levels.iter().zip(0..).map(|(level, n)| line(round * 4 + n, *level, "a"));
            let lines: Vec<_> = lines.collect();
            let wanted = lines.iter().filter(|line| line.level >= level_min);
            written.extend(wanted.map(|line| line.message.clone()));
            write(&owner, first_seq + round, lines).await;
            loop {
                let page = owner.store.logs(query.clone()).await.unwrap();
                seen.extend(page.lines.into_iter().map(|line| line.message));
                assert!(page.next.is_none_or(|next| next == page.end));
                assert!(query.after < Some(page.end));
                query.after = Some(page.end);
                if page.next.is_none() {
                    break;
                }
            }
            // There is nothing more, and the place stays.
            let page = owner.store.logs(query.clone()).await.unwrap();
            assert_eq!((page.lines.len(), page.next, Some(page.end)), (0, None, query.after));
        }
        assert_eq!(seen, written);
        // The next round begins with an empty log.
        owner.commit(1, vec![completed(first_seq + 4)]).await;
        owner.store.forget(Forget::runs(vec![run_id(1)])).await.unwrap();
        owner.start(1).await;
    }
    let unknown = LogQuery { after: Some(7), ..LogQuery::of(run_id(2)) };
    assert_eq!(owner.store.logs(unknown).await.unwrap().end, 7);
}

pub async fn logs_are_filtered_by_level(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let levels = [LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error];
    write(&owner, 1, levels.iter().zip(1..).map(|(level, n)| line(n, *level, "a")).collect()).await;
    for (level, n_lines) in levels.into_iter().zip([4, 3, 2, 1]) {
        let query = LogQuery { level_min: level, ..LogQuery::of(run_id(1)) };
        assert_eq!(read(&owner, query).await.len(), n_lines);
    }
    let query = LogQuery { level_min: LogLevel::Warn, limit: 1, ..LogQuery::of(run_id(1)) };
    let page = owner.store.logs(query.clone()).await.unwrap();
    assert_eq!(page.lines[0].message, "line 3");
    assert_eq!(read(&owner, LogQuery { after: page.next, ..query }).await, ["line 4"]);
}

pub async fn logs_are_filtered_by_location_and_what_stands_below(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let locations = ["", "a", "a/b", "a/b/c", "ab", "a%", "b", "A/b"];
    let lines = locations.iter().zip(1..).map(|(at, n)| line(n, LogLevel::Info, at)).collect();
    write(&owner, 1, lines).await;
    let read = |at: &str| {
        let location = Some(Location::from_text(at));
        read(&owner, LogQuery { location, ..LogQuery::of(run_id(1)) })
    };
    assert_eq!(read("a").await, ["line 2", "line 3", "line 4"]);
    assert_eq!(read("a/b").await, ["line 3", "line 4"]);
    assert_eq!(read("a%").await, ["line 6"]);
    assert_eq!(read("").await.len(), locations.len());
    assert!(read("c").await.is_empty());
}
