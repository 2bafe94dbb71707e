//! A fan-out: one branch for each picture.

use stepwell::prelude::*;

use crate::take_time;

/// More pictures than this are no example any more.
const PICTURES_MAX: u64 = 10_000;

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Album {
    pub pictures: u64,
}

pub async fn thumbnails(ctx: Ctx, album: Album) -> Result<Vec<String>> {
    if album.pictures > PICTURES_MAX {
        return Err(Error::msg(format!(
            "{} pictures are more than {PICTURES_MAX}",
            album.pictures
        )));
    }
    let branches: Vec<_> = (1..=album.pictures)
        .map(|n| {
            branch(format!("picture-{n}"), async move |ctx: Ctx| {
                ctx.step("shrink", async || shrink(n).await).await
            })
        })
        .collect();
    ctx.join("pictures", branches).await
}

async fn shrink(n: u64) -> Result<String> {
    take_time(50 + n % 20 * 40).await;
    Ok(format!("picture-{n}.thumb.jpg"))
}
