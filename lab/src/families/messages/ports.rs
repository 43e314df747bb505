//! Many channels to one receiver, which waits for all of them.

use std::thread;

use anyhow::Result;

use super::channel::{Receiver, Sender};
use super::{ChannelKind, MessageRuntime};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// The channels that these workloads need.
pub const NEEDS: &[ChannelKind] = &[ChannelKind::Ports];

/// How many messages are sent in a sample, about.
const MESSAGES: u64 = 100_000;

/// What the cards have in common.
pub const CARD: WorkloadCard = WorkloadCard {
    name: "",
    about: "",
    analysis: "",
    item: "message",
    size_counts: "channels",
    sizes: &[10, 1_000, 10_000],
    smoke_sizes: &[10, 100],
    limits: (1, 1_000_000),
    default_rank: None,
    outside: true,
    shows: Shows::Time,
};

/// What a size is called in tables.
pub fn label(ports: u64) -> String {
    format!("{} channels", group(ports))
}

/// Measures a thread that sends by the last `active` of `ports` channels, one after another, and
/// one that receives from all of them.
pub fn sample<R: MessageRuntime>(ports: u64, active: u64, session: &mut Session) -> Result<()> {
    let rounds = (MESSAGES / active).max(1);
    let messages = rounds * active;
    session.tasks(2, Some(messages));
    let (senders, receiver) = R::ports(usize::try_from(ports)?);
    let mut ends = Ends {
        senders,
        receiver,
        next: vec![0; usize::try_from(ports)?],
    };
    let first = usize::try_from(ports - active)?;
    session.sample_prepared(
        messages,
        &mut ends,
        |_| (),
        |ends| ends.pass(first, rounds),
        |ends, received| ends.check(first, rounds, received),
    );
    Ok(())
}

/// The ends of all channels.
struct Ends<S, R> {
    senders: Vec<S>,
    receiver: R,
    /// The next message of each.
    next: Vec<u64>,
}

impl<S: Sender<u64>, R: Receiver<u64>> Ends<S, R> {
    /// Sends and receives. Returns whether all came, and each of them in order.
    fn pass(&mut self, first: usize, rounds: u64) -> bool {
        let Self {
            senders,
            receiver,
            next,
        } = self;
        let ports = senders.len() as u64;
        let begun = next[first];
        let active = &mut senders[first..];
        let messages = rounds * active.len() as u64;
        thread::scope(|scope| {
            scope.spawn(move || {
                for round in begun..begun + rounds {
                    for (port, sender) in active.iter_mut().enumerate() {
                        if !sender.send(round * ports + (first + port) as u64) {
                            // The receiver has ended early, and the count will show it.
                            return;
                        }
                    }
                }
            });
            (0..messages).all(|_| {
                receiver.recv().is_some_and(|message| {
                    let expected = &mut next[(message % ports) as usize];
                    let is_next = message / ports == *expected;
                    *expected += 1;
                    is_next
                })
            })
        })
    }

    fn check(&mut self, first: usize, rounds: u64, is_right: bool) -> Result<(), String> {
        let active = &self.next[first..];
        if is_right
            && active
                .iter()
                .all(|next| *next == active[0] && *next >= rounds)
        {
            return Ok(());
        }
        Err("a message was lost, or came out of order".to_owned())
    }
}
