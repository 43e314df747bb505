//! A ring buffer that has no way to wait: what passing a number takes at least.

use std::hint::spin_loop;
use std::thread;

use ::rtrb::{Consumer, PopError, Producer, PushError, RingBuffer};

use crate::families::messages::channel::{Receiver, Sender};
use crate::families::messages::{ChannelKind, MessageRuntime};
use crate::runtime::{Role, RuntimeCard};

/// How often a thread looks before it lets others run. If the other end has no processor, a thread
/// that looks on would keep its own until the scheduler takes it.
const LOOKS: u32 = 1_000;

/// `rtrb`.
#[derive(Debug)]
pub struct Rtrb;

impl MessageRuntime for Rtrb {
    const CARD: RuntimeCard = RuntimeCard {
        name: "rtrb",
        about: "`rtrb::RingBuffer`, which cannot block: both threads look again and again",
        package: Some("rtrb"),
        // It is no rival of what can sleep.
        role: Role::Bound,
        rank: 5,
        scheduler: "ring buffer; spins",
        parallel: true,
        colour: (201, 205, 211),
    };

    const KINDS: &'static [ChannelKind] = &[ChannelKind::SpscBounded];

    fn spsc_bounded<T: Send + Unpin + 'static>(bound: usize) -> (impl Sender<T>, impl Receiver<T>) {
        RingBuffer::new(bound)
    }
}

impl<T: Send + 'static> Sender<T> for Producer<T> {
    fn send(&mut self, mut message: T) -> bool {
        let mut looks = 0;
        while let Err(PushError::Full(back)) = self.push(message) {
            if self.is_abandoned() {
                return false;
            }
            message = back;
            look_again(&mut looks);
        }
        true
    }
}

impl<T: Send + 'static> Receiver<T> for Consumer<T> {
    fn recv(&mut self) -> Option<T> {
        let mut looks = 0;
        loop {
            match self.pop() {
                Ok(message) => return Some(message),
                // What was pushed before the sender went away has to be seen once more.
                Err(PopError::Empty) if self.is_abandoned() => return self.pop().ok(),
                Err(PopError::Empty) => look_again(&mut looks),
            }
        }
    }
}

fn look_again(looks: &mut u32) {
    *looks += 1;
    if looks.is_multiple_of(LOOKS) {
        thread::yield_now();
    } else {
        spin_loop();
    }
}
