use stepwell::RunHandle;
use stepwell::testkit::TestEngine;

use super::approval::{Decision, Request};
use super::order::{Order, Receipt};
use super::*;

async fn started(name: &str, input: &impl Serialize) -> (TestEngine, RunHandle) {
    let engine = TestEngine::new().await;
    for workflow in workflows() {
        engine.register(workflow).unwrap();
    }
    let run = engine.start(name, input).await.unwrap();
    (engine, run)
}

fn order(card: &str) -> Order {
    Order { item: "tea".into(), n: 2, cents: 999, card: card.into() }
}

#[tokio::test]
async fn an_order_is_paid_for_and_shipped() {
    let (engine, run) = started("order", &order("4242")).await;
    let receipt: Receipt = engine.wait(&run).await.unwrap();
    assert_eq!((receipt.cents, receipt.tracking.as_str()), (1_998, "T-H-tea-2"));
}

#[tokio::test]
async fn a_bank_that_does_not_answer_is_asked_again() {
    let (engine, run) = started("order", &order("1111")).await;
    let _: Receipt = engine.wait(&run).await.unwrap();
    let state = run.state().await.unwrap().state;
    let charge = state.entries.iter().find(|(location, _)| location.as_str() == "charge").unwrap();
    assert_eq!(charge.1.attempts.0, 3);
}

#[tokio::test]
async fn a_declined_card_takes_everything_back() {
    let (engine, run) = started("order", &order("0000")).await;
    let error = engine.wait::<Receipt>(&run).await.unwrap_err();
    assert!(error.to_string().contains("declined"), "{error}");
    let state = run.state().await.unwrap().state;
    assert!(state.entries.keys().any(|location| location.as_str() == "reserve/~undo"));
}

#[tokio::test]
async fn a_person_decides_or_the_deadline_does() {
    let request = Request { euros: 500, deadline_secs: 86_400 };
    let (engine, run) = started("approval", &request).await;
    run.send("decide", &Decision { yes: true, by: "Ada".into() }).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "500 euros approved by Ada");

    let (engine, run) = started("approval", &request).await;
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "500 euros: nobody answered in time");
}

#[tokio::test]
async fn every_picture_gets_its_thumbnail() {
    let (engine, run) = started("thumbnails", &thumbnails::Album { pictures: 30 }).await;
    let made: Vec<String> = engine.wait(&run).await.unwrap();
    assert_eq!(made.len(), 30);
    assert_eq!(made[29], "picture-30.thumb.jpg");
}

#[tokio::test]
async fn a_report_logs_how_it_gets_on() {
    let input = report::Report { sections: vec!["sales".into(), "stock".into()] };
    let (engine, run) = started("report", &input).await;
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "# sales\n# stock");
    let logs = run.logs().await.unwrap();
    assert!(logs.lines.iter().any(|line| line.message == "writing about stock"), "{logs:?}");
}
