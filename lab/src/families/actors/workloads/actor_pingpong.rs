//! `actor-pingpong`: pairs of actors that answer each other.

use anyhow::Result;

use crate::families::actors::pair::pair;
use crate::families::actors::{ActorRuntime, ActorWorkload};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many pairs there are.
const PAIRS: u64 = 100;

/// Pairs.
#[derive(Debug)]
pub struct ActorPingpong;

impl ActorWorkload for ActorPingpong {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-pingpong",
        about: "100 pairs of actors send each other 10,000 messages each way",
        analysis: "From the first message, from outside, to the last one. The actors were started \
                   before. A message is a number, which is checked, and the answer to it is the \
                   next one. All pairs can run at any time, and one of the two actors of each. A \
                   runtime that goes straight from an actor to the other one leaves the rest of \
                   the pairs waiting; one that queues each message visits them in turn.",
        item: "message",
        size_counts: "messages each way",
        sizes: &[10_000],
        smoke_sizes: &[100],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    fn actors(_size: u64) -> u64 {
        2 * PAIRS
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(PAIRS);
        let pairs: Vec<_> = (0..PAIRS)
            .map(|number| pair(runtime, number, size, countdown))
            .collect();
        let messages = 2 * PAIRS * size;
        session.tasks(2 * PAIRS, Some(messages));
        let mut number = 0;
        session.sample_prepared(
            messages,
            &mut number,
            |_| countdown.reset(),
            |number| {
                for ping in &pairs {
                    R::tell(ping, *number);
                }
                countdown.wait();
            },
            |number, ()| {
                *number += 2 * size;
                countdown.check()
            },
        );
        Ok(())
    }

    fn size_label(size: u64) -> String {
        format!("{} × {}", group(PAIRS), group(size))
    }
}
