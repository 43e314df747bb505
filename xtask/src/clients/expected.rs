//! The tests that are known to pass with rayon only, and why.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use super::results::{Outcome, Results};
use crate::workspace;

/// Where they are written, relative to the root of the workspace.
pub const LIST: &str = "xtask/clients.expected";

/// What may stand before a test that fails now and then, with rayon as well.
const SOMETIMES: &str = "sometimes ";

/// The tests that are known to pass with rayon only.
#[derive(Debug)]
pub struct Expected {
    /// By client and test; whether it fails only sometimes.
    tests: BTreeMap<(String, String), bool>,
}

impl Expected {
    /// Reads the list.
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(workspace::root().join(LIST))
            .with_context(|| format!("reading {LIST}"))?;
        Self::parse(&text)
    }

    /// A line is `client test: reason`, or `sometimes client test: reason`.
    fn parse(text: &str) -> Result<Self> {
        let mut tests = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let plain = line.strip_prefix(SOMETIMES);
            // The reason is for people. It only has to be there.
            let named = plain.unwrap_or(line).split_once(": ");
            let Some((client, test)) = named.and_then(|(test, _)| test.split_once(' ')) else {
                bail!("{LIST}, line {}: no `client test: reason`", index + 1);
            };
            let key = (client.to_owned(), test.to_owned());
            if tests.insert(key, plain.is_some()).is_some() {
                bail!("{LIST}, line {}: {test} is there twice", index + 1);
            }
        }
        Ok(Expected { tests })
    }

    /// What is not as the list says, in words.
    pub fn compare(&self, client: &str, rayon: &Results, facade: &Results) -> Vec<String> {
        let mut surprises = Vec::new();
        let listed = |test: &str| self.tests.get(&(client.to_owned(), test.to_owned()));
        for test in rayon.passed() {
            let what = match (facade.get(test), listed(test)) {
                (Some(Outcome::Passed), None | Some(true)) => continue,
                (Some(Outcome::Passed), Some(false)) => "passes, and is listed",
                (_, Some(_)) => continue,
                (Some(_), None) => "fails with drumline",
                (None, None) => "does not end with drumline, or not as a test does",
            };
            surprises.push(format!("{client} {test} {what}"));
        }
        surprises
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_passes_with_rayon_has_to_pass() {
        let expected = Expected::parse(
            "# why\n\nx src/lib.rs::a: demands a deadlock\nx src/lib.rs::b: no longer\n\
             sometimes x src/lib.rs::c: random\ny src/lib.rs::d: of another client\n",
        )
        .unwrap();
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
            ]
        );
    }

    #[test]
    fn a_reason_is_asked_for() {
        assert!(Expected::parse("x tests/a.rs::a").is_err());
        assert!(Expected::parse("x a: b\nx a: c").is_err());
        Expected::read().unwrap();
    }
}
