//! Parallel iterators over ranges of numbers and characters.
