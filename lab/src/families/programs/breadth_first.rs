//! A whole search.

use std::sync::Arc;

use super::ProgramRuntime;
use super::graph::Search;

/// Begins at `root`, and goes on as the runtime does. Returns how many vertices it has found.
pub fn run<R: ProgramRuntime>(search: &Arc<Search>, runtime: &R, root: u32) -> usize {
    search.begin(root);
    runtime.whole(search, root)
}
