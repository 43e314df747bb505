//! `msgsend`: many clients and one server.

use std::thread;

use anyhow::Result;

use crate::families::messages::channel::{OnceReceiver, OnceSender, Receiver, Sender};
use crate::families::messages::payload::{Payload, Total};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many clients there are.
const CLIENTS: usize = 10;

/// Clients that send numbers of 8 bytes.
#[derive(Debug)]
pub struct Msgsend;

impl MessageWorkload for Msgsend {
    const CARD: WorkloadCard = WorkloadCard {
        name: "msgsend",
        about: "10 clients each send 100,000 numbers to one server, which adds them up",
        analysis: "From the making of the channel and the start of the 11 threads to the end of \
                   the server, which has answered. Each client is a thread with a \
                   sender of its own. When all clients have ended, the calling thread asks for \
                   the total, through one more sender, and gets it in one reply. The server \
                   answers when it has taken all messages, because not every library keeps the \
                   order of messages of different senders. A message is the number and the tag \
                   that tells it from the question. The channel has no bound, so clients never \
                   wait; only the row of Go has one.",
        item: "message",
        size_counts: "messages per client",
        sizes: &[100_000],
        smoke_sizes: &[500],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const NEEDS: &'static [ChannelKind] = NEEDS;

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        sample::<R, 1>(size, session);
        Ok(())
    }

    fn size_label(size: u64) -> String {
        label(size)
    }
}

/// The channels of this workload.
pub const NEEDS: &[ChannelKind] = &[ChannelKind::Mpsc, ChannelKind::Oneshot];

/// What a size is called in tables.
pub fn label(each: u64) -> String {
    format!("{CLIENTS} × {}", group(each))
}

/// What the server is sent.
enum Request<const WORDS: usize, O> {
    /// To add a message to the total.
    Add(Payload<WORDS>),
    /// To answer with the total. In a box, so that a message is as large whatever a library's end
    /// of a channel is.
    Answer(Box<O>),
}

/// Measures clients that send `each` messages of `WORDS` words.
pub fn sample<R: MessageRuntime, const WORDS: usize>(each: u64, session: &mut Session) {
    let messages = CLIENTS as u64 * each;
    let expected = Total::expected::<WORDS>(CLIENTS as u64, each);
    session.tasks(CLIENTS as u64 + 1, Some(messages));
    session.sample_prepared(
        messages,
        &mut (),
        |()| (),
        |()| ask::<R, WORDS>(each),
        |(), total| {
            if total == Some(expected) {
                Ok(())
            } else {
                Err(format!("the total is {total:?}, expected {expected:?}"))
            }
        },
    );
}

/// Starts the server and the clients, and asks for the total.
fn ask<R: MessageRuntime, const WORDS: usize>(each: u64) -> Option<Total> {
    let (mut senders, receiver) = R::mpsc(CLIENTS + 1);
    let mut own = senders.pop().expect("a sender for each");
    thread::scope(|scope| {
        scope.spawn(move || serve(receiver));
        let clients: Vec<_> = senders
            .into_iter()
            .map(|mut sender| {
                scope.spawn(move || {
                    // If the server has ended early, there is no answer.
                    (0..each).all(|number| sender.send(Request::Add(Payload::<WORDS>::new(number))))
                })
            })
            .collect();
        for client in clients {
            client.join().expect("a client panicked");
        }
        let (reply, answer) = R::oneshot();
        own.send(Request::Answer(Box::new(reply)));
        drop(own);
        answer.recv_once()
    })
}

/// Adds up all messages, and then answers.
fn serve<const WORDS: usize, O: OnceSender<Total>>(mut receiver: impl Receiver<Request<WORDS, O>>) {
    let mut total = Total::default();
    let mut asked = None;
    while let Some(request) = receiver.recv() {
        match request {
            Request::Add(message) => total.add(&message),
            Request::Answer(reply) => asked = Some(reply),
        }
    }
    if let Some(reply) = asked {
        reply.send_once(total);
    }
}

#[cfg(test)]
mod tests {
    use super::Request;

    #[test]
    fn a_message_is_as_large_in_every_row() {
        assert_eq!(size_of::<Request<0, u8>>(), size_of::<*const u8>());
        assert_eq!(size_of::<Request<0, [u64; 9]>>(), size_of::<*const u8>());
        let with_a_word = size_of::<Request<1, u8>>();
        assert_eq!(size_of::<Request<1, [u64; 9]>>(), with_a_word);
    }
}
