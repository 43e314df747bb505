//! The one loop in which a thread of a pool waits for something.
//!
//! A waiting thread runs only work that belongs to what it waits for: it helps
//! the thread that does that work (leapfrogging: Wagner and Calder 1993).
//! Anything else could be of any length, and could need a lock that a frame
//! further down this very stack holds. With nothing to help with it spins for
//! less than a wake-up would cost, and then sleeps for good; its place
//! among the active threads is then free for others. It does not nap before:
//! work that it may not run would wait for its place.
//!
//! The exceptions are a job in its inbox, because no other thread can run it, and with
//! [`WaitPolicy::Steal`] any job of the pool. They are run apart from what is
//! pending here.
//!
//! To help is a favour: the runner would do it all itself. So it is done only
//! with [room](self::stack_room) on the stack. What is helped with would run further
//! down in a sequential program, but each time the frames of a wait come on top,
//! and those can be larger than the program's own.
//!
//! Before it sleeps it *follows* the threads that work for it: it marks their deques and looks once
//! more, so that what they publish later wakes it. Without a barrier in between it can miss a push
//! whose owner misses the mark, if both happen at the same moment. So the first sleep ends after
//! some milliseconds; most waits are over by then. Before the next sleep the thread runs the heavy
//! barrier too, exactly as a searcher does, and then it sleeps for good. (With the barrier before
//! the first sleep, barriers took half of the processor time of `vc-join` with 64 jobs.)
//!
//! A waiter leaves its runner alone as a thief does (`pool::workers::steal_backoff`), but only
//! until the wait ends. The next wait is for another half: a back-off that a row of tiny joins has
//! taught would be paid by the large one after them.
//!
//! # Beside the loop
//!
//! | file | noun |
//! |---|---|
//! | `awaited` | what a thread waits for |
//! | `elsewhere` | waiting in one pool for what happens in another |
//! | `hand_over` | a call that a thread of the pool runs |
//! | `signal` | a signal that a thread waits for while it serves its pool |
//! | `stack_room` | room on the stack for what a waiting thread need not run itself |
//! | `yielding` | running something else on request |

mod awaited;
mod elsewhere;
pub(super) mod hand_over;
pub(super) mod signal;
pub(crate) mod stack_room;
pub(super) mod yielding;

use std::cell::Cell;
use std::time::Duration;

use super::blocking::compensate;
use super::calls::guest;
use super::deque::handshake::Naps;
use super::deque::slot::{Slot, StealState};
use super::deque::{Deque, Effort, Steal};
use super::idle::Absence;
use super::shared::local;
use super::shared::registry::Registry;
use super::shared::seat::Seat;
use super::shared::wait_policy::WaitPolicy;
use super::workers::steal_backoff::StealBackoff;
use super::workers::thief::Thief;
use crate::job::Header;
use crate::latch::Sleeper;
use crate::sync::barrier::Barrier;
use crate::sync::{Instant, barrier, planted};
use crate::wait::{Gate, Patience, WaitKind, WaitStep, blocking};

pub(crate) use awaited::Awaited;

use elsewhere::Elsewhere;
use stack_room::StackRoom;
use yielding::run_any;

/// A waiting thread asks the runner for entries after this time. An answer costs the runner less
/// than a microsecond.
const ASK_AFTER: Duration = Duration::from_micros(1);

/// How long a sleep without a barrier lasts at most. A barrier costs microseconds, and interrupts
/// every thread of the process. What the waiter misses without one is not lost: its owner runs it,
/// or another thief.
const FIRST_SLEEP: Duration = Duration::from_millis(4);

/// Waits for something that happens in the pool of `registry`: as a member of
/// that pool, or as its guest, or blocked where it takes no guests.
pub(crate) fn wait_in(registry: &Registry, awaited: &dyn Awaited) {
    if local::find(registry).is_some() {
        guest::enter(registry, |seat| wait_for(seat, awaited));
    } else if registry.has_guests() {
        wait_as_guest(registry, awaited);
    } else {
        block_on(awaited);
    }
}

/// Waits outside the pool in which it happens, and helps as its guest.
pub(crate) fn wait_as_guest(registry: &Registry, awaited: &dyn Awaited) {
    blocking(|| guest::enter(registry, |seat| wait_for(seat, awaited)));
}

/// Waits outside the pool in which it happens, without helping. A thread of a
/// pool in which waiting threads run anything does so.
pub(crate) fn block_on(awaited: &dyn Awaited) {
    if let Some(seat) = local::seat()
        && seat.registry().wait_policy() == WaitPolicy::Steal
    {
        let elsewhere = Elsewhere::new(seat, awaited);
        wait_for(seat, &elsewhere);
        return elsewhere.leave();
    }
    let gate = Gate::new();
    if awaited.watch(Sleeper::Outsider(&gate)) {
        gate.wait();
    }
}

/// How long a thread has waited since it ran something.
struct Spell {
    patience: Patience,
    /// Whether it has slept.
    has_slept: bool,
    naps: Naps,
}

impl Spell {
    fn new() -> Self {
        Spell {
            patience: Patience::new(),
            has_slept: false,
            naps: Naps::new(),
        }
    }

    /// The thread has run something.
    fn reset(&mut self) {
        *self = Self::new();
    }
}

/// How a waiter sleeps.
#[derive(Clone, Copy, Debug)]
enum Rest {
    /// Until it is woken.
    ForGood,
    /// For [`FIRST_SLEEP`] at most: it has run no barrier.
    First,
    /// It naps: the barrier is lost, and one of its runners may be publishing without having met
    /// the mark.
    Nap,
}

/// Waits, on the seat that this thread occupies.
#[cold]
pub(crate) fn wait_for(seat: &Seat, awaited: &dyn Awaited) {
    let mut backoff = StealBackoff::default();
    // First without a look at the clock: this is all, as a rule.
    run_own(seat, awaited, &mut backoff);
    if awaited.is_done() {
        return;
    }
    seat.flush_hand_off();
    let registry = seat.registry();
    let mut spell = Spell::new();
    let steals = registry.wait_policy() == WaitPolicy::Steal;
    let mut thief = Thief::new(seat.index());
    let mut watching = false;
    while !awaited.is_done() {
        registry.forbid_fork();
        if let Some(job) = seat.inbox().take() {
            // Only this thread can run it, and what is awaited may wait for it.
            let _apart = seat.stand_apart();
            // SAFETY: taken from its queue, so it is run here and only here.
            unsafe { seat.run(job) };
            spell.reset();
            continue;
        }
        if run_own(seat, awaited, &mut backoff) {
            spell.reset();
            continue;
        }
        // At first only ask: what was taken is often about to be done, and a forced steal costs
        // its runner an interrupt.
        let force = steals || spell.patience.has_lasted(barrier::cost() * 2);
        if (force || spell.patience.has_lasted(ASK_AFTER))
            && let Some(_room) = StackRoom::find()
            && (help(seat, awaited, &mut backoff, force, |_| true)
                || steals && run_any(seat, &mut thief, true))
        {
            spell.reset();
            continue;
        }
        if !watching && spell.patience.is_about_to_end() {
            if !awaited.watch(Sleeper::Member(seat.parker())) {
                break;
            }
            watching = true;
            if !planted!(NoLookAfterWatch) {
                // What is added from now on wakes this thread. What came before is still to be
                // seen.
                continue;
            }
        }
        let step = spell.patience.wait(WaitKind::Eager);
        if step == WaitStep::GiveUp && sleep(seat, awaited, &mut spell) {
            spell.patience.reset();
        }
    }
}

/// Runs the work that what is awaited has itself, as long as the inbox is empty. Returns whether
/// there was any, or a runner had some.
fn run_own(seat: &Seat, awaited: &dyn Awaited, backoff: &mut StealBackoff) -> bool {
    let mut any = false;
    let has_helped = Cell::new(false);
    let mut ask = || {
        let helps = StackRoom::find().is_some_and(|_room| {
            help(seat, awaited, backoff, true, |runner| {
                !runner.has_older_jobs()
            })
        });
        has_helped.set(has_helped.get() || helps);
        helps
    };
    // A consumer of a stream leaves for a job in the inbox, and has another one come.
    while seat.inbox().len() == 0
        && let Some(job) = awaited.take_work(&mut ask)
    {
        // SAFETY: taken from its queue, so it is run here and only here.
        unsafe { seat.run(job) };
        any = true;
    }
    any || has_helped.get()
}

/// Runs one job of what is awaited, from a runner that `may_help` accepts.
fn help(
    seat: &Seat,
    awaited: &dyn Awaited,
    backoff: &mut StealBackoff,
    force: bool,
    may_help: impl Fn(&Seat) -> bool,
) -> bool {
    let has_barrier = seat.registry().barrier() == Barrier::Refused || !barrier::is_awaited();
    let force = force && has_barrier;
    let effort = match (backoff.may_interrupt(Instant::now()), force) {
        (true, true) => Effort::Force(backoff.batch()),
        (true, false) => Effort::Ask,
        (false, _) => Effort::Look,
    };
    awaited.any_runner(&mut |runner| {
        if runner == seat.index() {
            return false;
        }
        let runner = seat.registry().seat(runner);
        if !may_help(runner) {
            return false;
        }
        for deque in runner.deques() {
            let related = || awaited.is_runner(runner.index());
            match deque.steal(seat.index(), effort, Some(&related)) {
                Steal::Taken(stolen) => {
                    let claim = stolen.claim;
                    let start = Instant::now();
                    let ran = seat.run_stolen(stolen, runner);
                    let took = if ran { start.elapsed() } else { Duration::ZERO };
                    backoff.learn(claim, took);
                    return true;
                }
                Steal::Missed => backoff.regret(),
                Steal::Busy => seat.counters().busy.up(),
                Steal::Empty => {}
            }
        }
        false
    })
}

/// Sleeps until it is done, or those at work on it publish something. `false`: the sleep was to end
/// before that, and has ended.
fn sleep(seat: &Seat, awaited: &dyn Awaited, spell: &mut Spell) -> bool {
    let registry = seat.registry();
    let mut follows = false;
    awaited.any_runner(&mut |runner| {
        if runner != seat.index() {
            registry.seat(runner).add_waiter(seat.index());
            follows = true;
        }
        false
    });
    // Without room for it nothing is to be had.
    let has_room = StackRoom::find().is_some();
    let rest = if has_room && follows {
        settle(seat, awaited, spell)
    } else {
        Rest::ForGood
    };
    // What it could not take is no reason to stay awake: as long as it does, it
    // keeps its place, and others may be waiting for that.
    let publishes = |runner| registry.seat(runner).deques().any(Deque::has_related);
    let seen =
        has_room && awaited.any_runner(&mut |runner| runner != seat.index() && publishes(runner));
    if seen || awaited.is_done() {
        return true;
    }
    let naps = &mut spell.naps;
    let mut pass = || match rest {
        Rest::ForGood => {
            seat.sleep();
            true
        }
        Rest::First => seat.sleep_in(|parker| parker.park_timeout(FIRST_SLEEP)),
        Rest::Nap => {
            seat.parker().park_timeout(naps.next());
            false
        }
    };
    if seat.is_blocked() {
        // Its places are free already, or will be.
        return pass();
    }
    let me = seat.index();
    // Without room it would be woken for nothing.
    let steals = registry.wait_policy() == WaitPolicy::Steal && has_room;
    let why = if steals {
        Absence::Steals
    } else {
        Absence::Waits
    };
    seat.end_trial(true);
    registry.wake(registry.idle_set().rest(me, why, &|| registry.has_work()));
    let is_called = compensate::wait_inside(seat, pass);
    registry.wake(registry.idle_set().come_back(me, why));
    if steals && awaited.is_done() && registry.has_work() {
        // It may have been woken for that, and has something else to do now.
        registry.wake(registry.idle_set().summon());
    }
    is_called
}

/// After the marks, and before the last look: makes visible what the runners have pushed until now.
/// Returns for how long what they push later can be relied on to wake this thread.
fn settle(seat: &Seat, awaited: &dyn Awaited, spell: &mut Spell) -> Rest {
    let registry = seat.registry();
    let is_first = !std::mem::replace(&mut spell.has_slept, true);
    if is_first && barrier::is_dear(registry.barrier()) {
        return Rest::First;
    }
    if registry.heavy() {
        return Rest::ForGood;
    }
    let is_unsettled = !barrier::is_lost()
        || awaited
            .any_runner(&mut |runner| runner != seat.index() && !registry.seat(runner).settle());
    if is_unsettled {
        Rest::Nap
    } else {
        Rest::ForGood
    }
}

/// A half of a join that a thief has taken.
struct TakenHalf<'a> {
    slot: &'a Slot,
}

impl Awaited for TakenHalf<'_> {
    fn is_done(&self) -> bool {
        self.slot.progress() == StealState::Done
    }

    fn any_runner(&self, visit: &mut dyn FnMut(usize) -> bool) -> bool {
        match self.slot.progress() {
            StealState::Started(runner) => visit(runner),
            StealState::Taken | StealState::Done => false,
        }
    }

    fn is_runner(&self, seat: usize) -> bool {
        self.slot.progress() == StealState::Started(seat)
    }

    fn watch(&self, _owner: Sleeper) -> bool {
        // The thread that finishes wakes the owner of the slot, which waits.
        self.slot.watch()
    }
}

/// Takes back an entry that a thief has reached, or waits until it has been
/// run.
///
/// `true`: no thread has run the job, and it is the owner's again. `false`: a
/// thief has run it. Either way the slot is free afterwards.
#[cold]
#[inline(never)]
pub(crate) fn contest(deque: &Deque, slot: *mut Slot) -> bool {
    let back = take_back(deque, slot);
    if !back {
        wait_out(deque, slot);
    }
    back
}

/// Takes back an entry that a thief has reached.
///
/// `true`: no thread has run the job, it is the owner's again, and the slot is free. `false`: a
/// thief has begun it, and the owner must [wait](wait_out) for that; it may do something before.
#[cold]
#[inline(never)]
pub(crate) fn take_back(deque: &Deque, slot: *mut Slot) -> bool {
    forget_thieves_of_parent(deque);
    if deque.reclaim(slot) {
        return true;
    }
    // SAFETY: slots live as long as the seat.
    let back = unsafe { &*slot }.take_back();
    if back {
        deque.release(slot);
    }
    back
}

/// The job of an entry of this thread's deque, if a thief has taken it and run it to its end.
/// Acquire: what the thief did is visible.
#[cold]
pub(crate) fn job_if_run(deque: &Deque, slot: *mut Slot) -> Option<*const Header> {
    forget_thieves_of_parent(deque);
    if !deque.has_lost_for_good(slot) {
        return None;
    }
    // SAFETY: slots live as long as the seat.
    let slot = unsafe { &*slot };
    (slot.progress() == StealState::Done).then(|| slot.read())
}

/// In a forked child the thief-lock may be held by a thread of the parent, for ever.
pub(crate) fn forget_thieves_of_parent(deque: &Deque) {
    if local::seat().is_some_and(|seat| seat.registry().is_forked()) {
        deque.forget_thieves();
    }
}

/// Waits until an entry that could not be [taken back](take_back) has been run. The slot is free
/// then.
#[cold]
pub(crate) fn wait_out(deque: &Deque, slot: *mut Slot) {
    let seat = local::seat().expect("a thread that pops has a seat");
    // SAFETY: slots live as long as the seat.
    let entry = unsafe { &*slot };
    wait_for(seat, &TakenHalf { slot: entry });
    deque.release(slot);
}
