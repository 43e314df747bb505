//! The tree of `tree-sum` and its relatives.
//!
//! A perfectly balanced binary tree of heap nodes, made from `1..=n` by splitting the range at its
//! middle. Nodes are allocated one by one, parent before children, left before right, in a process
//! that has allocated next to nothing before: every runtime sees the same addresses in the same
//! order.

use anyhow::{Result, ensure};

use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::runtimes::seq::Seq;

/// One node.
#[derive(Debug)]
pub struct Node {
    /// The middle of the range that the subtree was made from.
    pub value: i64,
    /// The numbers below.
    pub left: Option<Box<Node>>,
    /// The numbers above.
    pub right: Option<Box<Node>>,
}

/// A tree of this many nodes.
#[derive(Debug)]
pub struct Tree {
    /// The topmost node.
    pub root: Box<Node>,
    /// The number of nodes.
    pub size: u64,
}

impl Tree {
    /// The tree of `1..=size`.
    pub fn build(size: u64) -> Result<Self> {
        ensure!(size > 0, "a tree has at least one node");
        let root = build(1, i64::try_from(size)?).expect("the range is not empty");
        Ok(Self { root, size })
    }

    /// The sum of `1..=size`.
    pub fn expected_sum(&self) -> i64 {
        let size = i128::from(self.size);
        i64::try_from(size * (size + 1) / 2).expect("the largest size is far below")
    }
}

fn build(low: i64, high: i64) -> Option<Box<Node>> {
    if low > high {
        return None;
    }
    let middle = low + (high - low) / 2;
    let mut node = Box::new(Node {
        value: middle,
        left: None,
        right: None,
    });
    node.left = build(low, middle - 1);
    node.right = build(middle + 1, high);
    Some(node)
}

/// The sum of a subtree, forking at each node that has two children. No cutoff.
pub fn sum<P: Pool>(node: &Node, context: P::Context<'_>) -> i64 {
    match (&node.left, &node.right) {
        (Some(left), Some(right)) => {
            // Read before the calls: otherwise the compiler may not turn the last call of the
            // plain recursion into a loop, and `seq` would look slower than it is.
            let value = node.value;
            let (left, right) = P::join(
                context,
                |context| sum::<P>(left, context),
                |context| sum::<P>(right, context),
            );
            value + left + right
        }
        (Some(only), None) | (None, Some(only)) => node.value + sum::<P>(only, context),
        (None, None) => node.value,
    }
}

/// The share of thread `index` of `parts`: the tree is cut at the first level that can have `parts`
/// nodes. Their subtrees are dealt out in turn; the first thread adds the nodes above.
pub fn sum_part(tree: &Tree, index: usize, parts: usize) -> i64 {
    let level = parts.next_power_of_two().trailing_zeros();
    let mut subtree = 0;
    let mut total = 0;
    walk(&tree.root, level, &mut |node, above| {
        if above {
            if index == 0 {
                total += node.value;
            }
        } else {
            if subtree % parts == index {
                total += sum::<Seq>(node, ());
            }
            subtree += 1;
        }
    });
    total
}

/// Calls `visit` with every node above `level` (`true`) and every subtree at it (`false`).
fn walk(node: &Node, level: u32, visit: &mut impl FnMut(&Node, bool)) {
    if level == 0 {
        visit(node, false);
        return;
    }
    visit(node, true);
    for child in [&node.left, &node.right].into_iter().flatten() {
        walk(child, level - 1, visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_balanced_and_complete() {
        fn depth(node: &Node) -> u32 {
            let below = |child: &Option<Box<Node>>| child.as_deref().map_or(0, depth);
            1 + below(&node.left).max(below(&node.right))
        }
        for size in [1, 2, 3, 4, 7, 8, 1000] {
            let tree = Tree::build(size).unwrap();
            assert_eq!(sum::<Seq>(&tree.root, ()), tree.expected_sum());
            assert_eq!(depth(&tree.root), size.ilog2() + 1);
        }
    }

    #[test]
    fn shares_add_up() {
        for size in [1, 2, 5, 100] {
            let tree = Tree::build(size).unwrap();
            for parts in [1, 2, 3, 4, 7, 16] {
                let total: i64 = (0..parts).map(|index| sum_part(&tree, index, parts)).sum();
                assert_eq!(total, tree.expected_sum(), "{size} nodes, {parts} parts");
            }
        }
    }
}
