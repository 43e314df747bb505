//! What is in a string is what the methods of `str` find in it.

mod sources;

use drumline::prelude::*;

use sources::{in_pools, ordered};

fn texts() -> Vec<String> {
    let short = [
        "",
        "X",
        " ",
        "\n",
        "\r\n",
        "\r",
        "ä",
        "Mary had a little lamb",
        "lionXXtigerXleopard",
        "XX",
        "||||a||b|c",
        "foo\r\nbar\n\nbaz\n",
        "foo\nbar\n\r\nbaz\r",
        "A.B.",
        "A..B..",
        " Mary   had\ta\u{2009}little  \n\t lamb ",
        "größer 🥁 als\u{a0}groß ",
        "🥁🥁🥁",
    ];
    let mut texts = Vec::from(short.map(String::from));
    texts.push("a line, and X another.\r\n".repeat(400));
    texts.push("ä 🥁 ".repeat(1_000));
    texts.push("without any end".repeat(1_000));
    texts.push("X".repeat(10_000));
    texts.push(String::from(include_str!("iter_strings.rs")));
    texts
}

#[test]
fn characters() {
    in_pools(|| {
        for text in texts() {
            assert_eq!(ordered(text.par_chars()), Vec::from_iter(text.chars()));
            assert_eq!(
                ordered(text.par_char_indices()),
                Vec::from_iter(text.char_indices())
            );
            assert_eq!(ordered(text.par_bytes()), Vec::from_iter(text.bytes()));
            assert_eq!(
                ordered(text.par_encode_utf16()),
                Vec::from_iter(text.encode_utf16())
            );
        }
    });
}

#[test]
fn lines_and_words() {
    in_pools(|| {
        for text in texts() {
            assert_eq!(ordered(text.par_lines()), Vec::from_iter(text.lines()));
            let words = ordered(text.par_split_whitespace());
            assert_eq!(words, Vec::from_iter(text.split_whitespace()));
            let words = ordered(text.par_split_ascii_whitespace());
            assert_eq!(words, Vec::from_iter(text.split_ascii_whitespace()));
        }
    });
}

macro_rules! patterns {
    ($($name:ident: $parallel:ident;)*) => {
        $(#[test]
        fn $parallel() {
            in_pools(|| {
                for text in texts() {
                    for one in ['X', ' ', '\n', '.', '|', '🥁', 'ä'] {
                        let some = [one, 'l', '\u{0}'];
                        let slice: &[char] = &some;
                        let is = |c: char| c == one || c.is_ascii_uppercase();
                        assert_eq!(ordered(text.$parallel(one)), Vec::from_iter(text.$name(one)));
                        assert_eq!(ordered(text.$parallel(some)), Vec::from_iter(text.$name(some)));
                        assert_eq!(ordered(text.$parallel(&some)), Vec::from_iter(text.$name(&some)));
                        assert_eq!(ordered(text.$parallel(slice)), Vec::from_iter(text.$name(slice)));
                        assert_eq!(ordered(text.$parallel(is)), Vec::from_iter(text.$name(is)));
                    }
                }
            });
        })*
    };
}

patterns! {
    split: par_split;
    split_inclusive: par_split_inclusive;
    split_terminator: par_split_terminator;
    matches: par_matches;
    match_indices: par_match_indices;
}
