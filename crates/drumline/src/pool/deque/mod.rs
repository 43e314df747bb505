//! The deque of a worker: public to thieves, without a fence for its owner.
//!
//! # What it owns
//!
//! An array of [`Slot`]s used as a stack. The owner moves `top`, thieves move
//! `head` and `taken`, at the other end:
//!
//! ```text
//!   base          taken         head                 top              end
//!    │  taken by    │  exposed    │  private            │  free          │ scratch
//!    ▼  thieves     ▼             ▼                     ▼                ▼
//!   [ .  .  .  .  .][ .  .  .  . ][ .  .  .  .  .  .  . ][ .  .  .  .  . ][.]
//! ```
//!
//! * `private` entries belong to the owner: it pops them with two plain
//!   memory accesses.
//! * `exposed` entries may be taken: their owner has exposed them, or a thief's barrier has
//!   confirmed a claim on them. Any thread that holds the thief-lock may take the oldest; the
//!   owner must take the lock to pop one, and so withdraws it.
//! * `taken` entries are decided by the word in their slot.
//!
//! # Steps
//!
//! The protocol is THE of Cilk-5 (Frigo, Leiserson, Randall 1998: claim first,
//! look second) with the owner's fence moved into the thief by an asymmetric
//! barrier, and with the claim split from the taking. A thief asks before it
//! pays, so an owner that forks often is hardly ever interrupted.
//!
//! * **push** (owner): write the slot; `top = mine + 1`; light barrier; load `limit`, and if
//!   `mine + 1 > limit` take the cold path. The load comes after the entry is visible. A searcher
//!   marks (`limit = null`), runs its heavy barrier, and looks. If it misses an entry, the owner of
//!   that entry is going to see the mark.
//! * **pop** (owner): `top = mine`; light barrier; load `head`; if `head <= mine` the entry is
//!   ours. Otherwise take the thief-lock. If `taken <= mine`, no thief took the entry, and the
//!   owner withdraws it: `head = mine`. Else the entry is gone. Its slot stays reserved
//!   (`top = mine + 1`) until [`release`](Deque::release), so that its word stays valid.
//! * **request** (thief): `wanted = k`; ask; wait for twice as long as a barrier takes, and offer
//!   the processor meanwhile. The owner's next push finds itself asked and **shares**: it takes the
//!   lock (or gives up if a thread has it) and moves `head` itself. No barrier is needed: the
//!   owner's pops come later in its own program. It exposes some of its oldest entries, not only
//!   those that were asked for: the next thieves find them ready. A thief that sees nothing may ask
//!   in advance, and looks whether something is exposed. A thread that waits for the owner asks,
//!   and forces later.
//! * **claim** (thief, locked, if no answer came): `head = h + k`, and the claim is *pending*.
//!   While it is, nothing counts as exposed, and no thief takes or claims anything here.
//! * **confirm** (that thief): heavy barrier, *without* the lock; lock; load `top`; step back to
//!   `max(top, h)`. From now on the entries are exposed. One barrier can expose many, which a
//!   thief uses when it meets a long row of tiny jobs.
//! * **settle** (owner, locked: in a pop that meets `head`, a release, or an answer): a pending
//!   claim ends. The owner has seen it, so what it leaves below `head` is exposed without a
//!   barrier. The thief finds that out by the number of the claim, and confirms nothing.
//! * **take** (thief, locked): read the slot at `taken`, write the thief's
//!   name into its word, `taken += 1`.
//!
//! # The race feared, and why it cannot happen
//!
//! Owner and thief both get the last entry: the owner stores `top = mine`
//! (event O1) and loads `head` (O2), the thief stores `head = mine + 1` (T1)
//! and loads `top` (T2). Light and heavy barrier stand between O1 and O2 and
//! between T1 and T2, so O2 sees T1 or T2 sees O1. If T2 sees O1, the thief
//! steps back. If O2 sees T1, the owner waits for the lock and there finds
//! out what the thief decided, or settles its claim. The owner overwrites a slot only after a pop
//! of it, so an entry that a thief reads under the lock is never torn, and no
//! version counter is needed.
//!
//! The lock is free while a claim is pending. *An entry is taken before the barrier has come*: no
//! thief takes anything while `claims` is odd. *A claim is confirmed by another claim's barrier*,
//! which may have begun before this claim's T1: the owner has settled the first claim, a second
//! thief has claimed anew, and the first one returns. Each claim has a number of its own, and the
//! first thief does not find its own. The owner never waits for a barrier.
//!
//! # Overflow
//!
//! When the array is full the owner goes on in a further deque, linked through
//! `next` and twice as large; thieves visit the chain in order. The scratch
//! slot at `end` is never visible to thieves (they clamp `top`), so the push
//! that finds the array full is undone without a protocol of its own.
//!
//! # Fenced deques
//!
//! Where the system refuses the asymmetric barrier, the deque that `join`
//! pushes to has no slots but the scratch slot: every push takes the cold
//! path, which works on `next` with [`push`](Deque::push) and
//! [`pop`](Deque::pop), both `FENCED`. The fast path pays nothing for that.
//!
//! # Exposing deques
//!
//! Where the system refuses the barrier only later, frames have pushed without
//! a fence, and are going to pop without one. Their deque becomes *exposing*
//! ([`expose_all`](Deque::expose_all), at a cold step of the owner): `limit`
//! stays null, so every push takes the cold path and runs a fence. It exposes
//! its own entry and all that are older, as the answer to a request does. Each
//! pop meets `head` and goes through the lock. Thieves take what is exposed,
//! and force no more steals (`pool::deque::handshake`).
//!
//! # Where it is
//!
//! What the owner does is here. `steal` has what a thief does to get an entry.
//! `exposing` has what changes where the barrier was lost. `counts` has what is counted for
//! statistics.
//!
//! # Rejected
//!
//! Chase–Lev (a fence in every pop, the cost this exists to avoid);
//! comparing a word in the slot instead of `head` (one store more per push to
//! clear it); moving to a larger array (frames hold slot addresses).
//!
//! THE as it is, one entry for each barrier: 20,000 pending trivial joins before one that matters
//! cost 20,000 barriers. A barrier without a request before it: where it reaches another processor
//! it takes 2 to 14 µs, and an owner that forks answers within nanoseconds. An answer that exposes
//! one entry, and the lock held through the barrier: in the simulator, with 64 cores, 20,000 leaves
//! of 10 µs took 339 barriers for 529 steals; it is 72 for 675 now. Owners that fence while there
//! are many thieves: 2 % of the time of those 64 cores goes to barriers, and a fence would make
//! each join 15 ns dearer.

mod counts;
mod exposing;
pub(super) mod handshake;
pub(super) mod slot;
mod slots;
mod steal;

use std::ptr;

use crate::job::Header;
use crate::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use crate::sync::barrier::{self, Barrier};
use crate::sync::{Apart, SpinLock, planted};

use counts::DequeCounts;
use slot::Slot;
use slots::Slots;

pub(crate) use steal::{Claim, Effort, Steal, Stolen};

/// Reasons why the owner was asked for attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reasons(usize);

impl Reasons {
    /// None.
    #[cfg(all(test, drumline_loom))]
    pub(crate) const NONE: Reasons = Reasons(0);
    /// There is no searcher: the next push must wake the first idle worker.
    pub(crate) const WAKE_REQUESTED: Reasons = Reasons(1);
    /// A thread that waits for a job of this thread wants to help it.
    pub(crate) const HAS_WAITER: Reasons = Reasons(2);
    /// A thief wants an entry, and leaves it to the owner to expose one.
    const STEAL_REQUEST: Reasons = Reasons(4);

    pub(crate) fn contains(self, other: Reasons) -> bool {
        self.0 & other.0 != 0
    }
}

/// How many of the oldest entries are exposed at least, when a thief has asked for one or takes one
/// by force. In a tree each entry is half as large as the one before it, so these are nearly all
/// of the work. Further thieves take them without a request and without a barrier. An exposed
/// entry that no thief takes costs its owner the lock, once: this many cost less than one barrier.
const EXPOSED_AT_ONCE: usize = 8;

/// The floor above every entry: nothing here is related to what is awaited.
const APART: *mut Slot = ptr::without_provenance_mut(usize::MAX);

/// The stack of pending halves of one thread in one pool.
#[derive(Debug)]
pub(crate) struct Deque {
    owned: Owned,
    shared: Apart<Shared>,
}

/// Written by the owner. A thread that marks the deque also writes `limit`, which is rare.
#[derive(Debug)]
#[repr(align(128))]
struct Owned {
    top: AtomicPtr<Slot>,
    limit: AtomicPtr<Slot>,
    /// Entries below are older than the job that the owner runs now.
    floor: AtomicPtr<Slot>,
    base: *mut Slot,
    end: *mut Slot,
    /// What the pointers above point into.
    slots: Slots,
    barrier: Barrier,
    /// Every push exposes; written by the owner, and never taken back.
    exposing: AtomicBool,
}

/// Written by thieves, under the lock unless noted.
#[derive(Debug)]
struct Shared {
    head: AtomicPtr<Slot>,
    taken: AtomicPtr<Slot>,
    /// How many claims have begun and ended; odd while one is pending, and nothing is exposed then.
    claims: AtomicUsize,
    lock: SpinLock,
    /// Why `limit` is null; written before `limit`, without the lock.
    reasons: AtomicUsize,
    /// How many entries the thief that asked would like.
    wanted: AtomicUsize,
    /// Where the owner goes on when this deque is full; written once by the owner.
    next: AtomicPtr<Deque>,
    /// For statistics.
    counts: DequeCounts,
}

// The owner's pop reads `head`: what is counted must not add a line to it.
#[cfg(not(any(drumline_loom, drumline_shuttle)))]
const _: () = assert!(size_of::<Apart<Shared>>() == align_of::<Apart<Shared>>());

// SAFETY: `slots` is owned, and `base` and `end` point into it. All that threads share is atomic.
// The protocol above says which thread may write what.
unsafe impl Send for Deque {}
// SAFETY: as for `Send`.
unsafe impl Sync for Deque {}

impl Deque {
    /// A deque with room for `capacity` entries. With 0, every push is sent
    /// on to the next deque of the chain.
    pub(crate) fn new(capacity: usize, barrier: Barrier) -> Self {
        let slots = Slots::new(capacity + 1);
        let base = slots.start();
        let end = base.wrapping_add(capacity);
        Deque {
            owned: Owned {
                top: AtomicPtr::new(base),
                limit: AtomicPtr::new(end),
                floor: AtomicPtr::new(base),
                base,
                end,
                slots,
                barrier,
                exposing: AtomicBool::new(false),
            },
            shared: Apart(Shared {
                head: AtomicPtr::new(base),
                taken: AtomicPtr::new(base),
                claims: AtomicUsize::new(0),
                lock: SpinLock::new(),
                reasons: AtomicUsize::new(0),
                wanted: AtomicUsize::new(0),
                next: AtomicPtr::new(ptr::null_mut()),
                counts: DequeCounts::default(),
            }),
        }
    }

    /// Owner: the slot that the next push fills.
    #[inline(always)]
    pub(crate) fn vacant(&self) -> *mut Slot {
        // Relaxed: the owner alone writes `top`.
        self.owned.top.load(Ordering::Relaxed)
    }

    /// Makes `job` visible to thieves. Returns whether the owner must now call
    /// [`attend`](Self::attend). `FENCED`: with a fence of the owner's own.
    ///
    /// # Safety
    ///
    /// Called by the owner, with its [`vacant`](Self::vacant) slot. The job
    /// stays alive until [`pop`](Self::pop) or [`release`](Self::release) gave
    /// the slot back.
    #[inline(always)]
    #[must_use]
    pub(crate) unsafe fn push<const FENCED: bool>(
        &self,
        mine: *mut Slot,
        job: *const Header,
    ) -> bool {
        // SAFETY: `top` is at most `end` here, and the slot at `end`, the scratch slot, exists.
        unsafe { (*mine).write(job) };
        let next = mine.wrapping_add(1);
        if planted!(LimitBeforeEntry) {
            let asked = next > self.owned.limit.load(Ordering::Relaxed);
            self.owned.top.store(next, Ordering::Release);
            return asked;
        }
        // Release publishes the slot to the Acquire load of `top` in `expose`.
        self.owned.top.store(next, Ordering::Release);
        if FENCED {
            barrier::fence();
        } else {
            barrier::light();
        }
        // Relaxed: the barrier orders it after the entry. `take_reasons` acquires.
        next > self.owned.limit.load(Ordering::Relaxed)
    }

    /// Takes the newest entry back. `false`: a thief has reached it, and
    /// [`reclaim`](Self::reclaim) must ask what became of it. `FENCED`: with a
    /// fence of the owner's own.
    ///
    /// # Safety
    ///
    /// Called by the owner, with the slot of its newest entry.
    #[inline(always)]
    #[must_use]
    pub(crate) unsafe fn pop<const FENCED: bool>(&self, mine: *mut Slot) -> bool {
        // Relaxed: the barrier orders it before the load of `head`. It publishes no entry: those
        // below were published by their pushes, and the barriers in these.
        self.owned.top.store(mine, Ordering::Relaxed);
        if FENCED {
            barrier::fence();
        } else {
            barrier::light();
        }
        // Acquire: a thief that stepped back is done with the slot.
        self.shared.head.load(Ordering::Acquire) <= mine
    }

    /// The cold half of `pop`. `false`: a thief took the entry. Its slot stays reserved until
    /// [`release`](Self::release).
    #[must_use]
    pub(crate) fn reclaim(&self, mine: *mut Slot) -> bool {
        if planted!(LowerHeadUnlocked) && self.shared.taken.load(Ordering::Relaxed) <= mine {
            self.shared.head.store(mine, Ordering::Relaxed);
            return true;
        }
        let _locked = self.shared.lock.lock();
        self.shared.counts.owner_locks.up();
        self.shared.counts.unanswered.stop();
        // A pending claim is answered here: what it claims of the older entries is exposed.
        self.settle();
        // Relaxed throughout: the lock orders thieves and owner.
        if self.shared.taken.load(Ordering::Relaxed) <= mine {
            self.shared.head.store(mine, Ordering::Relaxed);
            return true;
        }
        let above = mine.wrapping_add(1);
        self.shared.head.store(above, Ordering::Relaxed);
        self.owned.top.store(above, Ordering::Relaxed);
        false
    }

    /// Owner, in a forked child: a thief that was at work here is a thread of the parent. What it
    /// had not finished counts as it stands: an entry is taken once `taken` is beyond it, which is
    /// written last.
    #[cfg(not(drumline_loom))]
    pub(crate) fn forget_thieves(&self) {
        self.shared.lock.open_after_fork();
    }

    /// Owner: gives back the slot of an entry that was taken and is settled
    /// (taken back, or done): entries pushed from here on are visible again.
    pub(crate) fn release(&self, mine: *mut Slot) {
        let _locked = self.shared.lock.lock();
        self.shared.counts.owner_locks.up();
        self.settle();
        // Every older entry was taken before this one, every newer one is gone.
        // Relaxed throughout: the lock orders thieves and owner.
        if !planted!(ReleaseKeepsTaken) {
            self.shared.taken.store(mine, Ordering::Relaxed);
        }
        self.shared.head.store(mine, Ordering::Relaxed);
        self.owned.top.store(mine, Ordering::Relaxed);
    }

    /// Owner, after a push that asked for it: takes the pending reasons and
    /// stops the asking. `None`: the deque is full, and the push is undone.
    #[cold]
    pub(crate) fn attend(&self, mine: *mut Slot) -> Option<Reasons> {
        if mine == self.owned.end {
            // The scratch slot: no thief has seen it. Relaxed: thieves clamp `top`, so it does not
            // change for them.
            self.owned.top.store(mine, Ordering::Relaxed);
            return None;
        }
        if self.is_exposing() {
            self.expose_all();
        }
        Some(self.take_reasons())
    }

    /// Owner: whether a thread asks for attention. The owner checks this after it has published
    /// work elsewhere than in this deque.
    #[inline(always)]
    pub(crate) fn is_asked(&self) -> bool {
        // Relaxed: a hint, or after a barrier of the caller. `take_reasons` acquires.
        self.owned.limit.load(Ordering::Relaxed).is_null()
    }

    /// Owner: whether its entry at `mine` has been taken by a thief. That it has
    /// not may change at any time.
    #[inline(always)]
    pub(crate) fn has_lost(&self, mine: *mut Slot) -> bool {
        // Relaxed: only a hint; what becomes of the entry is asked in `pop`.
        self.shared.head.load(Ordering::Relaxed) > mine
            && self.shared.taken.load(Ordering::Relaxed) > mine
    }

    /// As [`has_lost`](Self::has_lost), and what the thief wrote to the slot before is visible. (A
    /// slot says nothing until an entry in it is taken.)
    #[cold]
    pub(crate) fn has_lost_for_good(&self, mine: *mut Slot) -> bool {
        if !self.has_lost(mine) {
            return false;
        }
        // The thief holds the lock from before it writes to the slot until `taken` is beyond that.
        let _locked = self.shared.lock.lock();
        self.shared.counts.owner_locks.up();
        true
    }

    /// Owner: takes the pending reasons and stops the asking.
    pub(crate) fn take_reasons(&self) -> Reasons {
        if self.is_exposing() && !planted!(ExposingForgotten) {
            return self.take_reasons_only();
        }
        // First the limit, then the reasons: an asker writes the reason first,
        // so one that comes in between leaves `limit` null and is met by the
        // next push. Acquire pairs with the Release in `ask`.
        if planted!(ReasonsBeforeLimit) {
            let reasons = self.shared.reasons.swap(0, Ordering::AcqRel);
            self.owned.limit.swap(self.owned.end, Ordering::AcqRel);
            return Reasons(reasons);
        }
        self.owned.limit.swap(self.owned.end, Ordering::AcqRel);
        let reasons = Reasons(self.shared.reasons.swap(0, Ordering::AcqRel));
        if reasons.contains(Reasons::STEAL_REQUEST) {
            self.shared.counts.unanswered.stop();
        }
        // The thread that is woken for this entry comes to take it, and need not force the steal.
        if reasons.contains(Reasons::STEAL_REQUEST) || reasons.contains(Reasons::WAKE_REQUESTED) {
            self.share();
        }
        reasons
    }

    /// Owner, asked by a thief: exposes its oldest entries itself, which takes
    /// no barrier, because its own pops come later in its own program.
    fn share(&self) {
        // If a thief is at work here, it gets what it wants without us.
        let Some(_locked) = self.shared.lock.try_lock() else {
            return;
        };
        self.shared.counts.owner_locks.up();
        // Relaxed throughout: the lock orders thieves and owner.
        let taken = self.shared.taken.load(Ordering::Relaxed);
        let is_settled = self.settle();
        let head = if is_settled {
            taken
        } else {
            self.shared.head.load(Ordering::Relaxed)
        };
        let top = self.top_clamped(Ordering::Relaxed);
        if taken == head && head < top {
            let pending = (top as usize - head as usize) / size_of::<Slot>();
            let wanted = self
                .shared
                .wanted
                .load(Ordering::Relaxed)
                .max(EXPOSED_AT_ONCE);
            let share = if planted!(ShareTooMuch) {
                wanted
            } else {
                pending.min(wanted)
            };
            let claim = head.wrapping_add(share);
            self.shared.head.store(claim, Ordering::Release);
        } else if is_settled && !planted!(SettledAboveTop) {
            // The owner has popped what was claimed. The thief does not step back from a claim that
            // is settled, and would take what is not there any more. Relaxed: this takes a claim
            // back, and publishes no job.
            self.shared.head.store(taken, Ordering::Relaxed);
        }
    }

    /// With the lock: no claim is pending from now on. Returns whether one was: its thief will not
    /// step back, so `head` is to be set anew.
    fn settle(&self) -> bool {
        // Relaxed: the lock orders it.
        let claims = self.shared.claims.load(Ordering::Relaxed);
        if claims % 2 == 1 {
            self.shared
                .claims
                .store(claims.wrapping_add(1), Ordering::Relaxed);
        }
        claims % 2 == 1
    }

    /// Whether a thief has claimed entries, and its barrier is not done. Certain with the lock.
    fn is_claimed(&self) -> bool {
        // Relaxed: the lock orders it; without, a hint.
        self.shared.claims.load(Ordering::Relaxed) % 2 == 1
    }

    /// Owner: entries pushed so far are older than what runs from now on.
    /// Returns what [`restore_floor`](Self::restore_floor) needs.
    #[inline]
    pub(crate) fn raise_floor(&self) -> *mut Slot {
        // Relaxed, here and below: the owner alone writes both.
        let top = self.owned.top.load(Ordering::Relaxed);
        let before = self.owned.floor.load(Ordering::Relaxed);
        if before != APART {
            // Relaxed: published by the Release with which the job is started.
            self.owned.floor.store(top, Ordering::Relaxed);
        }
        before
    }

    /// Owner: whether nothing is pushed.
    #[inline]
    pub(crate) fn is_at_bottom(&self) -> bool {
        // Relaxed: the owner alone writes it.
        ptr::eq(self.owned.top.load(Ordering::Relaxed), self.owned.base)
    }

    /// Owner: what runs from now on is no part of what ran so far. No thread may take its entries
    /// as related to that. Lasts through every [`raise_floor`](Self::raise_floor) until
    /// [`restore_floor`](Self::restore_floor).
    pub(crate) fn set_apart(&self) -> *mut Slot {
        // Relaxed: the owner alone writes it.
        let before = self.owned.floor.load(Ordering::Relaxed);
        // Relaxed: a thread that sees an entry pushed from now on, through the Release of that
        // push, sees this too.
        self.owned.floor.store(APART, Ordering::Relaxed);
        before
    }

    /// Owner: what was linked while a job ran that is done now, and is empty.
    pub(crate) fn reset_floor(&self) {
        self.restore_floor(self.owned.base);
    }

    /// Owner: the job that raised the floor is done, and known to be.
    #[inline]
    pub(crate) fn restore_floor(&self, before: *mut Slot) {
        // Release: a thief that sees this floor sees the job done.
        self.owned.floor.store(before, Ordering::Release);
    }

    /// Owner: a deque to go on with when this one is full, not linked yet.
    pub(crate) fn further(&self) -> Box<Deque> {
        let barrier = barrier::now(self.owned.barrier);
        let room = Deque::new(self.owned.slots.count() * 2, barrier);
        // Relaxed: the owner alone writes it.
        if self.owned.floor.load(Ordering::Relaxed) == APART {
            room.set_apart();
        }
        Self::with_trampoline(room)
    }

    /// Puts a trampoline deque before `room` where the system refuses the asymmetric
    /// barrier ("Fenced deques").
    pub(crate) fn with_trampoline(room: Deque) -> Box<Deque> {
        let room = Box::new(room);
        if room.owned.barrier == Barrier::Refused {
            let trampoline = Box::new(Deque::new(0, Barrier::Refused));
            trampoline.link(room);
            trampoline
        } else {
            room
        }
    }

    /// Owner: links a deque from [`further`](Self::further), once.
    pub(crate) fn link(&self, next: Box<Deque>) {
        // Release pairs with the Acquire in `next`.
        self.shared
            .next
            .store(Box::into_raw(next), Ordering::Release);
    }

    /// Whether this deque only sends pushes on ("Fenced deques").
    pub(crate) fn is_gate(&self) -> bool {
        self.owned.base == self.owned.end
    }

    /// Owner: whether the next push finds a free slot.
    pub(crate) fn has_room(&self) -> bool {
        // Relaxed: the owner alone writes it.
        self.owned.top.load(Ordering::Relaxed) < self.owned.end
    }

    /// The deque that the owner went on with when this one was full.
    pub(crate) fn next(&self) -> Option<&Deque> {
        let next = self.shared.next.load(Ordering::Acquire);
        // SAFETY: null, or a deque that `link` leaked and `drop` frees with
        // this one; it is never replaced.
        unsafe { next.as_ref() }
    }

    /// About how many entries could be taken now: a look without touching.
    pub(crate) fn visible(&self) -> usize {
        // Relaxed, twice: a hint, or after a barrier of the caller. A thief that takes something
        // looks again with the lock.
        let top = self.top_clamped(Ordering::Relaxed);
        let taken = self.shared.taken.load(Ordering::Relaxed);
        (top as usize).saturating_sub(taken as usize) / size_of::<Slot>()
    }

    /// Whether a thread that waits for the owner's current job could take the next entry. It could
    /// if the entry is not older than that job.
    pub(crate) fn has_related(&self) -> bool {
        // Relaxed: a look without touching; a thief that takes it looks again.
        let taken = self.shared.taken.load(Ordering::Relaxed);
        taken >= self.owned.floor.load(Ordering::Relaxed) && self.takeable() > 0
    }

    /// A number that changes with each push and each theft, as a rule.
    pub(crate) fn progress(&self) -> usize {
        // Relaxed, twice: numbers that are compared with earlier ones, and publish nothing.
        let top = self.owned.top.load(Ordering::Relaxed) as usize;
        let taken = self.shared.taken.load(Ordering::Relaxed) as usize;
        top.wrapping_mul(3).wrapping_add(taken)
    }

    /// How many entries could be taken without a barrier; a look at lines that
    /// the owner only reads.
    pub(crate) fn exposed(&self) -> usize {
        if self.is_claimed() {
            return 0;
        }
        // Relaxed, twice: a hint. A thief looks again with the lock.
        let head = self.shared.head.load(Ordering::Relaxed);
        let taken = self.shared.taken.load(Ordering::Relaxed);
        (head as usize).saturating_sub(taken as usize) / size_of::<Slot>()
    }

    /// Asks the owner for attention at its next push.
    ///
    /// To be followed by a heavy barrier and a look at the deque.
    pub(crate) fn ask(&self, reasons: Reasons) {
        // The reason first; read-modify-writes, so that the owner's swap of
        // `limit` synchronizes with every asker before it.
        if planted!(ReasonAfterLimit) {
            self.owned.limit.swap(ptr::null_mut(), Ordering::AcqRel);
            self.shared.reasons.fetch_or(reasons.0, Ordering::AcqRel);
            return;
        }
        self.shared.reasons.fetch_or(reasons.0, Ordering::AcqRel);
        self.owned.limit.swap(ptr::null_mut(), Ordering::AcqRel);
    }

    fn top_clamped(&self, order: Ordering) -> *mut Slot {
        if planted!(ScratchVisible) {
            return self.owned.top.load(order);
        }
        self.owned.top.load(order).min(self.owned.end)
    }
}

impl Drop for Deque {
    fn drop(&mut self) {
        // Relaxed: no other thread has the deque any more.
        let next = self.shared.next.load(Ordering::Relaxed);
        if !next.is_null() {
            // SAFETY: `next` came from `Box::into_raw` and is freed here only.
            drop(unsafe { Box::from_raw(next) });
        }
    }
}

#[cfg(not(drumline_loom))]
impl Deque {
    /// What has been counted here so far.
    pub(crate) fn counts(&self) -> &DequeCounts {
        &self.shared.counts
    }
}
