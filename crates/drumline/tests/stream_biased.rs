//! Receivers of one source for threads of one's own, and what a stream counts.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};
use std::thread;

use drumline::stream::{self, Polled, Source, StreamStats, biased, stream};

/// Runs a thread per receiver, and returns what `work` made of each.
fn run<S, R, F>(receivers: Vec<biased::BiasedReceiver<S>>, work: F) -> Vec<R>
where
    S: Source,
    R: Send,
    F: Fn(biased::BiasedReceiver<S>) -> R + Sync,
{
    thread::scope(|scope| {
        let threads: Vec<_> = receivers
            .into_iter()
            .map(|receiver| scope.spawn(|| work(receiver)))
            .collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.map(|outcome| outcome.expect("no panic")).collect()
    })
}

#[test]
fn each_item_arrives_once() {
    for count in [1, 2, 5] {
        for batch in [1, 20] {
            for bound in [1, 3, 1_000] {
                let (sender, receiver) = stream::queue(bound);
                let producer = thread::spawn(move || {
                    for n in 0..2_000_u64 {
                        sender.send(n).expect("they take all");
                    }
                });
                let received = run(biased::consumers(receiver, count, batch), |receiver| {
                    receiver.collect::<Vec<u64>>()
                });
                producer.join().unwrap();
                let mut all = received.concat();
                all.sort_unstable();
                assert!(all.into_iter().eq(0..2_000), "{count} {batch} {bound}");
            }
        }
    }
}

#[test]
fn one_item_at_a_time_wakes_nobody_else() {
    let (sender, receiver) = stream::queue(8);
    let (done, is_done) = mpsc::channel();
    let receivers = biased::consumers(receiver, 4, 1);
    let producer = thread::spawn(move || {
        for n in 0..500 {
            sender.send(n).expect("they take all");
            is_done.recv().expect("they say so");
        }
    });
    let counts = run(receivers, |receiver| {
        receiver.inspect(|_| done.send(()).unwrap()).count()
    });
    producer.join().unwrap();
    assert_eq!(counts.iter().sum::<usize>(), 500);
    assert_eq!(counts.iter().filter(|&&count| count > 0).count(), 1);
}

#[test]
fn who_is_overloaded_calls_the_next() {
    let (sender, receiver) = stream::queue(100);
    for n in 0..100 {
        sender.send(n).unwrap();
    }
    drop(sender);
    // No receiver gets beyond the first item before all three have one.
    let all_there = Barrier::new(3);
    let counts = run(biased::consumers(receiver, 3, 1), |mut receiver| {
        let first = receiver.recv();
        assert!(first.is_some());
        all_there.wait();
        1 + receiver.count()
    });
    assert_eq!(counts.iter().sum::<usize>(), 100);
}

#[test]
fn who_goes_leaves_the_rest_to_the_others() {
    for receivers_that_go in 1..3 {
        let (sender, receiver) = stream::queue(100);
        for n in 0..100 {
            sender.send(n).unwrap();
        }
        drop(sender);
        let gone = AtomicUsize::new(0);
        let counts = run(biased::consumers(receiver, 3, 1), |mut receiver| {
            // `receivers_that_go` receivers go with their first item in their hands.
            let goes = gone
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |gone| {
                    (gone < receivers_that_go).then_some(gone + 1)
                })
                .is_ok();
            if goes {
                usize::from(receiver.recv().is_some())
            } else {
                receiver.count()
            }
        });
        assert_eq!(counts.iter().sum::<usize>(), 100);
    }
}

/// Says 3, 2, 1, and panics.
struct Fuse(u32);

impl Source for Fuse {
    type Item = u32;

    fn recv(&mut self) -> Option<u32> {
        if self.0 == 0 {
            std::panic::resume_unwind(Box::new("bang"));
        }
        self.0 -= 1;
        Some(self.0 + 1)
    }

    fn try_recv(&mut self) -> Polled<u32> {
        self.recv().map_or(Polled::Ended, Polled::Item)
    }
}

#[test]
fn a_source_that_panics_has_ended_for_the_others() {
    let panics = AtomicUsize::new(0);
    let sums = run(biased::consumers(Fuse(3), 3, 1), |receiver| {
        let mut sum = 0;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            receiver.for_each(|n| sum += n);
        }));
        panics.fetch_add(usize::from(outcome.is_err()), Ordering::Relaxed);
        sum
    });
    assert_eq!((sums.iter().sum::<u32>(), panics.into_inner()), (6, 1));
}

#[test]
#[should_panic(expected = "at least 1")]
fn no_receivers_are_an_error() {
    let (_sender, receiver) = stream::queue::<()>(1);
    let _ = biased::consumers(receiver, 0, 1);
}

#[test]
fn a_stream_counts_what_it_does() {
    let pool = drumline::Pool::builder().jobs(2).build().unwrap();
    let (sender, receiver) = stream::queue(1_000);
    let (done, is_done) = mpsc::channel();
    // Sent before the stream measures.
    sender.send(0).unwrap();
    let producer = thread::spawn(move || {
        is_done.recv().expect("the first item is handled");
        for n in 1..100 {
            sender.send(n).unwrap();
        }
    });
    let stats = StreamStats::new();
    let sum = AtomicU64::new(0);
    let report = stream(receiver)
        .pool(&pool)
        .batch(1)
        .stats(&stats)
        .for_each(|n| {
            if n == 0 {
                done.send(()).unwrap();
            }
            sum.fetch_add(n, Ordering::Relaxed);
        });
    producer.join().unwrap();
    let counted = stats.snapshot();
    assert_eq!((report.items, sum.into_inner()), (100, 4_950));
    assert_eq!((counted.items, counted.batches), (100, 100));
    assert_eq!((counted.service.len(), counted.wait.len()), (100, 99));
    assert!(
        counted.depth_max < Some(100),
        "the queue knows: {counted:?}"
    );
    assert!(
        counted.calls >= 1,
        "the first item may take long, for all one knows"
    );
}

/// Numbers that come in spells of three: nothing more is there before a receiver waits for it.
struct Spells {
    next: u64,
    left: u32,
    /// How often in a row it was asked in vain.
    vain: u32,
    /// Waits before which a consumer had looked for a moment, and all waits.
    looks: u32,
    waits: u32,
}

const SPELLS_END: u64 = 300;

impl Source for Spells {
    type Item = u64;

    fn recv(&mut self) -> Option<u64> {
        self.left = 3;
        self.waits += 1;
        // Once behind a batch, and once before it waits.
        self.looks += u32::from(self.vain > 2);
        match self.try_recv() {
            Polled::Item(item) => Some(item),
            Polled::Empty | Polled::Ended => None,
        }
    }

    fn try_recv(&mut self) -> Polled<u64> {
        if self.next == SPELLS_END {
            return Polled::Ended;
        }
        if self.left == 0 {
            self.vain += 1;
            return Polled::Empty;
        }
        self.left -= 1;
        self.vain = 0;
        self.next += 1;
        Polled::Item(self.next - 1)
    }
}

#[test]
fn a_consumer_that_looks_in_vain_soon_waits_in_the_source_at_once() {
    for batch in [1, 2, 100] {
        let mut spells = Spells {
            next: 0,
            left: 0,
            vain: 0,
            looks: 0,
            waits: 0,
        };
        let sum = stream(&mut spells).jobs(1).batch(batch).fold_init(
            || 0,
            |sum, number| *sum += number,
            |sum, more| *sum += more,
        );
        assert_eq!(sum, SPELLS_END * (SPELLS_END - 1) / 2);
        // Each look in vain doubles the number of waits before the next one.
        assert!(spells.waits >= 100, "{} waits", spells.waits);
        assert!(spells.looks <= 7, "{} of {}", spells.looks, spells.waits);
    }
}
