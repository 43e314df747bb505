//! Trees.

use std::fmt;

use crate::iter::ParallelIterator;
use crate::iter::engine::chunk_len::ChunkLen;
use crate::iter::engine::drive::drive_items;
use crate::iter::engine::items::Items;
use crate::iter::plumbing::{Folder, UnindexedConsumer};

/// Declares a parallel iterator over the nodes of a tree.
macro_rules! walk {
    ($(#[$meta:meta])* $name:ident, $order:expr, $($children:tt)*) => {
        $(#[$meta])*
        #[must_use = "parallel iterators do nothing unless they are driven"]
        pub struct $name<S, B> {
            root: S,
            children_of: B,
        }

        impl<S: fmt::Debug, B> fmt::Debug for $name<S, B> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("root", &self.root).finish_non_exhaustive()
            }
        }

        impl<S, B, I> ParallelIterator for $name<S, B>
        where
            S: Send,
            B: Fn(&S) -> I + Send + Sync,
            I: $($children)*,
        {
            type Item = S;

            fn drive_unindexed<C>(self, consumer: C) -> C::Result
            where
                C: UnindexedConsumer<S>,
            {
                let walk = Walk {
                    stack: vec![Entry::Tree(self.root)],
                    children_of: &self.children_of,
                    order: $order,
                };
                drive_items(walk, consumer)
            }
        }
    };
}

walk! {
    /// A parallel iterator over the nodes of a tree, in any order; see [`walk_tree()`].
    WalkTree, Traversal::Prefix, IntoIterator<Item = S, IntoIter: DoubleEndedIterator>
}

walk! {
    /// A parallel iterator over the nodes of a tree, parents first; see [`walk_tree_prefix`].
    WalkTreePrefix, Traversal::Prefix, IntoIterator<Item = S, IntoIter: DoubleEndedIterator>
}

walk! {
    /// A parallel iterator over the nodes of a tree, children first; see [`walk_tree_postfix`].
    WalkTreePostfix, Traversal::Postfix, IntoIterator<Item = S>
}

/// A parallel iterator over the nodes of a tree, in whatever order is best: `root`, what
/// `children_of` says of it, what it says of those, …
///
/// The tree need not be balanced: as long as some nodes are known that have not been visited, any
/// thread can take half of them.
///
/// ```
/// use drumline::iter::walk_tree;
/// use drumline::prelude::*;
///
/// // The ways to climb four stairs, one or two at a time.
/// let ways = walk_tree(4u32, |&left| (1..=left.min(2)).map(move |step| left - step));
/// assert_eq!(ways.filter(|&left| left == 0).map(|_| 1).sum::<u32>(), 5);
/// ```
pub fn walk_tree<S, B, I>(root: S, children_of: B) -> WalkTree<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S, IntoIter: DoubleEndedIterator>,
{
    WalkTree { root, children_of }
}

/// As [`walk_tree()`], in this order: a node, then what is below it, child after child.
///
/// ```
/// use drumline::iter::walk_tree_prefix;
/// use drumline::prelude::*;
///
/// let numbers = walk_tree_prefix(1u32, |&n| if n < 4 { vec![2 * n, 2 * n + 1] } else { vec![] });
/// let text = numbers.map(|n| n.to_string()).reduce(String::new, |a, b| a + &b);
/// assert_eq!(text, "1245367");
/// ```
pub fn walk_tree_prefix<S, B, I>(root: S, children_of: B) -> WalkTreePrefix<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S, IntoIter: DoubleEndedIterator>,
{
    WalkTreePrefix { root, children_of }
}

/// As [`walk_tree()`], in this order: what is below a node, child after child, then the node.
///
/// ```
/// use drumline::iter::walk_tree_postfix;
/// use drumline::prelude::*;
///
/// let numbers = walk_tree_postfix(1u32, |&n| if n < 4 { vec![2 * n, 2 * n + 1] } else { vec![] });
/// let text = numbers.map(|n| n.to_string()).reduce(String::new, |a, b| a + &b);
/// assert_eq!(text, "4526731");
/// ```
pub fn walk_tree_postfix<S, B, I>(root: S, children_of: B) -> WalkTreePostfix<S, B>
where
    S: Send,
    B: Fn(&S) -> I + Send + Sync,
    I: IntoIterator<Item = S>,
{
    WalkTreePostfix { root, children_of }
}

/// When a node comes.
#[derive(Clone, Copy, Debug)]
enum Traversal {
    /// Before its children.
    Prefix,
    /// After them.
    Postfix,
}

/// What is still to be visited.
#[derive(Debug)]
enum Entry<S> {
    /// A node and all that is below it.
    Tree(S),
    /// A node with children that are no business of this entry any more.
    Node(S),
}

/// Some trees, one after another.
struct Walk<'b, S, B> {
    /// The next one last. So what is at the bottom is what comes last, and usually the largest.
    stack: Vec<Entry<S>>,
    children_of: &'b B,
    order: Traversal,
}

impl<S, B, I> Walk<'_, S, B>
where
    B: Fn(&S) -> I,
    I: IntoIterator<Item = S>,
{
    /// Puts the entries of a tree in its place.
    fn open(&mut self, root: S) {
        let children = (self.children_of)(&root);
        if let Traversal::Postfix = self.order {
            self.stack.push(Entry::Node(root));
            self.push(children);
        } else {
            self.push(children);
            self.stack.push(Entry::Node(root));
        }
    }

    fn push(&mut self, children: I) {
        let bottom = self.stack.len();
        self.stack.extend(children.into_iter().map(Entry::Tree));
        self.stack[bottom..].reverse();
    }

    /// Goes through `count` entries.
    fn visit<F>(&mut self, count: usize, mut folder: F) -> F
    where
        F: Folder<S>,
    {
        for _ in 0..count {
            match self.stack.pop() {
                None => break,
                Some(Entry::Tree(root)) => self.open(root),
                Some(Entry::Node(node)) => {
                    folder = folder.consume(node);
                    if folder.full() {
                        break;
                    }
                }
            }
        }
        folder
    }
}

impl<S, B, I> Items for Walk<'_, S, B>
where
    S: Send,
    B: Fn(&S) -> I + Sync,
    I: IntoIterator<Item = S>,
{
    type Item = S;
    const NESTS: bool = true;

    fn at_most(&self, _count: usize) -> bool {
        self.stack.is_empty()
    }

    fn halve(mut self, _chunk_len: &ChunkLen, _is_late: bool) -> Result<(Self, Self, usize), Self> {
        if let [Entry::Tree(_)] = self.stack[..]
            && let Some(Entry::Tree(root)) = self.stack.pop()
        {
            self.open(root);
        }
        let half = self.stack.len() / 2;
        if half == 0 {
            return Err(self);
        }
        let first = Walk {
            stack: self.stack.split_off(self.stack.len() - half),
            ..self
        };
        Ok((first, self, 0))
    }

    fn fold_chunk<F>(mut self, chunk_len: &mut ChunkLen, folder: F) -> (F, Self)
    where
        F: Folder<S>,
    {
        // Every node is on the stack twice.
        let folder = self.visit(chunk_len.items.saturating_mul(2), folder);
        (folder, self)
    }

    fn fold_all<F>(mut self, mut folder: F) -> F
    where
        F: Folder<S>,
    {
        while !self.stack.is_empty() && !folder.full() {
            folder = self.visit(usize::MAX, folder);
        }
        folder
    }

    fn left(&self) -> usize {
        self.stack.len()
    }

    fn share(mut self) -> (Option<Self>, Self) {
        let half = self.stack.len() / 2;
        let first = Walk {
            stack: self.stack.split_off(self.stack.len() - half),
            ..self
        };
        ((half > 0).then_some(first), self)
    }

    fn detach(mut self, chunk_len: &ChunkLen) -> (Self, Option<Self>) {
        let at = self.stack.len().saturating_sub(chunk_len.items);
        let chunk = Walk {
            stack: self.stack.split_off(at),
            ..self
        };
        (chunk, (at > 0).then_some(self))
    }

    fn exceed_chunk(&self, chunk_len: &ChunkLen) -> bool {
        self.stack.len() > chunk_len.items
    }

    fn divide(mut self, chunk_len: &mut ChunkLen) -> (Self, Option<Self>) {
        // Where a node is a chunk, all that is below it is open meanwhile.
        if chunk_len.items > 1 {
            return (self, None);
        }
        let Some(Entry::Tree(root)) = self.stack.pop_if(|entry| matches!(entry, Entry::Tree(_)))
        else {
            return (self, None);
        };
        self.open(root);
        let first = Walk {
            stack: Vec::from_iter(self.stack.pop()),
            ..self
        };
        (first, (!self.stack.is_empty()).then_some(self))
    }

    fn fold_divided<F>(mut self, chunk_len: &ChunkLen, folder: F) -> (F, Option<Self>)
    where
        F: Folder<S>,
    {
        let folder = self.visit(chunk_len.items.saturating_mul(2), folder);
        (folder, (!self.stack.is_empty()).then_some(self))
    }

    fn before(mut self, rest: Option<Self>) -> Self {
        let Some(mut rest) = rest else { return self };
        rest.stack.append(&mut self.stack);
        rest
    }
}
