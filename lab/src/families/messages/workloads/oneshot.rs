//! `oneshot`: a channel for one message, made and used on one thread.

use std::hint::black_box;

use anyhow::Result;

use crate::families::messages::channel::{OnceReceiver, OnceSender};
use crate::families::messages::traffic;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Channels for one message each.
#[derive(Debug)]
pub struct Oneshot;

impl MessageWorkload for Oneshot {
    const CARD: WorkloadCard = WorkloadCard {
        name: "oneshot",
        about: "a channel for one message is made, sent into and received from, 1,000,000 times",
        analysis: "All on one thread: nothing waits and nothing is contended. What is left is the \
                   memory for the channel, and the steps of its protocol. A library without a \
                   channel for one message uses one with room for one.",
        item: "channel",
        size_counts: "channels",
        ..traffic::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Oneshot];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        let expected: u64 = (0..size).sum();
        session.tasks(1, Some(size));
        session.sample_prepared(
            size,
            &mut (),
            |()| (),
            |()| (0..size).filter_map(once::<R>).sum(),
            |(), sum: u64| {
                if sum == expected {
                    Ok(())
                } else {
                    Err(format!("the sum is {sum}, expected {expected}"))
                }
            },
        );
        Ok(())
    }
}

/// Sends one number to itself. Not a part of the loop, so that no library is seen through.
#[inline(never)]
fn once<R: MessageRuntime>(number: u64) -> Option<u64> {
    let (sender, receiver) = R::oneshot();
    sender
        .send_once(black_box(number))
        .then(|| receiver.recv_once())?
}
