//! The simplest use: a recursion with two halves that may run at the same time.
//!
//! ```sh
//! cargo run --release -p drumline --example tree_sum
//! ```

use std::io::{self, Write};

struct Node {
    value: u64,
    children: Option<Box<[Node; 2]>>,
}

impl Node {
    /// A full tree of `2^depth - 1` nodes, each of which holds 1.
    fn full(depth: u32) -> Node {
        let children = (depth > 1).then(|| {
            // Building it is a fork, too.
            let (left, right) = drumline::join(|| Node::full(depth - 1), || Node::full(depth - 1));
            Box::new([left, right])
        });
        Node { value: 1, children }
    }

    /// Forks at every node, down to the leaves: there is no size below which
    /// that would be too dear.
    fn sum(&self) -> u64 {
        let Some(children) = &self.children else {
            return self.value;
        };
        let [left, right] = &**children;
        let (left, right) = drumline::join(|| left.sum(), || right.sum());
        self.value + left + right
    }
}

fn main() {
    let tree = Node::full(20);
    let sum = tree.sum();
    // Without a reader there is nothing to print; `println!` would panic.
    let jobs = drumline::current_jobs();
    let _ = writeln!(io::stdout(), "{sum} nodes, on {jobs} jobs");
    assert_eq!(sum, (1 << 20) - 1);
}
