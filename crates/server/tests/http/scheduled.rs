//! Schedules.

use serde_json::{Value, json};

use crate::kit::{PATIENCE, Running, start, start_in};

async fn until(server: &Running, name: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    let begun = std::time::Instant::now();
    loop {
        let seen = server.get(&format!("/api/schedules/{name}")).await.json();
        if wanted(&seen) {
            return seen;
        }
        assert!(begun.elapsed() < PATIENCE, "it did not come: {seen:#}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_schedule_is_made_shown_changed_and_removed() {
    let server = start().await;
    let wish = json!({ "workflow": "echo", "input": 1, "cron": "0 9 * * MON-FRI", "time_zone": "Europe/Berlin" });
    let made = server.put("/api/schedules/morning", wish).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.json()["next_at"].as_array().unwrap().len(), 5);
    let wish = json!({ "workflow": "echo", "input": 2, "cron": "0 9 * * MON-FRI", "paused": true });
    let changed = server.put("/api/schedules/morning", wish).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_eq!(changed.json()["next_at"], json!([]), "nothing comes while it is paused");
    assert_eq!(changed.json()["created_at"], made.json()["created_at"]);
    assert_eq!(server.get("/api/schedules").await.json()["schedules"][0]["name"], "morning");
    assert_eq!(server.delete("/api/schedules/morning").await.status, 204);
    assert_eq!(server.get("/api/schedules/morning").await.problem(), "unknown_schedule");
    let times = server.get("/api/schedule-times?cron=@hourly&n=3").await.json();
    assert_eq!(times["next_at"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn runs_start_by_the_clock_one_per_time() {
    let server = start().await;
    let wish = json!({ "workflow": "echo", "input": "tick", "interval_ms": 1_000, "labels": { "team": "red" } });
    server.put("/api/schedules/tick", wish).await;
    let seen = until(&server, "tick", |schedule| schedule["n_started"] == 2).await;
    server.delete("/api/schedules/tick").await;
    let runs = server.get("/api/runs?label=schedule=tick&label=team=red").await.json();
    let runs = runs["runs"].as_array().unwrap();
    assert!(runs.len() >= 2);
    assert!(runs.iter().any(|run| run["run_id"] == seen["last_run"]));
}

#[tokio::test]
async fn an_overlap_is_skipped_queued_or_allowed() {
    let server = start().await;
    for overlap in ["skip", "queue", "allow"] {
        let wish = json!({ "workflow": "listener", "interval_ms": 1_000, "overlap": overlap });
        let made = server.put(&format!("/api/schedules/{overlap}"), wish).await;
        assert_eq!(made.status, 201, "{}", made.text);
    }
    let allowed =
        until(&server, "allow", |schedule| schedule["n_started"].as_u64() >= Some(3)).await;
    assert_eq!(allowed["n_skipped"], 0);
    let skipped =
        until(&server, "skip", |schedule| schedule["n_skipped"].as_u64() >= Some(1)).await;
    assert_eq!(skipped["n_started"], 1);
    let queued =
        until(&server, "queue", |schedule| schedule["n_skipped"].as_u64() >= Some(1)).await;
    assert_eq!(queued["n_started"], 1);
    // When the run ends, the one that waits begins, without waiting for the next time.
    let run = queued["last_run"].as_str().unwrap().to_owned();
    server.post(&format!("/api/runs/{run}/messages"), json!({ "name": "go", "body": 1 })).await;
    server.wait(&run).await;
    let next = until(&server, "queue", |schedule| schedule["n_started"] == 2).await;
    assert_ne!(next["last_run"], run.as_str());
    for overlap in ["skip", "queue", "allow"] {
        server.delete(&format!("/api/schedules/{overlap}")).await;
    }
}

#[tokio::test]
async fn times_that_passed_while_the_server_was_down_are_caught_up_with_once() {
    let server = start().await;
    for catch_up in ["last", "all"] {
        let wish = json!({ "workflow": "echo", "interval_ms": 1_000, "catch_up": catch_up, "overlap": "allow" });
        server.put(&format!("/api/schedules/{catch_up}"), wish).await;
    }
    until(&server, "all", |schedule| schedule["n_started"] == 1).await;
    let dir = server.stop().await;
    // Down for some of its times; only real time makes a time pass.
    tokio::time::sleep(std::time::Duration::from_millis(3_100)).await;
    let server = start_in(dir, |_| {}).await;
    let all = until(&server, "all", |schedule| schedule["n_started"].as_u64() >= Some(4)).await;
    assert_eq!(all["n_skipped"], 0);
    for name in ["last", "all"] {
        server.delete(&format!("/api/schedules/{name}")).await;
    }
    let runs = server.get("/api/runs?label=schedule=all").await.json();
    let n_runs = runs["runs"].as_array().unwrap().len() as u64;
    let seen = all["n_started"].as_u64().unwrap();
    assert!(n_runs >= seen && n_runs <= seen + 2, "{n_runs} runs for {seen} starts: none twice");
}
