//! `protocol`: what a step of a protocol costs, on one thread.

use anyhow::Result;

use crate::families::messages::dialogue::{Client, Server};
use crate::families::messages::{ChannelKind, MessageRuntime, MessageWorkload, traffic};
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// This many messages are sent, and then received.
const RUN: u64 = 64;

/// One thread that has both sides.
#[derive(Debug)]
pub struct Protocol;

impl MessageWorkload for Protocol {
    const CARD: WorkloadCard = WorkloadCard {
        name: "protocol",
        about: "one thread sends 64 messages of a protocol to itself, and receives them; 1,000,000 \
                messages",
        analysis: "The messages are numbers, the commonest of three things that the client may \
                   say. By hand that is an enum in a channel. Nothing waits, so this is the cost \
                   of the steps alone: compare `drumline-protocol` with `drumline`, whose lanes \
                   both have.",
        shows: Shows::Time,
        ..traffic::CARD
    };

    const NEEDS: &'static [ChannelKind] = &[ChannelKind::Dialogue];

    fn drive<R: MessageRuntime>(size: u64, _jobs: usize, session: &mut Session) -> Result<()> {
        session.tasks(1, Some(size));
        session.sample_prepared(
            size,
            &mut (),
            |()| (),
            |()| {
                let (client, server) = R::dialogue();
                pass(client, server, size)
            },
            |(), sum| {
                if sum == Some((0..size).sum()) {
                    Ok(())
                } else {
                    Err(format!("the sum of the numbers is {sum:?}"))
                }
            },
        );
        Ok(())
    }
}

fn pass(mut client: impl Client, mut server: impl Server, messages: u64) -> Option<u64> {
    let mut begun = 0;
    while begun < messages {
        let end = (begun + RUN).min(messages);
        client = client.send(begun..end)?;
        server = server.take(end - begun)?;
        begun = end;
    }
    Some(server.sum())
}
