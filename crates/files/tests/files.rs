//! Files as workflows of an engine: registered, kept, watched.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use stepwell_engine::StartError;
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_files::{FILES_MAX, Registry, Reloaded, WaitRunError, WorkflowFiles};
use stepwell_journal::RunStatus;
use stepwell_sequence::ts::TsOptions;
use stepwell_store_postgres::testkit;

fn write(dir: &Path, path: &str, text: &str) {
    let path = dir.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

async fn test_engine() -> TestEngine {
    TestEngine::with(testkit::chosen_store().await, TestOptions::default()).await
}

fn files(engine: &TestEngine) -> WorkflowFiles {
    WorkflowFiles::new(engine, TsOptions::default()).unwrap()
}

/// A workflow that says its version before and after a wait, by way of an imported file.
fn versioned(dir: &Path, version: &str) {
    write(dir, "lib/version.ts", &format!("export const version = '{version}';"));
    write(
        dir,
        "flow.ts",
        "import { delayStep } from 'stepwell';
         import { version } from './lib/version';
         function before() { return version; }
         function after({ steps }: any) { return [steps.before.result, version]; }
         export const steps = [before, delayStep({ name: 'rest', hours: 1 }), after];",
    );
}

#[tokio::test]
async fn runs_finish_on_the_code_that_they_began_with_after_an_edit_and_a_restart() {
    let dir = tempfile::tempdir().unwrap();
    let mut engine = test_engine().await;
    versioned(dir.path(), "one");
    let first = files(&engine).register_file(dir.path().join("flow.ts")).await.unwrap();
    let old = engine.start("flow", &Value::Null).await.unwrap().id();
    engine.settle().await;
    // Only an imported file changes; the new process knows the new text alone.
    versioned(dir.path(), "two");
    engine.crash().await;
    let second = files(&engine).register_file(dir.path().join("flow.ts")).await.unwrap();
    assert_ne!(first[0].version, second[0].version);
    let new = engine.start("flow", &Value::Null).await.unwrap();
    let old = engine.get(old).await.unwrap();
    assert_eq!(engine.wait::<Value>(&old).await.unwrap(), json!(["one", "one"]));
    assert_eq!(engine.wait::<Value>(&new).await.unwrap(), json!(["two", "two"]));
    assert_eq!(old.row().await.unwrap().version, first[0].version);
}

#[tokio::test]
async fn a_folder_is_registered_whole_and_bad_files_keep_none_from_it() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "a.ts",
        "import { workflow } from 'stepwell';\nexport const steps = [workflow('b')];",
    );
    write(dir.path(), "sub/b.ts", "import { tell } from '../lib';\nexport const steps = [tell];");
    write(dir.path(), "lib.ts", "export function tell() { return 'b'; }");
    write(dir.path(), "types.d.ts", "export type A = 1;");
    write(dir.path(), "node_modules/x/index.ts", "export const steps = [];");
    write(dir.path(), "bad.ts", "export const steps = [\n  1 +\n];");
    write(
        dir.path(),
        "twin.ts",
        "export const name = 'a';\nexport const steps = [function x() {}];",
    );
    let engine = test_engine().await;
    let files = files(&engine);
    let Reloaded { registered, failed, .. } = files.register_directory(dir.path()).await.unwrap();
    let mut names: Vec<&str> = registered.iter().map(|(_, one)| one.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["a", "b"], "{failed:?}");
    let said: Vec<String> = failed.iter().map(|(_, problems)| problems.to_string()).collect();
    assert!(said.iter().any(|said| said.contains("bad.ts:3:")), "{said:?}");
    assert!(
        said.iter().any(|said| said.contains("workflow `a` of") && said.contains("already")),
        "{said:?}"
    );
    assert_eq!(files.troubles().len(), 2);
    let run = engine.start("a", &Value::Null).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "b");
}

/// Waits until something that a folder tells is so, without waiting for ever.
async fn until(
    reports: &mut tokio::sync::mpsc::UnboundedReceiver<Reloaded>,
    holds: impl Fn(&Reloaded) -> bool,
) -> Reloaded {
    tokio::time::timeout(Duration::from_secs(60), async {
        loop {
            let report = reports.recv().await.unwrap();
            if holds(&report) {
                return report;
            }
        }
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn a_watched_folder_registers_what_changes_and_keeps_the_last_good_version() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "flow.ts",
        "import { n } from './lib';\nexport const steps = [function tell() { return n; }];",
    );
    write(dir.path(), "lib.ts", "export const n = 1;");
    let engine = test_engine().await;
    let files = files(&engine);
    files.register_directory(dir.path()).await.unwrap();
    let (told, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let watching = files.clone();
    let folder = dir.path().to_owned();
    let watch =
        tokio::spawn(
            async move { watching.watch(folder, move |report| drop(told.send(report))).await },
        );
    let result = async || {
        let run = engine.start("flow", &Value::Null).await.unwrap();
        engine.wait::<Value>(&run).await.unwrap()
    };
    write(dir.path(), "new.ts", "export const steps = [function fresh() { return 'fresh'; }];");
    until(&mut reports, |report| report.registered.iter().any(|(_, one)| one.name == "new")).await;
    assert_eq!(result().await, 1);
    write(dir.path(), "lib.ts", "export const n = 22;");
    until(&mut reports, |report| report.registered.iter().any(|(_, one)| one.name == "flow")).await;
    assert_eq!(result().await, 22);
    write(dir.path(), "lib.ts", "export const n = ;");
    until(&mut reports, |report| !report.failed.is_empty()).await;
    assert_eq!(result().await, 22, "the last good version");
    let trouble = files.troubles();
    assert_eq!(trouble[0].workflows[0].name, "flow");
    assert!(trouble[0].problems.to_string().contains("lib.ts:1:"), "{:?}", trouble[0].problems);
    write(dir.path(), "lib.ts", "export const n = 333;");
    until(&mut reports, |report| report.failed.is_empty()).await;
    assert_eq!((result().await, files.troubles().len()), (json!(333), 0));
    std::fs::remove_file(dir.path().join("new.ts")).unwrap();
    until(&mut reports, |report| report.removed.iter().any(|one| one.name == "new")).await;
    assert!(matches!(
        engine.start("new", &Value::Null).await,
        Err(StartError::UnknownWorkflow { .. })
    ));
    watch.abort();
}

#[tokio::test]
async fn a_registry_lists_starts_waits_and_cancels() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "flow.ts",
        "import { z } from 'zod';\nimport { delayStep, StepError } from 'stepwell';
         export const input = z.object({ n: z.number() });
         export const description = 'counts';
         function count({ input }: any) { if (input.n < 0) throw new Error('negative'); return input.n + 1; }
         export const steps = [count, delayStep({ name: 'rest', days: 20 })];",
    );
    let engine = test_engine().await;
    let registry = Registry::new(files(&engine));
    registry.register_directory(dir.path()).await.unwrap();
    let list = registry.list();
    assert_eq!((list.len(), list[0].name.as_str(), list[0].step_count), (1, "flow", 2));
    assert_eq!(list[0].description.as_deref(), Some("counts"));
    assert_eq!(list[0].input_schema.as_ref().unwrap()["properties"]["n"]["type"], "number");

    assert!(matches!(registry.launch("flow", &json!({})).await, Err(StartError::Input(_))));
    let id = Registry::run_id("order-1");
    let started = registry.start("flow", &json!({ "n": 1 }), Some(id)).await.unwrap();
    assert_eq!((started.run_id, started.status), (id, "started"));
    let again = registry.start("flow", &json!({ "n": 1 }), Some(id)).await;
    assert!(matches!(again, Err(StartError::RunExists { .. })), "an id is never used again");
    engine.settle().await;
    let active = registry.active_runs(Some("flow")).await.unwrap();
    assert_eq!((active.len(), active[0].run), (1, id));
    assert!(registry.active_runs(Some("other")).await.unwrap().is_empty());

    // The wait's own clock is the engine's, which stands still until it is moved.
    let waiting = registry.clone();
    let waited = tokio::spawn(async move { waiting.wait("flow", id, None).await });
    while !waited.is_finished() {
        // It may not have begun to wait yet.
        tokio::time::sleep(Duration::from_millis(1)).await;
        engine.advance(Duration::from_secs(301)).await;
    }
    let error = waited.await.unwrap().unwrap_err();
    assert!(matches!(&error, WaitRunError::TimedOut { timeout_ms: 300_000, .. }));
    assert!(error.to_string().contains(&id.to_string()) && error.to_string().contains("`flow`"));
    assert!(matches!(
        registry.wait("other", id, None).await,
        Err(WaitRunError::OtherWorkflow { .. })
    ));

    registry.cancel(id, "enough").await.unwrap();
    engine.settle().await;
    let result = registry.wait("flow", id, None).await.unwrap();
    assert_eq!((result.status, result.results.len()), (RunStatus::Cancelled, 2));

    let failed = registry.launch("flow", &json!({ "n": -1 })).await.unwrap();
    engine.settle().await;
    let result = registry.wait("flow", failed.id(), Some(60_000)).await.unwrap();
    assert_eq!((result.status, result.failed_step.as_deref()), (RunStatus::Failed, Some("count")));
    assert!(result.error.unwrap().message.contains("negative"));
    assert_eq!(registry.get(failed.id()).await.unwrap().id(), failed.id());
}

#[tokio::test]
async fn a_folder_of_too_many_files_is_refused_whole() {
    let (dir, engine) = (tempfile::tempdir().unwrap(), test_engine().await);
    for n in 0..=FILES_MAX {
        std::fs::File::create(dir.path().join(format!("file{n}.ts"))).unwrap();
    }
    let refused = files(&engine).register_directory(dir.path()).await.unwrap_err();
    assert_eq!(refused.to_string(), "it has more than FILES_MAX = 10000 files");
}
