//! Parallel iterators over vectors, by value.
