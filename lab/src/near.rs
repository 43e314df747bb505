//! Which known name was meant by one that is not known.

/// The known name that is most like this one, if one is like it: a third of its letters may be
/// wrong, and at least one.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let apart = known.map(|known| (distance(&name.to_lowercase(), known), known));
    let near = apart.filter(|(distance, known)| *distance <= (known.chars().count() / 3).max(1));
    near.min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// How many letters must be put in, taken out or replaced to make `b` of `a`.
fn distance(a: &str, b: &str) -> usize {
    // How far what was read of `a` so far is from each beginning of `b`.
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (read, in_a) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], read + 1);
        for (index, in_b) in b.chars().enumerate() {
            let replaced = diagonal + usize::from(in_a != in_b);
            diagonal = row[index + 1];
            row[index + 1] = replaced.min(diagonal + 1).min(row[index] + 1);
        }
    }
    row[b.chars().count()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_put_in_taken_out_and_replaced() {
        for (a, b, expected) in [
            ("", "", 0),
            ("fib", "", 3),
            ("", "fib", 3),
            ("fib", "fibb", 1),
            ("rayon", "crayon", 1),
            ("seq", "sec", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(distance(a, b), expected, "{a}, {b}");
        }
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
