//! The laboratory of drumline; see `drumline_lab::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    match drumline_lab::cli::run() {
        Ok(code) => code,
        Err(error) => {
            drumline_lab::output::note(&format!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
