//! `actor-fan-in`: many actors send to one.

use anyhow::Result;

use crate::families::actors::fan::{self, MANY};
use crate::families::actors::link::{Link, Slot};
use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::WorkloadCard;

/// How many messages a sender sends before it lets other actors run.
const BURST: u64 = 100;

/// How many bits of a message are the number of its sender. The others count what that one sent.
const SENDER_BITS: u32 = 8;

/// Many senders and one receiver.
#[derive(Debug)]
pub struct ActorFanIn;

/// An actor that sends. A message has it go on.
struct Sender<R: ActorRuntime> {
    number: u64,
    receiver: R::Ref<Receiver>,
    own: Link<R::Ref<Self>>,
    /// How many it has sent, in all samples.
    sent: u64,
    /// How many it has to send in one sample.
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
        let burst = self.left.min(BURST);
        for _ in 0..burst {
            R::tell(&self.receiver, (self.sent << SENDER_BITS) | self.number);
            self.sent += 1;
        }
        self.left -= burst;
        if self.left > 0 {
            R::tell(self.own.get(), ());
        }
    }
}

/// The actor that receives.
struct Receiver {
    /// The next count, of each sender.
    expected: Vec<u64>,
    is_right: bool,
    /// How many messages there are in one sample.
    messages: u64,
    received: u64,
    countdown: &'static Countdown,
}

impl Behaviour for Receiver {
    type Message = u64;

    fn handle(&mut self, message: u64) {
        let sender = (message & ((1 << SENDER_BITS) - 1)) as usize;
        self.is_right &= message >> SENDER_BITS == self.expected[sender];
        self.expected[sender] += 1;
        self.received += 1;
        if self.received == self.messages {
            self.received = 0;
            self.countdown.end(u64::from(!self.is_right));
        }
    }
}

impl ActorWorkload for ActorFanIn {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-fan-in",
        about: "100 actors send 10,000 messages each to one",
        analysis: "From the first message, from outside, which has the senders begin, to the last \
                   one that the receiver handles. A sender sends 100 messages in a row, then one \
                   to itself, so that others get their turn. The receiver checks that the messages \
                   of each sender come in order. All mailboxes are without a bound: the receiver's \
                   is long if it is not run as soon as it has something.",
        size_counts: "messages per sender",
        ..fan::CARD
    };

    const NEEDS_ORDER: bool = true;

    fn actors(_size: u64) -> u64 {
        MANY + 1
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(1);
        let messages = MANY * size;
        let receiver = runtime.spawn(
            0,
            Receiver {
                expected: vec![0; 1 << SENDER_BITS],
                is_right: true,
                messages,
                received: 0,
                countdown,
            },
        );
        let senders: Vec<_> = (0..MANY)
            .map(|number| {
                let own = Slot::leaked();
                let sender = runtime.spawn(
                    number,
                    Sender::<R> {
                        number,
                        receiver: receiver.clone(),
                        own: Link::Later(own),
                        sent: 0,
                        size,
                        left: 0,
                    },
                );
                own.fill(sender.clone());
                sender
            })
            .collect();
        session.tasks(MANY + 1, Some(messages));
        session.sample_prepared(
            messages,
            &mut (),
            |()| countdown.reset(),
            |()| {
                for sender in &senders {
                    R::tell(sender, ());
                }
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
