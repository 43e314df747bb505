//! Seats, and the threads that get them: workers, spares, members and guests.
//!
//! A seat is made when none is free, and goes back to the free ones when its thread leaves.

use std::iter;

use super::registry::Registry;
use super::seat::Seat;
use super::waking::carry_mark;
use crate::job::JobRef;
use crate::pool::deque::Reasons;
use crate::pool::queues::spent;
use crate::sync::atomic::Ordering;
use crate::sync::{Arc, barrier, lock};
use crate::wait::Gate;

impl Registry {
    /// The seat of a thread that is to be a member for good: the first one.
    pub(crate) fn add_seat(&self) -> usize {
        let _free = lock(&self.free_seats().seats);
        self.push_seat().index()
    }

    /// A seat for a worker, which is counted from now on as one, but not yet as alive. `None`: the
    /// seats of this fixed pool are for callers.
    pub(crate) fn seat_worker(&self) -> Option<usize> {
        let mut free = lock(&self.free_seats().seats);
        // Relaxed: written with the lock that is held.
        let left_over = if !self.is_fixed() {
            None
        } else if self.free_seats().is_of_callers.load(Ordering::Relaxed) {
            return None;
        } else {
            // Of a worker that could not be started.
            free.pop()
        };
        let index = left_over.unwrap_or_else(|| self.push_seat().index());
        self.worker_list().add(index);
        Some(index)
    }

    /// The caller holds the lock of the free seats.
    fn push_seat(&self) -> &Seat {
        self.table()
            .push(|index| Box::new(Seat::new(self, index, barrier::now(self.barrier()))))
    }

    /// Gives a guest a seat and counts it as active.
    pub(crate) fn admit(&self) -> &Seat {
        let mut free = lock(&self.free_seats().seats);
        // One guest at least, also when the number of jobs was lowered: `has_guests` allows it.
        while self.is_fixed()
            && self.seats_len() - free.len() >= self.jobs().max(self.members().len() + 1)
        {
            // Every seat that is not free is a guest's or a member's: there is no worker.
            let turn = Arc::new(Gate::new());
            lock(&self.free_seats().callers).push(Arc::clone(&turn));
            drop(free);
            turn.wait();
            free = lock(&self.free_seats().seats);
        }
        let seat = match free.pop() {
            Some(index) => self.seat(index),
            None => self.push_seat(),
        };
        drop(free);
        seat.block_state().occupy();
        seat.counters().has_new_occupant();
        seat.begin();
        self.wake(self.idle_set().enter(seat.index(), |marked| {
            // Every deque of the chain: behind a trampoline it is the second that
            // is pushed to.
            if marked {
                seat.ask(Reasons::WAKE_REQUESTED);
            } else if seat.first_deque().is_asked() {
                let _ = seat.first_deque().take_reasons();
            }
        }));
        self.disturb_end();
        seat
    }

    /// Takes the seat back from a guest.
    pub(crate) fn dismiss(&self, seat: &Seat) {
        if self.is_forked() {
            // The lock of the idle set may be held by a thread of the parent, for ever.
            return;
        }
        seat.block_state().vacate();
        seat.handshake().end();
        let has_jobs = seat.queue().len() > 0;
        if has_jobs && self.workers() > 0 {
            // A worker looks into other queues only when its own is empty; into the injector it
            // looks now and then. Before `leave`: that sees to it that a thread looks after this.
            while let Some(job) = seat.queue().take() {
                // SAFETY: the job is out of its queue, and is run by no other thread.
                if !unsafe { spent::drop_if_spent(job) } {
                    self.injector().push(job);
                }
            }
        }
        self.wake(
            self.idle_set()
                .leave(seat.index(), has_jobs, &|| self.has_work()),
        );
        lock(&self.free_seats().seats).push(seat.index());
        if self.is_fixed() {
            self.call_waiting();
        }
    }

    /// Threads outside that wait for their turn look again.
    pub(crate) fn call_waiting(&self) {
        let callers = {
            let _free = lock(&self.free_seats().seats);
            std::mem::take(&mut *lock(&self.free_seats().callers))
        };
        for turn in callers {
            turn.open();
        }
    }

    /// Makes a seat for a thread that is active for good.
    pub(crate) fn seat_member(&self, index: usize) -> &Seat {
        let seat = self.seat(index);
        seat.stay_for_good();
        self.idle_set().add_member(seat.index(), carry_mark(seat));
        seat
    }

    /// A worker that has been counted will not come. Returns whether it was the last one, and the
    /// jobs that were sent to it: these are for others.
    pub(crate) fn remove_worker(&self, index: usize) -> (bool, Vec<JobRef>) {
        // With the lock: a thread that counts the workers, and finds one missing, finds its seat.
        let mut free = lock(&self.free_seats().seats);
        if self.worker_list().with(|workers| workers == [index]) {
            // Relaxed: the removal fences. If `rely_on_worker` misses it, `see_to_work` finds work.
            self.free_seats()
                .is_of_callers
                .store(true, Ordering::Relaxed);
        }
        let was_last = self.worker_list().remove(index);
        // Nothing is sent to it from now on.
        let inbox = self.seat(index).inbox();
        let jobs = iter::from_fn(|| inbox.take()).collect();
        // Its thread has never come: scans need not wait for it.
        self.seat(index).handshake().end();
        // First the seat: the calling thread may need it for the jobs, and so may one that waits.
        free.push(index);
        drop(free);
        if self.is_fixed() {
            self.call_waiting();
        }
        (was_last, jobs)
    }

    /// A seat for a spare.
    pub(crate) fn spare_seat(&self) -> usize {
        let mut free = lock(&self.free_seats().seats);
        match free.pop() {
            Some(index) => index,
            None => self.push_seat().index(),
        }
    }

    /// A spare has left the idle set for good, or could not be started.
    pub(crate) fn dismiss_spare(&self, seat: &Seat) {
        seat.handshake().end();
        seat.block_state().move_out();
        self.spares().remove(seat.index());
        lock(&self.free_seats().seats).push(seat.index());
        self.limit().forget_warnings();
        self.spares().reap();
    }
}
