//! `actor-crash`: a token goes round each of ten rings, and some messages end in a panic.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;

use crate::families::actors::link::{Link, Slot};
use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many rings there are.
const RINGS: u64 = 10;

/// The actors of a ring.
const ACTORS: u64 = 1_000;

/// How often the token goes round.
const ROUNDS: u64 = 100;

/// Ten rings of actors that panic now and then.
#[derive(Debug)]
pub struct ActorCrash;

/// What the panics carry.
struct OnPurpose;

/// What outlives the state of an actor.
struct Kept {
    /// The number of the token that comes next.
    expected: AtomicU64,
    /// How many panics there were, in all rings.
    panics: Arc<AtomicU64>,
}

/// The state of an actor of a ring.
struct Member<R: ActorRuntime> {
    next: Link<R::Ref<Self>>,
    kept: Arc<Kept>,
    /// One message in this many panics.
    one_in: u64,
    /// The number of the ring, for the last actor.
    last: Option<(u64, &'static Countdown)>,
}

impl<R: ActorRuntime> Behaviour for Member<R> {
    type Message = u64;

    fn handle(&mut self, token: u64) {
        // Relaxed: an actor handles one message at a time, and its runs see each other.
        let expected = self.kept.expected.fetch_add(ACTORS, Ordering::Relaxed);
        let is_right = token == expected;
        let is_over = (token + 1).is_multiple_of(ROUNDS * ACTORS);
        match self.last {
            // A ring in which something was wrong is missed.
            Some((ring, countdown)) if is_over || !is_right => {
                countdown.end(if is_right { ring } else { RINGS });
            }
            _ => {
                let next = if is_right { token + 1 } else { u64::MAX };
                R::tell(self.next.get(), next);
            }
        }
        if token % self.one_in == self.one_in - 1 {
            // Relaxed: a count, which is read again until it is right.
            self.kept.panics.fetch_add(1, Ordering::Relaxed);
            let payload: Box<dyn Any + Send> = Box::new(OnPurpose);
            // The hook would print each of them.
            std::panic::resume_unwind(payload);
        }
    }
}

/// Starts a ring. Returns its first actor.
fn ring<R: ActorRuntime>(
    runtime: &'static R,
    ring: u64,
    one_in: u64,
    panics: &Arc<AtomicU64>,
    countdown: &'static Countdown,
) -> R::Ref<Member<R>> {
    let slots: Vec<_> = (0..ACTORS).map(|_| Slot::leaked()).collect();
    let mut first = None;
    for (number, slot) in (0..ACTORS).zip(&slots) {
        let next = slots[((number + 1) % ACTORS) as usize];
        let kept = Arc::new(Kept {
            expected: AtomicU64::new(number),
            panics: Arc::clone(panics),
        });
        let last = (number == ACTORS - 1).then_some((ring, countdown));
        let member = runtime.spawn_restarting(ring, move || Member::<R> {
            next: Link::Later(next),
            kept: Arc::clone(&kept),
            one_in,
            last,
        });
        slot.fill(member.clone());
        first.get_or_insert(member);
    }
    first.expect("a ring has actors")
}

impl ActorWorkload for ActorCrash {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-crash",
        about: "10 rings of 1,000 actors; in each a token goes round, and some messages panic",
        analysis: "From the first message, from outside, to the last one; there are a million. An \
                   actor passes the token on, and panics then if it is its turn. Its state is \
                   lost, and made anew before its next message. What was told to it meanwhile is \
                   kept: a lost token would hang the ring. The panics that the runtime tells of are counted \
                   against those that there were. Compare a size with the last one, which has no \
                   panics in the first samples.",
        item: "message",
        size_counts: "messages for each that panics",
        sizes: &[1_000, 1_000_000_000],
        smoke_sizes: &[1_000],
        limits: (1, 1_000_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Rate,
    };

    const NEEDS_RESTARTS: bool = true;

    fn actors(_size: u64) -> u64 {
        RINGS * ACTORS
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(RINGS);
        let panics = Arc::new(AtomicU64::new(0));
        let rings: Vec<_> = (0..RINGS)
            .map(|number| ring(runtime, number, size, &panics, countdown))
            .collect();
        let messages = RINGS * ACTORS * ROUNDS;
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
                *token += ACTORS * ROUNDS;
                let expected = RINGS * (*token / size);
                // The last ones panic after they have ended their ring.
                // Relaxed: counts, beside which nothing is published.
                while panics.load(Ordering::Relaxed) < expected || runtime.panics() < expected {
                    std::thread::yield_now();
                }
                let told = runtime.panics();
                if told > expected {
                    return Err(format!(
                        "{told} panics were told of, and there were {expected}"
                    ));
                }
                countdown.check()
            },
        );
        Ok(())
    }

    fn size_label(size: u64) -> String {
        format!("1 panic in {}", group(size))
    }
}
