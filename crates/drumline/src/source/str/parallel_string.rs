//! What a string can do in parallel.

use super::pattern::Pattern;
use super::{
    Bytes, CharIndices, Chars, EncodeUtf16, Lines, MatchIndices, Matches, Split,
    SplitAsciiWhitespace, SplitInclusive, SplitTerminator, SplitWhitespace,
};

/// Methods of strings that give parallel iterators over what is in them.
///
/// The items are those of the methods of [`str`] with the same names. A pattern is a character,
/// some characters (`[char; N]`, `&[char; N]`, `&[char]`), or a function `Fn(char) -> bool`.
///
/// ```
/// use drumline::prelude::*;
///
/// let text = "one two\nthree";
/// let words: usize = text.par_lines().map(|line| line.split(' ').count()).sum();
/// assert_eq!(words, 3);
/// ```
pub trait ParallelString {
    /// The string itself.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!(String::from("drum").as_parallel_string(), "drum");
    /// ```
    fn as_parallel_string(&self) -> &str;

    /// The characters.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let capitals = "Ada, Grace and Barbara".par_chars().filter(|c| c.is_uppercase());
    /// assert_eq!(capitals.map(|_| 1).sum::<u32>(), 3);
    /// ```
    fn par_chars(&self) -> Chars<'_> {
        Chars::new(self.as_parallel_string())
    }

    /// The characters, and where they begin.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let text = "größer";
    /// let last = text.par_char_indices().map(|(index, _)| index).reduce(|| 0, usize::max);
    /// assert_eq!(&text[last..], "r");
    /// ```
    fn par_char_indices(&self) -> CharIndices<'_> {
        CharIndices::new(self.as_parallel_string())
    }

    /// The bytes.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!("abc".par_bytes().map(u32::from).sum::<u32>(), 97 + 98 + 99);
    /// ```
    fn par_bytes(&self) -> Bytes<'_> {
        Bytes::new(self.as_parallel_string())
    }

    /// The code units in UTF-16.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// assert_eq!("tune: 𝄞".par_encode_utf16().map(|_| 1).sum::<u32>(), 8);
    /// ```
    fn par_encode_utf16(&self) -> EncodeUtf16<'_> {
        EncodeUtf16::new(self.as_parallel_string())
    }

    /// The parts between separators.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let numbers = "1,2,3,4".par_split(',').map(|part| part.parse::<u32>().unwrap());
    /// assert_eq!(numbers.sum::<u32>(), 10);
    /// ```
    fn par_split<P: Pattern>(&self, separator: P) -> Split<'_, P> {
        Split::new(self.as_parallel_string(), separator)
    }

    /// The parts that end with a separator, with it, and what follows the last one.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let sentences = "Yes. No? Well".par_split_inclusive(['.', '?']);
    /// assert_eq!(sentences.map(str::len).reduce(|| 0, usize::max), " Well".len());
    /// ```
    fn par_split_inclusive<P: Pattern>(&self, separator: P) -> SplitInclusive<'_, P> {
        SplitInclusive::new(self.as_parallel_string(), separator)
    }

    /// The parts that end with a terminator, without it; and what follows the last one, unless that
    /// is empty.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let statements = "a = 1; b = 2;".par_split_terminator(';');
    /// assert_eq!(statements.map(|_| 1).sum::<u32>(), 2);
    /// ```
    fn par_split_terminator<P: Pattern>(&self, terminator: P) -> SplitTerminator<'_, P> {
        SplitTerminator::new(self.as_parallel_string(), terminator)
    }

    /// The lines, without what ends them: `\n` or `\r\n`.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let text = "one\r\ntwo\nthree";
    /// assert_eq!(text.par_lines().map(str::len).sum::<usize>(), 11);
    /// ```
    fn par_lines(&self) -> Lines<'_> {
        Lines::new(self.as_parallel_string())
    }

    /// The words between white space.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = "  not\tmany words\n".par_split_whitespace();
    /// assert_eq!(words.map(|_| 1).sum::<u32>(), 3);
    /// ```
    fn par_split_whitespace(&self) -> SplitWhitespace<'_> {
        SplitWhitespace::new(self.as_parallel_string())
    }

    /// The words between white space, where only that of ASCII counts.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let words = "3\u{a0}km in one hour".par_split_ascii_whitespace();
    /// assert_eq!(words.map(|_| 1).sum::<u32>(), 4);
    /// ```
    fn par_split_ascii_whitespace(&self) -> SplitAsciiWhitespace<'_> {
        SplitAsciiWhitespace::new(self.as_parallel_string())
    }

    /// The parts that match a pattern, each a character long.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let digits = "1 and 2 and 3".par_matches(|c: char| c.is_ascii_digit());
    /// assert_eq!(digits.map(|digit| digit.parse::<u32>().unwrap()).sum::<u32>(), 6);
    /// ```
    fn par_matches<P: Pattern>(&self, pattern: P) -> Matches<'_, P> {
        Matches::new(self.as_parallel_string(), pattern)
    }

    /// The parts that match a pattern, and where they begin.
    ///
    /// ```
    /// use drumline::prelude::*;
    ///
    /// let text = "a,b,c";
    /// let last = text.par_match_indices(',').map(|(index, _)| index).reduce(|| 0, usize::max);
    /// assert_eq!(&text[last..], ",c");
    /// ```
    fn par_match_indices<P: Pattern>(&self, pattern: P) -> MatchIndices<'_, P> {
        MatchIndices::new(self.as_parallel_string(), pattern)
    }
}

impl ParallelString for str {
    #[inline]
    fn as_parallel_string(&self) -> &str {
        self
    }
}
