//! The tests that are known not to pass, and why.

use std::collections::BTreeMap;

use anyhow::Result;

use super::suite_file::{SuiteFile, Verdict};
use crate::known_failures::{self, KnownFailures};

/// Where they are written, relative to the root of the workspace.
pub const LIST: &str = "xtask/rayon-suite.expected";

/// What may stand before a test, and what that says.
const MARKS: &[(&str, Frequency)] = &[
    ("sometimes ", Frequency::Sometimes),
    ("hangs ", Frequency::Hangs),
];

/// The tests that are known not to pass.
#[derive(Debug)]
pub struct Expected {
    tests: KnownFailures<Frequency>,
}

/// How often a test that is listed fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frequency {
    Always,
    /// It is random.
    Sometimes,
    /// It is not even run: it would not end.
    Hangs,
}

impl Expected {
    /// Reads the list.
    pub fn read() -> Result<Self> {
        let tests = known_failures::read(LIST, MARKS, Frequency::Always)?;
        Ok(Expected { tests })
    }

    /// The tests of a file that are known to hang.
    pub fn hanging(&self, file: &str) -> Vec<&str> {
        let prefix = format!("{file}::");
        self.tests
            .iter()
            .filter(|&(_, &frequency)| frequency == Frequency::Hangs)
            .filter_map(|(test, _)| test.strip_prefix(&prefix))
            .collect()
    }

    /// What is not as the list says, in words.
    pub fn compare(&self, files: &[SuiteFile]) -> Vec<String> {
        let mut surprises = Vec::new();
        for file in files {
            let prefix = format!("{}::", file.name());
            let mut listed: BTreeMap<&str, Frequency> = self
                .tests
                .iter()
                .filter_map(|(test, &frequency)| Some((test.strip_prefix(&prefix)?, frequency)))
                .collect();
            for test in &file.tests {
                let what = match (&test.verdict, listed.remove(test.name.as_str())) {
                    (Verdict::Passed | Verdict::Ignored, None) => continue,
                    (Verdict::Passed, Some(Frequency::Sometimes)) => continue,
                    (Verdict::Failed(_) | Verdict::Uncompilable(_), Some(_)) => continue,
                    (Verdict::Passed, Some(_)) => {
                        "passes, and is listed as one that does not".into()
                    }
                    (Verdict::Ignored, Some(_)) => {
                        "is ignored, and listed as one that fails".into()
                    }
                    (Verdict::Failed(_), None) => "failed".to_owned(),
                    (Verdict::Uncompilable(why), None) => {
                        format!(
                            "does not compile: {}",
                            why.lines().next().unwrap_or_default()
                        )
                    }
                    (Verdict::Open, _) => "was not run".to_owned(),
                };
                surprises.push(format!("{prefix}{} {what}", test.name));
            }
            surprises.extend(
                listed
                    .keys()
                    .map(|test| format!("{prefix}{test} is listed, and there is no such test")),
            );
        }
        surprises
    }
}

#[cfg(test)]
mod tests {
    use super::super::suite_file::{Kind, SuiteFile};
    use super::*;

    #[test]
    fn surprises_are_told_both_ways() {
        let text = "\
             # why\n\ntests/x.rs::a: not yet\ntests/x.rs::b: never\ntests/y.rs::z: other file\n\
             sometimes tests/x.rs::e: random\nhangs tests/y.rs::f: waits for ever\ntests/x.rs::gone: was there once\n";
        let tests = known_failures::parse(LIST, text, MARKS, Frequency::Always).unwrap();
        let expected = Expected { tests };
        let mut file = SuiteFile::empty("tests/x.rs", Kind::Outer);
        file.note("a", Verdict::Failed(String::new()));
        file.note("b", Verdict::Passed);
        file.note("c", Verdict::Passed);
        file.note("d", Verdict::Failed(String::new()));
        file.note("e", Verdict::Passed);
        assert_eq!(expected.hanging("tests/y.rs"), ["f"]);
        assert_eq!(
            expected.compare(&[file]),
            [
                "tests/x.rs::b passes, and is listed as one that does not",
                "tests/x.rs::d failed",
                "tests/x.rs::gone is listed, and there is no such test",
            ]
        );
    }

    #[test]
    fn the_list_can_be_read() {
        Expected::read().unwrap();
    }
}
