//! Loom models of an actor that is a function: senders that call its thread, against the thread,
//! which waits for a call with a deadline, and ends the actor when it likes.

// The standard library's `Arc`: a planted deadlock drops it while it unwinds, outside of the model.
use std::sync::Arc;
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::life_word::{FinalStep, LifeWord, RefDrop, RunOrder};
use super::mailbox::{MailLink, Mailbox, Pushed};
use super::models::{Note, explore, free, letter, note, opened};
use super::thread_call::{InboxStage, ThreadCall};
use crate::sync::plant::{Plant, must_catch};

/// An actor that is a function, as senders see it.
struct Called {
    mailbox: Mailbox,
    word: LifeWord,
    call: ThreadCall,
    /// What was received: plain memory of the owner of the mailbox.
    sum: UnsafeCell<usize>,
    /// Discarded messages.
    lost: AtomicUsize,
    /// How often the memory was freed.
    freed: AtomicUsize,
}

// SAFETY: the sum is the thread's, as the mailbox is; loom checks every access.
unsafe impl Send for Called {}
// SAFETY: as for `Send`.
unsafe impl Sync for Called {}

/// The inbox of its thread. It does as `Inbox` does.
struct ModelInbox {
    actor: Arc<Called>,
    stage: InboxStage,
    at_hand: *const MailLink,
    is_open: bool,
    /// Those that had the actor, or have it.
    tasks: Vec<thread::JoinHandle<()>>,
}

/// How a receive waits.
#[derive(Clone, Copy)]
enum Patience {
    /// For one nap, and not longer.
    Nap,
    /// For ever.
    Endless,
    /// Not at all.
    None,
}

impl Called {
    /// An actor with one reference and with a thread that has been called.
    fn new() -> Arc<Self> {
        Arc::new(Called {
            mailbox: Mailbox::new(letter(Note::Nudge)),
            word: LifeWord::new(RunOrder::Managed),
            call: ThreadCall::new(),
            sum: UnsafeCell::new(0),
            lost: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
        })
    }

    fn send(&self, note: Note) {
        let envelope = letter(note);
        // SAFETY: the letter is fresh, and the model keeps the actor.
        if unsafe { self.mailbox.push(envelope) } == Pushed::FoundIdle {
            if self.word.is_dead() {
                if self.discard_all(envelope, false) {
                    self.freed.fetch_add(1, Ordering::Relaxed);
                }
            } else {
                self.call.call();
            }
        }
    }

    fn drop_ref(&self) {
        if self.word.drop_ref() == RefDrop::SendFinal {
            self.send(Note::Final);
        }
    }

    fn discard_all(&self, mut at_hand: *const MailLink, mut is_open: bool) -> bool {
        let mut is_last = false;
        // SAFETY: this thread acts for the actor.
        let last = unsafe { self.mailbox.take_all() };
        loop {
            match note(at_hand) {
                _ if is_open => {}
                Note::Final => is_last |= self.word.accept_final() == FinalStep::End,
                Note::Count(_) => {
                    self.lost.fetch_add(1, Ordering::Relaxed);
                }
                Note::Stop | Note::Nudge | Note::Front(_) | Note::Hold | Note::Ask => {}
            }
            is_open = false;
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

    /// Called by the owner of the mailbox.
    fn add(&self, number: usize) {
        // SAFETY: loom checks that no other thread is here.
        let add = |sum: *mut usize| unsafe { *sum = *sum * 10 + number };
        self.sum.with_mut(add);
    }

    /// What was received; asked when the thread has ended.
    fn sum(&self) -> usize {
        // SAFETY: as for `add`.
        self.sum.with(|sum| unsafe { *sum })
    }

    /// The actor has ended, and its memory was freed. `sums` says what may have been received, and
    /// what is lost then.
    fn check(&self, sums: &[(usize, usize)]) {
        let outcome = (self.sum(), self.lost.load(Ordering::Relaxed));
        assert!(sums.contains(&outcome), "{outcome:?}");
        assert!(self.word.is_dead());
        assert_eq!(self.freed.load(Ordering::Relaxed), 1, "freed once");
    }
}

impl ModelInbox {
    /// Calls `body` with the inbox, and ends the actor.
    fn live(actor: Arc<Called>, body: impl FnOnce(&mut ModelInbox)) {
        let mut inbox = ModelInbox {
            // SAFETY: the thread has been called.
            at_hand: unsafe { actor.mailbox.first() },
            actor,
            stage: InboxStage::Running,
            is_open: false,
            tasks: Vec::new(),
        };
        body(&mut inbox);
        inbox.end();
        for task in inbox.tasks {
            task.join().unwrap();
        }
    }

    /// Receives a message. `false`: there is none, or the actor is to end.
    fn receive(&mut self, patience: Patience) -> bool {
        loop {
            match self.stage {
                InboxStage::Ended { .. } => return false,
                InboxStage::Idle => {
                    if !self.wait(patience) {
                        return false;
                    }
                    self.begin();
                }
                InboxStage::Running if self.is_open => {
                    // SAFETY: the thread owns the mailbox.
                    let next = unsafe { self.actor.mailbox.next_or_idle(self.at_hand) };
                    free(self.at_hand);
                    match next {
                        Some(next) => self.take_up(next),
                        None => {
                            self.stage = InboxStage::Idle;
                            continue;
                        }
                    }
                }
                InboxStage::Running => {}
            }
            if self.actor.word.is_killed() {
                self.stage = InboxStage::Ended {
                    has_reference: false,
                };
                continue;
            }
            self.is_open = true;
            match note(self.at_hand) {
                Note::Count(number) => {
                    self.actor.add(number);
                    return true;
                }
                Note::Nudge => {}
                Note::Stop => {
                    self.stage = InboxStage::Ended {
                        has_reference: false,
                    };
                }
                Note::Final => match self.actor.word.accept_final() {
                    FinalStep::Continue => {}
                    FinalStep::End => {
                        self.stage = InboxStage::Ended {
                            has_reference: true,
                        };
                    }
                    FinalStep::SendAgain => unreachable!("the function makes no reference"),
                },
                Note::Hold => self.hold(),
                Note::Front(_) | Note::Ask => unreachable!("no model tells it that"),
            }
        }
    }

    /// As `close_for` does: a task has the actor, and calls the thread when it is done.
    fn hold(&mut self) {
        // SAFETY: the thread owns the mailbox.
        unsafe { self.actor.mailbox.requeue(opened(self.at_hand)) };
        self.stage = self.stage.hold();
        let own = Arc::clone(&self.actor);
        self.tasks.push(thread::spawn(move || {
            own.add(5);
            own.call.call();
        }));
    }

    fn wait(&self, patience: Patience) -> bool {
        let call = &self.actor.call;
        match patience {
            Patience::Nap => {
                let mut naps = [Duration::from_nanos(1)].into_iter();
                call.await_call_for(|| naps.next().unwrap_or_default())
            }
            Patience::Endless => {
                call.await_call();
                true
            }
            Patience::None => {
                let has_call = call.has_call();
                if has_call {
                    call.await_call();
                }
                has_call
            }
        }
    }

    fn begin(&mut self) {
        // SAFETY: the thread has been called.
        let first = unsafe { self.actor.mailbox.first() };
        self.take_up(first);
        self.stage = InboxStage::Running;
    }

    fn take_up(&mut self, envelope: *const MailLink) {
        self.at_hand = envelope;
        self.is_open = false;
    }

    fn end(&mut self) {
        let actor = Arc::clone(&self.actor);
        let stage = self.stage;
        let has_reference = stage.regain(&actor.call, || actor.send(Note::Nudge), || self.begin());
        if !has_reference {
            actor.word.add_ref();
        }
        actor.word.die(false);
        let is_last = actor.discard_all(self.at_hand, self.is_open);
        assert!(!is_last, "the thread has a reference");
        actor.drop_ref();
    }
}

/// The function receives twice with a deadline, and returns, while a sender tells it something
/// twice, and drops the only reference.
fn deadline() {
    explore(3, || {
        let actor = Called::new();
        let own = Arc::clone(&actor);
        let inbox = thread::spawn(move || {
            ModelInbox::live(own, |inbox| {
                inbox.receive(Patience::Nap);
                inbox.receive(Patience::Nap);
            });
        });
        actor.send(Note::Count(1));
        actor.send(Note::Count(2));
        actor.drop_ref();
        inbox.join().unwrap();
        actor.check(&[(0, 2), (1, 1), (12, 0)]);
    });
}

/// The function looks once, and returns, while two senders come. One of them has the only reference
/// besides that of the other.
fn two_senders() {
    explore(2, || {
        let actor = Called::new();
        actor.word.add_ref();
        let own = Arc::clone(&actor);
        let inbox = thread::spawn(move || {
            ModelInbox::live(own, |inbox| {
                inbox.receive(Patience::Nap);
                inbox.receive(Patience::None);
            });
        });
        let other = Arc::clone(&actor);
        let sender = thread::spawn(move || {
            other.send(Note::Count(1));
            other.drop_ref();
        });
        actor.send(Note::Count(2));
        actor.drop_ref();
        sender.join().unwrap();
        inbox.join().unwrap();
        actor.check(&[(0, 2), (1, 1), (2, 1), (12, 0), (21, 0)]);
    });
}

/// The function receives until there is nothing more: a stop comes behind all messages of its
/// sender, or the last reference is gone.
fn receives_all(is_stopped: bool) {
    explore(3, move || {
        let actor = Called::new();
        let own = Arc::clone(&actor);
        let inbox = thread::spawn(move || {
            ModelInbox::live(own, |inbox| {
                inbox.receive(Patience::Nap);
                while inbox.receive(Patience::Endless) {}
            });
        });
        actor.send(Note::Count(1));
        actor.send(Note::Count(2));
        if is_stopped {
            actor.send(Note::Stop);
        }
        actor.drop_ref();
        inbox.join().unwrap();
        actor.check(&[(12, 0)]);
    });
}

/// The actor is killed while its thread waits: the thread learns of it.
fn killed() {
    explore(3, || {
        let actor = Called::new();
        let own = Arc::clone(&actor);
        let inbox = thread::spawn(move || {
            ModelInbox::live(own, |inbox| while inbox.receive(Patience::Endless) {});
        });
        actor.send(Note::Count(1));
        actor.word.kill();
        actor.send(Note::Nudge);
        inbox.join().unwrap();
        actor.drop_ref();
        actor.check(&[(0, 1), (1, 0)]);
    });
}

/// A future has the actor when the function receives once more, or has returned.
fn held(receives: bool) {
    explore(3, move || {
        let actor = Called::new();
        let own = Arc::clone(&actor);
        let inbox = thread::spawn(move || {
            ModelInbox::live(own, |inbox| {
                inbox.receive(Patience::Nap);
                while receives && inbox.receive(Patience::Endless) {}
            });
        });
        actor.send(Note::Hold);
        actor.send(Note::Count(1));
        actor.drop_ref();
        inbox.join().unwrap();
        if receives {
            actor.check(&[(51, 0)]);
        } else {
            actor.check(&[(0, 1), (5, 1), (51, 0)]);
        }
    });
}

#[test]
fn loom_inbox_held_by_a_future() {
    held(true);
    held(false);
    must_catch(Plant::InboxKeepsHeld, || held(true));
    must_catch(Plant::InboxKeepsHeld, || held(false));
}

#[test]
fn loom_inbox_deadline() {
    deadline();
    must_catch(Plant::CallDroppedAtDeadline, deadline);
    must_catch(Plant::InboxRegainsUncalled, deadline);
}

#[test]
fn loom_inbox_two_senders() {
    two_senders();
}

#[test]
fn loom_inbox_end() {
    receives_all(true);
    must_catch(Plant::CallDroppedAtDeadline, || receives_all(true));
    receives_all(false);
    killed();
    must_catch(Plant::MailboxIdleBlindly, killed);
}
