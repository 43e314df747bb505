//! `jobs` with every adapter: alone and in combinations of two, and in every place of the
//! chain.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread::{self, ThreadId};

use drumline::Pool;
use drumline::iter::{self, Either};
use drumline::prelude::*;
use drumline::{CancellationToken, Progress};

const ITEMS: usize = 24;

/// Sees which threads run closures, and how many do at once.
#[derive(Default)]
struct Gauge {
    inside: AtomicUsize,
    most: AtomicUsize,
    threads: Mutex<HashSet<ThreadId>>,
}

impl Gauge {
    /// Called by all closures. Gives other threads an opportunity to come.
    fn visit(&self) {
        let now = self.inside.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        self.threads.lock().unwrap().insert(thread::current().id());
        thread::yield_now();
        self.inside.fetch_sub(1, Ordering::SeqCst);
    }

    /// As [`visit`](Self::visit); returns `value`.
    fn see<T>(&self, value: T) -> T {
        self.visit();
        value
    }

    #[track_caller]
    fn assert_at_most(&self, jobs: usize, what: &str) {
        let most = self.most.load(Ordering::SeqCst);
        assert!(most > 0, "{what}: no closure ran");
        assert!(most <= jobs, "{what}: {most} at once");
        let threads = self.threads.lock().unwrap().len();
        assert!(jobs > 1 || threads == 1, "{what}: {threads} threads");
    }
}

/// A source with a look at each of its items.
fn source(gauge: &Gauge) -> impl IndexedParallelIterator<Item = usize> {
    (0..ITEMS).into_par_iter().map(|item| gauge.see(item))
}

/// What comes second in `zip`, `chain` and so on: with a loop of its own.
fn other(gauge: &Gauge) -> impl IndexedParallelIterator<Item = usize> {
    source(gauge).skip(ITEMS / 3)
}

/// `iter`, or `iter.jobs(jobs)`.
fn at<I>(iter: I, jobs: Option<usize>) -> impl IndexedParallelIterator<Item = usize>
where
    I: IndexedParallelIterator<Item = usize>,
{
    match jobs {
        Some(jobs) => Either::Left(iter.jobs(jobs)),
        None => Either::Right(iter),
    }
}

/// As [`at`].
fn at_unindexed<I>(iter: I, jobs: Option<usize>) -> impl ParallelIterator<Item = usize>
where
    I: ParallelIterator<Item = usize>,
{
    match jobs {
        Some(jobs) => Either::Left(iter.jobs(jobs)),
        None => Either::Right(iter),
    }
}

/// A function for each adapter.
macro_rules! adapters {
    ($of:ident to $to:ident: $($name:ident: |$iter:ident, $gauge:ident| $body:expr;)*) => {
        $(
            fn $name<'g, I>($iter: I, $gauge: &'g Gauge) -> impl $to<Item = usize> + use<'g, I>
            where
                I: $of<Item = usize> + 'g,
            {
                $body
            }
        )*
    };
}

adapters! {
    IndexedParallelIterator to IndexedParallelIterator:
    map: |iter, g| iter.map(|n| g.see(n));
    map_with: |iter, g| iter.map_with(0, |_, n| g.see(n));
    map_init: |iter, g| iter.map_init(|| g.visit(), |(), n| g.see(n));
    inspect: |iter, g| iter.inspect(|_| g.visit());
    update: |iter, g| iter.update(|_| g.visit());
    panic_fuse: |iter, _g| iter.panic_fuse();
    rev: |iter, _g| iter.rev();
    enumerate: |iter, g| iter.enumerate().map(|(at, n)| g.see(at + n));
    zip: |iter, g| iter.zip(source(g)).map(|(a, b)| g.see(a + b));
    zip_skip: |iter, g| iter.zip(other(g)).map(|(a, b)| g.see(a + b));
    zip_eq: |iter, g| {
        let len = iter.len();
        iter.zip_eq(iter::repeat_n(1, len)).map(|(a, b)| g.see(a + b))
    };
    multizip: |iter, g| (iter, other(g), source(g)).into_par_iter().map(|(a, b, c)| a + b + c);
    interleave: |iter, g| iter.interleave(other(g));
    interleave_shortest: |iter, g| iter.interleave_shortest(other(g));
    intersperse: |iter, _g| iter.intersperse(7);
    chunks: |iter, g| iter.chunks(2).map(|chunk| g.see(chunk.len()));
    fold_chunks: |iter, g| iter.fold_chunks(2, || g.see(0), |a, b| g.see(a + b));
    fold_chunks_with: |iter, g| iter.fold_chunks_with(2, 0, |a, b| g.see(a + b));
    step_by: |iter, _g| iter.step_by(2);
    skip: |iter, _g| iter.skip(ITEMS / 4);
    skip_none: |iter, _g| iter.skip(0);
    take: |iter, _g| iter.take(ITEMS / 2);
    with_min_len: |iter, _g| iter.with_min_len(2);
    with_max_len: |iter, _g| iter.with_max_len(2);
    chain: |iter, g| iter.chain(other(g));
}

adapters! {
    IndexedParallelIterator to ParallelIterator:
    by_exponential_blocks: |iter, _g| iter.by_exponential_blocks();
    by_uniform_blocks: |iter, _g| iter.by_uniform_blocks(5);
    positions: |iter, g| iter.positions(|n| g.see(n) < ITEMS);
}

adapters! {
    ParallelIterator to ParallelIterator:
    map_unindexed: |iter, g| iter.map(|n| g.see(n));
    filter: |iter, g| iter.filter(|n| g.see(*n) < ITEMS * ITEMS);
    filter_map: |iter, g| iter.filter_map(|n| g.see(Some(n)));
    // Inner loops of one item: what is in longer ones has no limit.
    flat_map: |iter, g| iter.flat_map(|n| g.see(Some(n)));
    flatten: |iter, g| iter.map(|n| g.see(Some(n))).flatten();
    flat_map_iter: |iter, g| iter.flat_map_iter(|n| g.see([n, n]));
    flatten_iter: |iter, g| iter.map(|n| g.see([n, n])).flatten_iter();
    fold: |iter, g| iter.fold(|| g.see(0), |a, b| g.see(a + b));
    fold_with: |iter, g| iter.fold_with(0, |a, b| g.see(a + b));
    try_fold: |iter, g| iter.try_fold(|| g.see(0), |a, b| g.see(Some(a + b))).map(Option::unwrap);
    try_fold_with: |iter, g| iter.try_fold_with(0, |a, b| g.see(Some(a + b))).map(Option::unwrap);
    while_some: |iter, g| iter.map(|n| g.see(Some(n))).while_some();
    intersperse_unindexed: |iter, _g| iter.filter(|_| true).intersperse(7);
    take_any: |iter, _g| iter.take_any(ITEMS / 2);
    skip_any: |iter, _g| iter.skip_any(ITEMS / 4);
    take_any_while: |iter, g| iter.take_any_while(|n| g.see(*n) < ITEMS * ITEMS);
    skip_any_while: |iter, g| iter.skip_any_while(|n| g.see(*n) == 0);
    panic_fuse_unindexed: |iter, _g| iter.panic_fuse();
    map_worker: |iter, g| iter.map_worker(|| g.visit(), |(), n| g.see(n));
    cancel_on: |iter, _g| iter.cancel_on(&CancellationToken::new());
    progress: |iter, _g| iter.progress(&Progress::new());
    chain_unindexed: |iter, g| iter.chain(other(g));
}

/// Runs a chain on a pool of 4, with a limit of 1 and of 2 in each of the `places` in turn.
fn check(what: &str, places: &[usize], run: impl Fn(&Gauge, [Option<usize>; 3]) + Sync) {
    let pool = Pool::builder().jobs(4).build().unwrap();
    for &place in places {
        for jobs in [1, 2] {
            let gauge = Gauge::default();
            let mut limits = [None; 3];
            limits[place] = Some(jobs);
            pool.install(|| run(&gauge, limits));
            gauge.assert_at_most(jobs, &format!("{what}, jobs({jobs}) in place {place}"));
        }
    }
}

/// Where in a chain of these two a limit holds for all of it: behind the last `chain`.
fn places(first: &str, second: &str) -> &'static [usize] {
    match (first, second) {
        (_, "chain" | "chain_unindexed") => &[2],
        ("chain" | "chain_unindexed", _) => &[1, 2],
        _ => &[0, 1, 2],
    }
}

/// Checks each of the first list with each of the second.
macro_rules! pairs {
    ($at:ident, $at_last:ident: [$($first:ident)*] $seconds:tt) => {
        $(pairs!(@ $at, $at_last: $first $seconds);)*
    };
    (@ $at:ident, $at_last:ident: $first:ident [$($second:ident)*]) => {
        $({
            let (first, second) = (stringify!($first), stringify!($second));
            check(&format!("{first}, {second}"), places(first, second), |gauge, jobs| {
                let first = $first($at(source(gauge), jobs[0]), gauge);
                let second = $second($at(first, jobs[1]), gauge);
                $at_last(second, jobs[2]).for_each(|_| gauge.visit());
            });
        })*
    };
}

#[test]
fn a_limit_holds_after_indexed_adapters() {
    pairs!(at, at: [skip zip_skip chain]
        [map map_with map_init inspect update panic_fuse rev enumerate zip zip_skip zip_eq multizip
         interleave interleave_shortest intersperse chunks fold_chunks fold_chunks_with step_by skip
         skip_none take with_min_len with_max_len chain]);
}

#[test]
fn a_limit_holds_before_indexed_adapters() {
    pairs!(at, at:
        [map map_with map_init inspect update panic_fuse rev enumerate zip zip_eq multizip interleave
         interleave_shortest intersperse chunks fold_chunks fold_chunks_with step_by skip_none take
         with_min_len with_max_len]
        [skip]);
}

#[test]
fn a_limit_holds_where_the_order_is_lost() {
    pairs!(at, at_unindexed: [map rev zip_skip skip with_max_len chain]
        [by_exponential_blocks by_uniform_blocks positions flat_map]);
}

#[test]
fn a_limit_holds_between_unindexed_adapters() {
    pairs!(at_unindexed, at_unindexed: [flat_map chain_unindexed]
        [map_unindexed filter filter_map flat_map flatten flat_map_iter flatten_iter fold fold_with
         try_fold try_fold_with while_some intersperse_unindexed take_any skip_any take_any_while
         skip_any_while panic_fuse_unindexed map_worker cancel_on progress chain_unindexed]);
}

/// Checks operations that end a chain.
macro_rules! ends {
    ($($name:ident: |$iter:ident, $gauge:ident| $end:expr;)*) => {
        $({
            // The limit is right before the end, and before an adapter with a loop of its own.
            check(stringify!($name), &[1, 2], |$gauge, jobs| {
                let $iter = at(at(source($gauge), jobs[1]).skip(ITEMS / 4), jobs[2]);
                $end;
            });
        })*
    };
}

#[test]
fn a_limit_holds_for_all_ends() {
    ends! {
        for_each: |iter, g| iter.for_each(|_| g.visit());
        for_each_init: |iter, g| iter.for_each_init(|| g.visit(), |(), _| g.visit());
        for_each_worker: |iter, g| iter.for_each_worker(|| g.visit(), |(), _| g.visit());
        try_for_each: |iter, g| iter.try_for_each(|_| g.see(Some(()))).unwrap();
        reduce: |iter, g| iter.reduce(|| g.see(0), |a, b| g.see(a + b));
        reduce_with: |iter, g| iter.reduce_with(|a, b| g.see(a + b));
        try_reduce: |iter, g| iter.map(Some).try_reduce(|| g.see(0), |a, b| g.see(Some(a + b)));
        reduce_fixed: |iter, g| iter.reduce_fixed(|a, b| g.see(a + b));
        sum: |iter, _g| iter.sum::<usize>();
        min_by: |iter, g| iter.min_by(|a, b| g.see(a.cmp(b)));
        find_any: |iter, g| iter.find_any(|n| g.see(*n) == ITEMS);
        find_first: |iter, g| iter.find_first(|n| g.see(*n) == ITEMS);
        find_map_last: |iter, g| iter.find_map_last(|n| g.see((n == ITEMS).then_some(n)));
        position_last: |iter, g| iter.position_last(|n| g.see(n) == ITEMS);
        collect: |iter, _g| iter.collect::<Vec<_>>();
        collect_unindexed: |iter, g| iter.filter(|_| g.see(true)).collect::<Vec<_>>();
        collect_into_vec: |iter, _g| iter.collect_into_vec(&mut Vec::new());
        collect_vec_list: |iter, _g| iter.collect_vec_list();
        collect_set: |iter, _g| iter.collect::<HashSet<_>>();
        collect_result: |iter, g| iter.map(|n| g.see(Some(n))).collect::<Option<Vec<_>>>();
        partition: |iter, g| iter.partition::<Vec<_>, Vec<_>, _>(|n| g.see(*n) % 2 == 0);
        unzip: |iter, g| iter.map(|n| g.see((n, n))).unzip::<_, _, Vec<_>, HashSet<_>>();
        partition_map: |iter, g| iter.partition_map::<Vec<_>, Vec<_>, _, _, _>(|n| {
            g.see(if n % 2 == 0 { Either::Left(n) } else { Either::Right(n) })
        });
        eq: |iter, g| {
            let len = iter.len();
            iter.eq(iter::repeat_n(0, len).map(|n| g.see(n)))
        };
        cmp: |iter, g| iter.cmp(other(g));
    }
}

#[test]
fn a_limit_holds_for_all_kinds_of_sources() {
    check("par_bridge", &[0], |gauge, jobs| {
        let items = (0..ITEMS).par_bridge().jobs(jobs[0].unwrap());
        items.for_each(|_| gauge.visit());
    });
    check("lines", &[0], |gauge, jobs| {
        let text = "line\n".repeat(ITEMS);
        let lines = text.par_lines().jobs(jobs[0].unwrap());
        lines.for_each(|_| gauge.visit());
    });
    check("walk_tree", &[0], |gauge, jobs| {
        let children = |n: &usize| {
            gauge
                .see([n * 2 + 1, n * 2 + 2])
                .into_iter()
                .filter(|n| *n < ITEMS)
        };
        let nodes = iter::walk_tree(0, children).jobs(jobs[0].unwrap());
        nodes.for_each(|_| gauge.visit());
    });
    check("vec", &[0], |gauge, jobs| {
        let items = vec![0; ITEMS]
            .into_par_iter()
            .skip(3)
            .jobs(jobs[0].unwrap());
        items.for_each(|_| gauge.visit());
    });
}

#[test]
fn of_several_limits_the_smallest_holds() {
    for limits in [[1, 4, 2], [4, 2, 1], [2, 1, 4]] {
        let gauge = Gauge::default();
        Pool::builder().jobs(4).build().unwrap().install(|| {
            let items = source(&gauge).jobs(limits[0]).skip(5);
            let items = items.jobs(limits[1]).rev().jobs(limits[2]);
            items.for_each(|_| gauge.visit());
        });
        gauge.assert_at_most(1, &format!("{limits:?}"));
    }
}

/// Asserts that a loop which begins here has no limit: its two items wait for each other.
fn two_at_once() {
    let both = Barrier::new(2);
    [0, 1].par_iter().for_each(|_| {
        both.wait();
    });
}

#[test]
fn closures_and_what_follows_have_no_limit() {
    let data = [0, 1, 2];
    Pool::builder().jobs(2).build().unwrap().install(|| {
        // In the loop of an adapter, in that of the end, and in loops too short to be any.
        for skipped in 0..=3 {
            let items = data.par_iter().inspect(|_| two_at_once()).skip(skipped);
            items.jobs(1).for_each(|_| two_at_once());
            two_at_once();
            let items = data.par_iter().jobs(1).map(|_| two_at_once());
            items.skip(skipped).for_each(|()| two_at_once());
            two_at_once();
        }
        // In what makes a state, and in what joins results.
        let init = data.par_iter().skip(1).map_init(two_at_once, |(), _| ());
        init.jobs(1).for_each(|()| ());
        let blocks = data.par_iter().map(|_| ()).by_uniform_blocks(1);
        blocks.jobs(1).reduce(two_at_once, |(), ()| two_at_once());
        let both = data
            .par_iter()
            .map(|_| ())
            .chain(data.par_iter().map(|_| ()));
        both.jobs(1).reduce(two_at_once, |(), ()| two_at_once());
        // In loops that an inner loop has hidden: short ones, after many of their kind.
        let inner = |n: usize| {
            let last = n == 999;
            let inner = data.par_iter().jobs(1);
            inner.inspect(move |_| {
                if last {
                    two_at_once()
                }
            })
        };
        (0..1_000).into_par_iter().flat_map(inner).for_each(|_| ());
    });
}

#[test]
fn a_panic_leaves_no_limit() {
    let data = [0, 1, 2];
    Pool::builder().jobs(2).build().unwrap().install(|| {
        let panicked = std::panic::catch_unwind(|| {
            data.par_iter()
                .skip(1)
                .jobs(1)
                .for_each(|_| panic!("expected"));
        });
        assert!(panicked.is_err());
        two_at_once();
    });
}

#[test]
fn a_limited_chain_opens_one_state_after_the_other() {
    let data = [0; 50];
    let resource = Mutex::new(());
    Pool::builder().jobs(4).build().unwrap().install(|| {
        let both = data.par_iter().chain(&data);
        let states = both
            .jobs(1)
            .map_init(|| resource.try_lock().unwrap(), |_, n| *n);
        assert_eq!(states.count(), 100);
    });
}
