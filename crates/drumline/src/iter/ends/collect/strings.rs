//! Strings of characters and of strings.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use super::from::extended;
use super::pieces::{Piece, Pieces, pieces_of};
use crate::iter::{FromParallelIterator, IntoParallelIterator, ParallelExtend};

/// Appends pieces to a string.
fn append(string: &mut String, pieces: Pieces<String>) {
    if string.capacity() == 0 {
        let (first, others) = pieces.split_first();
        *string = first;
        if let Some(others) = others {
            append(string, others);
        }
        return;
    }
    string.reserve(pieces.iter().map(String::len).sum());
    for piece in pieces {
        string.push_str(&piece);
    }
}

/// As [`append`], for strings of the system.
fn append_os(string: &mut OsString, pieces: Pieces<OsString>) {
    if string.capacity() == 0 {
        let (first, others) = pieces.split_first();
        *string = first;
        if let Some(others) = others {
            append_os(string, others);
        }
        return;
    }
    string.reserve(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        string.push(&piece);
    }
}

/// Declares what strings are extended by and collected from.
macro_rules! of_items {
    ($string:ident, $append:ident: $($item:ty $(, $lifetime:lifetime)?;)*) => {
        $(
            impl$(<$lifetime>)? Piece<$item> for $string {}

            /// Appends the items, in their order.
            impl$(<$lifetime>)? ParallelExtend<$item> for $string {
                fn par_extend<I>(&mut self, iter: I)
                where
                    I: IntoParallelIterator<Item = $item>,
                {
                    $append(self, pieces_of(iter.into_par_iter()));
                }
            }

            /// All items, in their order.
            impl$(<$lifetime>)? FromParallelIterator<$item> for $string {
                fn from_par_iter<I>(iter: I) -> Self
                where
                    I: IntoParallelIterator<Item = $item>,
                {
                    extended(iter)
                }
            }
        )*
    };
}

of_items! {
    String, append:
    char;
    &'a char, 'a;
    &'a str, 'a;
    Cow<'a, str>, 'a;
    Box<str>;
    String;
}

of_items! {
    OsString, append_os:
    &'a OsStr, 'a;
    Cow<'a, OsStr>, 'a;
    OsString;
}

/// Declares what boxed strings are collected from.
macro_rules! boxed_of_items {
    ($($item:ty $(, $lifetime:lifetime)?;)*) => {
        $(
            /// All items, in their order.
            impl$(<$lifetime>)? FromParallelIterator<$item> for Box<str> {
                fn from_par_iter<I>(iter: I) -> Self
                where
                    I: IntoParallelIterator<Item = $item>,
                {
                    String::from_par_iter(iter).into_boxed_str()
                }
            }
        )*
    };
}

boxed_of_items! {
    char;
    &'a char, 'a;
    &'a str, 'a;
    Cow<'a, str>, 'a;
    Box<str>;
    String;
}
