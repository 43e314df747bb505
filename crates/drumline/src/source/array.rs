//! Parallel iterators over arrays, by value.
