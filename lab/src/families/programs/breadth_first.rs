//! A search, level by level.

use std::sync::Arc;

use super::ProgramRuntime;
use super::graph::Search;

/// The whole search. Returns how many vertices it has found.
pub fn run<R: ProgramRuntime>(search: &Arc<Search>, runtime: &R, root: u32) -> usize {
    search.begin(root);
    runtime.search(|| {
        let mut frontier = vec![root];
        let mut found = 0;
        while !frontier.is_empty() {
            found += frontier.len();
            frontier = runtime.level(search, frontier);
        }
        found
    })
}
