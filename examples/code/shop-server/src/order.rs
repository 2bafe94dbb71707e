//! An order: a saga with retries and undo.

use stepwell::prelude::*;

use crate::take_time;

#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug)]
pub struct Order {
    /// What is bought.
    pub item: String,
    /// How many of it.
    pub n: u32,
    /// The price of one.
    pub cents: u64,
    /// `0000` is declined, and for `1111` the bank answers only when it is asked a third time.
    pub card: String,
}

#[derive(Serialize, Deserialize, Debug, PartialEq)]
pub struct Receipt {
    pub number: String,
    pub cents: u64,
    pub tracking: String,
}

pub async fn order(ctx: Ctx, order: Order) -> Result<Receipt> {
    let cents = order.cents * u64::from(order.n);
    ctx.describe(format!("{} of {} for {cents} cents", order.n, order.item));
    ctx.set_label("item", &order.item);

    let hold = ctx
        .step("reserve", async || reserve(&ctx, &order).await)
        .timeout(secs(10))
        .undo(async |hold: String| release(&hold).await)
        .await?;

    ctx.join(
        "checks",
        (
            branch("fraud", async |ctx: Ctx| ctx.step("ask", async || check("fraud").await).await),
            branch("address", async |ctx: Ctx| {
                ctx.step("ask", async || check("address").await).await
            }),
        ),
    )
    .await?;

    // The key is the same for every attempt: the bank recognises a charge that it has seen.
    let number = ctx
        .step_with("charge", async |attempt| {
            charge(&order, attempt.attempt().0, &attempt.idempotency_key()).await
        })
        .retries(4)
        .backoff(Backoff::exponential(millis(500), secs(10)))
        .undo(async |number: String| refund(&number).await)
        .await?;

    ctx.sleep("let it be packed", secs(1)).await?;
    let tracking = ctx.step("ship", async || ship(&hold).await).await?;
    Ok(Receipt { number, cents, tracking })
}

async fn reserve(ctx: &Ctx, order: &Order) -> Result<String> {
    take_time(150).await;
    if order.n == 0 {
        return Err(Error::critical(Error::msg("nothing was ordered")));
    }
    ctx.info(format!("{} of {} are on hold", order.n, order.item));
    Ok(format!("H-{}-{}", order.item, order.n))
}

async fn release(hold: &str) -> Result<()> {
    take_time(150).await;
    tracing::info!("{hold} is back on the shelf");
    Ok(())
}

async fn check(what: &str) -> Result<String> {
    take_time(150).await;
    Ok(format!("{what}: nothing found"))
}

async fn charge(order: &Order, attempt: u32, key: &str) -> Result<String> {
    take_time(150).await;
    match order.card.as_str() {
        "0000" => Err(Error::critical(Error::msg("the card was declined"))),
        "1111" if attempt < 3 => Err(Error::msg("the bank does not answer")),
        _ => Ok(format!("R-{}", key.bytes().map(u32::from).sum::<u32>())),
    }
}

async fn refund(number: &str) -> Result<()> {
    take_time(150).await;
    tracing::info!("{number} is paid back");
    Ok(())
}

async fn ship(hold: &str) -> Result<String> {
    take_time(150).await;
    Ok(format!("T-{hold}"))
}
