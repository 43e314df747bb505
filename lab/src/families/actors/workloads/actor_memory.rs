//! `actor-memory`: idle actors, and the memory that they hold.

use std::thread::{self, sleep};
use std::time::Duration;

use anyhow::Result;

use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::heap;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How long the threads of a runtime have to become idle, before the heap is looked at.
const SETTLE: Duration = Duration::from_millis(20);

/// How many threads send to each actor.
const SENDERS: u64 = 10;

/// Idle actors.
#[derive(Debug)]
pub struct ActorMemory;

/// An actor that will have nothing to do.
struct Idler {
    number: u64,
    received: u64,
    told: &'static Countdown,
    ended: &'static Countdown,
}

impl Behaviour for Idler {
    type Message = u64;

    fn handle(&mut self, message: u64) {
        self.received += message;
        if self.received == SENDERS {
            self.told.end(self.number);
        }
    }
}

impl Drop for Idler {
    fn drop(&mut self) {
        self.ended.end(self.number);
    }
}

impl ActorWorkload for ActorMemory {
    const CARD: WorkloadCard = WorkloadCard {
        name: "actor-memory",
        about: "100,000 idle actors, after messages from ten threads: the heap that each holds",
        analysis: "Bytes per actor are the heap in use when each actor has handled one message \
                   from each of ten threads, and these have ended; less what was in use before the \
                   first actor was started, less what the actor itself keeps (32 bytes, and 8 more \
                   in the row of kameo, where it could be restarted), in the first run of the \
                   process. The one reference to each actor is not in it. The C library counts, \
                   with what it adds to each block. The time is from the first start to the last \
                   message. Not a part of either: the end of the actors.",
        item: "actor",
        size_counts: "actors",
        sizes: &[100_000],
        smoke_sizes: &[2_000],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::Heap,
    };

    const HEAP: bool = true;

    fn actors(size: u64) -> u64 {
        size
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let told = Countdown::leaked(size);
        let ended = Countdown::leaked(size);
        let mut actors: Vec<R::Ref<Idler>> = Vec::with_capacity(usize::try_from(size)?);
        session.tasks(size, Some(SENDERS * size));
        sleep(SETTLE);
        let Some(before) = heap::bytes_in_use() else {
            session.decline("this system does not say how much of the heap is in use");
            return Ok(());
        };
        let mut first = None;
        session.sample_prepared(
            size,
            &mut actors,
            |_| {
                told.reset();
                ended.reset();
            },
            |actors| {
                let idler = |number| Idler {
                    number,
                    received: 0,
                    told,
                    ended,
                };
                actors.extend((0..size).map(|number| runtime.spawn(number, idler(number))));
                thread::scope(|scope| {
                    for _ in 0..SENDERS {
                        let actors = actors.clone();
                        scope.spawn(move || actors.iter().for_each(|actor| R::tell(actor, 1)));
                    }
                });
                told.wait();
            },
            |actors, ()| {
                sleep(SETTLE);
                if first.is_none() {
                    first = heap::bytes_in_use();
                }
                actors.drain(..).for_each(R::stop);
                ended.wait();
                told.check()?;
                ended.check()
            },
        );
        if let Some(first) = first {
            let held = first.saturating_sub(before) as f64;
            let own = size_of::<Idler>() + R::OWN_BYTES;
            session.item_heap_bytes(held / size as f64 - own as f64);
        }
        Ok(())
    }
}
