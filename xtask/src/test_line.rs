//! What the test runner says of a test.

/// What became of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// It is not meant to run.
    Ignored,
}

/// What the test runner adds to the path of a test that has to panic.
const SHOULD_PANIC: &str = " - should panic";

/// The path of a test and what became of it, if the line is about that.
pub fn parse(line: &str) -> Option<(&str, Outcome)> {
    let (path, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let outcome = match result.split([',', ' ']).next()? {
        "ok" => Outcome::Passed,
        "FAILED" => Outcome::Failed,
        "ignored" => Outcome::Ignored,
        _ => return None,
    };
    Some((path.trim_end_matches(SHOULD_PANIC), outcome))
}

/// The path of a test that the line says is running: it is slow, or the line has not come to the
/// result.
pub fn running(line: &str) -> Option<&str> {
    let line = line.strip_prefix("test ")?;
    let path = line
        .strip_suffix(" ... ")
        .or_else(|| Some(line.split_once(" has been running for over ")?.0))?;
    Some(path.trim_end_matches(SHOULD_PANIC))
}

/// The name of the failed test whose output follows the line, if the line says so.
pub fn output_of(line: &str) -> Option<&str> {
    line.strip_prefix("---- ")?.strip_suffix(" stdout ----")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_of_tests_with_a_result_are_read() {
        assert_eq!(parse("test a::b ... ok"), Some(("a::b", Outcome::Passed)));
        let panics = "test b - should panic ... FAILED";
        assert_eq!(parse(panics), Some(("b", Outcome::Failed)));
        let ignored = "test c ... ignored, not here";
        assert_eq!(parse(ignored), Some(("c", Outcome::Ignored)));
        for other in ["test d ... ", "test result: ok. 1 passed", "running 1 test"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn tests_without_a_result_are_running() {
        assert_eq!(running("test a::b ... "), Some("a::b"));
        let slow = "test b - should panic has been running for over 60 seconds";
        assert_eq!(running(slow), Some("b"));
        for other in [
            "test c ... ok",
            "test result: ok. 1 passed",
            "running 1 test",
        ] {
            assert_eq!(running(other), None, "{other}");
        }
    }

    #[test]
    fn the_output_of_a_failed_test_has_its_name_above_it() {
        assert_eq!(output_of("---- a::b stdout ----"), Some("a::b"));
        for other in ["---- a::b", "a::b stdout ----", "failures:", ""] {
            assert_eq!(output_of(other), None, "{other}");
        }
    }
}
