//! `actor-fan-out`: one actor sends to many.

use anyhow::Result;

use crate::families::actors::fan::{self, MANY};
use crate::families::actors::link::{Link, Slot};
use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::WorkloadCard;

/// One sender and many receivers.
#[derive(Debug)]
pub struct ActorFanOut;

/// The actor that sends. A message has it go on.
struct Sender<R: ActorRuntime> {
    receivers: Vec<R::Ref<Receiver>>,
    own: Link<R::Ref<Self>>,
    /// How many it has sent to each, in all samples.
    sent: u64,
    /// How many it has to send to each in one sample.
    size: u64,
    /// How many of these are left; none, before a sample.
    left: u64,
}

impl<R: ActorRuntime> Behaviour for Sender<R> {
    type Message = ();

    fn handle(&mut self, (): ()) {
        if self.left == 0 {
            self.left = self.size;
        }
        for receiver in &self.receivers {
            R::tell(receiver, self.sent);
        }
        self.sent += 1;
        self.left -= 1;
        if self.left > 0 {
            R::tell(self.own.get(), ());
        }
    }
}

/// An actor that receives.
struct Receiver {
    number: u64,
    /// The next count.
    expected: u64,
    is_right: bool,
    /// How many messages there are in one sample.
    size: u64,
    received: u64,
    countdown: &'static Countdown,
}

impl Behaviour for Receiver {
    type Message = u64;

    fn handle(&mut self, message: u64) {
        self.is_right &= message == self.expected;
        self.expected += 1;
        self.received += 1;
        if self.received == self.size {
            self.received = 0;
            // A receiver that found something wrong is missed.
            let number = if self.is_right { self.number } else { MANY };
            self.countdown.end(number);
        }
    }
}

impl ActorWorkload for ActorFanOut {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-fan-out",
        about: "one actor sends 10,000 messages to each of 100",
        analysis: "From the first message, from outside, which has the sender begin, to the last \
                   one that a receiver handles. The sender sends one message to each receiver, \
                   then one to itself, so that others get their turn. Each receiver checks that \
                   its messages come in order. One message in a hundred is the sender's own, and \
                   is not counted.",
        size_counts: "messages per receiver",
        ..fan::CARD
    };

    const NEEDS_ORDER: bool = true;

    fn actors(_size: u64) -> u64 {
        MANY + 1
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(MANY);
        let receivers = (0..MANY)
            .map(|number| {
                runtime.spawn(
                    number,
                    Receiver {
                        number,
                        expected: 0,
                        is_right: true,
                        size,
                        received: 0,
                        countdown,
                    },
                )
            })
            .collect();
        let own = Slot::leaked();
        let sender = runtime.spawn(
            0,
            Sender::<R> {
                receivers,
                own: Link::Later(own),
                sent: 0,
                size,
                left: 0,
            },
        );
        own.fill(sender.clone());
        let messages = MANY * size;
        session.tasks(MANY + 1, Some(messages));
        session.sample_prepared(
            messages,
            &mut (),
            |()| countdown.reset(),
            |()| {
                R::tell(&sender, ());
                countdown.wait();
            },
            |(), ()| countdown.check(),
        );
        Ok(())
    }

    fn size_label(size: u64) -> String {
        fan::size_label(size)
    }
}
