//! Distinct names.

use super::file_name::{MAX_BYTES, component, cut};
use std::collections::{HashMap, HashSet};
use unicode_normalization::UnicodeNormalization;

/// Hands out names of files, none of them twice.
///
/// Names that differ only in their case, or in how a letter and its accent are written in Unicode,
/// are the same, as they are on many systems. The names
/// depend on what was asked for, and in which order, and on nothing else. Files that are on the
/// disk already do not count.
///
/// ```
/// let mut names = chipmill::output::Names::default();
/// assert_eq!(names.distinct("Title"), "Title");
/// assert_eq!(names.distinct("title"), "title (2)");
/// assert_eq!(names.distinct("Act 1/2"), "Act 1_2");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// The keys of the names that are taken.
    taken: HashSet<String>,
    /// The number that is tried next for the key of a name that was wanted again.
    next: HashMap<String, u64>,
}

impl Names {
    /// A name that was not handed out before: `name`, or `name (2)`, `name (3)` and so on.
    ///
    /// The name is one component of a path, without an extension, and has at most 200 bytes.
    /// Characters that file systems refuse are replaced. An empty name is `song`.
    pub fn distinct(&mut self, name: &str) -> String {
        let mut name = component(name);
        if name.is_empty() {
            name.push_str("song");
        }
        if self.taken.insert(key(&name)) {
            return name;
        }
        // Long names with the same front count together. Else each would try all numbers of the
        // others.
        let base = cut(&name, MAX_BYTES - " (18446744073709551615)".len());
        let next = self.next.entry(key(base)).or_insert(2);
        loop {
            let candidate = format!("{base} ({next})");
            *next += 1;
            if self.taken.insert(key(&candidate)) {
                return candidate;
            }
        }
    }
}

/// What two names have in common that are one name on some system.
fn key(name: &str) -> String {
    // Letters such as the sharp s and the final sigma have one capital form with others. The
    // capital sharp s is its own capital form, so that it becomes a small one first.
    let name = name.to_lowercase().to_uppercase().to_lowercase();
    name.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::super::file_name::tests::{is_one_component, text};
    use super::*;
    use proptest::prelude::*;

    fn distinct<const N: usize>(wanted: [&str; N]) -> [String; N] {
        let mut names = Names::default();
        wanted.map(|name| names.distinct(name))
    }

    #[test]
    fn numbers_follow_names_that_are_taken() {
        assert_eq!(
            distinct(["a", "b", "A", "a", "b"]),
            ["a", "b", "A (2)", "a (3)", "b (2)"]
        );
        assert_eq!(
            distinct(["a (2)", "a", "a", "a (2)"]),
            ["a (2)", "a", "a (3)", "a (2) (2)"]
        );
        assert_eq!(
            distinct(["a?", "a*", "", "..", "song"]),
            ["a_", "a_ (2)", "song", "song (2)", "song (3)"]
        );
    }

    /// Among them a letter with its accent, as one character and as two.
    #[test]
    fn names_that_are_one_on_some_system_are_distinct() {
        assert_eq!(
            distinct(["Caf\u{e9}", "Cafe\u{301}", "CAF\u{c9}", "Cafe"]),
            ["Caf\u{e9}", "Cafe\u{301} (2)", "CAF\u{c9} (3)", "Cafe"]
        );
        assert_eq!(
            distinct(["ma\u{1e9e}", "ma\u{df}", "MASS"]),
            ["ma\u{1e9e}", "ma\u{df} (2)", "MASS (3)"]
        );
        assert_eq!(
            distinct(["ma\u{df}", "MASS", "\u{3c3}\u{3c2}", "\u{3a3}\u{3a3}"]),
            [
                "ma\u{df}",
                "MASS (2)",
                "\u{3c3}\u{3c2}",
                "\u{3a3}\u{3a3} (2)"
            ]
        );
    }

    #[test]
    fn long_names_make_room_for_their_number() {
        let [front, other] = ["x".repeat(199) + "a", "x".repeat(199) + "b"];
        let names = distinct([&front, &other, &front, &other]);
        assert_eq!(names[..2], [front, other]);
        let base = "x".repeat(MAX_BYTES - 23);
        assert_eq!(names[2..], [format!("{base} (2)"), format!("{base} (3)")]);
    }

    #[test]
    fn a_million_equal_names_are_numbered() {
        let mut names = Names::default();
        let last = (0..1_000_000).map(|_| names.distinct("a")).last();
        assert_eq!(last.as_deref(), Some("a (1000000)"));
    }

    proptest! {
        #[test]
        fn names_are_distinct_and_one_component(
            wanted in prop::collection::vec(prop_oneof![text(), "[aA]( \\([2-3]\\))?"], 0..20),
        ) {
            let all = || {
                let mut names = Names::default();
                wanted.iter().map(|name| names.distinct(name)).collect::<Vec<_>>()
            };
            let names = all();
            prop_assert_eq!(&all(), &names);
            let mut seen = HashSet::new();
            for name in names {
                prop_assert!(is_one_component(&name), "{name:?}");
                prop_assert!(seen.insert(key(&name)), "{name:?}");
            }
        }
    }
}
