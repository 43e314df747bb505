//! Two actors that answer each other.

use std::fmt;

use crate::families::actors::link::{Link, Slot};
use crate::families::actors::{ActorRuntime, Behaviour};
use crate::families::async_tasks::countdown::Countdown;

/// The actor that begins. Messages are numbers, which count those of all samples.
pub struct Ping<R: ActorRuntime> {
    pair: u64,
    pong: R::Ref<Pong<R>>,
    /// The number that comes next.
    expected: u64,
    rounds: u64,
    /// How many answers are to come; none, before a sample.
    left: u64,
    countdown: &'static Countdown,
}

/// The actor that answers.
pub struct Pong<R: ActorRuntime> {
    ping: Link<R::Ref<Ping<R>>>,
    expected: u64,
}

impl<R: ActorRuntime> Behaviour for Ping<R> {
    type Message = u64;

    fn handle(&mut self, number: u64) {
        let is_right = number == self.expected;
        if self.left == 0 {
            self.left = self.rounds;
        } else {
            self.left -= 1;
            if self.left == 0 || !is_right {
                // A pair in which something was wrong is missed.
                self.countdown
                    .end(if is_right { self.pair } else { u64::MAX });
                return;
            }
        }
        self.expected = number + 2;
        R::tell(&self.pong, number + 1);
    }
}

impl<R: ActorRuntime> Behaviour for Pong<R> {
    type Message = u64;

    fn handle(&mut self, number: u64) {
        let is_right = number == self.expected;
        self.expected += 2;
        R::tell(self.ping.get(), if is_right { number + 1 } else { 0 });
    }
}

/// Starts the pair of this number. Returns the actor that begins.
pub fn pair<R: ActorRuntime>(
    runtime: &'static R,
    pair: u64,
    rounds: u64,
    countdown: &'static Countdown,
) -> R::Ref<Ping<R>> {
    let slot = Slot::leaked();
    let pong = runtime.spawn(
        pair,
        Pong::<R> {
            ping: Link::Later(slot),
            expected: 1,
        },
    );
    let ping = runtime.spawn(
        pair,
        Ping::<R> {
            pair,
            pong,
            expected: 0,
            rounds,
            left: 0,
            countdown,
        },
    );
    slot.fill(ping.clone());
    ping
}

impl<R: ActorRuntime> fmt::Debug for Ping<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ping").finish_non_exhaustive()
    }
}

impl<R: ActorRuntime> fmt::Debug for Pong<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pong").finish_non_exhaustive()
    }
}
