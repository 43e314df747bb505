//! What can be extended by a parallel iterator, besides strings.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::hash::{BuildHasher, Hash};

use super::in_place;
use super::pieces::{Piece, pieces, pieces_of};
use crate::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};

/// Appends the items. Where their number is known, they are written in place.
impl<T: Send> ParallelExtend<T> for Vec<T> {
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        let iter = iter.into_par_iter();
        if let Some(len) = iter.opt_len() {
            in_place::fill(self, len, |room| iter.drive_unindexed(room));
            return;
        }
        let pieces = pieces_of::<_, Vec<T>>(iter);
        if self.capacity() == 0 {
            *self = pieces.into_vec();
        } else {
            pieces.append_to(self);
        }
    }
}

/// Appends the items.
impl<T: Send> ParallelExtend<T> for VecDeque<T> {
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        let pieces = pieces(iter.into_par_iter());
        self.reserve(pieces.len());
        pieces.into_iter().for_each(|piece| self.extend(piece));
    }
}

impl<T: Send> Piece<T> for LinkedList<T> {
    fn take(&mut self, item: T) {
        self.push_back(item);
    }
}

/// Appends the items.
impl<T: Send> ParallelExtend<T> for LinkedList<T> {
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        for mut piece in pieces_of::<_, LinkedList<T>>(iter.into_par_iter()) {
            self.append(&mut piece);
        }
    }
}

/// Adds the items.
impl<T: Ord + Send> ParallelExtend<T> for BinaryHeap<T> {
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        let pieces = pieces(iter.into_par_iter());
        self.reserve(pieces.len());
        pieces.into_iter().for_each(|piece| self.extend(piece));
    }
}

/// Inserts the pairs, in their order.
impl<K, V, S> ParallelExtend<(K, V)> for HashMap<K, V, S>
where
    K: Eq + Hash + Send,
    V: Send,
    S: BuildHasher + Send,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = (K, V)>,
    {
        let pieces = pieces(iter.into_par_iter());
        // Each piece reserves for itself, and takes into account that keys may be there already.
        if self.is_empty() {
            self.reserve(pieces.len());
        }
        pieces.into_iter().for_each(|piece| self.extend(piece));
    }
}

/// Inserts the items, in their order.
impl<T, S> ParallelExtend<T> for HashSet<T, S>
where
    T: Eq + Hash + Send,
    S: BuildHasher + Send,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        let pieces = pieces(iter.into_par_iter());
        if self.is_empty() {
            self.reserve(pieces.len());
        }
        pieces.into_iter().for_each(|piece| self.extend(piece));
    }
}

/// Inserts the pairs, in their order.
impl<K, V> ParallelExtend<(K, V)> for BTreeMap<K, V>
where
    K: Ord + Send,
    V: Send,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = (K, V)>,
    {
        let pieces = pieces(iter.into_par_iter());
        pieces.into_iter().for_each(|piece| self.extend(piece));
    }
}

/// Inserts the items, in their order.
impl<T> ParallelExtend<T> for BTreeSet<T>
where
    T: Ord + Send,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = T>,
    {
        let pieces = pieces(iter.into_par_iter());
        pieces.into_iter().for_each(|piece| self.extend(piece));
    }
}

/// Takes nothings.
impl ParallelExtend<()> for () {
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = ()>,
    {
        iter.into_par_iter().for_each(|()| ());
    }
}

/// Declares that collections of what can be copied take references, too.
macro_rules! by_copy {
    ($($collection:ident < T $(, $hasher:ident)? > $(where T: $($bound:ident)+)?;)*) => {
        $(
            /// Takes copies of the items.
            impl<'a, T $(, $hasher)?> ParallelExtend<&'a T> for $collection<T $(, $hasher)?>
            where
                T: 'a + Copy + Send + Sync $($(+ $bound)+)?,
                $($hasher: BuildHasher + Send,)?
            {
                fn par_extend<I>(&mut self, iter: I)
                where
                    I: IntoParallelIterator<Item = &'a T>,
                {
                    self.par_extend(iter.into_par_iter().map(|item| *item));
                }
            }
        )*
    };
}

by_copy! {
    Vec<T>;
    VecDeque<T>;
    LinkedList<T>;
    BinaryHeap<T> where T: Ord;
    BTreeSet<T> where T: Ord;
    HashSet<T, S> where T: Eq Hash;
}

/// Inserts copies of the pairs, in their order.
impl<'a, K, V, S> ParallelExtend<(&'a K, &'a V)> for HashMap<K, V, S>
where
    K: 'a + Copy + Eq + Hash + Send + Sync,
    V: 'a + Copy + Send + Sync,
    S: BuildHasher + Send,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = (&'a K, &'a V)>,
    {
        self.par_extend(iter.into_par_iter().map(|(key, value)| (*key, *value)));
    }
}

/// Inserts copies of the pairs, in their order.
impl<'a, K, V> ParallelExtend<(&'a K, &'a V)> for BTreeMap<K, V>
where
    K: 'a + Copy + Ord + Send + Sync,
    V: 'a + Copy + Send + Sync,
{
    fn par_extend<I>(&mut self, iter: I)
    where
        I: IntoParallelIterator<Item = (&'a K, &'a V)>,
    {
        self.par_extend(iter.into_par_iter().map(|(key, value)| (*key, *value)));
    }
}
