//! What became of each test.

use std::collections::BTreeMap;
use std::fmt;

use crate::test_line::{self, Outcome};

/// What became of the tests of one copy, by the program that they are in and their path.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Results {
    tests: BTreeMap<String, Outcome>,
}

impl Results {
    /// Reads what `cargo test` has written. A test of which nothing was heard is not there.
    pub fn of(text: &str) -> Self {
        let mut tests = BTreeMap::new();
        let mut program = String::new();
        for line in text.lines() {
            let line = line.trim_start();
            if let Some(rest) = line.strip_prefix("Running ") {
                // The name of the built file has a hash in it.
                let name = rest.split(" (").next().unwrap_or(rest);
                program = name.trim_start_matches("unittests ").to_owned();
            } else if let Some(name) = line.strip_prefix("Doc-tests ") {
                program = format!("doc {name}");
            }
            if let Some((path, outcome)) = test_line::parse(line) {
                tests.insert(format!("{program}::{path}"), outcome);
            }
        }
        Results { tests }
    }

    /// The tests that pass.
    pub fn passed(&self) -> impl Iterator<Item = &str> {
        let passed = self
            .tests
            .iter()
            .filter(|(_, outcome)| **outcome == Outcome::Passed);
        passed.map(|(test, _)| test.as_str())
    }

    /// What became of a test, if anything was heard of it.
    pub fn get(&self, test: &str) -> Option<Outcome> {
        self.tests.get(test).copied()
    }

    /// Whether nothing was heard of any test.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |wanted| {
            let outcomes = self.tests.values();
            outcomes.filter(|outcome| **outcome == wanted).count()
        };
        let (passed, failed) = (count(Outcome::Passed), count(Outcome::Failed));
        write!(f, "{passed} passed and {failed} failed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_apart_by_their_program() {
        let text = "\
     Running unittests src/lib.rs (target/debug/deps/a-0123)
test a::b ... ok
test c - should panic ... ok
     Running tests/c.rs (target/debug/deps/c-4567)
test c ... FAILED
test d ... ignored, too slow
   Doc-tests a
test src/lib.rs - a (line 3) ... ok
test src/lib.rs - b (line 9) - compile ... ok
test result: ok. 2 passed; 0 failed
";
        let results = Results::of(text);
        let passed: Vec<_> = results.passed().collect();
        assert_eq!(
            passed,
            [
                "doc a::src/lib.rs - a (line 3)",
                "doc a::src/lib.rs - b (line 9) - compile",
                "src/lib.rs::a::b",
                "src/lib.rs::c"
            ]
        );
        assert_eq!(results.get("tests/c.rs::c"), Some(Outcome::Failed));
        assert_eq!(results.get("tests/c.rs::d"), Some(Outcome::Ignored));
        assert_eq!(results.get("tests/c.rs::e"), None);
        assert_eq!(results.to_string(), "4 passed and 1 failed");
    }
}
