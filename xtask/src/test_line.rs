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

/// The path of a test and what became of it, if the line is about that.
pub fn parse(line: &str) -> Option<(&str, Outcome)> {
    let (path, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let outcome = match result.split([',', ' ']).next()? {
        "ok" => Outcome::Passed,
        "FAILED" => Outcome::Failed,
        "ignored" => Outcome::Ignored,
        _ => return None,
    };
    Some((path.trim_end_matches(" - should panic"), outcome))
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
}
