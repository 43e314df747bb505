//! A stream made at random: what it is, and what becomes of its items.

use std::thread;
use std::time::Duration;

use drumline::blocking;
use drumline::stream::OnPanic;
use stress::{Random, dither, work_for};

/// The pools that there are: their jobs, and whether they take guests.
pub const POOLS: [(usize, bool); 5] = [(1, true), (2, true), (4, true), (1, false), (3, false)];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum From {
    Iterator,
    /// Of this many places, with this many senders.
    Queue(usize, u64),
    Channel,
}

#[derive(Clone, Copy, Debug)]
pub enum Who {
    /// Of the pool that the calling thread is in.
    Near,
    Pool(usize),
    Jobs(usize, usize),
    Threads(usize),
}

#[derive(Clone, Copy, Debug)]
pub enum ItemKind {
    Short,
    Long,
    Blocking,
    Forking,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Map,
    FilterMap,
    FlatMap,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    ForEach,
    Fold,
    Reduce,
    Serial,
    Send,
    /// After this many results.
    Leave(usize),
    IntoIter,
    Drop(usize),
}

/// What a stage is told.
#[derive(Clone, Copy, Debug)]
pub struct Knobs {
    pub who: Who,
    pub batch: Option<usize>,
    pub batch_limit: Option<usize>,
    pub in_flight: Option<usize>,
    pub weight: Option<usize>,
}

/// A stream, and what becomes of it.
#[derive(Clone, Debug)]
pub struct Plan {
    pub items: u64,
    pub from: From,
    pub kind: ItemKind,
    pub shape: Shape,
    pub stages: [Knobs; 2],
    /// There is a second stage behind the first.
    pub two: bool,
    pub ordered: bool,
    pub end: End,
    pub on_panic: OnPanic,
    /// The stage that panics, and with which items.
    pub panics: Option<(usize, u64)>,
    /// The stage that is cancelled, and when.
    pub cancel: Option<(usize, u64)>,
    /// A sender rests once in this many items.
    pub gaps: u64,
    /// The calling thread is in this pool.
    pub inside: Option<usize>,
}

/// One of these.
fn pick<T: Copy>(random: &mut Random, of: &[T]) -> T {
    of[random.below(of.len() as u64) as usize]
}

impl Plan {
    pub fn new(random: &mut Random) -> Self {
        let some = |random: &mut Random, one_in, most: u64| {
            (random.below(one_in) == 0).then(|| 1 + random.below(most) as usize)
        };
        let pool = |random: &mut Random| random.below(POOLS.len() as u64) as usize;
        let knobs = |random: &mut Random| Knobs {
            who: match random.below(6) {
                0 => Who::Near,
                1 | 2 => Who::Pool(pool(random)),
                3 => Who::Jobs(pool(random), 1 + random.below(5) as usize),
                _ => Who::Threads(1 + random.below(4) as usize),
            },
            batch: some(random, 3, 30),
            batch_limit: some(random, 4, 40),
            in_flight: some(random, 3, 50),
            weight: some(random, 4, 100),
        };
        let stages = [knobs(random), knobs(random)];
        let is = |who: fn(&Who) -> bool| stages.iter().any(|knobs| who(&knobs.who));
        // Nothing is for the global pool: it never ends, and ThreadSanitizer would complain of its
        // threads.
        let inside = is(|who| matches!(who, Who::Near)) || random.below(4) == 0;
        let forks = !is(|who| matches!(who, Who::Threads(_)));
        let kinds = [
            ItemKind::Short,
            ItemKind::Long,
            ItemKind::Blocking,
            ItemKind::Forking,
        ];
        let kind = pick(random, &kinds[..3 + usize::from(forks)]);
        let most = pick(random, &[20, 300, 2_000]);
        let items = random.below(if matches!(kind, ItemKind::Long) {
            20
        } else {
            most
        });
        let leave = random.below(items + 1) as usize;
        let (two, ends) = (random.below(3) == 0, [End::IntoIter, End::Drop(leave)]);
        let queue = From::Queue(1 + random.below(40) as usize, 1 + random.below(2));
        Plan {
            items,
            from: pick(random, &[From::Iterator, queue, queue, From::Channel]),
            kind,
            shape: if two {
                Shape::FlatMap
            } else {
                pick(random, &[Shape::Map, Shape::FilterMap, Shape::FlatMap])
            },
            stages,
            two,
            ordered: random.below(3) > 0,
            end: match random.below(if two { 6 } else { 9 }) {
                0 => End::ForEach,
                1 => End::Fold,
                2 => End::Reduce,
                3 => End::Serial,
                4 => End::Send,
                5 => End::Leave(leave),
                _ => pick(random, &ends),
            },
            on_panic: pick(random, &[OnPanic::Stop, OnPanic::Continue]),
            panics: some(random, 3, items + 1).map(|every| {
                let stage = usize::from(two && random.below(2) == 0);
                (stage, every as u64)
            }),
            cancel: some(random, 4, items + 1).map(|at| {
                let stage = usize::from(two && random.below(3) == 0);
                (stage, at as u64)
            }),
            gaps: 1 + random.below(300),
            inside: inside.then(|| pool(random)),
        }
    }

    /// Whether this stage panics with this item.
    pub fn panics_with(&self, stage: usize, number: u64) -> bool {
        self.panics
            .is_some_and(|(at, every)| at == stage && number % every == every - 1)
    }

    /// How many results an item has that does not panic.
    pub fn copies(&self, number: u64) -> u32 {
        match self.shape {
            Shape::Map => 1,
            Shape::FilterMap => u32::from(!number.is_multiple_of(3)),
            Shape::FlatMap => (number % 4) as u32,
        }
    }

    /// What an item takes.
    pub fn spend(&self, number: u64) {
        match (self.kind, number % 64) {
            (ItemKind::Long, _) => work_for(Duration::from_micros(300)),
            (ItemKind::Blocking, 5) => blocking(|| thread::sleep(Duration::from_micros(100))),
            (ItemKind::Blocking, 37) => thread::sleep(Duration::from_micros(200)),
            (ItemKind::Forking, _) => _ = drumline::join(|| dither(100), || dither(100)),
            (_, odd) => dither(odd * 4),
        }
    }
}
