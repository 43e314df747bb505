//! Parallel iterators over strings: characters, lines, words, bytes.
