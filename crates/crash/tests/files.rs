//! Kills a real process that runs TypeScript files, at random moments, while their steps have effects outside; proves
//! that every run ends and that no step runs again whose result is recorded. The file is edited on the way.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;
use stepwell::sequence::{StepRecord, TsOptions, records};
use stepwell::{Engine, RunQuery, RunStatus};

const KILLS: u64 = 12;
const RUNS_EACH: u64 = 6;

/// What was asked for, in order: a run and a step.
type Effects = Arc<Mutex<Vec<String>>>;

/// Counts effects; each gets its number as the answer.
fn outside() -> (String, Effects) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let effects = Effects::default();
    let kept = effects.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let kept = kept.clone();
            std::thread::spawn(move || answer(stream, &kept));
        }
    });
    (url, effects)
}

fn answer(mut stream: TcpStream, effects: &Effects) {
    let mut request = Vec::new();
    let mut part = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut part) {
            Ok(n) if n > 0 => request.extend_from_slice(&part[..n]),
            // The process was killed while it asked.
            _ => return,
        }
    }
    let text = String::from_utf8_lossy(&request).into_owned();
    let what = text.split_whitespace().nth(1).unwrap_or_default().to_owned();
    let number = {
        let mut effects = effects.lock().unwrap();
        effects.push(what);
        effects.len()
    };
    let body = number.to_string();
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
}

/// The same steps in every version; the text differs.
fn write_workflow(dir: &Path, url: &str, version: u64) {
    let text = format!(
        "// version {version}
import {{ branch, delayStep, forEach, loop, parallel }} from 'stepwell';
const effect = async (runId: string, step: string): Promise<number> => {{
  const response = await fetch(`{url}/${{runId}}/${{step}}`);
  return response.json();
}};
const one = ({{ runId }}: any) => effect(runId, 'one');
const left = ({{ runId }}: any) => effect(runId, 'left');
const right = ({{ runId }}: any) => effect(runId, 'right');
const work = ({{ runId, index }}: any) => effect(runId, `work-${{index}}`);
const turn = ({{ runId, iteration }}: any) => effect(runId, `turn-${{iteration}}`);
const last = ({{ runId }}: any) => effect(runId, 'last');
export const steps = [
  one,
  parallel({{ name: 'both', steps: [left, right] }}),
  delayStep({{ name: 'nap', milliseconds: 20 }}),
  forEach({{ name: 'each', items: () => [1, 2, 3], concurrency: 2, steps: work }}),
  branch({{ name: 'fork', if: ({{ input }}: any) => input % 2 === 0, then: loop({{ name: 'turns', body: [turn], until: ({{ iteration }}: any) => iteration === 2 }}) }}),
  last,
];
"
    );
    std::fs::create_dir_all(dir.join("workflows")).unwrap();
    std::fs::write(dir.join("workflows/torn.ts"), text).unwrap();
}

fn spawn(dir: &Path, n_runs: u64, more: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_stepwell-crash-files"))
        .arg(dir)
        .arg(n_runs.to_string())
        .args(more)
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(dir.join("told")).unwrap())
        .spawn()
        .unwrap()
}

fn told(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("told")).unwrap_or_default()
}

#[tokio::test]
async fn javascript_steps_that_are_recorded_never_run_again_whenever_the_process_is_killed() {
    let dir = tempfile::tempdir().unwrap();
    let (url, effects) = outside();
    for kill in 1..=KILLS {
        // Runs of several versions are under way at the same time.
        write_workflow(dir.path(), &url, kill / 4);
        let mut victim = spawn(dir.path(), kill * RUNS_EACH, &[]);
        let n_before = effects.lock().unwrap().len();
        let goal = n_before + usize::try_from(kill * 7 % 40).unwrap() + 1;
        let until = Instant::now() + Duration::from_secs(60);
        // Killed in the middle of work, however slow the machine is.
        while effects.lock().unwrap().len() < goal && Instant::now() < until {
            assert!(
                victim.try_wait().unwrap().is_none(),
                "it ended by itself: {}",
                told(dir.path())
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
    }
    let mut last = spawn(dir.path(), KILLS * RUNS_EACH, &["finish"]);
    let until = Instant::now() + Duration::from_secs(300);
    let status = loop {
        match last.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() > until => {
                last.kill().unwrap();
                panic!("not every run ended: {}", told(dir.path()));
            }
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    assert!(status.success(), "{}", told(dir.path()));
    let effects = effects.lock().unwrap().clone();
    check(dir.path(), &effects).await;
}

async fn check(dir: &Path, effects: &[String]) {
    let engine = Engine::open(dir.join("store.db")).await.unwrap();
    let _files = engine.files(TsOptions::default()).unwrap();
    let page = engine.query(RunQuery { limit: 1_000, ..RunQuery::default() }).await.unwrap();
    assert_eq!(page.runs.len() as u64, KILLS * RUNS_EACH);
    // The last number that each effect got.
    let mut lasts: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, what) in effects.iter().enumerate() {
        lasts.insert(what, n + 1);
    }
    let mut n_checked = 0;
    for row in page.runs {
        assert_eq!(row.status, RunStatus::Completed, "{}", row.run);
        let state = engine.get(row.run).await.unwrap().state().await.unwrap().state;
        let workflow = engine.workflow_of(state.started.as_ref().unwrap()).await.unwrap().unwrap();
        let plan = stepwell::sequence::Plan::of(&workflow).unwrap();
        let mut left: Vec<StepRecord> = records(&plan, &state);
        while let Some(record) = left.pop() {
            left.extend(record.steps.clone());
            let is_effect =
                ["one", "left", "right", "work", "turn", "last"].contains(&record.name.as_str());
            let Some(Ok(Value::Number(number))) =
                record.result.as_ref().filter(|_| is_effect).map(|result| result.to())
            else {
                continue;
            };
            let step = match record.number {
                Some(n) => format!("{}-{n}", record.name),
                None => record.name.clone(),
            };
            let what = format!("/{}/{step}", row.run);
            let recorded = usize::try_from(number.as_u64().unwrap()).unwrap();
            assert_eq!(
                lasts.get(what.as_str()),
                Some(&recorded),
                "{what} ran again after it was recorded"
            );
            n_checked += 1;
        }
    }
    assert!(n_checked as u64 >= KILLS * RUNS_EACH * 7, "{n_checked} effects were compared");
    println!("{} effects, {n_checked} of them recorded", effects.len());
    engine.shutdown().await;
}
