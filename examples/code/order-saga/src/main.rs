//! An order that reserves stock, checks fraud and rate side by side, charges a card and ships; and takes
//! everything back when the card is declined.
//!
//! ```text
//! cargo run --release -p order-saga                     two orders, one of which fails and is undone
//! cargo run --release -p order-saga -- --crash charge   the process dies in the middle of `charge`
//! cargo run --release -p order-saga                     ... and the order is finished, not begun again
//! ```
//!
//! The store is `order-saga.db` in this folder, or what `--store` says. What you see:
//!
//! ```text
//! A-1  reserve            reserved 2 of tea
//! A-1  checks/fraud       no fraud
//! ...
//! A-1  completed: receipt R-A-1 over 1998 cents
//! A-2  failed: card declined; undone: label, reserve
//! ```

use std::process::ExitCode;
use std::time::Duration;

use stepwell::prelude::*;
use stepwell::{RunHandle, RunOutcome, RunStatus, StartOptions};

#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
struct Order {
    id: String,
    item: String,
    n: u32,
    cents: u64,
    card: String,
}

#[derive(Serialize, Deserialize, Debug)]
struct Receipt {
    number: String,
    cents: u64,
}

async fn checkout(ctx: Ctx, order: Order) -> Result<Receipt> {
    ctx.set_label("order", &order.id);
    ctx.describe(format!("{} of {} for {} cents", order.n, order.item, order.cents));

    let hold = ctx
        .step("reserve", async || shop::reserve(&order).await)
        .retries(5)
        .timeout(secs(10))
        .undo(async |hold: String| shop::release(&hold).await)
        .await?;

    let (_, rate) = ctx
        .join(
            "checks",
            (
                branch("fraud", async |ctx| {
                    ctx.step("ask", async || shop::fraud(&order).await).await
                }),
                branch("rate", async |ctx| {
                    ctx.step("ask", async || shop::rate(&order).await).await
                }),
            ),
        )
        .await?;

    let label = ctx
        .step("label", async || shop::print_label(&order, &hold).await)
        .undo(async |label: String| shop::void_label(&label).await)
        .await?;

    let cents = order.cents * rate / 100;
    // The key is the same for every attempt: the bank recognises a charge that it has seen.
    let number = ctx
        .step_with("charge", async |attempt| {
            shop::charge(&order, cents, &attempt.idempotency_key()).await
        })
        .await?;

    ctx.sleep("let the ink dry", millis(200)).await?;
    ctx.step("ship", async || shop::ship(&label).await).await?;
    Ok(Receipt { number, cents })
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
    let args = Args::parse()?;
    let engine = Engine::open(&args.store).await?;
    engine
        .register(workflow("checkout", checkout).described("Sells something, or takes it back"))?;

    let good =
        Order { id: "A-1".into(), item: "tea".into(), n: 2, cents: 1998, card: "4242".into() };
    let poor =
        Order { id: "A-2".into(), item: "tea".into(), n: 1, cents: 999, card: "0000".into() };
    let mut runs = Vec::new();
    for order in [good, poor] {
        // The key makes a second start of the same order, after a crash, the first one.
        let options =
            StartOptions { idempotency_key: Some(order.id.clone()), ..Default::default() };
        runs.push((order.id.clone(), engine.start_with("checkout", &order, options).await?));
    }
    println!(
        "two orders are on their way; press Ctrl-C or kill me, start me again, and they go on\n"
    );
    for (order, run) in runs {
        report(&order, &run).await?;
    }
    println!("\nevery result is in {}; start over with: rm {}*", args.store, args.store);
    engine.shutdown().await;
    Ok(())
}

async fn report(order: &str, run: &RunHandle) -> Result<()> {
    match run.outcome().await? {
        RunOutcome::Completed(receipt) => {
            let Receipt { number, cents } = receipt.to()?;
            println!("{order}  completed: receipt {number} over {cents} cents");
        }
        RunOutcome::Failed(failure) => {
            let state = run.state().await?.state;
            let undone: Vec<String> = state
                .entries
                .keys()
                .filter_map(|location| Some(location.as_str().strip_suffix("/~undo")?.to_owned()))
                .collect();
            println!("{order}  failed: {}; undone: {}", failure.message, undone.join(", "));
        }
        RunOutcome::Cancelled(reason) => println!("{order}  {}: {reason}", RunStatus::Cancelled),
    }
    Ok(())
}

struct Args {
    store: String,
}

impl Args {
    fn parse() -> Result<Args> {
        let mut args = Args { store: "order-saga.db".to_owned() };
        let mut given = std::env::args().skip(1);
        while let Some(arg) = given.next() {
            let value = given.next();
            match (arg.as_str(), value) {
                ("--store", Some(path)) => args.store = path,
                ("--crash", Some(step)) => shop::crash_in(step),
                (other, _) => {
                    let usage = "order-saga [--store FILE] [--crash STEP]";
                    return Err(Error::msg(format!("`{other}` is not understood; usage: {usage}")));
                }
            }
        }
        Ok(args)
    }
}

/// The services around a shop. They take their time, and one of them declines cards.
mod shop {
    use std::sync::OnceLock;

    use super::*;

    static CRASH_IN: OnceLock<String> = OnceLock::new();

    pub fn crash_in(step: String) {
        let _ = CRASH_IN.set(step);
    }

    async fn work(order: &str, step: &str, done: &str) {
        tokio::time::sleep(Duration::from_millis(150)).await;
        if CRASH_IN.get().is_some_and(|crash| crash == step) {
            println!("{order}  {step:<18} ... and here the power goes");
            std::process::abort();
        }
        println!("{order}  {step:<18} {done}");
    }

    pub async fn reserve(order: &Order) -> Result<String> {
        work(&order.id, "reserve", &format!("reserved {} of {}", order.n, order.item)).await;
        Ok(format!("H-{}", order.id))
    }

    pub async fn release(hold: &str) -> Result<()> {
        work(&hold[2..], "undo reserve", "back on the shelf").await;
        Ok(())
    }

    pub async fn fraud(order: &Order) -> Result<bool> {
        work(&order.id, "checks/fraud", "no fraud").await;
        Ok(false)
    }

    pub async fn rate(order: &Order) -> Result<u64> {
        work(&order.id, "checks/rate", "100 per cent").await;
        Ok(100)
    }

    pub async fn print_label(order: &Order, hold: &str) -> Result<String> {
        work(&order.id, "label", &format!("printed for {hold}")).await;
        Ok(format!("L-{}", order.id))
    }

    pub async fn void_label(label: &str) -> Result<()> {
        work(&label[2..], "undo label", "torn up").await;
        Ok(())
    }

    pub async fn charge(order: &Order, cents: u64, key: &str) -> Result<String> {
        if order.card == "0000" {
            work(&order.id, "charge", "declined").await;
            return Err(Error::critical(Error::msg("card declined")));
        }
        work(&order.id, "charge", &format!("{cents} cents, key …{}", &key[key.len() - 16..])).await;
        Ok(format!("R-{}", order.id))
    }

    pub async fn ship(label: &str) -> Result<()> {
        work(&label[2..], "ship", "gone").await;
        Ok(())
    }
}
