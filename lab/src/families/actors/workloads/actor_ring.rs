//! `actor-ring`: a token goes round each of ten large rings.

use anyhow::Result;

use crate::families::actors::link::{Link, Slot};
use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many rings there are.
const RINGS: u64 = 10;

/// The actors of a ring.
const ACTORS: u64 = 10_000;

/// Ten rings.
#[derive(Debug)]
pub struct ActorRing;

/// An actor of a ring. The token is a number, which counts the hops of all samples.
struct Member<R: ActorRuntime> {
    next: Link<R::Ref<Self>>,
    /// The number of the token that comes next.
    expected: u64,
    /// The last actor of a ring knows when the token has gone round as often as it has to.
    last: Option<Last>,
}

struct Last {
    ring: u64,
    rounds: u64,
    left: u64,
    countdown: &'static Countdown,
}

impl Last {
    /// The token is here. Returns whether it goes round again.
    fn goes_on(&mut self, is_right: bool) -> bool {
        self.left -= 1;
        if self.left > 0 && is_right {
            return true;
        }
        self.left = self.rounds;
        // A ring in which something was wrong is missed.
        self.countdown.end(if is_right { self.ring } else { RINGS });
        false
    }
}

impl<R: ActorRuntime> Behaviour for Member<R> {
    type Message = u64;

    fn handle(&mut self, token: u64) {
        let is_right = token == self.expected;
        self.expected += ACTORS;
        if self.last.as_mut().is_none_or(|last| last.goes_on(is_right)) {
            // The last actor notices that an earlier one has seen a wrong number.
            let next = if is_right { token + 1 } else { u64::MAX };
            R::tell(self.next.get(), next);
        }
    }
}

/// Starts a ring. Returns its first actor.
fn ring<R: ActorRuntime>(
    runtime: &'static R,
    ring: u64,
    rounds: u64,
    countdown: &'static Countdown,
) -> R::Ref<Member<R>> {
    let first = Slot::leaked();
    let mut next = runtime.spawn(
        ring,
        Member::<R> {
            next: Link::Later(first),
            expected: ACTORS - 1,
            last: Some(Last {
                ring,
                rounds,
                left: rounds,
                countdown,
            }),
        },
    );
    for expected in (0..ACTORS - 1).rev() {
        next = runtime.spawn(
            ring,
            Member {
                next: Link::Known(next),
                expected,
                last: None,
            },
        );
    }
    first.fill(next.clone());
    next
}

impl ActorWorkload for ActorRing {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-ring",
        about: "10 rings of 10,000 actors; in each a token goes round 100 times",
        analysis: "From the first message, from outside, to the last one. The 100,000 actors were \
                   started before, and are idle but ten. A message is a number, which each actor \
                   checks. Ten actors can run at any time, so two jobs can help; but each message \
                   goes to another idle actor, so a runtime that queues it and wakes a thread for \
                   it pays for that each time. Actors are visited in turn, and are more than fit \
                   into a small cache.",
        item: "message",
        size_counts: "rounds of the token",
        sizes: &[100],
        smoke_sizes: &[2],
        limits: (1, 100_000),
        default_rank: Some(20),
        outside: true,
        shows: Shows::Rate,
    };

    const BRIEF: Option<&'static [u64]> = Some(&[2]);

    fn actors(_size: u64) -> u64 {
        RINGS * ACTORS
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(RINGS);
        let rings: Vec<_> = (0..RINGS)
            .map(|number| ring(runtime, number, size, countdown))
            .collect();
        let messages = RINGS * ACTORS * size;
        session.tasks(RINGS * ACTORS, Some(messages));
        let mut token = 0;
        session.sample_prepared(
            messages,
            &mut token,
            |_| countdown.reset(),
            |token| {
                for first in &rings {
                    R::tell(first, *token);
                }
                countdown.wait();
            },
            |token, ()| {
                *token += ACTORS * size;
                countdown.check()
            },
        );
        Ok(())
    }

    fn size_label(size: u64) -> String {
        format!("{} × {} × {}", group(RINGS), group(ACTORS), group(size))
    }
}
