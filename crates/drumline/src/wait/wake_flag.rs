//! How one side of a channel waits for another one, and is told.
//!
//! One thread or task at a time *waits*: it looks whether there is something for it (a message,
//! room for one), finds nothing, and sleeps. The others *tell*: they publish something, then tell
//! the flag.
//!
//! ```text
//!              tell                    list, sleep
//!   QUIET ───────────► TOLD, LAZY ──────────────────► TASK, THREAD
//!     ▲                     ▲                              │  │
//!     │                     └──────────────────────────────┘  │
//!     │                       tell: wakes what waits          │
//!     └───────────────────────────────────────────────────────┘
//!                        unlist: it waits no more
//! ```
//!
//! A side that waits at many flags at once *rests* at each of them: the tell that meets `RESTING`
//! [reports](Told) so, and its caller does what was agreed upon, instead of waking anything.
//!
//! # The race feared
//!
//! A side that has looked, found nothing, and sleeps, although something was published before it
//! slept. It cannot happen while each tell is *loud*: a swap of the word. To wait is a swap as
//! well, before the last look. Of two swaps one is first. If it is that of the tell, the last look
//! sees what was published. Else the tell finds the side that waits.
//!
//! # Lazy tells
//!
//! A swap for each message would be most of what a message costs. So a teller that was loud
//! [`LOUD`] times in a row, and found nothing that waited, writes `LAZY`. From then on a tell is a
//! plain load of the word, after a fence that costs nothing here. The waiting side pays for it: if
//! its swap meets `LAZY`, it runs the asymmetric barrier ([`barrier::heavy`]) before its last look.
//! After that barrier, what was published before is visible, and each later tell sees that the word
//! is not `LAZY` any more. Then the teller is loud again. So there is at most one barrier for
//! [`LOUD`] messages. A side that waits at many flags at once runs one barrier for all of them. It
//! [says](WakeFlag::list_among) how many they are, and their tellers are loud less often in
//! that proportion: not at once, because it may seldom wait at that many.
//!
//! A side that stops listening at many flags [rouses](WakeFlag::rouse) all lazy tellers, and runs
//! one barrier, before it [silences](WakeFlag::silence) each flag.
//!
//! Only [one teller](Teller) at a time may be lazy. A flag that several threads tell is told
//! [loudly](WakeFlag::tell_loudly) by all of them.
//!
//! # Which side owns the slot of the waker
//!
//! The waiting side does, unless the word says `TASK`. The one tell that meets `TASK` in its swap
//! has the slot then, until it has moved the waker out and says so (`taken`). The waiting side
//! waits for that before it uses the slot again: a few instructions. The waker is called after
//! that, because it may run anything, even a poll of the very task.
//!
//! # Where the barrier is lost
//!
//! If the system refuses the barrier from some time on, the waiting side that met `LAZY` cannot
//! know whether a message is still on its way. It looks again after a moment that is longer than
//! any store takes to become visible. Tells are loud from then on.

use std::task::Waker;
#[cfg(not(drumline_loom))]
use std::time::Duration;

use super::Parker;
#[cfg(not(drumline_loom))]
use super::hook::Blocked;
#[cfg(not(drumline_loom))]
use super::{WaitSite, WaiterEntry, Watched, watch};
#[cfg(not(drumline_loom))]
use crate::sync::Instant;
use crate::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use crate::sync::barrier::{self, Barrier};
use crate::sync::{CheckedCell, planted, relax, relax_or_yield};
use crate::unwind;

/// Nothing waits, and the next tell is loud.
const QUIET: u8 = 0;
/// Something was published since the other side waited.
const TOLD: u8 = 1;
/// The same, and further tells only read this word.
const LAZY: u8 = 2;
/// A thread sleeps.
const THREAD: u8 = 3;
/// A task is to be woken.
const TASK: u8 = 4;
/// The waiting side looks elsewhere: the next tell has to report.
const RESTING: u8 = 5;

/// A teller is lazy after this many loud tells that woke nothing.
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
const LOUD: u8 = 128;
#[cfg(any(drumline_loom, drumline_shuttle))]
const LOUD: u8 = 1;

/// A barrier for no more flags than this is as one for a single flag. A set of some dozen ports
/// sleeps often, and each of them has few messages in between: 63 senders of one message in 200 µs
/// took 15 % longer when they were lazy after two tells.
const FEW: usize = 8;

/// One side's place to wait. 24 bytes: a program may have many that it does not use.
#[derive(Debug)]
pub(crate) struct WakeFlag {
    word: AtomicU8,
    /// A tell has a waker that it has not moved out of the slot.
    is_taking: AtomicBool,
    /// How many loud tells in a row make a teller lazy. Written by the side that waits.
    loud_tells: AtomicU8,
    waker: CheckedCell<Option<Waker>>,
    parker: Parker,
}

// SAFETY: the word says which side uses the slot; the rest is atomic.
unsafe impl Sync for WakeFlag {}

/// What the one thread that tells a flag remembers of its tells.
#[derive(Debug)]
pub(crate) struct Teller {
    /// How many loud tells that wake nothing are to come before it is lazy.
    loud_left: u8,
    /// Whether the side that waits can run the barrier, once this thread has asked, and that is
    /// known.
    has_barrier: Option<bool>,
}

/// What a tell has met.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// What waited has been woken, if anything did.
    Done,
    /// The other side rests. It relies on the caller to let it know.
    Resting,
}

impl Told {
    /// What two tells have met.
    pub(crate) fn or(self, other: Told) -> Told {
        match self {
            Told::Done => other,
            Told::Resting => Told::Resting,
        }
    }
}

impl Default for Teller {
    fn default() -> Self {
        Teller {
            loud_left: LOUD,
            has_barrier: None,
        }
    }
}

impl Teller {
    fn may_be_lazy(&mut self) -> bool {
        if self.has_barrier.is_none() {
            self.has_barrier = is_barrier_there();
        }
        self.has_barrier == Some(true)
    }
}

impl WakeFlag {
    pub(crate) fn new() -> Self {
        WakeFlag {
            word: AtomicU8::new(QUIET),
            is_taking: AtomicBool::new(false),
            loud_tells: AtomicU8::new(LOUD),
            waker: CheckedCell::new(None),
            parker: Parker::new(),
        }
    }

    /// A flag at which the other side rests.
    pub(crate) fn resting() -> Self {
        WakeFlag {
            word: AtomicU8::new(RESTING),
            ..Self::new()
        }
    }

    /// Tells the other side of what the calling thread has published.
    #[inline]
    pub(crate) fn tell(&self, teller: &mut Teller) -> Told {
        if teller.loud_left == 0 {
            // Relaxed: the barrier of the other side orders this after what was published.
            barrier::light();
            if self.word.load(Ordering::Relaxed) == LAZY && !barrier::is_lost() {
                return Told::Done;
            }
            teller.loud_left = self.loud_tells();
        }
        self.tell_aloud(teller)
    }

    /// A tell of a teller that is not lazy.
    #[inline(never)]
    fn tell_aloud(&self, teller: &mut Teller) -> Told {
        let is_lazy = teller.loud_left <= 1 && !self.is_waited_at() && teller.may_be_lazy();
        let before = self.swap_told(if is_lazy { LAZY } else { TOLD });
        if matches!(before, TOLD | LAZY) {
            let least = if is_lazy { 0 } else { 1 };
            teller.loud_left = teller.loud_left.saturating_sub(1).max(least);
            Told::Done
        } else {
            teller.loud_left = self.loud_tells();
            self.wake(before)
        }
    }

    /// Whether the next tell wakes something. It is not lazy then: the other side would run a
    /// barrier when it waits next, even if it is told of one message at a time.
    fn is_waited_at(&self) -> bool {
        // Relaxed: a hint. A word that is LAZY too early costs a barrier, and nothing else.
        matches!(self.word.load(Ordering::Relaxed), THREAD | TASK | RESTING)
    }

    fn loud_tells(&self) -> u8 {
        // Relaxed: a hint.
        self.loud_tells.load(Ordering::Relaxed)
    }

    /// As [`tell`](Self::tell), for any thread.
    #[inline]
    pub(crate) fn tell_loudly(&self) -> Told {
        let before = self.swap_told(TOLD);
        self.wake(before)
    }

    #[inline]
    fn swap_told(&self, told: u8) -> u8 {
        if planted!(FlagToldBlindly) {
            let before = self.word.load(Ordering::Acquire);
            self.word.store(told, Ordering::Release);
            return before;
        }
        // Release publishes what the caller has published to the Acquire of the side that waits;
        // Acquire pairs with its Release, which publishes the slot.
        self.word.swap(told, Ordering::AcqRel)
    }

    /// Wakes what waited before the word was changed.
    #[inline]
    fn wake(&self, before: u8) -> Told {
        match before {
            THREAD => self.parker.unpark(),
            TASK => self.wake_task(),
            RESTING => return Told::Resting,
            _ => {}
        }
        Told::Done
    }

    fn wake_task(&self) {
        // SAFETY: the swap met TASK, so the slot is this thread's until it says otherwise.
        let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
        // Release pairs with the Acquire in `list`: the slot is empty.
        self.is_taking.store(false, Ordering::Release);
        if let Some(waker) = waker {
            call(waker);
        }
    }

    /// Has `waker` called at the next tell, unless `is_ready` by now. Returns whether it is. By the
    /// one task that waits; `is_listed` is its memory between two calls.
    pub(crate) fn list(
        &self,
        waker: &Waker,
        is_listed: &mut bool,
        mut is_ready: impl FnMut() -> bool,
    ) -> bool {
        *is_listed = false;
        self.fill_slot(waker);
        *is_listed = true;
        if self.announce(TASK, &mut is_ready) {
            self.unlist(is_listed);
            return true;
        }
        false
    }

    /// As [`list`](Self::list), without the last look. That is to follow, after [`settle`] if this
    /// says so.
    pub(crate) fn list_unsettled(&self, waker: &Waker, is_listed: &mut bool) -> bool {
        self.list_among(waker, is_listed, 1)
    }

    /// As [`list_unsettled`](Self::list_unsettled), at one of about `flags` flags for which there
    /// is one barrier.
    pub(crate) fn list_among(&self, waker: &Waker, is_listed: &mut bool, flags: usize) -> bool {
        *is_listed = false;
        self.set_loud_tells(flags);
        self.fill_slot(waker);
        *is_listed = true;
        // Acquire and Release as in `announce`.
        self.word.swap(TASK, Ordering::AcqRel) == LAZY
    }

    /// Says how many flags share a barrier with this one.
    ///
    /// The number of loud tells falls to a quarter each time at most. A set that listens to all of
    /// its ports now and then, and to one at a time in between, would run a barrier for each of
    /// them otherwise.
    fn set_loud_tells(&self, flags: usize) {
        // Relaxed, here and below: a hint, and only this side writes it.
        let least = (self.loud_tells.load(Ordering::Relaxed) / 4).max(1);
        // At most `LOUD`, so it fits.
        let loud_tells = (usize::from(LOUD) * FEW / flags.max(FEW)) as u8;
        self.loud_tells
            .store(loud_tells.max(least), Ordering::Relaxed);
    }

    /// Puts a waker into the slot, for a word that is to say TASK next.
    fn fill_slot(&self, waker: &Waker) {
        let mut turns = 0;
        // Acquire: the tell that had the waker has left the slot.
        while self.is_taking.load(Ordering::Acquire) && !planted!(FlagSlotUnasked) {
            // No tell came since it was listed, by this call's future or by one that was forgotten.
            if self.take_slot_back() {
                break;
            }
            relax_or_yield(&mut turns);
        }
        // SAFETY: no tell has the slot, and none gets it before the word says TASK.
        self.waker.with_mut(|slot| unsafe {
            match &mut *slot {
                Some(old) => old.clone_from(waker),
                empty => *empty = Some(waker.clone()),
            }
        });
        // Relaxed: published by the swap.
        self.is_taking.store(true, Ordering::Relaxed);
    }

    /// The task waits no more. Drops its waker, unless a tell has it.
    pub(crate) fn unlist(&self, is_listed: &mut bool) {
        if std::mem::take(is_listed) && self.take_slot_back() {
            // SAFETY: the slot is this side's.
            let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
            waker.into_iter().for_each(let_go);
        }
    }

    /// Takes the slot back with the waker in it. `false`: a tell has the waker, or there is none.
    fn take_slot_back(&self) -> bool {
        let is_back = self.retract(TASK);
        if is_back {
            self.has_slot_back();
        }
        is_back
    }

    /// The word said TASK, and does not any more, without a tell.
    fn has_slot_back(&self) {
        // Relaxed: only this side asks.
        self.is_taking.store(false, Ordering::Relaxed);
    }

    /// Sleeps until `is_ready`. By the one thread that waits.
    pub(crate) fn sleep(&self, mut is_ready: impl FnMut() -> bool) {
        loop {
            if self.announce(THREAD, &mut is_ready) {
                self.retract(THREAD);
                return;
            }
            self.parker.park();
            if is_ready() {
                return;
            }
        }
    }

    /// As [`sleep`](Self::sleep), for `time` at most, and perhaps less. Returns whether it is
    /// ready.
    #[cfg(not(drumline_loom))]
    fn sleep_for(&self, time: Duration, mut is_ready: impl FnMut() -> bool) -> bool {
        let is_early = self.announce(THREAD, &mut is_ready);
        if !is_early && self.parker.park_timeout(time) {
            return is_ready();
        }
        self.retract(THREAD);
        is_early || is_ready()
    }

    /// Waits until `is_ready`, or until the deadline: [watches](watch) for a moment, then sleeps,
    /// and says so in `entry`. Returns whether it is ready. By the one thread that waits.
    #[cfg(not(drumline_loom))]
    pub(crate) fn wait(
        &self,
        deadline: Option<Instant>,
        entry: &mut WaiterEntry,
        site: WaitSite,
        mut is_ready: impl FnMut() -> bool,
    ) -> bool {
        match watch(deadline, &mut is_ready) {
            Watched::Ready => true,
            Watched::TooLate => false,
            Watched::Nothing => self.sleep_until(deadline, entry, site, is_ready),
        }
    }

    /// As [`wait`](Self::wait), without the watching. Another thread has the place of this one in a
    /// pool meanwhile.
    #[cfg(not(drumline_loom))]
    pub(crate) fn sleep_until(
        &self,
        deadline: Option<Instant>,
        entry: &mut WaiterEntry,
        site: WaitSite,
        mut is_ready: impl FnMut() -> bool,
    ) -> bool {
        let _blocked = Blocked::announce();
        let _asleep = entry.sleep(site);
        let Some(deadline) = deadline else {
            self.sleep(is_ready);
            return true;
        };
        loop {
            let time = deadline.saturating_duration_since(Instant::now());
            if self.sleep_for(time, &mut is_ready) {
                return true;
            }
            if time.is_zero() {
                return false;
            }
        }
    }

    /// Orders all that was published before a tell, or what follows in it, against this: for a side
    /// that stops listening. Returns whether it rested.
    pub(crate) fn silence(&self) -> bool {
        // Acquire and Release as in `announce`.
        let before = self.word.swap(QUIET, Ordering::AcqRel);
        match before {
            LAZY => settle(),
            TASK => self.has_slot_back(),
            _ => {}
        }
        before == RESTING
    }

    /// Rests: the next tell reports. To be followed by [`settle`] if this says so, and then by a
    /// last look.
    pub(crate) fn rest(&self) -> bool {
        // Acquire and Release as in `announce`.
        self.word.swap(RESTING, Ordering::AcqRel) == LAZY
    }

    /// Rests no more, because the last look has found something. `false`: a tell has reported.
    pub(crate) fn rise(&self) -> bool {
        self.retract(RESTING)
    }

    /// Has the next tell of each of these be loud, with one barrier for all of them. The side
    /// [silences](Self::silence) each after that, which would run a barrier of its own otherwise.
    pub(crate) fn rouse_all<'f>(flags: impl Iterator<Item = &'f WakeFlag>) {
        let mut has_to_settle = false;
        for flag in flags {
            has_to_settle |= flag.rouse();
        }
        if has_to_settle && !planted!(FlagRousedUnsettled) {
            settle();
        }
    }

    /// Has the next tell be loud. To be followed by [`settle`] if this says so.
    fn rouse(&self) -> bool {
        // Acquire and Release as in `announce`. Relaxed: a failure has changed nothing.
        self.word
            .compare_exchange(LAZY, QUIET, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    }

    /// Whether tells are lazy, so that it costs a barrier to rest.
    pub(crate) fn is_lazy(&self) -> bool {
        // Relaxed: a hint.
        self.word.load(Ordering::Relaxed) == LAZY
    }

    /// Says that this side waits, and looks once more.
    fn announce(&self, waits: u8, is_ready: &mut impl FnMut() -> bool) -> bool {
        // It may have waited at many flags before, of which this was one. The barrier is for this
        // flag alone now. Relaxed: a hint.
        self.loud_tells.store(LOUD, Ordering::Relaxed);
        // Release publishes the slot to the Acquire of the tell. Acquire: a tell that came first
        // shows what it had published.
        let before = self.word.swap(waits, Ordering::AcqRel);
        match before {
            LAZY if !planted!(FlagUnsettled) => settle(),
            // Left behind by a future that was forgotten.
            TASK if waits != TASK => self.has_slot_back(),
            _ => {}
        }
        is_ready()
    }

    /// Takes back what [`announce`](Self::announce) has said. `false`: a tell has come.
    fn retract(&self, waits: u8) -> bool {
        // A tell may have left LAZY in the word. It stays there, so that the next wait settles.
        // Acquire: what comes next is to see what the tell has published. As a rule there was one,
        // and a load is enough to see it.
        self.word.load(Ordering::Acquire) == waits
            && self
                .word
                .compare_exchange(waits, QUIET, Ordering::Acquire, Ordering::Acquire)
                .is_ok()
    }
}

/// Calls a waker for a side that tells.
///
/// The waker is the program's, and its panic not that of the side that tells: a message that it has
/// in its hands would be lost, or its end told twice. So the panic is dropped.
pub(crate) fn call(waker: Waker) {
    if let Err(payload) = unwind::catch(|| waker.wake()) {
        unwind::discard(payload);
    }
}

/// Drops a waker in the middle of something. Its panic is dropped as well, as in [`call`].
pub(crate) fn let_go(waker: Waker) {
    unwind::discard(waker);
}

/// Sees to it that all is visible that was published before a lazy tell.
#[cold]
pub(crate) fn settle() {
    if !barrier::heavy(Barrier::Asymmetric) {
        // Longer than a store takes to become visible.
        for _ in 0..PATIENCE {
            relax();
        }
    }
}

/// How long a side waits in place of a barrier, in calls of `relax`: some microseconds.
const PATIENCE: u32 = if cfg!(any(drumline_loom, drumline_shuttle)) {
    1
} else {
    1_000
};

/// Whether the side that waits can run the asymmetric barrier. `None`: not yet. A side that were
/// lazy then would rely on a barrier that does not come.
#[cfg(not(drumline_loom))]
#[cold]
pub(crate) fn is_barrier_there() -> Option<bool> {
    barrier::is_there()
}
#[cfg(drumline_loom)]
pub(crate) fn is_barrier_there() -> Option<bool> {
    Some(!barrier::is_lost())
}

/// For tests: waits until it is known whether a side may be lazy.
#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
pub(crate) fn wait_for_barrier() -> bool {
    loop {
        if let Some(is_there) = is_barrier_there() {
            return is_there;
        }
        std::thread::yield_now();
    }
}

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests;
