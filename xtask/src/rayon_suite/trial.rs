//! Running a test program, within a limit of time.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::package::Package;
use super::suite_file::{SuiteFile, Verdict};
use crate::bounded;
use crate::test_line::{self, Outcome};

/// How long a test may take that is run alone, because it did not end with the others.
const ALONE: Duration = Duration::from_secs(120);

/// Runs the tests of `file`, and notes what became of them. Tests of which nothing was heard (one
/// of them hangs, or ended the process) are run one by one. Those that are known to hang are not
/// run.
pub fn run(
    package: &Package,
    file: &mut SuiteFile,
    program: &Path,
    hanging: &[&str],
    limit: Duration,
) -> Result<()> {
    let trial = Trial {
        program: program.to_owned(),
        directory: package.directory().to_owned(),
        out: package.logs().join(format!("{}.out", file.target())),
        err: package.logs().join(format!("{}.err", file.target())),
    };
    let (known, others): (Vec<String>, Vec<String>) = trial
        .list(limit)?
        .into_iter()
        .partition(|path| hanging.contains(&name_of(path)));
    let mut arguments = vec!["--exact"];
    for path in &known {
        arguments.extend(["--skip", path]);
        file.note(
            name_of(path),
            Verdict::Failed("not run: it hangs".to_owned()),
        );
    }

    let start = Instant::now();
    let (text, end) = trial.start(&arguments, limit)?;
    println!(
        "{:36} {:5.1} s  {end}",
        file.name(),
        start.elapsed().as_secs_f64()
    );
    let mut heard = results(&text);
    for path in others {
        if heard.contains_key(&path) {
            continue;
        }
        let (text, end) = trial.start(&["--exact", &path], limit.min(ALONE))?;
        let verdict = results(&text).remove(&path);
        let verdict = verdict.unwrap_or_else(|| Verdict::Failed(format!("{end}\n{text}")));
        heard.insert(path, verdict);
    }
    for (path, verdict) in heard {
        file.note(name_of(&path), verdict);
    }
    Ok(())
}

/// The test's name without the modules that it is in.
fn name_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// A test program, and where what it says is kept.
struct Trial {
    program: PathBuf,
    directory: PathBuf,
    out: PathBuf,
    err: PathBuf,
}

impl Trial {
    /// The paths of all tests.
    fn list(&self, limit: Duration) -> Result<Vec<String>> {
        let (text, end) = self.start(&["--list"], limit)?;
        let tests: Vec<String> = text
            .lines()
            .filter_map(|line| line.strip_suffix(": test"))
            .map(str::to_owned)
            .collect();
        if !end.starts_with("exit status: 0") {
            bail!("{} --list: {end}", self.program.display());
        }
        Ok(tests)
    }

    /// Runs the program; what it printed, and how it ended, in words.
    fn start(&self, arguments: &[&str], limit: Duration) -> Result<(String, String)> {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.directory)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(File::create(&self.out)?)
            .stderr(File::create(&self.err)?);
        let end = match bounded::run(&mut command, limit)? {
            Some(status) => status.to_string(),
            None => format!("did not end within {} s", limit.as_secs()),
        };
        let text =
            fs::read(&self.out).with_context(|| format!("reading {}", self.out.display()))?;
        Ok((String::from_utf8_lossy(&text).into_owned(), end))
    }
}

/// What the test runner says of each test, by its path.
fn results(text: &str) -> BTreeMap<String, Verdict> {
    let each = text.lines().filter_map(test_line::parse);
    each.map(|(path, outcome)| {
        let verdict = match outcome {
            Outcome::Passed => Verdict::Passed,
            Outcome::Ignored => Verdict::Ignored,
            Outcome::Failed => Verdict::Failed(said(text, path)),
        };
        (path.to_owned(), verdict)
    })
    .collect()
}

/// What a failed test said, from the end of the runner's output.
fn said(text: &str, path: &str) -> String {
    let begins = |line: &&str| test_line::output_of(line) == Some(path);
    let lines = text.lines().skip_while(|line| !begins(line)).skip(1);
    let lines: Vec<&str> = lines
        .take_while(|line| !line.starts_with("---- ") && *line != "failures:")
        .filter(|line| !line.is_empty())
        .collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_program_that_hangs_is_ended() {
        let directory = std::env::temp_dir();
        let log = |name| directory.join(format!("trial-{}.{name}", std::process::id()));
        let trial = Trial {
            program: "sh".into(),
            directory: directory.clone(),
            out: log("out"),
            err: log("err"),
        };
        let arguments = ["-c", "exec sleep 1000"];
        let (_, end) = trial.start(&arguments, Duration::from_secs(1)).unwrap();
        fs::remove_file(&trial.out).unwrap();
        fs::remove_file(&trial.err).unwrap();
        assert_eq!(end, "did not end within 1 s");
    }

    #[test]
    fn results_are_read_with_what_was_said() {
        let text = "\
running 5 tests
test iter::test::a ... ok
test b - should panic ... ok
test c ... FAILED
test d ... ignored, not here
test e ... 
failures:

---- c stdout ----

thread 'c' panicked at x.rs:1:1:
left is not right

failures:
    c

test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out
";
        let results = results(text);
        assert_eq!(results["iter::test::a"], Verdict::Passed);
        assert_eq!(results["b"], Verdict::Passed);
        assert_eq!(results["d"], Verdict::Ignored);
        assert_eq!(
            results["c"],
            Verdict::Failed("thread 'c' panicked at x.rs:1:1:\nleft is not right".into())
        );
        assert_eq!(results.len(), 4);
    }
}
