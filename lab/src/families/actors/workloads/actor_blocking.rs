//! `actor-blocking`: one handler in ten blocks; the others go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use anyhow::Result;

use crate::families::actors::link::{Link, Slot};
use crate::families::actors::nap::Nap;
use crate::families::actors::pair::pair;
use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard, group};

/// How many actors block: one in ten.
const BLOCKERS: u64 = 10;

/// How many pairs of actors do not: the other nine.
const PAIRS: u64 = 9 * BLOCKERS / 2;

/// Actors of which some block.
#[derive(Debug)]
pub struct ActorBlocking;

/// What the actors that block have in common.
struct Naps {
    /// The others have messages.
    goes_on: AtomicBool,
    taken: AtomicU64,
    handled: AtomicU64,
    ended: &'static Countdown,
}

impl Naps {
    fn leaked() -> &'static Self {
        Box::leak(Box::new(Self {
            goes_on: AtomicBool::new(false),
            taken: AtomicU64::new(0),
            handled: AtomicU64::new(0),
            ended: Countdown::leaked(BLOCKERS),
        }))
    }

    fn begin(&self) {
        self.ended.reset();
        // Relaxed, here and below: messages bring it to the actors, and a nap more does no harm.
        self.goes_on.store(true, Ordering::Relaxed);
    }

    /// Waits for the last naps. Each message that was handled must have had its nap.
    fn end(&self) -> Result<(), String> {
        self.goes_on.store(false, Ordering::Relaxed);
        self.ended.wait();
        // Relaxed: what was waited for comes after all naps.
        let taken = self.taken.load(Ordering::Relaxed);
        let handled = self.handled.load(Ordering::Relaxed);
        if taken == handled {
            self.ended.check()
        } else {
            Err(format!(
                "{handled} messages that block were handled, with {taken} naps"
            ))
        }
    }
}

/// An actor that blocks for each message, and then has itself go on.
struct Blocker<R: ActorRuntime> {
    number: u64,
    own: Link<R::Ref<Self>>,
    naps: &'static Naps,
}

impl<R: ActorRuntime> Behaviour for Blocker<R> {
    type Message = ();

    fn nap(&self, (): &()) -> Option<Nap> {
        Some(Nap::new(&self.naps.taken))
    }

    fn handle(&mut self, (): ()) {
        // Relaxed: see `Naps`.
        self.naps.handled.fetch_add(1, Ordering::Relaxed);
        if self.naps.goes_on.load(Ordering::Relaxed) {
            R::tell(self.own.get(), ());
        } else {
            self.naps.ended.end(self.number);
        }
    }
}

impl ActorWorkload for ActorBlocking {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-blocking",
        about: "10 actors that block for 10 ms per message, beside 90 that answer each other",
        analysis: "As in actor-pingpong, 45 pairs of actors answer each other. Meanwhile ten more \
                   actors sleep for 10 ms in each of their handlers, one after another. Only the \
                   messages of the pairs are counted, from the first one to the last one: the \
                   figure is what the others get done. A runtime that lets its threads sleep comes \
                   to a stop as soon as all of them do. One that knows a way around it has more \
                   threads than jobs: at least one for each actor that sleeps.",
        item: "message",
        size_counts: "messages each way",
        sizes: &[50_000],
        smoke_sizes: &[200],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::RateAndThreads,
    };

    const BLOCKS: bool = true;

    fn actors(_size: u64) -> u64 {
        BLOCKERS + 2 * PAIRS
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let countdown = Countdown::leaked(PAIRS);
        let naps = Naps::leaked();
        let blockers: Vec<_> = (0..BLOCKERS)
            .map(|number| {
                let slot = Slot::leaked();
                let blocker = Blocker::<R> {
                    number,
                    own: Link::Later(slot),
                    naps,
                };
                let blocker = runtime.spawn(number, blocker);
                slot.fill(blocker.clone());
                blocker
            })
            .collect();
        let pairs: Vec<_> = (0..PAIRS)
            .map(|number| pair(runtime, number, size, countdown))
            .collect();
        let messages = 2 * PAIRS * size;
        session.tasks(BLOCKERS + 2 * PAIRS, Some(messages));
        let mut number = 0;
        session.sample_prepared(
            messages,
            &mut number,
            |_| {
                countdown.reset();
                naps.begin();
            },
            |number| {
                for blocker in &blockers {
                    R::tell(blocker, ());
                }
                for ping in &pairs {
                    R::tell(ping, *number);
                }
                countdown.wait();
            },
            |number, ()| {
                *number += 2 * size;
                naps.end()?;
                countdown.check()
            },
        );
        Ok(())
    }

    fn size_label(size: u64) -> String {
        format!("{} × {}", group(PAIRS), group(size))
    }
}
