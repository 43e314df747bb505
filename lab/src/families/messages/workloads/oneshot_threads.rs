//! `oneshot-threads`: a request takes the way back with it.

use std::sync::mpsc;
use std::thread;

use anyhow::Result;

use crate::families::messages::channel::{OnceReceiver, OnceSender};
use crate::families::messages::traffic;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// A client and a server.
#[derive(Debug)]
pub struct OneshotThreads;

impl MessageWorkload for OneshotThreads {
    const CARD: WorkloadCard = WorkloadCard {
        name: "oneshot-threads",
        about: "a thread asks another one 100,000 times; each answer has a channel of its own",
        analysis: "A request is a number and the sender of a new channel for one message, in \
                   which the answer comes. Requests go through the unbounded channel of the \
                   standard library in all rows, so that rows differ in the way back alone. Each \
                   request wakes the server, and each answer the client, unless they spin.",
        item: "request",
        size_counts: "requests",
        sizes: &[100_000],
        smoke_sizes: &[500],
        limits: (1, 10_000_000),
        ..traffic::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Oneshot];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        session.tasks(2, Some(2 * size));
        session.sample_prepared(
            size,
            &mut (),
            |()| (),
            |()| answered::<R>(size),
            |(), answered| {
                if answered == size {
                    Ok(())
                } else {
                    Err(format!("request {answered} of {size} went wrong"))
                }
            },
        );
        Ok(())
    }
}

/// Makes up to this many requests. Returns how many were answered before one was not.
fn answered<R: MessageRuntime>(requests: u64) -> u64 {
    let (ask, asked) = mpsc::channel();
    thread::scope(|scope| {
        let server = scope.spawn(move || {
            for (number, reply) in asked {
                if !OnceSender::<u64>::send_once(reply, number + 1) {
                    return;
                }
            }
        });
        let is_answered = |number: &u64| {
            let (reply, answer) = R::oneshot();
            ask.send((*number, reply)).is_ok() && answer.recv_once() == Some(number + 1)
        };
        let answered = (0..requests).take_while(is_answered).count();
        // Else the server waits for more.
        drop(ask);
        server.join().expect("the server panicked");
        answered as u64
    })
}
