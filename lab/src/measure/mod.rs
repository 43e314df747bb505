//! `cargo lab measure`: runs any program, and tells what it took, used and reached.
//!
//! ```text
//! plan ─► rounds ─► runner ═══(a process per run)═══► supervisor ─► the program
//!           │                                          sampler, descendants
//!           ▼
//!         command_record ─► tables ─► files
//! ```
//! Each run has a process of its own, the `supervisor`, because the kernel tells what the children
//! of a process used all together. Which figures there are is a table, in `metric`. Statistics,
//! counters, energy and the form of tables are those of the lab.

mod command_line;
mod command_record;
mod descendants;
mod files;
#[cfg(test)]
mod made_up;
mod metric;
mod parameters;
mod plan;
mod program_run;
mod rounds;
mod runner;
mod sampler;
mod shell_start;
mod supervisor;
mod tables;

pub use plan::Arguments;
pub use supervisor::{SUPERVISOR, obey};

use std::process::ExitCode;

use anyhow::Result;

use crate::{console, interrupt};
use command_record::CommandRecord;
use files::Files;
use plan::Plan;
use rounds::{Measured, Stop};
use runner::Runner;
use shell_start::ShellStart;

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  cargo lab measure -- cargo build
      runs it once, shows what it writes, and tells its time, memory, switches and faults
  cargo lab measure --rounds 20 --warm-up 2 -- grep -rc fn crates
      the median of twenty runs, with its interval
  cargo lab measure --against 'rg -c fn crates' -- grep -rc fn crates
      two commands in turn, and the second divided by the first
  cargo lab measure --param jobs=1,2,4 --prepare 'make clean' -- make -j{jobs}
      a row for each value
  cargo lab measure --shell --time 10 --json runs.jsonl -- 'sort words | uniq -c'
      a shell runs it again and again for ten seconds; its start is taken off the times

Memory is resident memory: of one process by the kernel's own mark, and of all processes together
by looking every 5 ms, where pages that several share count for each. The exit status is 1 if a
command fails or cannot be started, and 130 after Ctrl-C, which ends the command with all of its
processes and tells what was measured so far. METHODOLOGY.md, \"Any program\", says more.";

/// Measures what was asked for.
///
/// # Errors
/// Something asked for makes no sense, a file cannot be written, or a command fails or cannot be
/// started. What was measured before is told and written.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let plan = arguments.plan()?;
    let files = Files::make(arguments)?;
    let runner = Runner::new()?;
    let shell = if plan.shell {
        let Some(shell) = ShellStart::measure(&runner)? else {
            return Ok(interrupted());
        };
        Some(shell)
    } else {
        None
    };
    let silent = arguments.quiet || plan.shows_output;
    let measured = rounds::run(&plan, &runner, shell.as_ref(), silent);

    let records = CommandRecord::all(&plan, &measured, shell);
    let told = tell(arguments, &plan, &files, &measured, &records);
    match measured.stop {
        Stop::Complete | Stop::MostRuns => told.map(|()| ExitCode::SUCCESS),
        Stop::Interrupted => told.map(|()| interrupted()),
        Stop::Failed(error) => {
            if let Err(error) = told {
                console::note(&format!("error: {error:#}"));
            }
            Err(error)
        }
    }
}

/// Writes the files and the tables.
fn tell(
    arguments: &Arguments,
    plan: &Plan,
    files: &Files,
    measured: &Measured,
    records: &[CommandRecord],
) -> Result<()> {
    let grid = tables::grid(records);
    let text = match &grid {
        None => String::new(),
        Some(_) if arguments.quiet => tables::lines(records),
        Some(grid) => grid.to_text(),
    };
    // Standard output belongs to the command whose output is shown, as with `time`.
    if text.is_empty() {
        // Nothing was measured, and the error says why.
    } else if plan.shows_output || arguments.writes_to_stdout() {
        console::note(text.trim_end());
    } else {
        console::print(&text)?;
    }
    // Nothing measured is no reason to lose what `--force` allows to replace.
    let written = match measured.stop {
        Stop::Failed(_) | Stop::Interrupted if records.is_empty() => Ok(()),
        _ => files.write(records, grid.as_ref()),
    };
    if let Some(note) = measured.note() {
        console::note(&note);
    }
    written
}

/// The exit status after a signal.
fn interrupted() -> ExitCode {
    let code = interrupt::pending().map_or(1, interrupt::exit_code);
    ExitCode::from(code)
}
