//! Flows: planning in large catalogs, script steps, fanning out, and calls of services beside a bare client.
//!
//! The sketch first. A plan should cost what it holds, not what the catalog does. A script step is one event and a few
//! microseconds of script, so it should cost what other steps cost. A call of a service costs what the call costs,
//! and two commits that others share.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use stepwell::prelude::Engine;
use stepwell_flow::{
    Catalog, Edit, FLOW_WORKFLOW, FlowHost, FlowInput, HttpOptions, HttpServices, Memo, Plan,
    PlanRequest, Scripts, StepDefinition, TokenKey, flow_workflow,
};

use crate::Outcome;
use crate::report::{Goal, Report};

/// The steps of a chain, and of a plan.
const CHAIN: usize = 10;
const N_PLANS: usize = 200;
const N_ITEMS: usize = 10_000;
const N_FLOWS: usize = 1_000;
/// Flows, or calls of the bare client, at a time.
const AT_A_TIME: usize = 64;

pub async fn flows(report: &mut Report) -> Outcome {
    planning(report)?;
    let dir = tempfile::tempdir_in(".")?;
    let engine = Engine::open(dir.path().join("bench.db")).await?;
    let host = FlowHost {
        scripts: Scripts::default(),
        services: Arc::new(HttpServices::new(HttpOptions::default())?),
        memo: Memo::default(),
        tokens: TokenKey::new([1; 32]),
        public_url: "http://127.0.0.1:1".to_owned(),
    };
    engine.register(flow_workflow(Arc::new(host)))?;
    script_steps(report, &engine).await?;
    fan_out(report, &engine).await?;
    calls(report, &engine).await?;
    engine.shutdown().await;
    Ok(())
}

fn planning(report: &mut Report) -> Outcome {
    let mut before = None;
    for n_steps in [1_000, 10_000] {
        let steps = (0..n_steps).map(|n| {
            let (chain, place) = (n / CHAIN, n % CHAIN);
            script_step(
                &format!("s{n}"),
                &format!("c{chain}a{place}"),
                &format!("c{chain}a{}", place + 1),
            )
        });
        let catalog = catalog_of(steps)?;
        let goal = format!("s{}", n_steps / 2 + CHAIN - 1);
        let first = format!("c{}a0", n_steps / 2 / CHAIN);
        let began = Instant::now();
        for _ in 0..N_PLANS {
            let plan = plan_for(&catalog, &goal, json!({ &first: 1 }))?;
            assert_eq!(plan.steps.len(), CHAIN);
        }
        let ms = began.elapsed().as_secs_f64() * 1e3 / N_PLANS as f64;
        let name = format!("flow: plan of {CHAIN} steps, catalog of {n_steps}");
        match before.replace(ms) {
            None => report.judged(&name, ms, "ms", Goal::AtMost(10.0)),
            Some(smaller) => {
                report.judged(&name, ms, "ms", Goal::AtMost(10.0));
                report.beside(
                    &format!("{name}, beside 1000"),
                    ms,
                    "ms",
                    smaller,
                    Some(Goal::AtMost(2.0)),
                );
            }
        }
    }
    Ok(())
}

async fn script_steps(report: &mut Report, engine: &Engine) -> Outcome {
    let steps =
        (0..CHAIN).map(|n| script_step(&format!("s{n}"), &format!("a{n}"), &format!("a{}", n + 1)));
    let catalog = catalog_of(steps)?;
    let plan = plan_for(&catalog, &format!("s{}", CHAIN - 1), json!({"a0": 1}))?;
    let per_second = run_many(engine, &plan, json!({"a0": 1}), N_FLOWS).await? * CHAIN as f64;
    report.plain(
        &format!("flow: script steps, {AT_A_TIME} flows at a time"),
        per_second,
        "steps/s",
    );
    Ok(())
}

async fn fan_out(report: &mut Report, engine: &Engine) -> Outcome {
    for parallelism in [1, 16, 256] {
        let mut step = script_step("each", "items", "done");
        step["attributes"]["items"]["for_each"] = json!(true);
        step["work"] = json!({ "parallelism": parallelism });
        let catalog = catalog_of([step])?;
        let init = json!({"items": (0..N_ITEMS).collect::<Vec<_>>()});
        let plan = plan_for(&catalog, "each", init.clone())?;
        let began = Instant::now();
        run_one(engine, &plan, &init).await?;
        let per_second = N_ITEMS as f64 / began.elapsed().as_secs_f64();
        let name = format!("flow: for_each over {N_ITEMS}, parallelism {parallelism}");
        report.plain(&name, per_second, "items/s");
    }
    Ok(())
}

async fn calls(report: &mut Report, engine: &Engine) -> Outcome {
    let url = service().await?;
    let client = reqwest::Client::new();
    let n_calls = N_FLOWS * CHAIN;
    let began = Instant::now();
    let callers = (0..AT_A_TIME).map(|_| {
        let (client, url) = (client.clone(), format!("{url}/s0"));
        tokio::spawn(async move {
            for _ in 0..n_calls / AT_A_TIME {
                let response = client.post(&url).json(&json!({"a0": 1})).send().await?;
                response.json::<Value>().await?;
            }
            Ok::<_, reqwest::Error>(())
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await??;
    }
    let bare = (n_calls / AT_A_TIME * AT_A_TIME) as f64 / began.elapsed().as_secs_f64();
    let steps = (0..CHAIN).map(|n| {
        json!({
            "id": format!("s{n}"), "type": "sync", "http": {"url": format!("{url}/s{n}")},
            "attributes": {format!("a{n}"): {"role": "required"}, format!("a{}", n + 1): {"role": "output"}},
        })
    });
    let catalog = catalog_of(steps)?;
    let plan = plan_for(&catalog, &format!("s{}", CHAIN - 1), json!({"a0": 1}))?;
    let flows = run_many(engine, &plan, json!({"a0": 1}), N_FLOWS).await? * CHAIN as f64;
    report.plain(&format!("flow: bare client, {AT_A_TIME} at a time"), bare, "calls/s");
    let name = format!("flow: {N_FLOWS} flows of {CHAIN} HTTP steps, {AT_A_TIME} at a time");
    report.beside(&name, flows, "calls/s", bare, None);
    Ok(())
}

/// Flows per second.
async fn run_many(
    engine: &Engine,
    plan: &Plan,
    init: Value,
    n_flows: usize,
) -> Result<f64, Box<dyn std::error::Error>> {
    let began = Instant::now();
    let runners = (0..AT_A_TIME).map(|_| {
        let (engine, plan, init) = (engine.clone(), plan.clone(), init.clone());
        tokio::spawn(async move {
            for _ in 0..n_flows / AT_A_TIME {
                run_one(&engine, &plan, &init).await.map_err(|error| error.to_string())?;
            }
            Ok::<_, String>(())
        })
    });
    for runner in runners.collect::<Vec<_>>() {
        runner.await??;
    }
    Ok((n_flows / AT_A_TIME * AT_A_TIME) as f64 / began.elapsed().as_secs_f64())
}

async fn run_one(
    engine: &Engine,
    plan: &Plan,
    init: &Value,
) -> Result<(), Box<dyn std::error::Error>> {
    let init = init.as_object().cloned().unwrap_or_default();
    let init: BTreeMap<_, _> =
        init.into_iter().map(|(name, it)| (name.as_str().into(), it)).collect();
    let input =
        FlowInput { plan: plan.clone(), init, namespace: "default".to_owned(), parent: None };
    engine.start(FLOW_WORKFLOW, &input).await?.wait::<Value>().await?;
    Ok(())
}

fn script_step(id: &str, needs: &str, gives: &str) -> Value {
    let script = json!({"language": "lua", "source": format!("return {{ {gives} = 1 }}")});
    let attributes = json!({ needs: {"role": "required"}, gives: {"role": "output"} });
    json!({ "id": id, "type": "script", "attributes": attributes, "script": script })
}

fn catalog_of(
    steps: impl IntoIterator<Item = Value>,
) -> Result<Catalog, Box<dyn std::error::Error>> {
    let mut edits = Vec::new();
    for step in steps {
        edits.push(Edit::Register(StepDefinition::parse(step.to_string().as_bytes())?));
    }
    Ok(Catalog::new().with_edits(edits, &Scripts::default())?.catalog)
}

fn plan_for(
    catalog: &Catalog,
    goal: &str,
    init: Value,
) -> Result<Plan, Box<dyn std::error::Error>> {
    let request = json!({ "goals": [goal], "init": init }).to_string();
    Ok(catalog.plan(&PlanRequest::parse(request.as_bytes())?, &Scripts::default())?)
}

/// A service that gives the next attribute of the chain.
async fn service() -> Result<String, std::io::Error> {
    use axum::Json;
    use axum::extract::Path;
    let next = async |Path(step): Path<String>| {
        let n: usize = step[1..].parse().unwrap_or_default();
        Json(json!({ format!("a{}", n + 1): n }))
    };
    let router = axum::Router::new().route("/{step}", axum::routing::post(next));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(url)
}
