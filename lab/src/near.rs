//! Which known name was meant by one that is not known.

/// The known name that is most like this one, if one is like it: a third of its letters may be
/// wrong, and at least one.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let apart = known.map(|known| (strsim::levenshtein(&name, known), known));
    let near = apart.filter(|(distance, known)| *distance <= (known.chars().count() / 3).max(1));
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// The same as the end of a sentence that says that there is no such name; empty if none is near.
pub fn hint<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |near| format!(", but there is `{near}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_names_what_is_near() {
        let known = ["fib", "uts"];
        assert_eq!(hint("fibb", known.into_iter()), ", but there is `fib`");
        assert_eq!(hint("sort", known.into_iter()), "");
    }

    #[test]
    fn only_what_is_like_a_name_is_near() {
        let known = ["fib", "tree-sum", "sort", "sort-unstable"];
        let near = |name| nearest(name, known.into_iter());
        assert_eq!(near("fibb"), Some("fib"));
        assert_eq!(near("Tree_Sum"), Some("tree-sum"));
        assert_eq!(near("sort-unstabel"), Some("sort-unstable"));
        assert_eq!(near("srt"), Some("sort"));
        for nonsense in ["", "x", "no-such", "bif", "unstable"] {
            assert_eq!(near(nonsense), None, "{nonsense}");
        }
    }
}
