//! The table: words, and how often each has come.

use std::cmp::Ordering;

use hashbrown::HashMap;

/// How often each word has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Counts(HashMap<Vec<u8>, u64>);

/// Whether a byte belongs to a word.
#[inline]
pub fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'\'' || !byte.is_ascii()
}

impl Counts {
    /// Counts the words of a text; `ignore_case` changes its capital letters first.
    pub fn add(&mut self, text: &mut [u8], ignore_case: bool) {
        if ignore_case {
            text.make_ascii_lowercase();
        }
        for word in text.split(|&byte| !is_in_word(byte)) {
            if !word.is_empty() {
                *self.0.entry_ref(word).or_insert(0) += 1;
            }
        }
    }

    /// Adds what was counted elsewhere.
    pub fn merge(&mut self, mut other: Self) {
        // The smaller one moves.
        if self.0.len() < other.0.len() {
            std::mem::swap(self, &mut other);
        }
        for (word, count) in other.0 {
            *self.0.entry(word).or_insert(0) += count;
        }
    }

    /// The most frequent words, first those that come most often, then in order of their bytes; all
    /// if `most` is 0.
    pub fn top(&self, most: usize) -> Vec<(&[u8], u64)> {
        let mut words: Vec<_> = self
            .0
            .iter()
            .map(|(word, &count)| (&**word, count))
            .collect();
        if 0 < most && most < words.len() {
            words.select_nth_unstable_by(most, by_rank);
            words.truncate(most);
        }
        words.sort_unstable_by(by_rank);
        words
    }
}

/// Which of two words is printed first.
fn by_rank(a: &(&[u8], u64), b: &(&[u8], u64)) -> Ordering {
    b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Counts {
        let mut counts = Counts::default();
        counts.add(&mut text.as_bytes().to_vec(), false);
        counts
    }

    #[test]
    fn ties_are_in_order_of_the_words() {
        let counts = counts("b a c b it's a d é");
        let top: Vec<_> = counts.top(4);
        assert_eq!(top, [(&b"a"[..], 2), (b"b", 2), (b"c", 1), (b"d", 1)]);
        assert_eq!(counts.top(0).len(), 6);
        assert_eq!(counts.top(100).len(), 6);
    }

    #[test]
    fn merging_is_counting_both() {
        let mut small = counts("a b");
        small.merge(counts("b c d"));
        assert_eq!(small, counts("a b b c d"));
        let mut large = counts("b c d");
        large.merge(counts("a b"));
        assert_eq!(large, small);
    }

    #[test]
    fn case_is_kept_unless_it_is_ignored() {
        assert_eq!(counts("A a").top(0).len(), 2);
        let mut ignoring = Counts::default();
        ignoring.add(&mut b"A a".to_vec(), true);
        assert_eq!(ignoring.top(0), [(&b"a"[..], 2)]);
    }
}
