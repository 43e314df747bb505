//! `actor-timers`: 100,000 messages that actors send themselves later, all pending at once.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::latency::Latencies;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// The most actors.
const ACTORS: u64 = 100;

/// For each timer, from the message that sets it to the first time. All timers are to be set by
/// then.
const LEAD: Duration = Duration::from_micros(3);

/// The same when there are few timers.
const LEAD_LEAST: Duration = Duration::from_millis(2);

/// For each timer, from the first time to the last.
const SPREAD: Duration = Duration::from_micros(7);

/// Actors with many timers each.
#[derive(Debug)]
pub struct ActorTimers;

/// What an actor is told.
enum Bell {
    /// To set its timers; the times are from this one.
    Set(Instant),
    /// One of them: its number, and its time.
    Ring(u64, Instant),
}

/// What all actors share.
#[derive(Debug)]
struct Belfry {
    size: u64,
    /// Each actor ends when it has had all of its messages.
    rung: &'static Countdown,
    late: Mutex<Latencies>,
}

/// An actor, with the numbers from its own on, in steps of the number of actors.
struct Ringer {
    number: u64,
    actors: u64,
    belfry: &'static Belfry,
    /// The next timer to be set, and the time that all are reckoned from.
    next: u64,
    begin: Instant,
    /// Messages that have come: how many, and the sum of their numbers.
    rung: (u64, u64),
    /// The same, when all have come.
    share: (u64, u64),
    was_early: bool,
    late: Latencies,
}

/// From the message that sets the timer with this number to its time: all over the spread, in no
/// order.
fn delay(number: u64, size: u64) -> Duration {
    let mixed = number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let part = mixed as f64 / (1_u64 << 32) as f64;
    let all = |each: Duration| each.mul_f64(size as f64);
    all(LEAD).max(LEAD_LEAST) + all(SPREAD).mul_f64(part)
}

/// How many of the numbers below `size` an actor has, and their sum.
fn share(number: u64, actors: u64, size: u64) -> (u64, u64) {
    let step = usize::try_from(actors).expect("there are few actors");
    let numbers = (number..size).step_by(step);
    numbers.fold((0, 0), |(count, sum), number| {
        (count + 1, sum.wrapping_add(number))
    })
}

impl Behaviour for Ringer {
    type Message = Bell;

    const SENDS_LATER: bool = true;

    fn handle(&mut self, bell: Bell) {
        match bell {
            Bell::Set(begin) => (self.begin, self.next) = (begin, self.number),
            Bell::Ring(number, due) => {
                let now = Instant::now();
                self.was_early |= now < due;
                let late = now.saturating_duration_since(due).as_nanos();
                self.late.add(u64::try_from(late).unwrap_or(u64::MAX));
                self.rung.0 += 1;
                self.rung.1 = self.rung.1.wrapping_add(number);
                if self.rung.0 == self.share.0 {
                    let is_right = self.rung == self.share && !self.was_early;
                    let late = std::mem::take(&mut self.late);
                    let shared = self.belfry.late.lock();
                    shared.unwrap_or_else(PoisonError::into_inner).merge(&late);
                    self.rung = (0, 0);
                    // The number of no actor is missed.
                    self.belfry
                        .rung
                        .end(if is_right { self.number } else { ACTORS });
                }
            }
        }
    }

    fn later(&mut self) -> Option<(Duration, Bell)> {
        let number = self.next;
        if number >= self.belfry.size {
            return None;
        }
        self.next += self.actors;
        let due = self.begin + delay(number, self.belfry.size);
        let delay = due.saturating_duration_since(Instant::now());
        Some((delay, Bell::Ring(number, due)))
    }
}

impl ActorWorkload for ActorTimers {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-timers",
        about: "100,000 messages that 100 actors send themselves later: how late does each come?",
        analysis: "Each actor is told to set its timers, with times that lie between 300 ms and 1 s \
                   from then on, in no order. So all of them are pending at once, and then 143 \
                   come in each millisecond. The latency of a message is from its time to \
                   its handler. A message before its time is a wrong answer. A runtime that has \
                   not set all timers within the 300 ms is late with some. The items per second are \
                   those of the whole second, so the processor time says more.",
        item: "timer",
        size_counts: "timers",
        sizes: &[100_000],
        smoke_sizes: &[1_000],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Tail,
    };

    const NEEDS_TIMERS: bool = true;

    fn actors(size: u64) -> u64 {
        size.min(ACTORS)
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let count = Self::actors(size);
        let belfry: &'static Belfry = Box::leak(Box::new(Belfry {
            size,
            rung: Countdown::leaked(count),
            late: Mutex::new(Latencies::default()),
        }));
        let actors: Vec<_> = (0..count)
            .map(|number| {
                let ringer = Ringer {
                    number,
                    actors: count,
                    belfry,
                    next: size,
                    begin: Instant::now(),
                    rung: (0, 0),
                    share: share(number, count, size),
                    was_early: false,
                    late: Latencies::default(),
                };
                runtime.spawn(number, ringer)
            })
            .collect();
        session.tasks(count, Some(size));
        session.sample_prepared(
            size,
            &mut (),
            |()| belfry.rung.reset(),
            |()| {
                let begin = Instant::now();
                for actor in &actors {
                    R::tell(actor, Bell::Set(begin));
                }
                belfry.rung.wait();
            },
            |(), ()| belfry.rung.check(),
        );
        let late = belfry.late.lock();
        session.latencies(&late.unwrap_or_else(PoisonError::into_inner));
        Ok(())
    }
}
