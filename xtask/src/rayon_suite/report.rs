//! What is printed in the end.

use super::suite_file::{SuiteFile, Verdict};

/// How many tests of a file came to which end.
#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    passed: u64,
    failed: u64,
    uncompilable: u64,
    ignored: u64,
}

impl Counts {
    fn of<'a>(files: impl IntoIterator<Item = &'a SuiteFile>) -> Self {
        let mut counts = Counts::default();
        for test in files.into_iter().flat_map(|file| &file.tests) {
            match test.verdict {
                Verdict::Passed => counts.passed += 1,
                Verdict::Ignored => counts.ignored += 1,
                Verdict::Uncompilable(_) => counts.uncompilable += 1,
                Verdict::Failed(_) | Verdict::Open => counts.failed += 1,
            }
        }
        counts
    }

    fn line(self, name: &str) {
        let Counts {
            passed,
            failed,
            uncompilable,
            ignored,
        } = self;
        println!("{name:36} {passed:6} {failed:6} {uncompilable:12} {ignored:7}");
    }
}

/// Prints what the tests that did not pass have said, then the numbers. What the compiler said is
/// long, and printed on request.
pub fn print(files: &[SuiteFile], explain: bool) {
    for file in files {
        if let (true, Some(why)) = (explain, &file.broken) {
            section(&format!("{} does not compile", file.name()), why);
            continue;
        }
        for test in &file.tests {
            let (what, why) = match &test.verdict {
                Verdict::Failed(why) => ("failed", why),
                Verdict::Uncompilable(why) if explain => ("does not compile", why),
                _ => continue,
            };
            section(&format!("{}::{} {what}", file.name(), test.name), why);
        }
    }
    println!(
        "\n{:36} passed failed uncompilable ignored",
        "rayon's tests"
    );
    for file in files {
        Counts::of([file]).line(file.name());
    }
    Counts::of(files).line("all");
}

fn section(title: &str, text: &str) {
    println!("\n{title}");
    for line in text.lines() {
        println!("    {line}");
    }
}

/// How many of how many pass: of rayon's, and of its core's.
pub fn summary(files: &[SuiteFile]) -> String {
    let (core, rayon): (Vec<_>, Vec<_>) = files
        .iter()
        .partition(|file| file.name().starts_with("core/"));
    let parts = [("rayon", rayon), ("core", core)].map(|(name, files)| {
        let counts = Counts::of(files);
        let tried = counts.passed + counts.failed + counts.uncompilable;
        let percent = 100.0 * counts.passed as f64 / tried.max(1) as f64;
        format!("{name}: {} of {tried} pass ({percent:.1} %)", counts.passed)
    });
    parts.join(", ")
}
