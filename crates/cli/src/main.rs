//! The `stepwell` binary.

use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    ExitCode::from(stepwell_cli::run(std::env::args_os()).await.code())
}
