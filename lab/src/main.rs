//! The laboratory of drumline; see `drumline_lab::cli`.

use std::process::ExitCode;

use drumline_lab::{cli, interrupt, output};

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            output::note(&format!("error: {error:#}"));
            match interrupt::pending() {
                Some(signal) => ExitCode::from(interrupt::exit_code(signal)),
                None => ExitCode::FAILURE,
            }
        }
    }
}
