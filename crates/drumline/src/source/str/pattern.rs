//! What can be searched for in a string.

use crate::iter::plumbing::Folder;

/// A character, some characters, or a function that says which. What it finds is always one
/// character.
///
/// The one of the standard library is not stable; here is what is needed of it.
pub trait Pattern: Sized + Sync + Send {
    /// Where the first match begins.
    fn find_in(&self, text: &str) -> Option<usize>;

    /// Where the last match begins.
    fn rfind_in(&self, text: &str) -> Option<usize>;

    /// The text without the match that it ends with, if it does.
    fn strip_from<'t>(&self, text: &'t str) -> Option<&'t str>;

    /// Gives the parts between matches to `folder`.
    fn fold_split<'t, F: Folder<&'t str>>(&self, text: &'t str, folder: F) -> F;

    /// Gives the parts that end with a match to `folder`.
    fn fold_split_inclusive<'t, F: Folder<&'t str>>(&self, text: &'t str, folder: F) -> F;

    /// Gives the matches to `folder`.
    fn fold_matches<'t, F: Folder<&'t str>>(&self, text: &'t str, folder: F) -> F;

    /// Gives the matches to `folder`, and where they are in a text of which this is what begins at
    /// `start`.
    fn fold_match_indices<'t, F>(&self, text: &'t str, start: usize, folder: F) -> F
    where
        F: Folder<(usize, &'t str)>;
}

macro_rules! patterns {
    ($([$($generics:tt)*] $type:ty: $this:ident => $pattern:expr;)*) => {
        $(impl<$($generics)*> Pattern for $type {
            fn find_in(&self, text: &str) -> Option<usize> {
                let $this = self;
                text.find($pattern)
            }

            fn rfind_in(&self, text: &str) -> Option<usize> {
                let $this = self;
                text.rfind($pattern)
            }

            fn strip_from<'t>(&self, text: &'t str) -> Option<&'t str> {
                let $this = self;
                text.strip_suffix($pattern)
            }

            fn fold_split<'t, F: Folder<&'t str>>(&self, text: &'t str, folder: F) -> F {
                let $this = self;
                folder.consume_iter(text.split($pattern))
            }

            fn fold_split_inclusive<'t, F: Folder<&'t str>>(&self, text: &'t str, folder: F) -> F {
                let $this = self;
                folder.consume_iter(text.split_inclusive($pattern))
            }

            fn fold_matches<'t, F: Folder<&'t str>>(&self, text: &'t str, folder: F) -> F {
                let $this = self;
                folder.consume_iter(text.matches($pattern))
            }

            fn fold_match_indices<'t, F>(&self, text: &'t str, start: usize, folder: F) -> F
            where
                F: Folder<(usize, &'t str)>,
            {
                let $this = self;
                let matches = text.match_indices($pattern);
                folder.consume_iter(matches.map(|(index, part)| (start + index, part)))
            }
        })*
    };
}

patterns! {
    [] char: this => *this;
    [] &[char]: this => *this;
    [const N: usize] [char; N]: this => *this;
    [const N: usize] &[char; N]: this => *this;
    [P: Fn(char) -> bool + Sync + Send] P: this => this;
}
