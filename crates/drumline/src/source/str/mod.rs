//! Parallel iterators over strings: characters, lines, words, bytes.
//!
//! Texts are cut where that is easy, between two characters or behind a separator. How many items
//! come of that is not known, and so these iterators are not indexed.

mod fields;
mod parallel_string;
mod pattern;
mod text;

pub use {
    fields::{
        Lines, Split, SplitAsciiWhitespace, SplitInclusive, SplitTerminator, SplitWhitespace,
    },
    parallel_string::ParallelString,
    text::{Bytes, CharIndices, Chars, EncodeUtf16, MatchIndices, Matches},
};
