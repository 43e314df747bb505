//! What failed tests have said, to be said again at the end. A log is read from its end, and some
//! places keep only the end of it; the failure of an early program is far from there.

use std::fmt;

use crate::test_line;

/// How many lines of one test are kept. A panic's message comes before its backtrace.
const LINES_PER_TEST: usize = 25;
/// How many tests are shown with what they said. The others are shown by name.
const TESTS_WITH_LINES: usize = 8;

/// The failed tests of a run, from the output of its test runners.
#[derive(Debug, Default)]
pub struct Failures {
    tests: Vec<FailedTest>,
    /// Whether the next line belongs to the last test.
    inside: bool,
}

/// A test that failed.
#[derive(Debug)]
struct FailedTest {
    name: String,
    lines: Vec<String>,
    left_out: usize,
}

impl Failures {
    /// Takes note of a line of the output.
    pub fn note(&mut self, line: &str) {
        if let Some(name) = test_line::output_of(line) {
            self.inside = true;
            self.tests.push(FailedTest {
                name: name.to_owned(),
                lines: Vec::new(),
                left_out: 0,
            });
        } else if line == "failures:" || line.starts_with("test result: ") {
            self.inside = false;
        } else if self.inside && !line.is_empty() {
            let keeps = self.tests.len() <= TESTS_WITH_LINES;
            let Some(test) = self.tests.last_mut() else {
                return;
            };
            if keeps && test.lines.len() < LINES_PER_TEST {
                test.lines.push(line.to_owned());
            } else {
                test.left_out += 1;
            }
        }
    }

    /// Whether no test has failed.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nfailed, and said (more is in the output above):")?;
        for test in &self.tests {
            writeln!(f, "  {}", test.name)?;
            for line in &test.lines {
                writeln!(f, "    {line}")?;
            }
            if test.left_out > 0 {
                writeln!(f, "    … lines left out: {}", test.left_out)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(text: &str) -> Failures {
        let mut failures = Failures::default();
        text.lines().for_each(|line| failures.note(line));
        failures
    }

    /// The output of one program: `lines` lines of panic for each of the tests.
    fn program(tests: &[&str], lines: usize) -> String {
        let mut text = String::from("running 9 tests\ntest fine ... ok\n\nfailures:\n\n");
        for test in tests {
            text += &format!("---- {test} stdout ----\n\n");
            text.extend((0..lines).map(|line| format!("line {line} of {test}\n")));
            text.push('\n');
        }
        text + "\nfailures:\n    a name\n\ntest result: FAILED. 1 passed; 2 failed\nlater\n"
    }

    #[test]
    fn failures_of_all_programs_are_said_again() {
        let text = program(&["a::b", "c - should panic"], 2) + &program(&["d"], 1);
        let shown = noted(&text).to_string();
        assert_eq!(
            shown,
            "\nfailed, and said (more is in the output above):\n  a::b\n    line 0 of a::b\n    \
             line 1 of a::b\n  c - should panic\n    line 0 of c - should panic\n    line 1 of c \
             - should panic\n  d\n    line 0 of d\n"
        );
    }

    #[test]
    fn long_outputs_and_many_failures_are_cut() {
        let long = noted(&program(&["long"], LINES_PER_TEST + 3)).to_string();
        assert!(long.ends_with("    … lines left out: 3\n"), "{long}");
        let names: Vec<String> = (0..=TESTS_WITH_LINES).map(|n| format!("t{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let many = noted(&program(&names, 1)).to_string();
        assert!(many.contains("line 0 of t7\n"), "{many}");
        assert!(many.ends_with("  t8\n    … lines left out: 1\n"), "{many}");
    }

    #[test]
    fn nothing_is_kept_of_tests_that_pass() {
        let text = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed; 0 failed\n";
        assert!(noted(text).is_empty());
    }
}
