//! Sources and consumers of a program: the functions of the plumbing's traits.

use super::{Item, LEN, Trial, sweeps};
use crate::iter::plumbing::{
    Consumer, Folder, Producer, ProducerCallback, Reducer, UnindexedConsumer, UnindexedProducer,
    bridge, bridge_unindexed,
};
use crate::prelude::*;

/// An indexed source, and its producer.
struct Source<'t> {
    trial: &'t Trial,
    items: Vec<Item<'t>>,
}

impl<'t> Source<'t> {
    fn new(trial: &'t Trial, len: usize) -> Self {
        let items = trial.some(len);
        Source { trial, items }
    }
}

impl<'t> ParallelIterator for Source<'t> {
    type Item = Item<'t>;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Item<'t>>,
    {
        self.trial.call("drive_unindexed");
        bridge(self, consumer)
    }

    fn opt_len(&self) -> Option<usize> {
        self.trial.call("opt_len");
        Some(self.items.len())
    }
}

impl<'t> IndexedParallelIterator for Source<'t> {
    fn len(&self) -> usize {
        self.trial.call("len");
        self.items.len()
    }

    fn drive<C>(self, consumer: C) -> C::Result
    where
        C: Consumer<Item<'t>>,
    {
        self.trial.call("drive");
        bridge(self, consumer)
    }

    fn with_producer<CB>(self, callback: CB) -> CB::Output
    where
        CB: ProducerCallback<Item<'t>>,
    {
        self.trial.call("with_producer");
        callback.callback(Part(self))
    }
}

struct Part<'t>(Source<'t>);

impl<'t> Producer for Part<'t> {
    type Item = Item<'t>;
    type IntoIter = Items<'t>;

    fn into_iter(self) -> Items<'t> {
        self.0.trial.call("into_iter");
        Items {
            trial: self.0.trial,
            items: self.0.items.into_iter(),
        }
    }

    fn min_len(&self) -> usize {
        self.0.trial.call("min_len");
        1
    }

    fn max_len(&self) -> usize {
        self.0.trial.call("max_len");
        usize::MAX
    }

    fn split_at(self, index: usize) -> (Self, Self) {
        let Source { trial, mut items } = self.0;
        trial.call("split_at");
        let rest = items.split_off(index);
        let second = Source { trial, items: rest };
        (Part(Source { trial, items }), Part(second))
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Item<'t>>,
    {
        self.0.trial.call("fold_with");
        folder.consume_iter(self.into_iter())
    }
}

/// A sequential iterator that counts the calls of all its functions; that of a part.
pub(super) struct Items<'t> {
    trial: &'t Trial,
    pub(super) items: std::vec::IntoIter<Item<'t>>,
}

impl<'t> Items<'t> {
    pub(super) fn new(trial: &'t Trial) -> Self {
        Items {
            trial,
            items: trial.items().into_iter(),
        }
    }
}

impl<'t> Iterator for Items<'t> {
    type Item = Item<'t>;

    fn next(&mut self) -> Option<Item<'t>> {
        self.trial.call("next");
        self.items.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.trial.call("size_hint");
        self.items.size_hint()
    }
}

impl DoubleEndedIterator for Items<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.trial.call("next_back");
        self.items.next_back()
    }
}

impl ExactSizeIterator for Items<'_> {}

/// A source that does not know how many items it has.
struct Pieces<'t>(Source<'t>);

impl<'t> ParallelIterator for Pieces<'t> {
    type Item = Item<'t>;

    fn drive_unindexed<C>(self, consumer: C) -> C::Result
    where
        C: UnindexedConsumer<Item<'t>>,
    {
        bridge_unindexed(self, consumer)
    }
}

impl<'t> UnindexedProducer for Pieces<'t> {
    type Item = Item<'t>;

    fn split(self) -> (Self, Option<Self>) {
        let Source { trial, mut items } = self.0;
        trial.call("split");
        let rest = (items.len() > 2).then(|| items.split_off(items.len() / 2));
        let second = rest.map(|items| Pieces(Source { trial, items }));
        (Pieces(Source { trial, items }), second)
    }

    fn fold_with<F>(self, folder: F) -> F
    where
        F: Folder<Item<'t>>,
    {
        self.0.trial.call("fold_with");
        folder.consume_iter(self.0.items)
    }
}

/// A consumer that makes a list of all items, and is its own folder and reducer. `RESUMES` says
/// whether it can be resumed.
struct CollectAll<'t, const RESUMES: bool> {
    trial: &'t Trial,
    items: Vec<Item<'t>>,
}

impl<'t, const RESUMES: bool> CollectAll<'t, RESUMES> {
    fn new(trial: &'t Trial) -> Self {
        let items = Vec::new();
        CollectAll { trial, items }
    }
}

impl<'t, const RESUMES: bool> Consumer<Item<'t>> for CollectAll<'t, RESUMES> {
    type Folder = Self;
    type Reducer = Self;
    type Result = Vec<Item<'t>>;
    const RESUMES: bool = RESUMES;
    const SUCCEEDS: bool = RESUMES;

    fn split_at(self, _index: usize) -> (Self, Self, Self) {
        self.trial.call("consumer's split_at");
        let new = || CollectAll::new(self.trial);
        (new(), new(), new())
    }

    fn into_folder(self) -> Self {
        self.trial.call("into_folder");
        self
    }

    fn full(&self) -> bool {
        self.trial.call("consumer's full");
        false
    }

    fn resume(self, folder: Self) -> Self {
        self.trial.call("resume");
        folder
    }

    fn succeed(self, folder: Self) -> (Self::Result, Self) {
        self.trial.call("succeed");
        (folder.items, self)
    }
}

impl<'t, const RESUMES: bool> UnindexedConsumer<Item<'t>> for CollectAll<'t, RESUMES> {
    fn split_off_left(&self) -> Self {
        self.trial.call("split_off_left");
        CollectAll::new(self.trial)
    }

    fn to_reducer(&self) -> Self {
        self.trial.call("to_reducer");
        CollectAll::new(self.trial)
    }
}

impl<'t, const RESUMES: bool> Folder<Item<'t>> for CollectAll<'t, RESUMES> {
    type Result = Vec<Item<'t>>;

    fn consume(mut self, item: Item<'t>) -> Self {
        self.trial.call("consume");
        self.items.push(item);
        self
    }

    fn complete(self) -> Self::Result {
        self.trial.call("complete");
        self.items
    }

    fn full(&self) -> bool {
        self.trial.call("full");
        false
    }
}

impl<'t, const RESUMES: bool> Reducer<Vec<Item<'t>>> for CollectAll<'t, RESUMES> {
    fn reduce(self, mut left: Vec<Item<'t>>, right: Vec<Item<'t>>) -> Vec<Item<'t>> {
        self.trial.call("reduce");
        left.extend(right);
        left
    }
}

/// Drives both kinds of consumers.
fn collect_all<'t, I>(trial: &'t Trial, items: impl Fn() -> I)
where
    I: ParallelIterator<Item = Item<'t>>,
{
    let resumed = items().drive_unindexed(CollectAll::<true>::new(trial));
    let halved = items().drive_unindexed(CollectAll::<false>::new(trial));
    assert_eq!(resumed.len(), halved.len());
}

sweeps! {
    own_source: |t| Source::new(t, LEN).map(|i| t.make("map", i)).collect::<Vec<_>>();
    own_source_filtered: |t| Source::new(t, LEN).filter(|i| t.odd("filter", i)).collect::<Vec<_>>();
    own_source_by_position: |t| Source::new(t, LEN).rev().zip(Source::new(t, 40)).enumerate().count();
    own_source_in_chunks: |t| Source::new(t, LEN).chunks(7).map(|chunk| chunk.len()).sum::<usize>();
    own_source_jobs: |t| Source::new(t, LEN).jobs(2).reduce_with(|a, b| t.sum("reduce", a, b));
    own_source_skipped: |t| Source::new(t, LEN).jobs(1).skip(20).step_by(3).collect::<Vec<_>>();
    own_source_chained: |t| Source::new(t, LEN).chain(Source::new(t, 20)).interleave(Source::new(t, 30))
        .collect::<Vec<_>>();
    own_source_in_blocks: |t| Source::new(t, LEN).by_uniform_blocks(17).map(|i| t.make("map", i)).count();
    own_source_inside: |t| t.some(5).into_par_iter().flat_map(|_| Source::new(t, 9))
        .map_init(|| t.state("init"), |_, i| i).collect::<Vec<_>>();
    own_source_compared: |t| Source::new(t, LEN).eq(Source::new(t, LEN));
    own_source_searched: |t| Source::new(t, LEN).position_first(|i| i.number() == 77);
    own_pieces: |t| Pieces(Source::new(t, LEN)).map(|i| t.make("map", i)).collect::<Vec<_>>();
    own_pieces_inside: |t| t.some(5).into_par_iter().flat_map(|_| Pieces(Source::new(t, 9)))
        .fold(|| t.state("identity"), |a, b| t.sum("fold", a, b)).count();
    own_consumer: |t| collect_all(t, || t.items().into_par_iter());
    own_consumer_of_pieces: |t| collect_all(t, || Pieces(Source::new(t, LEN)));
    own_consumer_behind_others: |t| collect_all(t, || t.items().into_par_iter().filter(|i| i.number() % 3 > 0)
        .map_init(|| t.state("init"), |_, i| t.make("map", i)));
    own_consumer_of_nested_loops: |t| collect_all(t, || t.some(6).into_par_iter().flat_map(|_| t.some(7)));
    own_consumer_of_a_chain: |t| collect_all(t, || t.some(20).into_par_iter().chain(t.some(9)).intersperse(t.held()));
    own_consumer_of_a_tree: |t| collect_all(t, || {
        let root = t.item("drop of a node", 4);
        crate::iter::walk_tree_prefix(root, |node| {
            let depth = node.number();
            (0..depth).map(|_| t.item("drop of a node", depth - 1)).collect::<Vec<_>>()
        })
    });
}
