//! Reductions with a shape that depends on nothing but the number of items.
//!
//! Floating-point addition is not associative: a sum depends on how the items are bracketed. In a
//! parallel loop that depends on which threads help, and when. Here items are combined in pairs,
//! pairs in pairs of pairs, and so on, by the *index* of the items alone: a node of level `k`
//! stands for the items from `j · 2ᵏ` to `(j + 1) · 2ᵏ`. However a loop is split, each part can
//! build the nodes that lie in it, and parts that meet complete the nodes that they share. What is
//! left at the end, a node for each bit of the length, is combined from the last to the first.
//! (Pairwise summation is also more exact: its error grows with the logarithm of the length; Higham
//! 1993.)

use crate::iter::IndexedParallelIterator;
use crate::iter::plumbing::{Consumer, Folder, Reducer};

/// Combines the items of `iter` by `op`; `None` if there are none.
pub(crate) fn reduce_fixed<I, OP>(iter: I, op: &OP) -> Option<I::Item>
where
    I: IndexedParallelIterator,
    OP: Fn(I::Item, I::Item) -> I::Item + Sync,
{
    let nodes = iter.drive(FixedConsumer { op, start: 0 });
    let mut rest = nodes.list.into_iter().rev();
    let (_, last) = rest.next()?;
    Some(rest.fold(last, |right, (_, left)| op(left, right)))
}

/// The largest complete nodes of neighbouring items, from the first to the last, each with its
/// level.
struct Nodes<T> {
    /// The index after the last item.
    end: usize,
    list: Vec<(u32, T)>,
}

impl<T> Nodes<T> {
    /// Adds a node of `level`, and completes what it completes.
    #[inline]
    fn push<OP>(&mut self, mut level: u32, mut node: T, op: &OP)
    where
        OP: Fn(T, T) -> T,
    {
        self.end += 1 << level;
        // A node is the second of two if the end is a multiple of the next larger size, and the
        // first one is here.
        // With 32 bits, and half of all numbers, there is no such power.
        while self.end & (2_usize << level).wrapping_sub(1) == 0
            && let Some((_, left)) = self.list.pop_if(|(before, _)| *before == level)
        {
            node = op(left, node);
            level += 1;
        }
        self.list.push((level, node));
    }
}

struct FixedConsumer<'f, OP> {
    op: &'f OP,
    start: usize,
}

impl<'f, T, OP> Consumer<T> for FixedConsumer<'f, OP>
where
    T: Send,
    OP: Fn(T, T) -> T + Sync,
{
    type Folder = FixedFolder<'f, T, OP>;
    type Reducer = Complete<'f, OP>;
    type Result = Nodes<T>;
    const RESUMES: bool = true;

    fn split_at(self, index: usize) -> (Self, Self, Self::Reducer) {
        let FixedConsumer { op, start } = self;
        let rest = FixedConsumer {
            op,
            start: start + index,
        };
        (self, rest, Complete { op })
    }

    fn into_folder(self) -> Self::Folder {
        FixedFolder {
            op: self.op,
            nodes: Nodes {
                end: self.start,
                list: Vec::new(),
            },
        }
    }

    fn full(&self) -> bool {
        false
    }

    fn resume(self, folder: Self::Folder) -> Self::Folder {
        folder
    }
}

struct FixedFolder<'f, T, OP> {
    op: &'f OP,
    nodes: Nodes<T>,
}

impl<T, OP> Folder<T> for FixedFolder<'_, T, OP>
where
    OP: Fn(T, T) -> T,
{
    type Result = Nodes<T>;

    fn consume(mut self, item: T) -> Self {
        self.nodes.push(0, item, self.op);
        self
    }

    fn consume_iter<I>(mut self, iter: I) -> Self
    where
        I: IntoIterator<Item = T>,
    {
        let mut items = iter.into_iter();
        while let Some(first) = items.next() {
            if self.nodes.end.is_multiple_of(2)
                && let Some(second) = items.next()
            {
                self.nodes.push(1, (self.op)(first, second), self.op);
            } else {
                self.nodes.push(0, first, self.op);
            }
        }
        self
    }

    fn complete(self) -> Nodes<T> {
        self.nodes
    }

    fn full(&self) -> bool {
        false
    }
}

/// Completes the nodes that two parts share.
struct Complete<'f, OP> {
    op: &'f OP,
}

impl<T, OP> Reducer<Nodes<T>> for Complete<'_, OP>
where
    OP: Fn(T, T) -> T,
{
    fn reduce(self, mut left: Nodes<T>, right: Nodes<T>) -> Nodes<T> {
        for (level, node) in right.list {
            left.push(level, node, self.op);
        }
        left
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests {
    use super::Nodes;

    fn nodes(range: std::ops::Range<usize>) -> Nodes<String> {
        let mut nodes = Nodes {
            end: range.start,
            list: Vec::new(),
        };
        for index in range {
            nodes.push(0, index.to_string(), &|left, right| {
                format!("({left} {right})")
            });
        }
        nodes
    }

    #[test]
    fn the_shape_does_not_depend_on_where_it_is_split() {
        let op = |left: String, right: String| format!("({left} {right})");
        for len in 0..40 {
            let whole = nodes(0..len);
            for split in 0..=len {
                let mut parts = nodes(0..split);
                for (level, node) in nodes(split..len).list {
                    parts.push(level, node, &op);
                }
                assert_eq!(parts.list, whole.list, "{len} split at {split}");
            }
        }
    }

    #[test]
    fn eight_items_are_three_levels() {
        let all = nodes(0..8).list;
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].1, "(((0 1) (2 3)) ((4 5) (6 7)))");
    }
}
