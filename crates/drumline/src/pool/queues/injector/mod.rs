//! The queue of jobs from outside of the pool.
//!
//! Any thread pushes, without a lock: threads outside are many, and a lock that they share with
//! the workers costs each of them the line of memory on which it lies. Workers take the oldest job,
//! one worker at a time.
//!
//! # What it owns
//!
//! Blocks of [`SLOTS`] slots in a row, each linked to the next:
//!
//! ```text
//!    head                                              tail
//!     ▼                                                 ▼
//!   [.  .  J  J  J  J  J  J]──►[ J  J  J  J  J  J  J  J]──►[ J  J  -  .  .  .  .  .]
//!    taken                                                       ▲ claimed, not written yet
//! ```
//!
//! `head` and `tail` are numbers that grow: the number of the block times [`LAP`], plus the place
//! in the block. The last place of a lap is the *gap*. It stands for "the next block is being
//! linked".
//!
//! # Steps
//!
//! * **push**: read the tail and then its block; claim the slot by a compare-and-swap of the tail;
//!   write the job, and at last `run`, which says that the slot is written. The thread that claims
//!   the last slot of a block has the next block ready before. The tail is then in the gap, and the
//!   thread moves it on: first the block of the tail, then the link, then the tail.
//! * **take**, under the lock: wait until the oldest slot is written; empty it; move the head on.
//!   When all slots of a block are taken, the block is kept for the next push that needs one.
//! * **withdraw**, under the lock: if the newest slot holds this job, empty it, and move the tail
//!   back by a compare-and-swap. If that fails, another job has come meanwhile, and the slot gets
//!   its job back. It is not tried across the border of two blocks. Near the ends of the queue a
//!   slot can be *emptied* instead: it stays where it is until a taker passes it by.
//! * **sweep**, under the lock: when most slots may be of no use, move the jobs that are left
//!   towards the tail, and the head behind the slots that this empties.
//!
//! # The races feared
//!
//! *A push writes to a block that is not the tail's.* The block of the tail changes only while the
//! tail is in the gap, which no compare-and-swap of a push or of `withdraw` leaves. So a thread
//! that has read the tail, then its block, and then wins the tail, has the block of that tail. (The
//! tail may have gone and come back in between, but within one lap.)
//!
//! *A push writes to a block that is free.* It touches a block only after it has claimed a slot
//! there. The slot is not taken before it is written, and the block not freed before all slots are
//! taken. The link is written before the last slot.
//!
//! *A push writes to a slot that a sweep fills.* A sweep writes only to slots that are written, so
//! their pushes are over. A slot that is claimed and not written stays as it is, and no job moves
//! across it.
//!
//! *A job is not seen.* The tail counts a job from its claim on, before it is written. So a thread
//! that looks at [`len`](Injector::len) after a barrier sees each job, if its push was over before.
//! A thread that takes the job waits for the pusher's next few instructions. In return a worker
//! waits for a pusher that loses its processor right there, as it would for the holder of a lock.
//!
//! # Memory order
//!
//! What is relaxed publishes nothing:
//!
//! * All of `head` is written under the lock, which orders it. A thread without the lock takes
//!   `head.index` and `head.seen` for hints.
//! * The data of a slot is published by its `run` (Release), and read after that (Acquire). A slot
//!   that is cleared or emptied under the lock gets to its next writer by the tail, by the spare
//!   block, or by the lock.
//! * The index of the tail is relaxed where a thread only counts. A thread that goes from the index
//!   to a block reads it with Acquire.
//! * `next` and `before` of a block are relaxed where the lock, or the block of the tail that was
//!   acquired, orders them.
//!
//! # Where it comes from
//!
//! The list of blocks and the claim by index are those of the segmented queues in crossbeam. There,
//! takers compete by compare-and-swap, too, and agree on which of them frees a block. One taker at
//! a time is simpler, and can put a job back.

#[cfg(all(test, not(any(drumline_loom, drumline_shuttle))))]
mod tests;

mod sweep;

use std::ptr;

use super::spent;
use crate::job::{JobRef, RunFn};
use crate::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use crate::sync::{Apart, Count, SpinGuard, SpinLock, planted, relax};

/// The jobs in a block.
#[cfg(not(drumline_loom))]
const SLOTS: usize = 63;
#[cfg(drumline_loom)]
const SLOTS: usize = 2;

/// The places in a lap: the slots, and the gap.
const LAP: usize = SLOTS + 1;

/// How far from each end of the queue a job is looked for that is to be withdrawn.
const NEAR: usize = 32;

/// How many times a thread waits for another one's next instructions before it offers its
/// processor, in calls of `relax`.
#[cfg(not(drumline_loom))]
const SPINS: u32 = 100;

/// One job, or nothing.
#[derive(Debug)]
struct Slot {
    data: AtomicPtr<()>,
    /// The function of the job. Null: nothing is written.
    run: AtomicPtr<()>,
}

/// In place of the function of a job that was withdrawn.
const EMPTIED: *mut () = ptr::without_provenance_mut(1);

/// What a slot holds.
enum Content {
    Unwritten,
    /// A job that was withdrawn.
    Emptied,
    Job(JobRef),
}

#[derive(Debug)]
struct Block {
    slots: [Slot; SLOTS],
    next: AtomicPtr<Block>,
    /// The block before this one, which is alive as long as the head is before this one.
    before: AtomicPtr<Block>,
}

impl Block {
    fn new() -> *mut Block {
        Box::into_raw(Box::new(Block {
            slots: std::array::from_fn(|_| Slot {
                data: AtomicPtr::new(ptr::null_mut()),
                run: AtomicPtr::new(ptr::null_mut()),
            }),
            next: AtomicPtr::new(ptr::null_mut()),
            before: AtomicPtr::new(ptr::null_mut()),
        }))
    }
}

impl Block {
    /// Under the lock: empties the slot of this job, if it is at one of these places, and one of
    /// the first [`NEAR`] jobs. `jobs` of them were others.
    fn empty(
        &self,
        data: *const (),
        places: impl Iterator<Item = usize>,
        jobs: &mut usize,
    ) -> bool {
        for place in places {
            if *jobs == NEAR {
                return false;
            }
            let slot = &self.slots[place];
            match slot.read() {
                Content::Job(job) if job.data == data => {
                    // Relaxed: the lock orders it.
                    slot.run.store(EMPTIED, Ordering::Relaxed);
                    return true;
                }
                Content::Job(_) => *jobs += 1,
                Content::Unwritten | Content::Emptied => {}
            }
        }
        false
    }
}

impl Slot {
    #[inline]
    fn write(&self, job: JobRef) {
        if planted!(WrittenEarly) {
            self.run.store(job.run as *mut (), Ordering::Release);
        }
        // Relaxed: published by `run`.
        self.data.store(job.data.cast_mut(), Ordering::Relaxed);
        // Release pairs with the Acquire in `read`.
        self.run.store(job.run as *mut (), Ordering::Release);
    }

    #[inline]
    fn read(&self) -> Content {
        let run = self.run.load(Ordering::Acquire);
        if run.is_null() {
            return Content::Unwritten;
        }
        if run == EMPTIED {
            return Content::Emptied;
        }
        Content::Job(JobRef {
            // Relaxed: published by `run`.
            data: self.data.load(Ordering::Relaxed),
            // SAFETY: it is neither null nor `EMPTIED`, so `write` has put a `RunFn` there.
            run: unsafe { std::mem::transmute::<*mut (), RunFn>(run) },
        })
    }

    #[inline]
    fn clear(&self) {
        #[cfg(all(test, drumline_loom))]
        self.data.store(ptr::null_mut(), Ordering::Relaxed);
        // Relaxed: the next push gets the slot by a claim, or the block by `spare`.
        self.run.store(ptr::null_mut(), Ordering::Relaxed);
    }
}

#[derive(Debug)]
struct Tail {
    index: AtomicUsize,
    block: AtomicPtr<Block>,
}

/// Written under the lock.
#[derive(Debug)]
struct Head {
    lock: SpinLock,
    index: AtomicUsize,
    /// Where the tail was, at least, when a taker looked last: what lies before it can be taken,
    /// and the line of memory to which all threads push need not be read.
    seen: AtomicUsize,
    block: AtomicPtr<Block>,
    /// How many slots between head and tail may be of no use: emptied, or with a spent ticket.
    spent: AtomicUsize,
    /// How often the lock was taken.
    locks: Count,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Injector {
    tail: Apart<Tail>,
    head: Apart<Head>,
    /// An empty block.
    spare: AtomicPtr<Block>,
}

/// How many jobs lie between two places, where indices wrap around.
fn jobs_between(head: usize, tail: usize) -> usize {
    let places = tail.wrapping_sub(head);
    if places as isize <= 0 {
        return 0;
    }
    let gaps = (head % LAP + places) / LAP;
    places - gaps
}

/// Waits for the next few instructions of another thread.
fn wait(turn: &mut u32) {
    *turn += 1;
    #[cfg(not(drumline_loom))]
    if *turn > SPINS {
        // It has lost its processor.
        return crate::sync::thread::yield_now();
    }
    relax();
}

impl Injector {
    pub(crate) fn new() -> Self {
        let first = Block::new();
        Injector {
            tail: Apart(Tail {
                index: AtomicUsize::new(0),
                block: AtomicPtr::new(first),
            }),
            head: Apart(Head {
                lock: SpinLock::new(),
                index: AtomicUsize::new(0),
                seen: AtomicUsize::new(0),
                block: AtomicPtr::new(first),
                spent: AtomicUsize::new(0),
                locks: Count::default(),
            }),
            spare: AtomicPtr::new(ptr::null_mut()),
        }
    }

    /// About how many jobs are queued.
    #[cfg(not(drumline_loom))]
    pub(crate) fn len(&self) -> usize {
        // Relaxed, here and in `has`: a hint, or behind a barrier. The head first: it is not beyond
        // a later tail, as a rule.
        let head = self.head.index.load(Ordering::Relaxed);
        jobs_between(head, self.tail.index.load(Ordering::Relaxed))
    }

    /// Whether about this many jobs are queued, and no fewer. After a barrier of the caller, none
    /// counts as missing that was pushed before it.
    pub(crate) fn has(&self, least: usize) -> bool {
        // Relaxed, all three: as in `len`.
        let head = self.head.index.load(Ordering::Relaxed);
        jobs_between(head, self.head.seen.load(Ordering::Relaxed)) >= least
            || jobs_between(head, self.tail.index.load(Ordering::Relaxed)) >= least
    }

    /// The same as a number: none, one, or more than one.
    #[cfg(not(drumline_loom))]
    pub(crate) fn few(&self) -> usize {
        (1..=2).take_while(|&least| self.has(least)).count()
    }

    /// How often a thread has taken the lock.
    #[cfg(not(drumline_loom))]
    pub(crate) fn locks(&self) -> u64 {
        self.head.locks.get()
    }

    /// Adds a job.
    pub(crate) fn push(&self, job: JobRef) {
        let mut next: *mut Block = ptr::null_mut();
        let mut turn = 0;
        // Acquire, here and below: with the tail of a lap comes its block.
        let mut index = self.tail.index.load(Ordering::Acquire);
        let block = loop {
            let place = index % LAP;
            if place == SLOTS {
                wait(&mut turn);
                index = self.tail.index.load(Ordering::Acquire);
                continue;
            }
            let block = self.tail.block.load(Ordering::Acquire);
            if place + 1 == SLOTS && next.is_null() {
                next = self.empty_block();
            }
            // AcqRel: what `withdraw` has emptied may be written now. No failure is spurious, so a
            // failed claim tells the new tail.
            let claim = self.tail.index.compare_exchange_weak(
                index,
                index.wrapping_add(1),
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            match claim {
                Ok(_) => break block,
                Err(now) => index = now,
            }
        };
        let place = index % LAP;
        // SAFETY: the slot is claimed and not written, so its block is alive.
        let (address, block) = (block, unsafe { &*block });
        if place + 1 == SLOTS {
            let start = index.wrapping_add(2);
            // SAFETY: no other thread knows it yet. Relaxed: published with the block of the tail.
            unsafe { &*next }.before.store(address, Ordering::Relaxed);
            if planted!(TailBeforeBlock) {
                self.tail.index.store(start, Ordering::Release);
            }
            self.tail.block.store(next, Ordering::Release);
            // Release: `take` acquires it with the last slot, or here.
            block.next.store(next, Ordering::Release);
            self.tail.index.store(start, Ordering::Release);
        } else if !next.is_null() {
            self.keep(next);
        }
        block.slots[place].write(job);
    }

    /// Takes the oldest job.
    pub(crate) fn take(&self) -> Option<JobRef> {
        if !self.has(1) {
            return None;
        }
        let held = self.lock();
        let mut turn = 0;
        loop {
            let (slot, place) = self.oldest(&held)?;
            match slot.read() {
                Content::Unwritten if planted!(SlotUnread) => return None,
                Content::Unwritten => wait(&mut turn),
                Content::Emptied => self.pass_emptied(&held, slot, place),
                Content::Job(job) => {
                    self.pass(&held, slot, place);
                    return Some(job);
                }
            }
        }
    }

    /// The slot at the head, and its place, if it is claimed.
    #[inline]
    fn oldest(&self, _held: &SpinGuard<'_>) -> Option<(&Slot, usize)> {
        // Relaxed, here and below: the lock orders what is the head's.
        let index = self.head.index.load(Ordering::Relaxed);
        if jobs_between(index, self.head.seen.load(Ordering::Relaxed)) == 0 {
            // Relaxed: the slot is read with Acquire.
            let tail = self.tail.index.load(Ordering::Relaxed);
            if jobs_between(index, tail) == 0 {
                return None;
            }
            self.head.seen.store(tail, Ordering::Relaxed);
        }
        // SAFETY: blocks are freed under the lock, when all of their slots are passed.
        let block = unsafe { &*self.head.block.load(Ordering::Relaxed) };
        let place = index % LAP;
        Some((&block.slots[place], place))
    }

    /// Moves the head on over that slot, which is written. The caller does not use it any more.
    #[inline]
    fn pass(&self, _held: &SpinGuard<'_>, slot: &Slot, place: usize) {
        slot.clear();
        // Relaxed, here and below: the lock orders what is the head's.
        let index = self.head.index.load(Ordering::Relaxed);
        if place + 1 < SLOTS {
            self.head
                .index
                .store(index.wrapping_add(1), Ordering::Relaxed);
            return;
        }
        let head = self.head.block.load(Ordering::Relaxed);
        // SAFETY: as in `oldest`.
        let block = unsafe { &*head };
        let next = block.next.load(Ordering::Acquire);
        // Relaxed: `keep` publishes it.
        block.next.store(ptr::null_mut(), Ordering::Relaxed);
        self.head.block.store(next, Ordering::Relaxed);
        self.head
            .index
            .store(index.wrapping_add(2), Ordering::Relaxed);
        self.keep(head);
    }

    /// [Passes](Self::pass) a slot without a job.
    fn pass_emptied(&self, held: &SpinGuard<'_>, slot: &Slot, place: usize) {
        let spent = self.head.spent.load(Ordering::Relaxed);
        self.head
            .spent
            .store(spent.saturating_sub(1), Ordering::Relaxed);
        self.pass(held, slot, place);
    }

    /// Takes an entry out if it is a job at this address, and one of the newest or the oldest: jobs
    /// are taken back in one of these orders, as a rule. The search ends after two blocks.
    ///
    /// A [ticket](spent) that is not found is dropped later: its task must be back.
    pub(crate) fn withdraw(&self, data: *const ()) -> bool {
        if !self.has(1) {
            return false;
        }
        let held = self.lock();
        let mut withdrawn = self.withdraw_newest(&held, data);
        if !withdrawn {
            withdrawn = self.empty_near_an_end(&held, data);
            if withdrawn || spent::is_ticket(data) {
                self.count_spent(&held);
            }
        }
        // What was emptied earlier may be the oldest now.
        while let Some((slot, place)) = self.oldest(&held)
            && matches!(slot.read(), Content::Emptied)
        {
            self.pass_emptied(&held, slot, place);
        }
        withdrawn
    }

    fn withdraw_newest(&self, _held: &SpinGuard<'_>, data: *const ()) -> bool {
        let index = self.tail.index.load(Ordering::Acquire);
        let place = index % LAP;
        let is_at_a_border = place == 0 || place == SLOTS;
        if is_at_a_border || index == self.head.index.load(Ordering::Relaxed) {
            return false;
        }
        // SAFETY: no block is freed while this thread has the lock. (It may be a later one than
        // that of `index`.)
        let block = unsafe { &*self.tail.block.load(Ordering::Acquire) };
        let slot = &block.slots[place - 1];
        let job = match slot.read() {
            Content::Job(job) if job.data == data => job,
            _ => return false,
        };
        // The slot is not one that a taker has seen any more. Relaxed, twice: the lock orders it.
        let head = self.head.index.load(Ordering::Relaxed);
        self.head.seen.store(head, Ordering::Relaxed);
        // Before the tail goes back: the next push may write here at once. No thread takes it
        // meanwhile.
        slot.clear();
        let before = index.wrapping_sub(1);
        let withdrawn = if planted!(WithdrawUnasked) {
            self.tail.index.store(before, Ordering::Release);
            true
        } else {
            // Release: the slot is empty before it can be claimed. Relaxed on failure: a push has
            // claimed the next slot, and this one gets its job back.
            self.tail
                .index
                .compare_exchange(index, before, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        };
        if !withdrawn {
            slot.write(job);
        }
        withdrawn
    }

    /// Empties the slot of this job, if it is near an end, in the block of that end.
    fn empty_near_an_end(&self, _held: &SpinGuard<'_>, data: *const ()) -> bool {
        let head = self.head.index.load(Ordering::Relaxed);
        // Acquire: with the tail comes its block, or a later one. In a later one nothing is written
        // at places that are not claimed, so no slot is taken for another.
        let tail = self.tail.index.load(Ordering::Acquire);
        let is_one_block = head / LAP == tail / LAP;
        // SAFETY: no block is freed while this thread has the lock.
        let (oldest, newest) = unsafe {
            (
                &*self.head.block.load(Ordering::Relaxed),
                &*self.tail.block.load(Ordering::Acquire),
            )
        };
        let begin = if is_one_block { head % LAP } else { 0 };
        let end = tail % LAP;
        let mut jobs = 0;
        if newest.empty(data, (begin..end).rev(), &mut jobs) {
            return true;
        }
        if !is_one_block {
            // SAFETY: the head is in a block before that of the tail, so the one before is alive.
            // Relaxed: published with the block of the tail, which was acquired.
            let before = unsafe { &*newest.before.load(Ordering::Relaxed) };
            let begin = if ptr::eq(before, oldest) {
                head % LAP
            } else {
                0
            };
            if before.empty(data, (begin..SLOTS).rev(), &mut jobs) {
                return true;
            }
        }
        let end = if is_one_block { end } else { SLOTS };
        oldest.empty(data, head % LAP..end, &mut 0)
    }

    /// Counts a slot that is of no use. Sweeps when it is time.
    fn count_spent(&self, held: &SpinGuard<'_>) {
        // Relaxed, here and in `pass_emptied`: the lock orders it.
        let spent = self.head.spent.load(Ordering::Relaxed) + 1;
        let head = self.head.index.load(Ordering::Relaxed);
        // Relaxed: no slot is read for this.
        let jobs = jobs_between(head, self.tail.index.load(Ordering::Relaxed));
        let is_due = spent::is_sweep_due(spent, jobs);
        let left = if is_due { self.sweep(held) } else { spent };
        self.head.spent.store(left, Ordering::Relaxed);
    }

    fn lock(&self) -> SpinGuard<'_> {
        let lock = &self.head.lock;
        let held = lock.try_lock().unwrap_or_else(|| lock.lock());
        self.head.locks.up();
        held
    }

    fn empty_block(&self) -> *mut Block {
        // Acquire pairs with the Release in `keep`: its slots are empty.
        let spare = self.spare.swap(ptr::null_mut(), Ordering::Acquire);
        if spare.is_null() { Block::new() } else { spare }
    }

    /// Keeps an empty block, or frees one.
    fn keep(&self, block: *mut Block) {
        let before = self.spare.swap(block, Ordering::AcqRel);
        if !before.is_null() {
            // SAFETY: it is in no list, and no thread but this one knows it.
            drop(unsafe { Box::from_raw(before) });
        }
    }
}

impl Drop for Injector {
    fn drop(&mut self) {
        // Relaxed, here and below: the queue has one owner, which has acquired it.
        let mut block = self.head.block.load(Ordering::Relaxed);
        while !block.is_null() {
            // SAFETY: no other thread is left, and each block is in the list once.
            let boxed = unsafe { Box::from_raw(block) };
            block = boxed.next.load(Ordering::Relaxed);
        }
        let spare = self.spare.load(Ordering::Relaxed);
        if !spare.is_null() {
            // SAFETY: as above; it is not in the list.
            drop(unsafe { Box::from_raw(spare) });
        }
    }
}
