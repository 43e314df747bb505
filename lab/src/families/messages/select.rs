//! Several channels to one receiver, which selects over them.

use std::thread;

use super::MessageRuntime;
use super::channel::{Receiver, SelectReceiver, Sender};
use super::tally::Tally;
use crate::session::Session;

/// How many channels there are.
pub const CHANNELS: usize = 4;

/// Measures numbers that threads send, each through a channel of its own, to one that selects. The
/// senders stay until all has been received: no library sees the end of a channel.
pub fn sample<R: MessageRuntime>(messages: u64, session: &mut Session) {
    session.tasks(CHANNELS as u64 + 1, Some(messages));
    session.sample_prepared(
        messages,
        &mut (),
        |()| (),
        |()| {
            let (senders, receiver) = R::select4();
            deliver(messages, senders, receiver)
        },
        |(), tally| tally.check(messages),
    );
}

fn deliver<S: Sender<u64>>(
    messages: u64,
    senders: Vec<S>,
    receiver: impl SelectReceiver<u64>,
) -> Tally<CHANNELS> {
    assert_eq!(senders.len(), CHANNELS, "each channel has a sender");
    thread::scope(|scope| {
        let threads: Vec<_> = senders
            .into_iter()
            .enumerate()
            .map(|(number, mut sender)| {
                scope.spawn(move || {
                    for number in Tally::<CHANNELS>::numbers(number, messages) {
                        if !sender.send(number) {
                            // The receiver has ended early, and the sum will show it.
                            break;
                        }
                    }
                    sender
                })
            })
            .collect();
        let mut tally = Tally::default();
        receiver.take(messages, |number| tally.take(number));
        for thread in threads {
            drop(thread.join().expect("a sender panicked"));
        }
        tally
    })
}

/// Receives by an end that knows all channels.
#[derive(Debug)]
pub struct AsOne<R>(pub R);

impl<T, R: Receiver<T>> SelectReceiver<T> for AsOne<R> {
    fn take(mut self, messages: u64, mut take: impl FnMut(T)) {
        for _ in 0..messages {
            let Some(message) = self.0.recv() else {
                return;
            };
            take(message);
        }
    }
}
