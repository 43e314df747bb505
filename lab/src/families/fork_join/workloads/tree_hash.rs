//! `tree-hash`: the tree of `tree-sum` with an adjustable amount of work per node.

use anyhow::Result;
use sha1::{Digest, Sha1};

use crate::families::fork_join::ForkJoinWorkload;
use crate::families::fork_join::pool::Pool;
use crate::families::fork_join::tree::{Node, Tree};
use crate::workload::{Shows, WorkloadCard};

const NODES: u64 = 100_000;

/// A tree of 100,000 nodes, each hashed this many times.
#[derive(Debug)]
pub struct TreeHash {
    tree: Tree,
    times: u64,
    answer: u64,
}

impl ForkJoinWorkload for TreeHash {
    const CARD: WorkloadCard = WorkloadCard {
        name: "tree-hash",
        about: "a tree of 100,000 nodes, each hashed with SHA-1 so many times",
        analysis: "What a runtime adds to `seq` should be a constant, so the ratio should \
                   approach 1 with one job as the work per node grows.",
        item: "node",
        size_counts: "hashes per node",
        sizes: &[0, 1, 10, 100],
        smoke_sizes: &[0, 1],
        limits: (0, 1_000),
        default_rank: None,
        outside: false,
        shows: Shows::Time,
    };

    type Answer = u64;

    fn build(size: u64) -> Result<Self> {
        let tree = Tree::build(NODES)?;
        let answer =
            (1..=NODES as i64).fold(0, |sum: u64, value| sum.wrapping_add(hash(value, size)));
        Ok(Self {
            tree,
            times: size,
            answer,
        })
    }

    fn expected(&self) -> u64 {
        self.answer
    }

    fn items(&self) -> u64 {
        NODES
    }

    fn run<P: Pool>(&self, context: P::Context<'_>) -> u64 {
        visit::<P>(&self.tree.root, self.times, context)
    }
}

fn visit<P: Pool>(node: &Node, times: u64, context: P::Context<'_>) -> u64 {
    let own = hash(node.value, times);
    match (&node.left, &node.right) {
        (Some(left), Some(right)) => {
            let (left, right) = P::join(
                context,
                move |context| visit::<P>(left, times, context),
                move |context| visit::<P>(right, times, context),
            );
            own.wrapping_add(left).wrapping_add(right)
        }
        (Some(only), None) | (None, Some(only)) => {
            own.wrapping_add(visit::<P>(only, times, context))
        }
        (None, None) => own,
    }
}

/// The first eight bytes of the value, hashed again and again.
fn hash(value: i64, times: u64) -> u64 {
    let mut word = value.unsigned_abs();
    for _ in 0..times {
        let digest = Sha1::digest(word.to_le_bytes());
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[..8]);
        word = u64::from_le_bytes(bytes);
    }
    word
}
