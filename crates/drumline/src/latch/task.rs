//! The life of a spawned task, in one word.
//!
//! A task has two owners: the *ticket* in a queue, which some thread of the
//! pool takes sooner or later, and the *handle* in the hands of the program.
//! They share a reference-counted heap job, and this word in it.
//!
//! ```text
//!                 ticket: start(seat)                ticket: finish()
//!   QUEUED ───────────────────────────► RUNNING(seat) ──────────────► DONE
//!      │
//!      └──────────► BACK       (the ticket's start() fails from now on; the handle has
//!    handle: take_back()        run the closure, or dropped it)
//! ```
//!
//! | bit | set by | means | never with |
//! |---|---|---|---|
//! | `WAITING` | handle, `watch`, in QUEUED or RUNNING | a [watcher] is named | `DETACHED` |
//! | `DETACHED` | handle, `detach`, in any state but BACK | no handle is left | `WAITING` |
//!
//! [watcher]: super::watcher
//!
//! `finish` overwrites the word, so that both bits are gone in `DONE`, except for a `DETACHED` that
//! comes after it.
//!
//! **The closure** belongs to the side that wins `start` or `take_back`. Both leave QUEUED by
//! compare-and-swap, so one of them wins.
//!
//! **The outcome** belongs to the runner until `finish`. Then, if DETACHED was set before, it still
//! belongs to the runner; else to the handle, whether it joins or detaches later. `finish` and
//! `detach` are read-modify-writes of one word. So exactly one of them comes second, sees the
//! other, and knows that the outcome is its own.
//!
//! **The race feared** is a joiner that looks, sees RUNNING, and sleeps after
//! the runner has looked for it. It cannot happen: `watch` sets the bit and
//! learns the state at once, and so does `finish`.

use super::watcher::{WatchBits, WatchSlot, Watcher};
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::planted;

const STATE: usize = 0b11;
const QUEUED: usize = 0;
const RUNNING: usize = 1;
const DONE: usize = 2;
const BACK: usize = 3;
const WAITING: usize = 0b100;
const DETACHED: usize = 0b1000;
const FLAGS: usize = WAITING | DETACHED;
const SEAT_SHIFT: u32 = 4;

const WATCH: WatchBits = WatchBits {
    watched: WAITING,
    is_done: |word| word & STATE == DONE,
};

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskState {
    /// No thread runs it.
    Queued,
    /// The thread in this seat runs it.
    Running(usize),
    /// It has run; the outcome is in place.
    Done,
    /// The handle has the closure back, and has run or dropped it.
    Back,
}

/// What the runner does after its last step.
#[must_use]
#[derive(Debug)]
pub(crate) enum Finish {
    /// Nothing: the outcome is the handle's.
    Kept,
    /// The outcome is the handle's, which waits for it.
    Wake(Watcher),
    /// The outcome is the runner's: the handle will not ask for it.
    Detached,
}

/// What a handle does that goes away without joining.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detach {
    /// Nothing: the thread that runs the task disposes of the outcome.
    Left,
    /// The task has run: dispose of the outcome.
    Done,
}

/// The word of one task.
#[derive(Debug)]
pub(crate) struct TaskWord {
    word: AtomicUsize,
    watcher: WatchSlot,
}

// SAFETY: the word says which thread uses the slot; the rest is atomic.
unsafe impl Sync for TaskWord {}

impl TaskWord {
    pub(crate) fn new() -> Self {
        TaskWord {
            word: AtomicUsize::new(QUEUED),
            watcher: WatchSlot::new(),
        }
    }

    /// Ticket: wins the closure, or learns that the handle has it back.
    #[must_use]
    pub(crate) fn start(&self, seat: usize) -> bool {
        // Relaxed: the step below decides. If it fails for good, the ticket touches nothing.
        let mut word = self.word.load(Ordering::Relaxed);
        while word & STATE == QUEUED {
            let running = RUNNING | word & FLAGS | seat << SEAT_SHIFT;
            // Release: a thread that sees RUNNING in `progress` sees the runner's floor. The
            // closure was published by the queue. Relaxed on failure: as above.
            match self.word.compare_exchange_weak(
                word,
                running,
                Ordering::Release,
                Ordering::Relaxed,
            ) {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Ticket, after a won `start`, with the outcome in place.
    pub(crate) fn finish(&self) -> Finish {
        // Release publishes the outcome to the Acquire in `progress` and
        // `detach`; Acquire pairs with the Release in `watch`.
        let order = if planted!(TaskFinishRelaxed) {
            Ordering::Relaxed
        } else {
            Ordering::AcqRel
        };
        let before = self.word.swap(DONE, order);
        if before & DETACHED != 0 {
            return Finish::Detached;
        }
        if before & WAITING == 0 {
            return Finish::Kept;
        }
        // SAFETY: WAITING was set when the task ended, and Acquire has shown what was written.
        let watcher = unsafe { self.watcher.take() };
        watcher.map_or(Finish::Kept, Finish::Wake)
    }

    /// Handle: wins the closure back if no thread has begun.
    #[must_use]
    pub(crate) fn take_back(&self) -> bool {
        if planted!(TaskBackUnasked) {
            let queued = self.word.load(Ordering::Relaxed) & STATE == QUEUED;
            self.word.store(BACK, Ordering::Relaxed);
            return queued;
        }
        // Relaxed, here and below: the closure was put there before the handle existed.
        let mut word = self.word.load(Ordering::Relaxed);
        while word & STATE == QUEUED {
            let back = word | BACK;
            match self
                .word
                .compare_exchange_weak(word, back, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(now) => word = now,
            }
        }
        false
    }

    /// Any thread: how far the task is.
    pub(crate) fn progress(&self) -> TaskState {
        // Acquire pairs with the Release in `start` and `finish`.
        let word = self.word.load(Ordering::Acquire);
        match word & STATE {
            DONE => TaskState::Done,
            RUNNING => TaskState::Running(word >> SEAT_SHIFT),
            BACK => TaskState::Back,
            _ => TaskState::Queued,
        }
    }

    /// Handle: names a watcher, in place of the one that was named before. `false`: the task is
    /// done, and will not tell it. By one thread at a time.
    #[must_use]
    pub(crate) fn watch(&self, watcher: Watcher) -> bool {
        let change = || {
            // Release pairs with the Acquire in `finish`; Acquire with its Release.
            let looked = planted!(TaskWatchTwoSteps).then(|| self.word.load(Ordering::Acquire));
            let before = self.word.fetch_or(WAITING, Ordering::AcqRel);
            looked.unwrap_or(before)
        };
        // SAFETY: one thread at a time acts for the handle.
        unsafe { self.watcher.set(&self.word, watcher, WATCH, change) }
    }

    /// Handle: takes the watcher back, if one is named and the task is not done.
    pub(crate) fn unwatch(&self) -> Option<Watcher> {
        self.watcher.unset(&self.word, WATCH)
    }

    /// Handle: the outcome will not be asked for.
    pub(crate) fn detach(&self) -> Detach {
        // Acquire pairs with the Release in `finish`: with DONE comes the
        // outcome.
        let looked = planted!(TaskDetachTwoSteps).then(|| self.word.load(Ordering::Acquire));
        let before = self.word.fetch_or(DETACHED, Ordering::AcqRel);
        if looked.unwrap_or(before) & STATE == DONE {
            Detach::Done
        } else {
            Detach::Left
        }
    }
}
