//! What is everywhere in a string: characters, bytes, matches of a pattern.

use super::pattern::Pattern;
use crate::iter::ParallelIterator;
use crate::iter::engine::drive::bridge_stretch;
use crate::iter::engine::items::Stretch;
use crate::iter::plumbing::{Folder, UnindexedConsumer};
use crate::iter::sources::fields::place_in;

/// What is looked for in a text.
trait Find<'t>: Copy + Send {
    /// What is found.
    type Item;

    /// Gives what is in `text` to `folder`; it begins at `start`.
    fn fold<F>(self, text: &'t str, start: usize, folder: F) -> F
    where
        F: Folder<Self::Item>;
}

/// Something looked for in a part of a text.
struct Text<'t, K> {
    text: &'t str,
    /// Where it begins in the whole.
    start: usize,
    find: K,
}

impl<'t, K: Find<'t>> Stretch for Text<'t, K> {
    type Item = K::Item;

    #[inline]
    fn len(&self) -> usize {
        self.text.len()
    }

    #[inline]
    fn cut(self, at: usize) -> (Self, Self) {
        let Text { text, start, find } = self;
        let at = place_in(text, at);
        let (left, right) = text.split_at(at);
        let part = |text, start| Text { text, start, find };
        (part(left, start), part(right, start + at))
    }

    #[inline]
    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<K::Item>,
    {
        self.find.fold(self.text, self.start, folder)
    }
}

/// Declares a parallel iterator over what is found in a text, and how it is found.
macro_rules! found {
    (
        $(#[$meta:meta])*
        $name:ident, $find:ident, $item:ty;
        ($text:ident, $start:ident, $folder:ident) => $fold:expr
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $name<'ch> {
            chars: &'ch str,
        }

        impl<'ch> $name<'ch> {
            pub(super) fn new(chars: &'ch str) -> Self {
                $name { chars }
            }
        }

        impl<'ch> ParallelIterator for $name<'ch> {
            type Item = $item;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: UnindexedConsumer<Self::Item>,
            {
                let text = Text { text: self.chars, start: 0, find: $find };
                bridge_stretch(text, consumer)
            }
        }

        #[derive(Clone, Copy)]
        struct $find;

        impl<'t> Find<'t> for $find {
            type Item = $item;

            #[inline]
            fn fold<F>(self, $text: &'t str, $start: usize, $folder: F) -> F
            where
                F: Folder<$item>,
            {
                $fold
            }
        }
    };
}

found! {
    /// The characters of a string; see [`par_chars`](super::ParallelString::par_chars).
    Chars, FindChars, char;
    (text, _start, folder) => folder.consume_iter(text.chars())
}

found! {
    /// The characters of a string, and where they are; see
    /// [`par_char_indices`](super::ParallelString::par_char_indices).
    CharIndices, FindCharIndices, (usize, char);
    (text, start, folder) => {
        folder.consume_iter(text.char_indices().map(|(index, char)| (start + index, char)))
    }
}

found! {
    /// The bytes of a string; see [`par_bytes`](super::ParallelString::par_bytes).
    Bytes, FindBytes, u8;
    (text, _start, folder) => folder.consume_iter(text.bytes())
}

found! {
    /// The code units of a string in UTF-16; see
    /// [`par_encode_utf16`](super::ParallelString::par_encode_utf16).
    EncodeUtf16, FindUtf16, u16;
    (text, _start, folder) => folder.consume_iter(text.encode_utf16())
}

/// Declares a parallel iterator over what matches a pattern.
macro_rules! matches {
    ($(#[$meta:meta])* $name:ident, $find:ident, $item:ty; $fold:expr) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $name<'ch, P: Pattern> {
            chars: &'ch str,
            pattern: P,
        }

        impl<'ch, P: Pattern> $name<'ch, P> {
            pub(super) fn new(chars: &'ch str, pattern: P) -> Self {
                $name { chars, pattern }
            }
        }

        impl<'ch, P: Pattern> ParallelIterator for $name<'ch, P> {
            type Item = $item;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: UnindexedConsumer<Self::Item>,
            {
                let text = Text { text: self.chars, start: 0, find: $find(&self.pattern) };
                bridge_stretch(text, consumer)
            }
        }

        struct $find<'p, P>(&'p P);

        impl<P> Clone for $find<'_, P> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<P> Copy for $find<'_, P> {}

        impl<'ch, P: Pattern> Find<'ch> for $find<'_, P> {
            type Item = $item;

            fn fold<F>(self, text: &'ch str, start: usize, folder: F) -> F
            where
                F: Folder<$item>,
            {
                let fold: fn(&P, &'ch str, usize, F) -> F = $fold;
                fold(self.0, text, start, folder)
            }
        }
    };
}

matches! {
    /// The matches of a pattern; see [`par_matches`](super::ParallelString::par_matches).
    Matches, FindMatches, &'ch str;
    |pattern, text, _start, folder| pattern.fold_matches(text, folder)
}

matches! {
    /// The matches of a pattern, and where they are; see
    /// [`par_match_indices`](super::ParallelString::par_match_indices).
    MatchIndices, FindMatchIndices, (usize, &'ch str);
    P::fold_match_indices::<F>
}
