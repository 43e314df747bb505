//! Parallel iterators over options: at most one item.
