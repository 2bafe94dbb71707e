//! A report that takes its time, and says how it gets on.

use stepwell::prelude::*;

use crate::take_time;

#[derive(Serialize, Deserialize, JsonSchema)]
pub struct Report {
    pub sections: Vec<String>,
}

pub async fn report(ctx: Ctx, report: Report) -> Result<String> {
    let n_sections = report.sections.len();
    ctx.describe(format!("a report of {n_sections} sections"));
    let mut pages = Vec::new();
    for (at, section) in report.sections.iter().enumerate() {
        let page = ctx
            .step(format!("write-{}", at + 1), async || {
                ctx.info(format!("writing about {section}"));
                take_time(400).await;
                ctx.log_with(Level::Debug, "a page is ready", &section);
                Ok::<_, Error>(format!("# {section}"))
            })
            .await?;
        pages.push(page);
        ctx.sleep(format!("rest-{}", at + 1), secs(2)).await?;
    }
    ctx.info(format!("{n_sections} of {n_sections} sections are written"));
    Ok(pages.join("\n"))
}
