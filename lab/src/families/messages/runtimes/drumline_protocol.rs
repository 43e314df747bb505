//! The sessions of drumline, with steps that the compiler checks.

use std::ops::Range;

use crate::families::messages::dialogue::{Client, Server};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

::drumline::protocol! {
    /// What the enums of [`dialogue`](crate::families::messages::dialogue) say by hand.
    mod counting of client with server {
        Next = choose {
            Item(u64) => Next,
            Ask(u64) => Answer,
            Finish => Sum,
        };
        Answer = recv u64 => Next;
        Sum = recv u64 => end;
    }
}
use counting::{choice, client, offer, server};

/// `drumline-protocol`.
#[derive(Debug)]
pub struct DrumlineProtocol;

impl MessageRuntime for DrumlineProtocol {
    const CARD: RuntimeCard = RuntimeCard {
        name: "drumline-protocol",
        about: "this repository: `protocol!`, types for each step, over two lanes",
        package: Some("drumline"),
        role: Role::Ours,
        rank: 12,
        scheduler: "lane; watches, then parks",
        parallel: true,
        colour: (150, 60, 40),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::Dialogue];

    fn dialogue() -> (impl Client, impl Server) {
        let (client, server) = counting::unbounded();
        (client, Counter(server, 0))
    }
}

impl Client for client::Next {
    fn send(self, mut numbers: Range<u64>) -> Option<Self> {
        numbers.try_fold(self, |next, number| {
            next.choose(choice::Next::Item(number)).ok()
        })
    }

    fn ask(self, mut numbers: Range<u64>) -> Option<Self> {
        numbers.try_fold(self, |next, number| {
            let answer = next.choose(choice::Next::Ask(number)).ok()?;
            let (answer, next) = answer.recv().ok()?;
            (answer == number + 1).then_some(next)
        })
    }

    fn finish(self) -> Option<u64> {
        let sum = self.choose(choice::Next::Finish).ok()?;
        Some(sum.recv().ok()?.0)
    }
}

/// A server, and the sum of the numbers.
struct Counter(server::Next, u64);

impl Server for Counter {
    fn take(self, count: u64) -> Option<Self> {
        (0..count).try_fold(self, |Counter(next, sum), _| match next.offer().ok()? {
            offer::Next::Item(number, next) => Some(Counter(next, sum + number)),
            offer::Next::Ask(..) | offer::Next::Finish(_) => None,
        })
    }

    fn sum(&self) -> u64 {
        self.1
    }

    fn serve(self) -> Option<()> {
        let Counter(mut next, mut sum) = self;
        loop {
            next = match next.offer().ok()? {
                offer::Next::Item(number, next) => {
                    sum += number;
                    next
                }
                offer::Next::Ask(number, answer) => {
                    sum += number;
                    answer.send(number + 1).ok()?
                }
                offer::Next::Finish(total) => return total.send(sum).ok().map(drop),
            };
        }
    }
}
