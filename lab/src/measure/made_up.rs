//! Records of commands that never ran, for tests.

use super::command_record::CommandRecord;
use super::plan::{Configuration, Plan, Repeats};
use super::program_run::ProgramRun;
use super::rounds::{Measured, Stop};
use super::supervisor::{RunRequest, Streams};

/// Runs that took these times; those of the first command are what the others are compared with.
pub fn records(walls: &[&[u64]]) -> Vec<CommandRecord> {
    let names = ["first", "second", "third"];
    let configuration = |place: usize| Configuration {
        text: names[place].to_owned(),
        values: Vec::new(),
        request: RunRequest {
            words: vec![names[place].into()],
            input: None,
            streams: Streams::Hidden,
        },
        prepare: None,
        baseline: (place > 0).then_some(0),
    };
    let plan = Plan {
        configurations: (0..walls.len()).map(configuration).collect(),
        repeats: Repeats::Rounds(walls[0].len()),
        warm_ups: 0,
        shell: false,
        ignore_failure: false,
        shows_output: false,
    };
    let run = |wall_ns: &u64| ProgramRun {
        wall_ns: *wall_ns,
        code: Some(0),
        ..ProgramRun::default()
    };
    let measured = Measured {
        runs: walls
            .iter()
            .map(|walls| walls.iter().map(run).collect())
            .collect(),
        dates: vec!["2000-01-01T00:00:00Z".to_owned(); walls.len()],
        stop: Stop::Complete,
    };
    CommandRecord::all(&plan, &measured, None)
}
