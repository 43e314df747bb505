//! Parts of a string that separators make: lines, words, ….

use super::pattern::Pattern;
use crate::iter::ParallelIterator;
use crate::iter::plumbing::{Folder, UnindexedConsumer};
use crate::iter::sources::fields::{Gap, Rule, bridge_fields};

/// Declares a parallel iterator over the parts of a string.
macro_rules! fields {
    (
        $(#[$meta:meta])*
        $name:ident<'ch $(, $param:ident { $pattern:ident })?>;
        ($chars:ident, $consumer:ident) => $drive:expr
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $name<'ch $(, $param: Pattern)?> {
            chars: &'ch str,
            $($pattern: $param,)?
        }

        impl<'ch $(, $param: Pattern)?> $name<'ch $(, $param)?> {
            pub(super) fn new(chars: &'ch str $(, $pattern: $param)?) -> Self {
                $name { chars $(, $pattern)? }
            }
        }

        impl<'ch $(, $param: Pattern)?> ParallelIterator for $name<'ch $(, $param)?> {
            type Item = &'ch str;

            fn drive_unindexed<C>(self, $consumer: C) -> C::Result
            where
                C: UnindexedConsumer<Self::Item>,
            {
                let $name { chars: $chars $(, $pattern)? } = self;
                $drive
            }
        }
    };
}

fields! {
    /// The parts of a string between separators; see
    /// [`par_split`](super::ParallelString::par_split).
    Split<'ch, P { separator }>;
    (chars, consumer) => bridge_fields(chars, &Between(separator), consumer)
}

fields! {
    /// The parts of a string, each with the separator that ends it; see
    /// [`par_split_inclusive`](super::ParallelString::par_split_inclusive).
    SplitInclusive<'ch, P { separator }>;
    (chars, consumer) => bridge_fields(chars, &Behind(separator), consumer)
}

fields! {
    /// The parts of a string that end with a terminator; see
    /// [`par_split_terminator`](super::ParallelString::par_split_terminator).
    SplitTerminator<'ch, P { terminator }>;
    (chars, consumer) => {
        if chars.is_empty() {
            return consumer.into_folder().complete();
        }
        let chars = terminator.strip_from(chars).unwrap_or(chars);
        bridge_fields(chars, &Between(terminator), consumer)
    }
}

fields! {
    /// The lines of a string; see [`par_lines`](super::ParallelString::par_lines).
    Lines<'ch>;
    (chars, consumer) => SplitInclusive::new(chars, '\n').map(without_end).drive_unindexed(consumer)
}

fields! {
    /// The words of a string; see
    /// [`par_split_whitespace`](super::ParallelString::par_split_whitespace).
    SplitWhitespace<'ch>;
    (chars, consumer) => {
        let words = Split::new(chars, char::is_whitespace);
        words.filter(|word| !word.is_empty()).drive_unindexed(consumer)
    }
}

fields! {
    /// The words of a string; see
    /// [`par_split_ascii_whitespace`](super::ParallelString::par_split_ascii_whitespace).
    SplitAsciiWhitespace<'ch>;
    (chars, consumer) => {
        let words = Split::new(chars, |c: char| c.is_ascii_whitespace());
        words.filter(|word| !word.is_empty()).drive_unindexed(consumer)
    }
}

/// A line without what ends it. A carriage return does not end a line by itself.
fn without_end(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(line) => line.strip_suffix('\r').unwrap_or(line),
        None => line,
    }
}

/// Fields end where a match is, and begin behind it.
struct Between<P>(P);

/// Fields end behind a match.
struct Behind<P>(P);

/// Where the match at `index` ends.
fn end_of(text: &str, index: usize) -> usize {
    let character = text[index..].chars().next();
    index + character.map_or(0, char::len_utf8)
}

fn between(text: &str, index: usize) -> Gap {
    Gap {
        end: index,
        start: end_of(text, index),
    }
}

fn behind(text: &str, index: usize) -> Gap {
    let end = end_of(text, index);
    Gap { end, start: end }
}

macro_rules! rules {
    ($($rule:ident, $gap:ident, $split:ident, $empty:literal;)*) => {
        $(impl<'ch, P: Pattern> Rule<&'ch str> for $rule<P> {
            const EMPTY: bool = $empty;

            fn first(&self, view: &str, from: usize, to: usize) -> Option<Gap> {
                let found = self.0.find_in(&view[from..to])?;
                Some($gap(view, from + found))
            }

            fn last(&self, view: &str, to: usize) -> Option<Gap> {
                let found = self.0.rfind_in(&view[..to])?;
                Some($gap(view, found))
            }

            fn fold<F>(&self, text: &'ch str, folder: F) -> F
            where
                F: Folder<&'ch str>,
            {
                self.0.$split(text, folder)
            }
        })*
    };
}

rules! {
    Between, between, fold_split, true;
    Behind, behind, fold_split_inclusive, false;
}
