//! How long files are, and where `unsafe` lives.

use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

use super::rules::{LINES_FAIL, LINES_WARN};

/// What the length of a file means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// Nothing to say.
    Fine,
    /// It should be split soon.
    Long,
    /// It has to be split now.
    TooLong,
}

/// Judges a number of lines.
pub fn length(lines: usize) -> Length {
    match lines {
        n if n > LINES_FAIL => Length::TooLong,
        n if n > LINES_WARN => Length::Long,
        _ => Length::Fine,
    }
}

/// How often the keyword `unsafe` stands in a source text, macros included, comments and strings
/// not.
pub fn unsafe_count(text: &str) -> usize {
    TokenStream::from_str(text).map_or(0, count)
}

fn count(tokens: TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) => usize::from(ident == "unsafe"),
            TokenTree::Group(group) => count(group.stream()),
            _ => 0,
        })
        .sum()
}
