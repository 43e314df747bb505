//! `mailbox-burst`: a million messages wait for one actor, and the memory that they hold.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use anyhow::Result;

use crate::families::actors::{ActorRuntime, ActorWorkload, Behaviour};
use crate::families::async_tasks::countdown::Countdown;
use crate::heap;
use crate::session::Session;
use crate::workload::{Shows, WorkloadCard};

/// How long the threads of a runtime have to become idle, before the heap is looked at.
const SETTLE: Duration = Duration::from_millis(20);

/// The message with a handler that waits until the others have been told.
const HOLD: u64 = u64::MAX;

/// One actor that is held up.
#[derive(Debug)]
pub struct MailboxBurst;

/// Closed until all messages have been told.
#[derive(Debug)]
struct Barrage {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Barrage {
    fn leaked() -> &'static Self {
        Box::leak(Box::new(Self {
            is_open: Mutex::new(false),
            opened: Condvar::new(),
        }))
    }

    fn set(&self, is_open: bool) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = is_open;
        self.opened.notify_all();
    }

    fn wait(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        let is_open = self.opened.wait_while(is_open, |is_open| !*is_open);
        drop(is_open.unwrap_or_else(PoisonError::into_inner));
    }
}

/// The actor that gets the messages, which are numbers.
struct Swamped {
    size: u64,
    handled: u64,
    sum: u64,
    barrage: &'static Barrage,
    is_held: &'static Countdown,
    told: &'static Countdown,
}

impl Behaviour for Swamped {
    type Message = u64;

    /// The first message blocks a thread of the runtime. No other actor needs it.
    fn handle(&mut self, message: u64) {
        if message == HOLD {
            (self.handled, self.sum) = (0, 0);
            self.is_held.end(0);
            self.barrage.wait();
            return;
        }
        self.handled += 1;
        self.sum = self.sum.wrapping_add(message);
        if self.handled == self.size {
            let expected = (0..self.size).fold(0, u64::wrapping_add);
            // A wrong number is no task that is waited for.
            self.told.end(u64::from(self.sum != expected));
        }
    }
}

impl ActorWorkload for MailboxBurst {
    const CARD: WorkloadCard = WorkloadCard {
        name: "mailbox-burst",
        about: "1,000,000 messages to one actor that is held up: the heap that each holds, and \
                what is left of that",
        analysis: "One thread tells an actor all messages while the handler of an earlier one \
                   waits for that thread. Then the actor handles them. Bytes per message are the \
                   heap in use when all messages wait, less what was in use before the first one, \
                   in the first run of the process; a message is a number of 8 bytes. The bytes \
                   that are left are those in use when all have been handled, so a runtime that \
                   gives memory back is near 0. The C library counts, with what it adds to each \
                   block. The time is that of telling and of handling, one after the other.",
        item: "message",
        size_counts: "messages",
        sizes: &[1_000_000],
        smoke_sizes: &[2_000],
        limits: (1, 10_000_000),
        default_rank: None,
        outside: true,
        shows: Shows::HeapReturned,
    };

    const HEAP: bool = true;

    fn actors(_size: u64) -> u64 {
        1
    }

    fn drive<R: ActorRuntime>(size: u64, runtime: &'static R, session: &mut Session) -> Result<()> {
        let barrage = Barrage::leaked();
        let (is_held, told) = (Countdown::leaked(1), Countdown::leaked(1));
        let actor = runtime.spawn(
            0,
            Swamped {
                size,
                handled: 0,
                sum: 0,
                barrage,
                is_held,
                told,
            },
        );
        session.tasks(1, Some(size));
        sleep(SETTLE);
        let Some(before) = heap::bytes_in_use() else {
            session.decline("this system does not say how much of the heap is in use");
            return Ok(());
        };
        // What is in use at the peak, and after it; of the first run.
        let mut found = None;
        session.sample_prepared(
            size,
            &mut found,
            |_| {
                barrage.set(false);
                is_held.reset();
                told.reset();
            },
            |_| {
                R::tell(&actor, HOLD);
                is_held.wait();
                (0..size).for_each(|number| R::tell(&actor, number));
                let peak = heap::bytes_in_use();
                barrage.set(true);
                told.wait();
                peak
            },
            |found, peak| {
                sleep(SETTLE);
                if found.is_none() {
                    *found = peak.zip(heap::bytes_in_use());
                }
                told.check()
            },
        );
        if let Some((peak, after)) = found {
            let each = |bytes: u64| bytes.saturating_sub(before) as f64 / size as f64;
            session.item_heap_bytes(each(peak));
            session.item_heap_left_bytes(each(after));
        }
        Ok(())
    }
}
