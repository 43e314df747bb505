//! Parallel iterators over the collections of the standard library.
