//! Loom models of supervisors: actors that are put aside and go on, and messages meanwhile.

// The standard library's `Arc`: a planted deadlock drops it while it unwinds, outside of the model.
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use loom::cell::UnsafeCell;
use loom::sync::Mutex;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::failure::Directive;
use super::node::{Child, ChildKey, ChildStage, Supervised};
use super::options::{Strategy, SupervisorOptions};
use super::tree_state::{Failed, ROOT, Step, TreePlan, TreeState, Until};
use crate::actor::life_word::{LifeWord, RunOrder};
use crate::actor::mailbox::{MailLink, Mailbox, Pushed};
use crate::actor::models::explore;
use crate::sync::Instant;
use crate::sync::plant::{Plant, must_catch};

/// What a message says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Note {
    Count,
    Crash,
    Nudge,
    Revive,
    Stop,
}

/// A message, as an envelope is one.
#[repr(C)]
struct Letter {
    link: MailLink,
    note: Note,
}

fn letter(note: Note) -> *const MailLink {
    let letter = Letter {
        link: MailLink::new(),
        note,
    };
    Box::into_raw(Box::new(letter)).cast_const().cast()
}

/// An actor that counts. Its state is how many messages it has counted; `None` while it is aside.
struct Counter {
    mailbox: Mailbox,
    word: LifeWord,
    state: UnsafeCell<Option<usize>>,
    /// The notice that has a state made; null when there is one.
    notice: UnsafeCell<*const MailLink>,
    counted: AtomicUsize,
    revived: AtomicUsize,
    /// How often the factory is yet to panic.
    failures: AtomicUsize,
    key: ChildKey,
    tree: Arc<Mutex<TreeState<Handle>>>,
}

// SAFETY: the state is what the mailbox and the tree hand from thread to thread; loom checks every
// access.
unsafe impl Send for Counter {}
// SAFETY: as for `Send`.
unsafe impl Sync for Counter {}

#[derive(Clone)]
struct Handle(Arc<Counter>);

impl Supervised for Handle {
    type Waiter = ();
    type Timer = ();

    fn ask_restart(&self) {
        self.0.word.ask_restart();
    }

    fn clear_restart(&self) {
        self.0.word.clear_restart();
    }
}

impl Counter {
    fn send(&self, note: Note) {
        // SAFETY: the letter is fresh, and the model keeps the actor.
        if unsafe { self.mailbox.push(letter(note)) } == Pushed::FoundIdle {
            self.run();
        }
    }

    /// As `RunFrame` does. A queued run is one that the queueing thread does at once.
    fn run(&self) {
        // SAFETY: this thread acts for the actor.
        let mut at_hand = unsafe { self.mailbox.first() };
        if self.word.is_dead() {
            self.discard_all(at_hand);
            return;
        }
        loop {
            if self.word.is_interrupted() {
                if self.word.is_killed() {
                    return self.end(at_hand);
                }
                self.put_aside(at_hand);
                return self.carry_out(|tree, plan| tree.is_aside(self.key, plan));
            }
            // SAFETY: the run has the letter.
            match unsafe { (*at_hand.cast::<Letter>()).note } {
                Note::Count => {
                    // SAFETY: loom checks that no other thread is here.
                    self.state.with_mut(|state| unsafe {
                        *(*state).as_mut().expect("it is not aside") += 1;
                    });
                    self.counted.fetch_add(1, Ordering::SeqCst);
                }
                Note::Crash => {
                    // SAFETY: the run has the letter, which is open.
                    unsafe { (*at_hand.cast_mut().cast::<Letter>()).note = Note::Nudge };
                    return self.fail(at_hand, true);
                }
                Note::Revive if self.cannot_revive() => return self.fail(at_hand, false),
                Note::Revive => {
                    // SAFETY: loom checks that no other thread is here.
                    let before = self.state.with_mut(|state| unsafe { (*state).replace(0) });
                    assert!(before.is_none(), "there is one notice");
                    self.set_notice(ptr::null());
                    self.revived.fetch_add(1, Ordering::SeqCst);
                }
                Note::Nudge => {}
                Note::Stop => return self.end(at_hand),
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

    /// Whether the factory panics now: as often as `failures` says.
    fn cannot_revive(&self) -> bool {
        let count_down = |left: usize| left.checked_sub(1);
        self.failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, count_down)
            .is_ok()
    }

    fn fail(&self, at_hand: *const MailLink, has_started: bool) {
        self.put_aside(at_hand);
        let failed = Failed {
            key: self.key,
            directive: Directive::Restart,
            has_started,
        };
        let now = Instant::now();
        self.carry_out(|tree, plan| tree.failed(failed, now, plan));
    }

    /// The state is gone, and the next run begins with a notice.
    fn put_aside(&self, at_hand: *const MailLink) {
        // SAFETY: loom checks that no other thread is here.
        self.state.with_mut(|state| unsafe { *state = None });
        // SAFETY: as above.
        let notice = self.notice.with(|notice| unsafe { *notice });
        let first = if at_hand == notice {
            notice
        } else {
            let revive = letter(Note::Revive);
            // SAFETY: this thread is the run.
            unsafe { Mailbox::put_before(revive, at_hand) };
            self.set_notice(revive);
            revive
        };
        // SAFETY: this thread is the run.
        unsafe { self.mailbox.requeue(first) };
    }

    fn set_notice(&self, to: *const MailLink) {
        // SAFETY: loom checks that no other thread is here.
        self.notice.with_mut(|notice| unsafe { *notice = to });
    }

    fn end(&self, at_hand: *const MailLink) {
        // SAFETY: loom checks that no other thread is here.
        self.state.with_mut(|state| unsafe { *state = None });
        self.word.die(false);
        self.discard_all(at_hand);
        self.carry_out(|tree, plan| tree.ended(self.key, plan));
    }

    fn discard_all(&self, mut at_hand: *const MailLink) {
        // SAFETY: this thread acts for the actor.
        let last = unsafe { self.mailbox.take_all() };
        while at_hand != last {
            // SAFETY: it is not the last one.
            let next = unsafe { Mailbox::await_next(at_hand) };
            free(at_hand);
            at_hand = next;
        }
        free(at_hand);
    }

    fn carry_out(&self, step: impl FnOnce(&mut TreeState<Handle>, &mut TreePlan<Handle>)) {
        carry_out(&self.tree, step);
    }

    fn counted(&self) -> usize {
        self.counted.load(Ordering::SeqCst)
    }

    fn revived(&self) -> usize {
        self.revived.load(Ordering::SeqCst)
    }
}

fn free(letter: *const MailLink) {
    // SAFETY: leaked in `letter`, and freed once.
    drop(unsafe { Box::from_raw(letter.cast_mut().cast::<Letter>()) });
}

/// As `TreePlan::carry_out`.
fn carry_out(
    tree: &Mutex<TreeState<Handle>>,
    step: impl FnOnce(&mut TreeState<Handle>, &mut TreePlan<Handle>),
) {
    let mut plan = TreePlan::default();
    step(&mut tree.lock().unwrap(), &mut plan);
    for step in plan.steps {
        match step {
            Step::Resume(actor) => actor.0.run(),
            Step::End(actor) => {
                actor.0.word.kill();
                actor.0.run();
            }
            Step::Nudge(actor) => actor.0.send(Note::Nudge),
            Step::Stop(actor) => actor.0.send(Note::Stop),
            Step::Kill(actor) => {
                actor.0.word.kill();
                actor.0.send(Note::Nudge);
            }
            // No model waits for a time.
            Step::Timer(..) | Step::Cancel(()) | Step::Let(_) | Step::Over(_) => {}
        }
    }
}

/// A supervisor of two idle actors.
fn pair(options: SupervisorOptions) -> (Arc<Mutex<TreeState<Handle>>>, [Arc<Counter>; 2]) {
    let tree = Arc::new(Mutex::new(TreeState::new(options)));
    let pair = [(); 2].map(|()| {
        let mut state = tree.lock().unwrap();
        let root = state.nodes.get_mut(&ROOT).expect("it is there");
        let number = root.next_number();
        let first = letter(Note::Revive);
        let actor = Arc::new(Counter {
            mailbox: Mailbox::new(first),
            word: LifeWord::new(RunOrder::Managed),
            state: UnsafeCell::new(None),
            notice: UnsafeCell::new(first),
            counted: AtomicUsize::new(0),
            revived: AtomicUsize::new(0),
            failures: AtomicUsize::new(0),
            key: ChildKey { node: ROOT, number },
            tree: Arc::clone(&tree),
        });
        let child = Child::Actor {
            core: Handle(Arc::clone(&actor)),
            stage: ChildStage::Running,
            is_told: false,
        };
        root.add(number, child);
        drop(state);
        actor.run();
        actor
    });
    (tree, pair)
}

fn often(strategy: Strategy) -> SupervisorOptions {
    let options = SupervisorOptions::new().strategy(strategy);
    options.max_restarts(usize::MAX, Duration::from_secs(3_600))
}

/// One of two actors crashes while the other one is told something, and goes on with all of it.
fn restart_against_send() {
    explore(3, || {
        let (tree, [one, other]) = pair(often(Strategy::OneForAll));
        let told = Arc::clone(&other);
        let teller = thread::spawn(move || {
            told.send(Note::Count);
            told.send(Note::Count);
        });
        one.send(Note::Crash);
        teller.join().unwrap();
        one.send(Note::Count);
        assert_eq!((one.counted(), other.counted()), (1, 2), "nothing is lost");
        assert_eq!((one.revived(), other.revived()), (2, 2));
        drop(tree);
    });
}

/// The time is over in which the other one may come, while it is told something.
fn late_sibling() {
    explore(3, || {
        let (tree, [one, other]) = pair(often(Strategy::OneForAll));
        let told = Arc::clone(&other);
        let teller = thread::spawn(move || told.send(Note::Count));
        let timer = Arc::clone(&tree);
        let timer = thread::spawn(move || {
            carry_out(&timer, |tree, plan| {
                tree.time_is_over(1, Until::Aside, plan)
            });
        });
        one.send(Note::Crash);
        teller.join().unwrap();
        timer.join().unwrap();
        one.send(Note::Count);
        assert_eq!((one.counted(), other.counted()), (1, 1), "nothing is lost");
        assert_eq!((one.revived(), other.revived()), (2, 2));
    });
}

/// Both crash in the same moment.
fn two_crash() {
    explore(3, || {
        let (_tree, [one, other]) = pair(often(Strategy::OneForAll));
        let crashes = Arc::clone(&other);
        let crasher = thread::spawn(move || crashes.send(Note::Crash));
        one.send(Note::Crash);
        crasher.join().unwrap();
        one.send(Note::Count);
        other.send(Note::Count);
        assert_eq!((one.counted(), other.counted()), (1, 1));
        assert!((2..=3).contains(&one.revived()) && (2..=3).contains(&other.revived()));
    });
}

/// One crashes while the supervisor is stopped: both end.
fn crash_against_stop() {
    explore(3, || {
        let (tree, [one, other]) = pair(often(Strategy::OneForAll));
        let crashes = Arc::clone(&one);
        let crasher = thread::spawn(move || {
            crashes.send(Note::Count);
            crashes.send(Note::Crash);
        });
        carry_out(&tree, |tree, plan| tree.stop(ROOT, plan));
        crasher.join().unwrap();
        assert!(one.word.is_dead() && other.word.is_dead());
        assert!(
            tree.lock().unwrap().nodes.is_empty(),
            "the supervisor has ended"
        );
    });
}

/// An actor that cannot be revived crashes, and its supervisor is about to end.
fn fails_while_stopping() {
    explore(3, || {
        let (tree, [one, other]) = pair(often(Strategy::OneForAll));
        one.failures.store(5, Ordering::SeqCst);
        // As `stop` does at first: so each crash comes after that.
        tree.lock()
            .unwrap()
            .nodes
            .get_mut(&ROOT)
            .unwrap()
            .is_stopping = true;
        let stops = Arc::clone(&tree);
        let stopper = thread::spawn(move || carry_out(&stops, |tree, plan| tree.stop(ROOT, plan)));
        one.send(Note::Crash);
        stopper.join().unwrap();
        assert!(one.word.is_dead() && other.word.is_dead());
        assert!(one.failures.load(Ordering::SeqCst) >= 4, "it fails once");
    });
}

/// There may be one restart, and two actors crash: all end, once.
fn gives_up() {
    explore(3, || {
        let options = SupervisorOptions::new().strategy(Strategy::OneForOne);
        let (tree, [one, other]) = pair(options.max_restarts(1, Duration::from_secs(3_600)));
        let crashes = Arc::clone(&other);
        let crasher = thread::spawn(move || crashes.send(Note::Crash));
        one.send(Note::Crash);
        crasher.join().unwrap();
        assert!(one.word.is_dead() && other.word.is_dead());
        assert!(
            tree.lock().unwrap().nodes.is_empty(),
            "the supervisor has ended"
        );
    });
}

#[test]
fn loom_supervision_restart_keeps_what_is_sent() {
    restart_against_send();
    must_catch(Plant::RestartUncleared, restart_against_send);
    must_catch(Plant::RoundForgetsLast, restart_against_send);
}

#[test]
fn loom_supervision_round_does_not_wait_for_ever() {
    late_sibling();
    must_catch(Plant::RoundResumesAsked, late_sibling);
}

#[test]
fn loom_supervision_actors_crash_together() {
    two_crash();
}

#[test]
fn loom_supervision_crash_and_stop() {
    crash_against_stop();
    fails_while_stopping();
    must_catch(Plant::StoppingRevivesForEver, fails_while_stopping);
}

#[test]
fn loom_supervision_too_many_crashes() {
    gives_up();
}
