//! Lists of tests that are known not to pass, with the reasons.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// What each test of a list is marked with.
pub type KnownFailures<M> = BTreeMap<String, M>;

/// Reads a list, relative to the root of the workspace. See [`parse`].
pub fn read<M: Copy>(list: &str, marks: &[(&str, M)], unmarked: M) -> Result<KnownFailures<M>> {
    let text = fs::read_to_string(workspace::root().join(list))
        .with_context(|| format!("reading {list}"))?;
    parse(list, &text, marks, unmarked)
}

/// Reads the text of a list: a line is `test: reason`, with one of `marks` before it or none. Empty
/// lines and those that begin with # say nothing.
pub fn parse<M: Copy>(
    list: &str,
    text: &str,
    marks: &[(&str, M)],
    unmarked: M,
) -> Result<KnownFailures<M>> {
    let mut tests = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // The reason is for people. It only has to be there.
        let Some((test, _reason)) = line.split_once(": ") else {
            bail!("{list}, line {}: no `test: reason`", index + 1);
        };
        let marked = marks
            .iter()
            .find_map(|&(mark, what)| Some((test.strip_prefix(mark)?, what)));
        let (test, what) = marked.unwrap_or((test, unmarked));
        if tests.insert(test.to_owned(), what).is_some() {
            bail!("{list}, line {}: {test} is there twice", index + 1);
        }
    }
    Ok(tests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_test_a_mark_and_a_reason() {
        let text = "# why\n\na::b: not yet\nsometimes c d: random\n";
        let tests = parse("list", text, &[("sometimes ", 1)], 0).unwrap();
        let tests: Vec<_> = tests.into_iter().collect();
        assert_eq!(tests, [("a::b".to_owned(), 0), ("c d".to_owned(), 1)]);
    }

    #[test]
    fn a_reason_is_asked_for_and_a_test_stands_once() {
        assert!(parse("list", "a::b", &[], ()).is_err());
        assert!(parse("list", "a::b: c\na::b: d", &[], ()).is_err());
    }
}
