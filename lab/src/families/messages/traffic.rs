//! Threads that send and threads that receive.

use std::thread;

use crate::families::messages::channel::{BatchReceiver, Receiver, Sender};
use crate::families::messages::tally::Tally;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How many messages a channel with a bound holds.
pub const BOUND: usize = 128;

/// How many threads send, and how many receive, where there are several.
pub const SEVERAL: usize = 4;

/// The most messages that are taken at once.
pub const BATCH: usize = 128;

/// What the cards of these workloads have in common.
pub const CARD: WorkloadCard = WorkloadCard {
    name: "",
    about: "",
    analysis: "",
    item: "message",
    size_counts: "messages",
    sizes: &[1_000_000],
    smoke_sizes: &[5_000],
    limits: (1, 100_000_000),
    default_rank: None,
    outside: true,
    shows: Shows::Rate,
};

/// Measures numbers that pass through a channel that `open` makes, with threads that are made and
/// joined in the time. `messages` are sent in all.
pub fn sample<const SENDERS: usize, S: Sender<u64>, R: Receiver<u64>>(
    messages: u64,
    receivers: usize,
    session: &mut Session,
    open: impl Fn() -> (Vec<S>, Vec<R>),
) {
    let threads = SENDERS + receivers;
    session.tasks(threads as u64, Some(messages));
    session.sample_prepared(
        messages,
        &mut (),
        |()| (),
        |()| {
            let (senders, receivers) = open();
            deliver::<SENDERS, _, _>(messages, senders, receivers, take_each)
        },
        |(), tally| tally.check(messages),
    );
}

/// As [`sample`], with a receiver that takes many messages at once.
pub fn sample_batches<S: Sender<u64>, R: BatchReceiver<u64>>(
    messages: u64,
    session: &mut Session,
    open: impl Fn() -> (S, R),
) {
    session.tasks(2, Some(messages));
    session.sample_prepared(
        messages,
        &mut (),
        |()| (),
        |()| {
            let (sender, receiver) = open();
            deliver::<1, _, _>(messages, vec![sender], vec![receiver], take_batches)
        },
        |(), tally| tally.check(messages),
    );
}

/// Sends the numbers below `messages` on a thread per sender, and takes them on a thread per
/// receiver. The calling thread has the last receiver.
fn deliver<const SENDERS: usize, S: Sender<u64>, R: Send>(
    messages: u64,
    senders: Vec<S>,
    mut receivers: Vec<R>,
    take_all: impl Fn(R) -> Tally<SENDERS> + Sync,
) -> Tally<SENDERS> {
    assert_eq!(senders.len(), SENDERS, "each sender has its own numbers");
    let own = receivers.pop().expect("there is a receiver");
    let take_all = &take_all;
    thread::scope(|scope| {
        let others: Vec<_> = receivers
            .into_iter()
            .map(|receiver| scope.spawn(move || take_all(receiver)))
            .collect();
        for (number, mut sender) in senders.into_iter().enumerate() {
            scope.spawn(move || {
                for number in Tally::<SENDERS>::numbers(number, messages) {
                    if !sender.send(number) {
                        // The receivers have ended early, and the sum will show it.
                        return;
                    }
                }
            });
        }
        let own = take_all(own);
        others.into_iter().fold(own, |sum, other| {
            sum.plus(other.join().expect("a receiver panicked"))
        })
    })
}

fn take_each<const SENDERS: usize>(mut receiver: impl Receiver<u64>) -> Tally<SENDERS> {
    let mut tally = Tally::default();
    while let Some(number) = receiver.recv() {
        tally.take(number);
    }
    tally
}

fn take_batches(mut receiver: impl BatchReceiver<u64>) -> Tally<1> {
    let mut tally = Tally::default();
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        receiver.recv_many(&mut batch, BATCH);
        if batch.is_empty() {
            return tally;
        }
        batch.drain(..).for_each(|number| tally.take(number));
    }
}
