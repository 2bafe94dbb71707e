//! A request that waits for a person, or for a deadline, whichever comes first.
//!
//! ```text
//! cargo run -p approval -- ask 500        asks for 500, prints the run's id, and waits a while
//! cargo run -p approval -- approve ID     a person says yes
//! cargo run -p approval -- reject ID      ... or no
//! cargo run -p approval -- show ID        what it waits for, or how it ended
//! ```
//!
//! Between the commands no process runs at all: the request waits in `approval.db`.

use std::process::ExitCode;

use stepwell::prelude::*;
use stepwell::{RunHandle, RunOutcome};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Request {
    euros: u64,
    deadline_secs: u64,
}

#[derive(Serialize, Deserialize, Debug)]
enum Decision {
    Approved { by: String },
    Rejected { by: String },
    Expired,
}

async fn approval(ctx: Ctx, request: Request) -> Result<String> {
    ctx.describe(format!("{} euros wait for a yes", request.euros));
    let decided = ctx
        .race(
            "decision",
            [
                branch("person", async |ctx| ctx.listen::<Decision>("decide").await),
                branch("deadline", async |ctx| {
                    ctx.sleep("limit", secs(request.deadline_secs)).await?;
                    Ok(Decision::Expired)
                }),
            ],
        )
        .await?;
    ctx.step("tell", async || {
        Ok::<_, Error>(match &decided.value {
            Decision::Approved { by } => format!("{} euros approved by {by}", request.euros),
            Decision::Rejected { by } => format!("{} euros rejected by {by}", request.euros),
            Decision::Expired => format!("{} euros: nobody answered in time", request.euros),
        })
    })
    .await
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let engine = Engine::open("approval.db").await?;
    engine.register(workflow("approval", approval))?;
    match args[..] {
        ["ask", euros] => {
            let euros = euros.parse().map_err(|_| Error::msg(format!("`{euros}` is no sum")))?;
            let run = engine.start("approval", &Request { euros, deadline_secs: 3 }).await?;
            println!("{}", run.id());
            show(&run).await?;
        }
        ["approve", id] => {
            let run = engine.get(id.parse()?).await?;
            run.send("decide", &Decision::Approved { by: "you".to_owned() }).await?;
            ended(&run).await?;
        }
        ["reject", id] => {
            let run = engine.get(id.parse()?).await?;
            run.send("decide", &Decision::Rejected { by: "you".to_owned() }).await?;
            ended(&run).await?;
        }
        ["show", id] => {
            let run = engine.get(id.parse()?).await?;
            show(&run).await?;
        }
        _ => {
            return Err(Error::msg("usage: approval ask EUROS | approve ID | reject ID | show ID"));
        }
    }
    engine.shutdown().await;
    Ok(())
}

async fn show(run: &RunHandle) -> Result<()> {
    let view = run.state().await?;
    match &view.state.outcome {
        Some(_) => ended(run).await?,
        None => {
            for wait in view.waiting_for {
                println!("waits for {wait}");
            }
        }
    }
    Ok(())
}

async fn ended(run: &RunHandle) -> Result<()> {
    match run.outcome().await? {
        RunOutcome::Completed(told) => println!("{}", told.to::<String>()?),
        other => println!("{other:?}"),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use stepwell::testkit::TestEngine;

    use super::*;

    async fn asked() -> (TestEngine, RunHandle) {
        let engine = TestEngine::new().await;
        engine.register(workflow("approval", approval)).unwrap();
        let request = Request { euros: 500, deadline_secs: 86_400 };
        let run = engine.start("approval", &request).await.unwrap();
        (engine, run)
    }

    #[tokio::test]
    async fn a_person_who_answers_in_time_decides() {
        let (engine, run) = asked().await;
        run.send("decide", &Decision::Approved { by: "Ada".to_owned() }).await.unwrap();
        let told: String = engine.wait(&run).await.unwrap();
        assert_eq!(told, "500 euros approved by Ada");
    }

    #[tokio::test]
    async fn a_day_of_silence_is_skipped_and_the_request_expires() {
        let (engine, run) = asked().await;
        let told: String = engine.wait(&run).await.unwrap();
        assert_eq!(told, "500 euros: nobody answered in time");
    }

    #[tokio::test]
    async fn a_request_survives_a_crash_while_it_waits() {
        let (mut engine, run) = asked().await;
        engine.restart().await;
        let run = engine.get(run.id()).await.unwrap();
        run.send("decide", &Decision::Rejected { by: "Bob".to_owned() }).await.unwrap();
        let told: String = engine.wait(&run).await.unwrap();
        assert_eq!(told, "500 euros rejected by Bob");
    }
}
