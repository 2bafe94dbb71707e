//! A request that waits for a person, or for its deadline.

use stepwell::prelude::*;

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Request {
    pub euros: u64,
    pub deadline_secs: u64,
}

/// The message `decide`.
#[derive(Serialize, Deserialize)]
pub struct Decision {
    pub yes: bool,
    pub by: String,
}

pub async fn approval(ctx: Ctx, request: Request) -> Result<String> {
    let Request { euros, deadline_secs } = request;
    ctx.describe(format!("{euros} euros wait for a yes"));
    let decided = ctx
        .race(
            "decision",
            [
                branch("person", async |ctx: Ctx| {
                    Ok(Some(ctx.listen::<Decision>("decide").await?))
                }),
                branch("deadline", async |ctx: Ctx| {
                    ctx.sleep("limit", secs(deadline_secs)).await?;
                    Ok(None)
                }),
            ],
        )
        .await?;
    let text = match decided.value {
        Some(Decision { yes: true, by }) => format!("{euros} euros approved by {by}"),
        Some(Decision { yes: false, by }) => format!("{euros} euros rejected by {by}"),
        None => format!("{euros} euros: nobody answered in time"),
    };
    ctx.describe(&text);
    ctx.step("tell", async || {
        ctx.info(&text);
        Ok::<_, Error>(text.clone())
    })
    .await
}
