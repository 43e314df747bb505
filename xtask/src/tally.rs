//! Adds up what the test runner says.

use std::fmt;

/// How many tests passed, failed and were left out.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests marked `#[ignore]`.
    pub ignored: u64,
}

impl Tally {
    /// Takes note of a line of the test runner's output.
    pub fn note(&mut self, line: &str) {
        let Some((_, counts)) = line.split_once("test result: ") else {
            return;
        };
        let words: Vec<&str> = counts.split([' ', ';', '.']).collect();
        for pair in words.windows(2) {
            let Ok(number) = pair[0].parse::<u64>() else {
                continue;
            };
            match pair[1] {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 {
            write!(f, ", {} ignored", self.ignored)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_add_up() {
        let mut tally = Tally::default();
        tally.note("test a::b ... ok");
        tally.note(
            "test result: ok. 30 passed; 0 failed; 2 ignored; 0 measured; 5 filtered out; \
             finished in 0.09s",
        );
        tally
            .note("test result: FAILED. 1 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out");
        assert_eq!(tally.to_string(), "31 passed, 4 failed, 2 ignored");
    }
}
