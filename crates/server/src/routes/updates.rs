//! Live updates: server-sent events that can be taken up again without gap or duplicate.
//!
//! A stream of one run comes from its journal, so its ids are the journal's numbers and it can be taken up again at any
//! time. A stream of all runs comes from the engine's ring of recent updates: its ids are good as long as the ring
//! reaches back and the server was not restarted, and whoever comes later is told so.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event as SseEvent, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::Stream;
use serde_json::json;
use stepwell_engine::{Everywhere, Position, Update, Updates, UpdatesError};
use stepwell_journal::{Epoch, Event, RunId, Seq};
use tokio::sync::OwnedSemaphorePermit;

use crate::access::Reader;
use crate::api::Timestamp;
use crate::app::App;
use crate::extract::Params;
use crate::problem::{Code, Problem};

/// How often a quiet stream shows that it lives.
const ALIVE_EVERY: Duration = Duration::from_secs(15);

/// How often the journal of a run is looked at that another node has.
const ELSEWHERE_LOOK: Duration = Duration::from_millis(500);

/// How many events are read from a journal, or updates from the ring, at a time.
const BATCH: usize = 256;

/// News of all runs, of one workflow's, or of one run, as server-sent events.
///
/// Each is an event `update` whose data is an object with `run_id`, `workflow`, `seq`, `at`, `status`, `event` and
/// `location`. A reader that is too slow gets an event `dropped` and the stream ends; a run's stream ends with an event
/// `end` after its outcome. Connect again with the last id in `Last-Event-ID` (or `after`) to go on.
#[utoipa::path(
    get, path = "/api/updates", tag = "runs",
    params(
        ("run" = Option<String>, Query, description = "Only this run, from its first event on."),
        ("workflow" = Option<String>, Query, description = "Only runs of this workflow."),
        ("after" = Option<String>, Query, description = "As the header `Last-Event-ID`, for those who cannot set it."),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen."),
    ),
    responses(
        (status = 200, description = "The stream.", body = String, content_type = "text/event-stream"),
        (status = 410, description = "What came after that id is gone.", body = Problem,
            content_type = "application/problem+json"),
    ),
)]
pub async fn updates(
    State(app): State<App>,
    Reader(access): Reader,
    headers: HeaderMap,
    mut params: Params,
) -> Result<Response, Problem> {
    let run = params.take("run")?;
    let workflow = params.take("workflow")?;
    let after = match params.take("after")? {
        Some(after) => Some(after),
        None => {
            headers.get("last-event-id").and_then(|value| value.to_str().ok()).map(str::to_owned)
        }
    };
    params.finish(&["run", "workflow", "after"])?;
    if run.is_some() && workflow.is_some() {
        return Err(Problem::field("workflow", "give either this or a run"));
    }
    let place = app.reader()?;
    match run {
        Some(id) => {
            let row = app.row(&access.namespace, &id).await?;
            let next = match after {
                Some(after) => Seq(number(&after)?.saturating_add(1)),
                None => Seq(0),
            };
            // Subscribe before the journal is read, so that nothing slips through in between.
            let updates = app.engine.subscribe();
            let workflow = row.workflow;
            Ok(sse(of_run(OfRun { app, run: row.run, workflow, next, updates }, place)))
        }
        None => {
            let updates = match after {
                Some(after) => resume(&app, &after)?,
                None => app.engine.subscribe(),
            };
            let _everywhere = app.engine.everywhere();
            let stream = OfAll { app, namespace: access.namespace, workflow, updates, _everywhere };
            Ok(sse(of_all(stream, place)))
        }
    }
}

fn sse(stream: impl Stream<Item = SseEvent> + Send + 'static) -> Response {
    let stream = futures::StreamExt::map(stream, Ok::<_, Infallible>);
    let alive = KeepAlive::new().interval(ALIVE_EVERY).text("alive");
    let mut response = Sse::new(stream).keep_alive(alive).into_response();
    let no_buffering = axum::http::HeaderValue::from_static("no");
    response
        .headers_mut()
        .insert(header::HeaderName::from_static("x-accel-buffering"), no_buffering);
    response
}

fn number(after: &str) -> Result<u64, Problem> {
    after.parse().map_err(|_| {
        Problem::field("Last-Event-ID", "for one run it is the number of an event of its journal")
    })
}

fn resume(app: &App, after: &str) -> Result<Updates, Problem> {
    let Ok(position) = after.parse::<Position>() else {
        return Err(Problem::field(
            "Last-Event-ID",
            "give the id of an event of this stream, as it was",
        ));
    };
    app.engine.updates_from(position).map_err(|_| {
        let detail = "the updates after this id are not kept any more: read what you need anew, and subscribe without it";
        Problem::new(Code::UpdatesGone, detail)
    })
}

struct OfAll {
    app: App,
    namespace: String,
    workflow: Option<String>,
    updates: Updates,
    /// Also of runs that other nodes have.
    _everywhere: Everywhere,
}

impl OfAll {
    fn is_wanted(&self, update: &Update) -> bool {
        *update.namespace == *self.namespace
            && self.workflow.as_deref().is_none_or(|workflow| workflow == &*update.workflow)
    }
}

fn of_all(of: OfAll, place: OwnedSemaphorePermit) -> impl Stream<Item = SseEvent> + Send {
    async_stream::stream! {
        let _place = place;
        let mut of = of;
        let life = of.updates.position().life;
        loop {
            let batch = tokio::select! {
                batch = of.updates.next_batch(BATCH) => batch,
                () = of.app.closed() => return,
            };
            match batch {
                Ok(batch) => {
                    for update in batch.iter().filter(|update| of.is_wanted(update)) {
                        yield told(update, life);
                    }
                }
                Err(error) => {
                    if let UpdatesError::Missed { n_missed } = error {
                        yield dropped(n_missed);
                    }
                    return;
                }
            }
        }
    }
}

fn told(update: &Update, life: Epoch) -> SseEvent {
    let id = Position { life, last: Some(update.position) };
    let data = json!({
        "run_id": update.run.to_string(),
        "workflow": &*update.workflow,
        "seq": update.seq.0,
        "at": Timestamp(update.at),
        "status": update.status.as_str(),
        "event": update.what.event,
        "location": update.what.location.as_ref().map(|location| location.as_str()),
    });
    SseEvent::default().event("update").id(id.to_string()).data(data.to_string())
}

fn dropped(n_missed: Option<u64>) -> SseEvent {
    let data = json!({
        "detail": "the reader was too slow, and updates were lost: read what you need anew, and subscribe again",
        "n_missed": n_missed,
    });
    SseEvent::default().event("dropped").data(data.to_string())
}

struct OfRun {
    app: App,
    run: RunId,
    workflow: String,
    /// The next event of the journal.
    next: Seq,
    updates: Updates,
}

/// The journal is the truth: an update only says that there is more of it.
fn of_run(of: OfRun, place: OwnedSemaphorePermit) -> impl Stream<Item = SseEvent> + Send {
    async_stream::stream! {
        let _place = place;
        let mut of = of;
        loop {
            let read = of.app.engine.store().journal(of.run, of.next, BATCH).await;
            let Ok(events) = read else { return };
            let is_all = events.len() < BATCH;
            for event in &events {
                of.next = event.seq.next();
                yield of.told(event);
            }
            let is_over = events.last().is_some_and(|event| event.kind.is_outcome());
            if is_all && is_over {
                yield SseEvent::default().event("end").data("{}");
                return;
            }
            if is_all && !of.more().await {
                return;
            }
        }
    }
}

impl OfRun {
    fn told(&self, event: &Event) -> SseEvent {
        let data = json!({
            "run_id": self.run.to_string(),
            "workflow": self.workflow,
            "seq": event.seq.0,
            "at": Timestamp(event.at),
            "status": null,
            "event": event.kind.name(),
            "location": event.kind.location().map(|location| location.as_str()),
        });
        SseEvent::default().event("update").id(event.seq.0.to_string()).data(data.to_string())
    }

    /// Waits for more of the journal; false if the server goes down.
    async fn more(&mut self) -> bool {
        loop {
            let is_elsewhere = !self.app.engine.owns(self.run);
            let batch = tokio::select! {
                batch = self.updates.next_batch(BATCH) => batch,
                () = self.app.closed() => return false,
                // Nobody here is told of a run that another node has.
                () = tokio::time::sleep(ELSEWHERE_LOOK), if is_elsewhere => return true,
            };
            match batch {
                Ok(batch) => {
                    if batch.iter().any(|update| update.run == self.run && update.seq >= self.next)
                    {
                        return true;
                    }
                }
                // The journal tells what was missed.
                Err(UpdatesError::Missed { .. }) => return true,
                Err(_) => return false,
            }
        }
    }
}
