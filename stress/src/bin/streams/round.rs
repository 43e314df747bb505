//! A round: one stream is run, and then it is asked what became of its items.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use drumline::Pool;
use drumline::stream::{self, Feed, Report, Source, Stream, Work};
use drumline::{CancellationToken, Progress};
use stress::{Random, Waited, fail};

use crate::item::{Item, Mark, Taken, Tally};
use crate::plan::{End, From, Plan, Shape, Who};

/// No thread holds items for this long after the end of a stream.
const GONE: Duration = Duration::from_secs(12);

/// What a stream and its items share.
pub struct Round {
    seed: u64,
    pub plan: Plan,
    pub marks: Vec<Mark>,
    pools: Arc<Vec<Pool>>,
    token: CancellationToken,
    pub progress: Progress,
    /// Has another thread cancel.
    cancel: mpsc::Sender<()>,
}

/// What an end says, and the report if it has one.
pub type Told = (Tally, Option<Report>);

/// Runs the stream of this seed, and checks.
pub fn run(seed: u64, pools: &Arc<Vec<Pool>>) {
    let plan = Plan::new(&mut Random::new(seed));
    let (cancel, cancelled) = mpsc::channel();
    let mut round = Arc::new(Round {
        seed,
        pools: Arc::clone(pools),
        marks: (0..plan.items).map(|_| Mark::default()).collect(),
        plan,
        token: CancellationToken::new(),
        progress: Progress::new(),
        cancel,
    });
    let told = thread::scope(|scope| {
        let this = &round;
        if this.plan.cancel.is_some() {
            scope.spawn(move || cancelled.recv().map(|()| this.token.cancel()));
        }
        let told = catch_unwind(AssertUnwindSafe(|| match this.plan.from {
            From::Iterator => {
                let (own, mut place) = (Arc::clone(this), 0);
                let numbers = (0..this.plan.items).map(move |number| {
                    let item = Item::new(number, 0, &own);
                    item.take(&mut place);
                    item
                });
                this.stream(stream::iter(numbers))
            }
            From::Queue(places, senders) => {
                let (send, receive) = stream::queue(places);
                for sender in 0..senders {
                    let send = send.clone();
                    scope.spawn(move || this.feed(sender, senders, |item| send.send(item).is_ok()));
                }
                drop(send);
                this.stream_of(receive)
            }
            From::Channel => {
                let (send, receive) = mpsc::channel();
                scope.spawn(move || this.feed(0, 1, |item| send.send(item).is_ok()));
                this.stream_of(receive)
            }
        }));
        // If the item was never reached. The thread may have gone already.
        _ = this.cancel.send(());
        told
    });
    // A thread that no other thread waits for may still be about to go.
    let may_last = matches!(round.plan.end, End::IntoIter | End::Drop(_));
    let mut waited = Waited::new();
    while Arc::get_mut(&mut round).is_none() {
        let is_late = !may_last || waited.so_far() > GONE;
        round.check(!is_late, "the items, or the functions, are still held");
        thread::yield_now();
    }
    round.verify(told);
}

impl Round {
    /// Ends the process with a message and the plan unless `ok`.
    pub fn check(&self, ok: bool, why: &str) {
        if !ok {
            fail(&format!("{why}: seed {}, {:#?}", self.seed, self.plan));
        }
    }

    /// Sends each `step`th item, beginning with `from`, until the stream takes no more.
    fn feed(self: &Arc<Self>, from: u64, step: u64, send: impl Fn(Item) -> bool) {
        let gaps = self.plan.gaps;
        for number in (from..self.plan.items).step_by(step as usize) {
            if number % gaps == gaps - 1 {
                thread::sleep(Duration::from_micros(50));
            }
            if !send(Item::new(number, 0, self)) {
                return;
            }
        }
    }

    fn stream_of(self: &Arc<Self>, source: impl Source<Item = Item> + 'static) -> Told {
        let source: Box<dyn Source<Item = Item>> = Box::new(Taken(source, 0));
        self.stream(stream::stream(source))
    }

    /// Runs it, perhaps in a pool.
    fn stream<S: Source<Item = Item> + 'static>(self: &Arc<Self>, stream: Stream<S>) -> Told {
        match self.plan.inside {
            Some(pool) => self.pools[pool].install(|| self.shape(stream)),
            None => self.shape(stream),
        }
    }

    fn shape<S: Source<Item = Item> + 'static>(self: &Arc<Self>, stream: Stream<S>) -> Told {
        let own = Arc::clone(self);
        let stream = self.knobs(0, stream).progress(&self.progress);
        let stream = stream.map(move |item| own.work(0, item));
        match self.plan.shape {
            Shape::Map => self.end_of_own(stream),
            Shape::FilterMap => {
                let own = Arc::clone(self);
                let some = move |item: Item| (own.plan.copies(item.number) > 0).then_some(item);
                self.end_of_own(stream.filter_map(some))
            }
            Shape::FlatMap if self.plan.two => {
                let stream = stream.flat_map(Item::copies);
                let first = if self.plan.ordered {
                    stream.ordered()
                } else {
                    stream.unordered()
                };
                let second = self.knobs(1, first.stream());
                self.end(second.map(|item| self.work(1, item)))
            }
            Shape::FlatMap => self.end_of_own(stream.flat_map(Item::copies)),
        }
    }

    fn knobs<F: Feed<Item = Item>>(&self, stage: usize, stream: Stream<F>) -> Stream<F> {
        let knobs = &self.plan.stages[stage];
        let mut stream = stream.on_panic(self.plan.on_panic);
        stream = match knobs.who {
            Who::Near => stream,
            Who::Pool(pool) => stream.pool(&self.pools[pool]),
            Who::Jobs(pool, jobs) => stream.pool(&self.pools[pool]).jobs(jobs),
            Who::Threads(threads) => stream.threads(threads),
        };
        if let Some(items) = knobs.batch {
            stream = stream.batch(items);
        }
        if let Some(items) = knobs.batch_limit {
            stream = stream.batch_limit(items);
        }
        if let Some(items) = knobs.in_flight {
            stream = stream.in_flight(items);
        }
        if let Some(weight) = knobs.weight {
            stream = stream.weigh(weight, |item| item.number as usize % 10);
        }
        match self.plan.cancel {
            Some((at, _)) if at == stage => stream.cancel_on(&self.token),
            _ => stream,
        }
    }

    /// What a stage does with an item.
    fn work(&self, stage: usize, mut item: Item) -> Item {
        self.check(*item.steps == stage, "an item has been here");
        *item.steps += 1;
        if stage == 0 {
            item.mark().worked.fetch_add(1, Ordering::Relaxed);
        }
        if self.plan.cancel == Some((stage, item.number)) {
            // If copies have come here before, the thread has gone.
            _ = self.cancel.send(());
        }
        self.plan.spend(item.number);
        if self.plan.panics_with(stage, item.number) {
            item.mark().lost.fetch_add(1, Ordering::Relaxed);
            // Without the hook's message.
            resume_unwind(Box::new(item.number));
        }
        item
    }

    /// The ends that only a stream has that borrows nothing, and the others.
    fn end_of_own<S, W>(&self, stream: Stream<S, W>) -> Told
    where
        S: Source<Item = Item> + 'static,
        W: Work<Item, Out = Item> + 'static,
        W::State: 'static,
    {
        let most = match self.plan.end {
            End::IntoIter => usize::MAX,
            End::Drop(results) => results,
            _ => return self.end(stream),
        };
        let tally = if self.plan.ordered {
            Tally::of(stream.ordered().into_iter().take(most))
        } else {
            Tally::of(stream.unordered().into_iter().take(most))
        };
        (tally, None)
    }

    fn end<F: Feed, W: Work<F::Item, Out = Item>>(&self, stream: Stream<F, W>) -> Told {
        match self.plan.end {
            End::ForEach => {
                let (count, sum) = (AtomicU64::new(0), AtomicU64::new(0));
                let report = stream.for_each(|item| {
                    let one = Tally::one(item);
                    count.fetch_add(one.count, Ordering::Relaxed);
                    sum.fetch_add(one.sum, Ordering::Relaxed);
                });
                return (
                    Tally::new(count.into_inner(), sum.into_inner()),
                    Some(report),
                );
            }
            End::Fold => {
                let add = |tally: &mut Tally, item| tally.merge(Tally::one(item));
                let (tally, report) = stream.fold_init_report(Tally::default, add, Tally::merge);
                return (tally, Some(report));
            }
            End::Reduce => {
                let reduced = stream.map(Tally::one).reduce_with(|mut tally, more| {
                    tally.merge(more);
                    tally
                });
                return (reduced.unwrap_or_default(), None);
            }
            _ => {}
        }
        let serial = if self.plan.ordered {
            stream.ordered()
        } else {
            stream.unordered()
        };
        match self.plan.end {
            End::Leave(results) => (serial.with(|all| Tally::of(all.take(results))), None),
            End::Send => thread::scope(|scope| {
                let (send, mut receive) = stream::queue(3);
                let arrive = move || Tally::of(std::iter::from_fn(|| receive.recv()));
                let arrive = scope.spawn(arrive);
                let Ok(report) = serial.send_to(&send) else {
                    fail("the other end of a queue is gone");
                };
                drop(send);
                (arrive.join().expect("no panic"), Some(report))
            }),
            _ => {
                let mut tally = Tally::default();
                let report = serial.for_each(|item| tally.add_next(item));
                (tally, Some(report))
            }
        }
    }
}
