//! Parallel iterators over results: at most one item.
