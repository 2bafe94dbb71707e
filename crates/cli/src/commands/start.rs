//! `stepwell start NAME`

use std::collections::BTreeMap;

use stepwell_server::api::{StartRun, StartedRun};

use super::Cx;
use crate::args::{MayWait, Start, Watch};
use crate::client::{Call, Reply};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::input::Pair;
use crate::out::now;
use crate::watch::Awaited;

pub async fn start(cx: &mut Cx<'_>, start: Start) -> Result<Exit> {
    let now = now();
    let new = start.new;
    wanted(&new.wait)?;
    let wish = StartRun {
        input: match &start.input {
            Some(input) => input.read("--input")?,
            None => Default::default(),
        },
        run_id: new.id,
        idempotency_key: new.key,
        labels: labels(&new.label)?,
        start_at: new.start_at.map(|when| when.at(now)),
        deadline_ms: new.deadline.map(|length| length.ms(now)),
    };
    let call = Call::post(&["api", "workflows", &start.workflow, "runs"]).body(&wish);
    launch(cx, call, &new.wait).await
}

/// Starts a run with this call, and waits for it if that is wanted.
pub async fn launch(cx: &mut Cx<'_>, call: Call<'_>, may_wait: &MayWait) -> Result<Exit> {
    let watch = wanted(may_wait)?;
    let reply: Reply<StartedRun> = cx.client.call(call).await?;
    let StartedRun { run_id, existing, .. } = &reply.value;
    if *existing {
        cx.out.say("the key was seen before: this is the run that it made")?;
    }
    if let Some(watch) = watch {
        cx.out.say(&format!("run {run_id}"))?;
        return wait(cx, run_id, watch, !existing).await;
    }
    if cx.out.stderr_is_terminal {
        cx.out.say(&format!("watch it with: stepwell run wait {run_id}"))?;
    }
    cx.show(&reply, |started, _| started.run_id.clone())
}

/// How the run is to be waited for, if it is.
pub fn wanted(wait: &MayWait) -> Result<Option<&Watch>> {
    if wait.watch.timeout.is_some() && !wait.wait {
        let what = "--timeout says how long to wait, and nothing is waited for";
        return Err(Error::usage(what).hint("add --wait"));
    }
    Ok(wait.wait.then_some(&wait.watch))
}

/// Waits for a run, and prints how it ended.
pub async fn wait(cx: &mut Cx<'_>, id: &str, options: &Watch, is_new: bool) -> Result<Exit> {
    let client = cx.client.clone();
    Awaited { client: &client, id, options, is_new }.finish(cx.out).await
}

pub fn labels(pairs: &[Pair]) -> Result<BTreeMap<String, String>> {
    let mut labels = BTreeMap::new();
    for Pair { key, value } in pairs {
        if labels.insert(key.clone(), value.clone()).is_some() {
            return Err(Error::usage(format!("--label: `{key}` is given twice")));
        }
    }
    Ok(labels)
}
