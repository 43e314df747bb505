//! Tests that cargo runs, within a limit. When it is over, what they have said so far tells which
//! of them were running.

use std::fmt;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::failures::Failures;
use crate::invocation::Invocation;
use crate::tally::Tally;
use crate::test_line;

/// Runs a line of tests, shows what it says, and counts its tests, also when some fail. What the
/// failed ones said is said again at the end.
pub fn run(line: &Invocation, limit: Duration) -> (Tally, Result<()>) {
    let (mut tally, mut running) = (Tally::default(), RunningTests::default());
    let mut failures = Failures::default();
    let ended = line.run_with(limit, |text| {
        tally.note(text);
        running.note(text);
        failures.note(text);
    });
    if !failures.is_empty() {
        println!("{failures}");
    }
    let result = match ended {
        Ok(true) => Ok(()),
        Ok(false) => too_long(line, limit, &running),
        Err(error) => Err(error),
    };
    (tally, result)
}

fn too_long(line: &Invocation, limit: Duration, running: &RunningTests) -> Result<()> {
    bail!(
        "did not end within {} and was killed, with what it had started; {running}; \
         to repeat it:\n  {line}",
        in_words(limit)
    )
}

/// A time limit, in words.
pub fn in_words(limit: Duration) -> String {
    match limit.as_secs() {
        seconds @ 120.. => format!("{} min", seconds / 60),
        _ => format!("{} s", limit.as_secs_f64()),
    }
}

/// The tests of one program, from what the test runner has said so far.
#[derive(Debug, Default)]
struct RunningTests {
    of: u64,
    ended: u64,
    /// The tests that were said to have begun or to be slow, and that have not ended.
    names: Vec<String>,
}

impl RunningTests {
    /// Takes note of a line. The last one may have been cut off.
    fn note(&mut self, line: &str) {
        if let Some((name, _)) = test_line::parse(line) {
            self.ended += 1;
            self.names.retain(|running| running != name);
        } else if let Some(of) = number_of_tests(line) {
            *self = RunningTests {
                of,
                ..RunningTests::default()
            };
        } else if let Some(name) = test_line::running(line)
            && !self.names.iter().any(|running| running == name)
        {
            self.names.push(name.to_owned());
        }
    }
}

/// The number in the line that a test program begins with.
fn number_of_tests(line: &str) -> Option<u64> {
    let (number, tests) = line.strip_prefix("running ")?.split_once(' ')?;
    number.parse().ok().filter(|_| tests.starts_with("test"))
}

impl fmt::Display for RunningTests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (ended, of) = (self.ended, self.of);
        match &self.names[..] {
            [] => write!(f, "no test had said that it was running")?,
            [name] => write!(f, "the test {name} was running")?,
            names => write!(f, "these tests were running: {}", names.join(", "))?,
        }
        write!(f, " ({ended} of {of} tests of the last program had ended)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(lines: &str) -> String {
        let mut running = RunningTests::default();
        lines.lines().for_each(|line| running.note(line));
        running.to_string()
    }

    #[test]
    fn slow_tests_are_running_until_they_end() {
        let lines = "running 3 tests\n\
                     test a ... ok\n\
                     test b has been running for over 60 seconds\n\
                     test c - should panic has been running for over 60 seconds\n";
        let both = "these tests were running: b, c (1 of 3 tests of the last program had ended)";
        assert_eq!(said(lines), both);
        let ended = format!("{lines}test c - should panic ... ok\n");
        let one = "the test b was running (2 of 3 tests of the last program had ended)";
        assert_eq!(said(&ended), one);
        let next = format!("{ended}test b ... FAILED\n\nrunning 1 test\n");
        let none = "no test had said that it was running (0 of 1 tests of the last program had \
                    ended)";
        assert_eq!(said(&next), none);
    }

    /// With one thread the name of a test comes before it runs. It is cut off there.
    #[test]
    fn the_test_of_a_line_without_an_end_is_running() {
        let one = "the test b was running (1 of 2 tests of the last program had ended)";
        assert_eq!(said("running 2 tests\ntest a ... ok\ntest b ... "), one);
    }

    /// A tiny limit may be over before the shell has begun: then it is given a longer one.
    #[cfg(unix)]
    #[test]
    fn tests_that_wait_for_ever_are_killed_and_named() {
        let script = "echo running 2 tests; echo 'test a ... ok'; \
                      echo 'test b has been running for over 60 seconds'; \
                      tail -f /dev/null; echo never";
        let line = Invocation::new(["sh", "-c", script]);
        let limits = (0..).map(|round| Duration::from_millis(50 << round));
        let mut errors = limits.map(|limit| run(&line, limit).1.unwrap_err().to_string());
        let named = errors
            .find(|error| error.contains("the test b was running (1 of 2"))
            .unwrap();
        assert!(named.starts_with("did not end within "), "{named}");
        assert!(named.contains("was killed") && named.contains("to repeat it:\n  sh -c"));
    }

    #[test]
    fn limits_are_said_in_words() {
        assert_eq!(in_words(Duration::from_secs(45 * 60)), "45 min");
        assert_eq!(in_words(Duration::from_millis(50)), "0.05 s");
    }

    #[test]
    fn tests_that_end_are_counted() {
        let result = "test result: ok. 30 passed; 0 failed; 2 ignored; 0 measured";
        let line = Invocation::new(["echo", result]);
        let (tally, result) = run(&line, Duration::from_secs(600));
        assert_eq!((tally.passed, tally.ignored), (30, 2));
        assert!(result.is_ok(), "{result:?}");
    }
}
