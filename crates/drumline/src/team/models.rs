//! A part that is open has a ticket out, or a thread that is about to look for it.

// The standard library's `Arc`: a planted bug drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use super::roster::Roster;
use crate::sync::exploration::bounded;
use crate::sync::lock;
use crate::sync::plant::{Plant, must_catch};

/// A loop in miniature: one part, which may be open.
struct Loop {
    roster: Roster,
    /// As `Place::left` of the part: a hint.
    left: AtomicUsize,
    /// The tickets in the queue of each of two threads.
    queues: [Mutex<usize>; 2],
    /// A thread that looked for a part has found it.
    is_found: AtomicBool,
}

const LEAVING: usize = 0;
const OWNER: usize = 1;

impl Loop {
    /// With as many tickets out as may be: one, in the queue of the participant that is to leave.
    fn new() -> Arc<Self> {
        let shared = Loop {
            roster: Roster::new(1),
            left: AtomicUsize::new(0),
            queues: [Mutex::new(0), Mutex::new(0)],
            is_found: AtomicBool::new(false),
        };
        shared.announce(LEAVING);
        assert_eq!(*lock(&shared.queues[LEAVING]), 1);
        Arc::new(shared)
    }

    /// As `SharedLoop::is_open`.
    fn is_open(&self) -> bool {
        // Relaxed, here and below: a hint that publishes nothing, as in the loop itself.
        self.left.load(Ordering::Relaxed) > 0
    }

    /// As `Team::announce`.
    fn announce(&self, queue: usize) {
        let (tickets, _) = self.roster.add_tickets(1);
        *lock(&self.queues[queue]) += tickets;
    }

    /// What a participant does when its part becomes open.
    fn open(&self) {
        self.left.store(1, Ordering::Relaxed);
        self.announce(OWNER);
    }

    fn take_ticket(&self, queue: usize) -> bool {
        let mut tickets = lock(&self.queues[queue]);
        let is_there = *tickets > 0;
        *tickets -= usize::from(is_there);
        is_there
    }

    /// As `redeem`, with a ticket of this queue.
    fn redeem(&self, queue: usize) {
        if self.take_ticket(queue) {
            self.roster.ticket_is_back();
            if self.is_open() {
                // Relaxed: read when the threads have been joined.
                self.is_found.store(true, Ordering::Relaxed);
            }
        }
    }

    /// As a participant that has nothing left.
    fn leave(&self, place: usize) {
        let withdraw = || {
            while self.take_ticket(LEAVING) {
                self.roster.ticket_is_back();
            }
        };
        let announce = || self.announce(LEAVING);
        self.roster
            .depart(place, withdraw, || self.is_open(), announce);
    }

    /// To be asked when all threads have ended.
    fn assert_seen(&self) {
        let is_out = self.queues.iter().any(|tickets| *lock(tickets) > 0);
        // Relaxed: the threads have been joined.
        let is_found = self.is_found.load(Ordering::Relaxed);
        assert!(is_out || is_found, "the part is open, and no thread knows");
    }
}

/// A participant leaves, with the tickets that another one relies on.
fn left() {
    loom::model(|| {
        let shared = Loop::new();
        let place = shared.roster.enter(0);
        let other = Arc::clone(&shared);
        let owner = thread::spawn(move || other.open());
        shared.leave(place);
        owner.join().unwrap();
        shared.assert_seen();
    });
}

#[test]
fn loom_tickets_of_one_that_leaves() {
    left();
}

#[test]
fn loom_plants_tickets_of_one_that_leaves() {
    must_catch(Plant::LooksBeforeWithdraw, left);
    must_catch(Plant::LeavesOpen, left);
}

/// A ticket is redeemed while a part becomes open. The owner of that part counts the ticket.
fn redeemed() {
    loom::model(|| {
        let shared = Loop::new();
        let other = Arc::clone(&shared);
        let owner = thread::spawn(move || other.open());
        shared.redeem(LEAVING);
        owner.join().unwrap();
        shared.assert_seen();
    });
}

#[test]
fn loom_tickets_redeemed() {
    redeemed();
}

#[test]
fn loom_plants_tickets_redeemed() {
    must_catch(Plant::AnnouncesUnfenced, redeemed);
}

/// All three at once.
#[test]
fn loom_tickets() {
    bounded(3).check(|| {
        let shared = Loop::new();
        let place = shared.roster.enter(0);
        let owner = thread::spawn({
            let other = Arc::clone(&shared);
            move || other.open()
        });
        let helper = thread::spawn({
            let other = Arc::clone(&shared);
            move || other.redeem(LEAVING)
        });
        shared.leave(place);
        owner.join().unwrap();
        helper.join().unwrap();
        shared.assert_seen();
    });
}
