//! Loom models of the mailbox, the references, and a future that has the actor.

// The standard library's `Arc`: a planted deadlock drops it while it unwinds, outside of the model.
use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use super::life_word::{FinalStep, LifeWord, RefDrop, RunOrder};
use super::mailbox::{MailLink, Mailbox, Pushed};
use super::weak_link::WeakLink;
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};
use crate::sync::planted;

pub(super) fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = bounded(preemptions);
    builder.max_branches = 10_000;
    builder.check(model);
}

/// What a message says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Note {
    Count(usize),
    Stop,
    Final,
    Nudge,
    /// To handle `Count` next, before what is in the mailbox.
    Front(usize),
    /// To leave the actor to a task.
    Hold,
    /// To say that it was handled, or discarded.
    Ask,
}

/// A message, as an envelope is one.
#[repr(C)]
struct Letter {
    link: MailLink,
    note: Note,
}

/// An actor that adds up what it is told. Its parts are those of `ActorCore`, and it runs them as
/// `RunFrame` does.
pub(super) struct Adder {
    mailbox: Mailbox,
    pub(super) word: LifeWord,
    /// Of its weak references; the address is of no use here.
    link: WeakLink<()>,
    /// Stands for its memory.
    memory: UnsafeCell<()>,
    /// The state: plain memory.
    sum: UnsafeCell<usize>,
    /// Discarded messages.
    lost: AtomicUsize,
    /// Replies: of messages that were handled, and 100 times those of others.
    replies: AtomicUsize,
    /// How often the memory was freed.
    pub(super) freed: AtomicUsize,
    /// The task has the actor.
    held: AtomicBool,
}

// SAFETY: the sum is what the mailbox hands from thread to thread; loom checks every access.
unsafe impl Send for Adder {}
// SAFETY: as for `Send`.
unsafe impl Sync for Adder {}

pub(super) fn letter(note: Note) -> *const MailLink {
    let letter = Letter {
        link: MailLink::new(),
        note,
    };
    Box::into_raw(Box::new(letter)).cast_const().cast()
}

pub(super) fn note(link: *const MailLink) -> Note {
    // SAFETY: the run has not freed it.
    unsafe { (*link.cast::<Letter>()).note }
}

/// Marks a letter as one that has been opened. For the run that has it at hand.
pub(super) fn opened(at_hand: *const MailLink) -> *const MailLink {
    // SAFETY: senders use the link only.
    unsafe { (*at_hand.cast_mut().cast::<Letter>()).note = Note::Nudge };
    at_hand
}

pub(super) fn free(link: *const MailLink) {
    // SAFETY: leaked in `letter`, and freed once.
    drop(unsafe { Box::from_raw(link.cast_mut().cast::<Letter>()) });
}

impl Adder {
    /// An idle actor with one reference.
    pub(super) fn idle() -> Arc<Self> {
        let first = letter(Note::Nudge);
        let adder = Arc::new(Adder {
            mailbox: Mailbox::new(first),
            word: LifeWord::new(RunOrder::Managed),
            link: WeakLink::new(std::ptr::NonNull::dangling()),
            memory: UnsafeCell::new(()),
            sum: UnsafeCell::new(0),
            lost: AtomicUsize::new(0),
            replies: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
            held: AtomicBool::new(false),
        });
        adder.run();
        adder
    }

    pub(super) fn send(&self, note: Note) {
        // SAFETY: the letter is fresh, and the model keeps the actor.
        if unsafe { self.mailbox.push(letter(note)) } == Pushed::FoundIdle {
            // The dead have their messages discarded by this thread.
            self.run();
        }
    }

    fn free(&self) {
        self.link.close();
        self.memory.with_mut(|_| ());
        self.freed.fetch_add(1, Ordering::Relaxed);
    }

    /// As `WeakActorRef` does.
    pub(super) fn upgrade(&self) -> bool {
        let upgraded = self.link.with(|_| {
            self.memory.with(|_| ());
            self.word.upgrade()
        });
        upgraded == Some(true)
    }

    /// As a thread that has a notice for the actor.
    pub(super) fn reach(&self) -> bool {
        let reached = self.link.with(|_| {
            self.memory.with(|_| ());
            self.word.reach()
        });
        reached == Some(true)
    }

    pub(super) fn drop_ref(&self) {
        if self.word.drop_ref() == RefDrop::SendFinal {
            self.send(Note::Final);
        }
    }

    fn kill(&self) {
        self.word.kill();
        self.send(Note::Nudge);
    }

    fn run(&self) {
        // SAFETY: this thread acts for the actor.
        let mut at_hand = unsafe { self.mailbox.first() };
        if self.word.is_dead() {
            if self.discard_all(at_hand) {
                self.free();
            }
            return;
        }
        loop {
            if self.word.is_killed() {
                self.word.add_ref();
                return self.end_run(at_hand);
            }
            match note(at_hand) {
                Note::Count(number) => self.add(number),
                Note::Ask => {
                    self.replies.fetch_add(1, Ordering::SeqCst);
                }
                Note::Nudge => {}
                Note::Front(number) => {
                    let front = letter(Note::Count(number));
                    // SAFETY: the letter is fresh, and this thread is the run.
                    unsafe { Mailbox::put_before(front, opened(at_hand)) };
                    at_hand = front;
                    continue;
                }
                Note::Hold => return self.hold(at_hand),
                Note::Stop => {
                    self.word.add_ref();
                    return self.end_run(opened(at_hand));
                }
                Note::Final => match self.word.accept_final() {
                    FinalStep::Continue => {}
                    FinalStep::SendAgain => self.send(Note::Final),
                    FinalStep::End => return self.end_run(opened(at_hand)),
                },
            }
            // SAFETY: this thread is the run.
            let next = unsafe { self.mailbox.next_or_idle(at_hand) };
            free(at_hand);
            match next {
                Some(next) => at_hand = next,
                None => return,
            }
        }
    }

    /// As `held::close_for`: puts the run aside, and starts the task.
    fn hold(&self, at_hand: *const MailLink) {
        opened(at_hand);
        if planted!(HeldTooEarly) {
            self.held.store(true, Ordering::Release);
        }
        // SAFETY: this thread is the run.
        unsafe { self.mailbox.requeue(at_hand) };
        // As the queue of the pool.
        self.held.store(true, Ordering::Release);
    }

    /// As `HeldRun`: uses the state, and queues the next run.
    fn be_task(&self, number: usize) {
        while !self.held.load(Ordering::Acquire) {
            thread::yield_now();
        }
        self.add(number);
        self.run();
    }

    /// Ends the actor, with a reference.
    fn end_run(&self, at_hand: *const MailLink) {
        // SAFETY: loom checks that no other thread is here.
        self.sum.with_mut(|sum| unsafe { *sum += 0 });
        self.word.die(false);
        assert!(!self.discard_all(at_hand), "the run has a reference");
        self.drop_ref();
    }

    fn discard_all(&self, mut at_hand: *const MailLink) -> bool {
        let mut is_last = false;
        // SAFETY: this thread acts for the actor.
        let last = unsafe { self.mailbox.take_all() };
        loop {
            match note(at_hand) {
                Note::Final => is_last |= self.word.accept_final() == FinalStep::End,
                Note::Count(_) => {
                    self.lost.fetch_add(1, Ordering::Relaxed);
                }
                Note::Ask => {
                    self.replies.fetch_add(100, Ordering::SeqCst);
                }
                Note::Stop | Note::Nudge | Note::Front(_) | Note::Hold => {}
            }
            let this = at_hand;
            if this == last {
                free(this);
                return is_last;
            }
            // SAFETY: it is not the last one.
            at_hand = unsafe { Mailbox::await_next(this) };
            free(this);
        }
    }

    fn add(&self, number: usize) {
        // SAFETY: loom checks that no other thread is here.
        self.sum
            .with_mut(|sum| unsafe { *sum = *sum * 10 + number });
    }

    pub(super) fn sum(&self) -> usize {
        // SAFETY: as above.
        self.sum.with(|sum| unsafe { *sum })
    }

    /// Drops the first reference. It was the last one, so the actor ends.
    fn end(&self) {
        self.drop_ref();
        assert!(self.word.is_dead(), "the last reference is gone");
        assert_eq!(self.freed.load(Ordering::Relaxed), 1, "freed once");
    }
}

/// Two threads tell an idle actor something; one of them twice. Each message is handled, those of
/// one sender in their order.
fn two_tell() {
    explore(3, || {
        let adder = Adder::idle();
        let other = Arc::clone(&adder);
        let teller = thread::spawn(move || {
            other.send(Note::Count(1));
            other.send(Note::Count(2));
        });
        adder.send(Note::Count(3));
        teller.join().unwrap();
        let sum = adder.sum();
        assert!([123, 132, 312].contains(&sum), "{sum}");
        adder.end();
    });
}

/// Three threads do.
fn three_tell() {
    explore(2, || {
        let adder = Adder::idle();
        let tellers = [1, 2].map(|number| {
            let other = Arc::clone(&adder);
            thread::spawn(move || other.send(Note::Count(number)))
        });
        adder.send(Note::Count(3));
        for teller in tellers {
            teller.join().unwrap();
        }
        let sum = adder.sum();
        assert!([123, 132, 213, 231, 312, 321].contains(&sum), "{sum}");
        adder.end();
    });
}

/// Messages come while the actor puts one of its own in front of them.
fn tell_and_front() {
    explore(3, || {
        let adder = Adder::idle();
        let other = Arc::clone(&adder);
        let teller = thread::spawn(move || {
            other.send(Note::Count(1));
            other.send(Note::Count(3));
        });
        adder.send(Note::Front(2));
        teller.join().unwrap();
        let sum = adder.sum();
        assert!([213, 123, 132].contains(&sum), "{sum}");
        adder.end();
    });
}

/// A message comes while the actor stops: it is handled or lost, and no other.
fn tell_and_stop() {
    explore(3, || {
        let adder = Adder::idle();
        let other = Arc::clone(&adder);
        let teller = thread::spawn(move || {
            other.send(Note::Count(1));
            other.send(Note::Count(2));
        });
        adder.send(Note::Stop);
        teller.join().unwrap();
        let handled = [0, 1, 12].iter().position(|sum| *sum == adder.sum());
        let lost = adder.lost.load(Ordering::Relaxed);
        assert_eq!(handled.map(|handled| handled + lost), Some(2));
        adder.end();
    });
}

/// Two threads ask the actor while it stops, or is killed: each has one reply, whether the message
/// was handled or not.
fn ask_and_end(end: fn(&Adder)) {
    explore(3, move || {
        let adder = Adder::idle();
        let askers = [(); 2].map(|()| {
            let other = Arc::clone(&adder);
            thread::spawn(move || other.send(Note::Ask))
        });
        end(&adder);
        for asker in askers {
            asker.join().unwrap();
        }
        let replies = adder.replies.load(Ordering::SeqCst);
        assert!([2, 101, 200].contains(&replies), "{replies}");
        adder.end();
    });
}

fn ask_and_stop() {
    ask_and_end(|adder| adder.send(Note::Stop));
}

fn ask_and_kill() {
    ask_and_end(Adder::kill);
}

/// As `tell_and_stop`, with `stop_now`.
fn tell_and_kill() {
    explore(3, || {
        let adder = Adder::idle();
        let other = Arc::clone(&adder);
        let teller = thread::spawn(move || {
            other.send(Note::Count(1));
            other.send(Note::Count(2));
        });
        adder.kill();
        teller.join().unwrap();
        assert!(adder.word.is_dead(), "the nudge was lost");
        let handled = [0, 1, 12].iter().position(|sum| *sum == adder.sum());
        let lost = adder.lost.load(Ordering::Relaxed);
        assert_eq!(handled.map(|handled| handled + lost), Some(2));
        adder.end();
    });
}

/// Two references are dropped while a message is handled: the actor ends once, after it.
fn last_reference() {
    explore(3, || {
        let adder = Adder::idle();
        adder.word.add_ref();
        let other = Arc::clone(&adder);
        let holder = thread::spawn(move || {
            other.send(Note::Count(1));
            other.drop_ref();
        });
        adder.drop_ref();
        holder.join().unwrap();
        assert_eq!(adder.sum(), 1);
        assert!(adder.word.is_dead());
        assert_eq!(adder.freed.load(Ordering::Relaxed), 1, "freed once");
    });
}

/// The actor makes a reference to itself while `final` is on its way, and another thread drops it.
fn reference_to_itself() {
    explore(3, || {
        let adder = Adder::idle();
        assert_eq!(adder.word.drop_ref(), RefDrop::SendFinal);
        // As a handler does with a message before `final`.
        adder.word.add_ref_in_run();
        let other = Arc::clone(&adder);
        let holder = thread::spawn(move || {
            other.send(Note::Count(1));
            other.drop_ref();
        });
        adder.send(Note::Final);
        holder.join().unwrap();
        assert_eq!(adder.sum(), 1, "it had a reference");
        assert!(adder.word.is_dead());
        assert_eq!(adder.freed.load(Ordering::Relaxed), 1, "freed once");
    });
}

/// The last reference is dropped while the actor ends for another reason.
fn last_reference_and_kill() {
    explore(3, || {
        let adder = Adder::idle();
        adder.word.add_ref();
        let other = Arc::clone(&adder);
        let killer = thread::spawn(move || {
            other.kill();
            other.drop_ref();
        });
        adder.drop_ref();
        killer.join().unwrap();
        assert!(adder.word.is_dead());
        assert_eq!(adder.freed.load(Ordering::Relaxed), 1, "freed once");
    });
}

/// A future has the state while other threads tell the actor something. What comes behind the
/// message that has closed the mailbox is handled after the future.
fn tell_and_hold() {
    explore(3, || {
        let adder = Adder::idle();
        let (held, other) = (Arc::clone(&adder), Arc::clone(&adder));
        let task = thread::spawn(move || held.be_task(7));
        let teller = thread::spawn(move || other.send(Note::Count(1)));
        adder.send(Note::Hold);
        adder.send(Note::Count(2));
        task.join().unwrap();
        teller.join().unwrap();
        let sum = adder.sum();
        assert!([172, 712, 721].contains(&sum), "{sum}");
        adder.end();
    });
}

#[test]
fn loom_actor_hold() {
    tell_and_hold();
    must_catch(Plant::HeldTooEarly, tell_and_hold);
}

#[test]
fn loom_actor_tell() {
    two_tell();
    must_catch(Plant::MailboxIdleBlindly, two_tell);
    must_catch(Plant::MailboxIdleRelaxed, two_tell);
    must_catch(Plant::MailboxLinkUnawaited, two_tell);
    three_tell();
}

#[test]
fn loom_actor_front() {
    tell_and_front();
    must_catch(Plant::MailboxFrontForgets, tell_and_front);
}

#[test]
fn loom_actor_stop() {
    tell_and_stop();
    must_catch(Plant::MailboxIdleBlindly, tell_and_stop);
    tell_and_kill();
    must_catch(Plant::MailboxIdleBlindly, tell_and_kill);
}

#[test]
fn loom_actor_ask_and_stop() {
    ask_and_stop();
    must_catch(Plant::MailboxIdleBlindly, ask_and_stop);
    must_catch(Plant::MailboxLinkUnawaited, ask_and_stop);
    ask_and_kill();
    must_catch(Plant::MailboxIdleBlindly, ask_and_kill);
}

#[test]
fn loom_actor_last_reference() {
    last_reference();
    must_catch(Plant::ActorLastRefTwoSteps, last_reference);
    reference_to_itself();
    must_catch(Plant::ActorLastRefGone, reference_to_itself);
    must_catch(Plant::ActorFinalUncounted, reference_to_itself);
    must_catch(Plant::ActorRevivedUnseen, reference_to_itself);
    last_reference_and_kill();
    must_catch(Plant::ActorLastRefTwoSteps, last_reference_and_kill);
}
