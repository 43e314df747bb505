//! Whole programs, with rayon and with the facade, in turns.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::inputs;
use super::variant::Runtime;
use crate::children;

/// A program of a client, and what it is given to do.
#[derive(Debug)]
pub struct Program {
    /// The client that it is a part of.
    pub client: &'static str,
    /// Its file.
    pub binary: &'static str,
    /// What stands between its name and that of its input.
    arguments: &'static [&'static str],
    /// Makes its input in a directory, unless it is there, and says where.
    input: fn(&Path) -> Result<PathBuf>,
}

/// All of them.
pub const PROGRAMS: &[Program] = &[
    Program {
        client: "du-dust",
        binary: "dust",
        arguments: &["-P"],
        input: inputs::tree,
    },
    Program {
        client: "oxipng",
        binary: "oxipng",
        arguments: &["--dry-run", "--quiet", "--opt", "2"],
        input: inputs::picture,
    },
    Program {
        client: "b3sum",
        binary: "b3sum",
        arguments: &[],
        input: inputs::file,
    },
];

/// What one run took.
#[derive(Debug, Clone, Copy)]
struct Run {
    wall: f64,
    /// Context switches because a thread waited; `None` where the system does not say.
    waits: Option<u64>,
}

/// What the runs of both came to.
#[derive(Debug)]
pub struct Timed {
    name: &'static str,
    drumline: Vec<Run>,
    rayon: Vec<Run>,
}

/// Runs the program of both variants in turns.
pub fn measure(
    program: &Program,
    file_of: impl Fn(Runtime) -> PathBuf,
    inputs: &Path,
    rounds: usize,
) -> Result<Timed> {
    let input = (program.input)(inputs)
        .with_context(|| format!("making the input of {}", program.binary))?;
    let run = |runtime| {
        let file = file_of(runtime);
        run(&file, program.arguments, &input).with_context(|| format!("running {}", file.display()))
    };
    let mut timed = Timed {
        name: program.binary,
        drumline: Vec::new(),
        rayon: Vec::new(),
    };
    // The first ones read what the others find in memory.
    run(Runtime::Rayon)?;
    run(Runtime::Drumline)?;
    for round in 0..rounds {
        let mut both = [Runtime::Rayon, Runtime::Drumline];
        if round % 2 == 1 {
            both.reverse();
        }
        for runtime in both {
            let run = run(runtime)?;
            if runtime == Runtime::Rayon {
                timed.rayon.push(run);
            } else {
                timed.drumline.push(run);
            }
        }
    }
    Ok(timed)
}

fn run(file: &Path, arguments: &[&str], input: &Path) -> Result<Run> {
    let before = children::used();
    let start = Instant::now();
    let status = Command::new(file)
        .args(arguments)
        .arg(input)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    let wall: Duration = start.elapsed();
    ensure!(status.success(), "it ended with {status}");
    let used = before.zip(children::used());
    Ok(Run {
        wall: wall.as_secs_f64(),
        waits: used.map(|(before, after)| after.waits.saturating_sub(before.waits)),
    })
}

impl Timed {
    /// The ratios of the rounds, drumline by rayon, from the smallest to the largest.
    fn ratios(&self) -> Vec<f64> {
        let pairs = self.drumline.iter().zip(&self.rayon);
        let mut ratios: Vec<f64> = pairs
            .map(|(ours, theirs)| ours.wall / theirs.wall)
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        ratios
    }
}

impl fmt::Display for Timed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wall = |runs: &[Run]| median(runs.iter().map(|run| run.wall));
        let waits = |runs: &[Run]| {
            let waits = runs.iter().filter_map(|run| Some(run.waits? as f64));
            median(waits).map_or_else(|| "?".to_owned(), |waits| format!("{waits:.0}"))
        };
        let ratios = self.ratios();
        let (Some(ours), Some(theirs), [least, .., most]) =
            (wall(&self.drumline), wall(&self.rayon), &ratios[..])
        else {
            return write!(f, "{}: too few rounds", self.name);
        };
        write!(
            f,
            "{}: drumline {:.1} ms, rayon {:.1} ms, ratio {:.3} ({least:.3} to {most:.3}); waits {} \
             against {}",
            self.name,
            ours * 1e3,
            theirs * 1e3,
            median(ratios.iter().copied()).unwrap_or(f64::NAN),
            waits(&self.drumline),
            waits(&self.rayon),
        )
    }
}

/// The one in the middle; of two their mean.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    match values.len() % 2 {
        0 => Some(f64::midpoint(values[middle - 1], upper)),
        _ => Some(upper),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_compared_one_by_one() {
        let runs = |walls: &[f64]| {
            let run = |&wall| Run {
                wall,
                waits: Some(7),
            };
            walls.iter().map(run).collect()
        };
        let timed = Timed {
            name: "x",
            drumline: runs(&[0.2, 0.1, 0.4]),
            rayon: runs(&[0.1, 0.1, 0.1]),
        };
        assert_eq!(
            timed.to_string(),
            "x: drumline 200.0 ms, rayon 100.0 ms, ratio 2.000 (1.000 to 4.000); waits 7 against 7"
        );
        let none = Timed {
            name: "x",
            drumline: Vec::new(),
            rayon: Vec::new(),
        };
        assert_eq!(none.to_string(), "x: too few rounds");
    }

    #[test]
    fn the_middle_of_two_is_their_mean() {
        assert_eq!(median([3.0, 1.0].into_iter()), Some(2.0));
        assert_eq!(median([3.0, 1.0, 9.0].into_iter()), Some(3.0));
        assert_eq!(median(std::iter::empty()), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_program_that_fails_is_an_error() {
        let run = |script| run(Path::new("sh"), &["-c", script], Path::new("input"));
        assert!(run("exit 0").unwrap().wall > 0.0);
        assert!(run("exit 3").is_err());
    }
}
