//! Parallel iterators over inclusive ranges of numbers and characters.
