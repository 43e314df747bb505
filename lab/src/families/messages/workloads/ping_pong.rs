//! `ping-pong`: two threads that wait for each other.

use std::thread;

use anyhow::Result;

use crate::families::messages::channel::{Receiver, Sender};
use crate::families::messages::traffic;
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload};
use crate::session::Session;
use crate::workload::WorkloadCard;

/// Two threads and two channels.
#[derive(Debug)]
pub struct PingPong;

impl MessageWorkload for PingPong {
    const CARD: WorkloadCard = WorkloadCard {
        name: "ping-pong",
        about: "two threads and two channels with room for one; 100,000 round trips",
        analysis: "One thread sends a number and waits for the next one, which the other thread \
                   sends back. No thread has anything else to do, so either the kernel wakes it \
                   each time, or it spins: compare the processor time. Where both threads have a \
                   core of their own, a thread that spins is faster by an order of magnitude.",
        item: "round trip",
        size_counts: "round trips",
        sizes: &[100_000],
        smoke_sizes: &[500],
        limits: (1, 10_000_000),
        ..traffic::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::SpscBounded];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        session.tasks(2, Some(2 * size));
        session.sample_prepared(
            size,
            &mut (),
            |()| (),
            |()| play::<R>(size),
            |(), played| {
                if played == size {
                    Ok(())
                } else {
                    Err(format!("round trip {played} of {size} went wrong"))
                }
            },
        );
        Ok(())
    }
}

/// Makes up to this many round trips. Returns how many were right before one was wrong.
fn play<R: MessageRuntime>(rounds: u64) -> u64 {
    let (mut there, mut served) = R::spsc_bounded::<u64>(1);
    let (mut back, mut returned) = R::spsc_bounded::<u64>(1);
    thread::scope(|scope| {
        scope.spawn(move || {
            while let Some(number) = served.recv() {
                if !back.send(number + 1) {
                    return;
                }
            }
        });
        let mut is_right = |number| there.send(number) && returned.recv() == Some(number + 1);
        let played = (0..rounds).take_while(|number| is_right(*number)).count();
        // Else the other thread waits for more.
        drop(there);
        played as u64
    })
}
