//! The laboratory of drumline; see `drumline_lab::cli`.

use std::process::ExitCode;

use drumline_lab::{cli, console, interrupt};

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            console::note(&format!("error: {error:#}"));
            match interrupt::pending() {
                Some(signal) => ExitCode::from(interrupt::exit_code(signal)),
                None => ExitCode::FAILURE,
            }
        }
    }
}
