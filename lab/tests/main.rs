//! Tests of the lab from outside: the program is started as a user starts it. No test asserts that
//! something is fast. Those of `measure` assert what holds however busy the machine is: a sleep
//! takes at least its time.

mod actors;
#[cfg(unix)]
mod albums;
mod answers;
mod async_tasks;
mod blocking;
mod browser;
mod command_line;
mod comparisons;
#[cfg(unix)]
mod definition;
mod destinations;
mod format;
mod history;
#[cfg(target_os = "linux")]
mod interruptions;
#[cfg(unix)]
mod measure;
#[cfg(target_os = "linux")]
mod measure_interrupted;
#[cfg(unix)]
mod measure_orphans;
mod messages;
mod offload;
mod outputs;
#[cfg(unix)]
mod peers;
#[cfg(target_os = "linux")]
mod processes;
mod published;
mod report_columns;
#[cfg(unix)]
mod scripts;
mod streams;
mod virtual_cores;

use std::path::Path;
use std::process::{Command, Output};

/// Runs the lab with these arguments.
fn lab(arguments: &[&str]) -> Output {
    lab_in(Path::new("."), arguments)
}

/// Runs the lab in a directory. Reports that it was not told where to write are thrown away.
fn lab_in(directory: &Path, arguments: &[&str]) -> Output {
    let target = tempfile::tempdir().expect("a directory can be made");
    command(arguments)
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", target.path())
        .output()
        .expect("the lab can be started")
}

/// The lab with these arguments, not yet started.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_drumline-lab"));
    command.args(arguments);
    // What is tested does not depend on what else has been built.
    command.env("LAB_CHIPMILL", "");
    // A lab that is started with hangups ignored, as by `nohup`, keeps ignoring them.
    // SAFETY: between fork and exec, `signal` is async-signal-safe, and so is all that runs here.
    #[cfg(unix)]
    unsafe {
        use nix::sys::signal::{SigHandler, Signal, signal};
        use std::os::unix::process::CommandExt;
        command.pre_exec(|| {
            signal(Signal::SIGHUP, SigHandler::SigDfl)?;
            Ok(())
        });
    }
    command
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("output is text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("output is text")
}
