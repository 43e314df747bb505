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

#[cfg(test)]
mod tests {
    use super::*;

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
