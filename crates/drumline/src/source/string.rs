//! Parallel iterators over owned strings.
