//! The tests that are known to pass with rayon only, and why.

use anyhow::Result;

use super::results::Results;
use crate::known_failures::{self, KnownFailures};
use crate::test_line::Outcome;

/// Where they are written, relative to the root of the workspace.
pub const LIST: &str = "xtask/clients.expected";

/// What may stand before a test that fails now and then, with rayon as well.
const MARKS: &[(&str, Frequency)] = &[("sometimes ", Frequency::Sometimes)];

/// How often a test that is listed fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frequency {
    Always,
    Sometimes,
}

/// The tests that are known to pass with rayon only, as `client test`.
#[derive(Debug)]
pub struct Expected {
    tests: KnownFailures<Frequency>,
}

impl Expected {
    /// Reads the list.
    pub fn read() -> Result<Self> {
        let tests = known_failures::read(LIST, MARKS, Frequency::Always)?;
        Ok(Expected { tests })
    }

    /// What is not as the list says, in words.
    pub fn compare(&self, client: &str, rayon: &Results, facade: &Results) -> Vec<String> {
        let mut surprises = Vec::new();
        let listed = |test: &str| self.tests.get(&format!("{client} {test}"));
        for test in rayon.passed() {
            let what = match (facade.get(test), listed(test)) {
                (Some(Outcome::Passed), None | Some(Frequency::Sometimes)) => continue,
                (Some(Outcome::Passed), Some(Frequency::Always)) => "passes, and is listed",
                (_, Some(_)) => continue,
                (Some(_), None) => "fails with drumline",
                (None, None) => "does not end with drumline, or not as a test does",
            };
            surprises.push(format!("{client} {test} {what}"));
        }
        let prefix = format!("{client} ");
        for test in self
            .tests
            .keys()
            .filter_map(|key| key.strip_prefix(&prefix))
        {
            if rayon.get(test).is_none() {
                surprises.push(format!(
                    "{client} {test} is listed, and not heard of with rayon"
                ));
            }
        }
        surprises
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_with_rayon_has_to_pass() {
        let text = "\
            x src/lib.rs::a: demands a deadlock\nx src/lib.rs::b: no longer\n\
            sometimes x src/lib.rs::c: random\ny src/lib.rs::d: of another client\n\
            x src/lib.rs::g: renamed since\n";
        let tests = known_failures::parse(LIST, text, MARKS, Frequency::Always).unwrap();
        let expected = Expected { tests };
        let rayon = "Running unittests src/lib.rs (x)\ntest a ... ok\ntest b ... ok\n\
                     test c ... ok\ntest d ... ok\ntest e ... FAILED\ntest f ... ok\n";
        let facade = "Running unittests src/lib.rs (x)\ntest a ... FAILED\ntest b ... ok\n\
                      test c ... FAILED\ntest d ... FAILED\ntest e ... FAILED\n";
        let surprises = expected.compare("x", &Results::of(rayon), &Results::of(facade));
        assert_eq!(
            surprises,
            [
                "x src/lib.rs::b passes, and is listed",
                "x src/lib.rs::d fails with drumline",
                "x src/lib.rs::f does not end with drumline, or not as a test does",
                "x src/lib.rs::g is listed, and not heard of with rayon",
            ]
        );
    }

    #[test]
    fn the_list_can_be_read() {
        Expected::read().unwrap();
    }
}
