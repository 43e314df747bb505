//! How far an actor is, and how many references there are, in one word.
//!
//! | bit | set by | means |
//! |---|---|---|
//! | `STARTED` | the run | the hook `started` has been called |
//! | `KILLED` | any thread, or the run that ends with `final` | the run handles no further message |
//! | `DEAD` | the run | the state is gone; what is in the mailbox is discarded |
//! | `PANICKED` | the run, with `DEAD` or as it puts the actor aside | because a handler panicked |
//! | `FINAL` | the last reference | the message `final` is on its way, with that reference |
//! | `REVIVED` | a handler, beside `FINAL` | there was another reference since |
//! | `NEWEST`, `OLDEST` | the spawn | in which order the pool runs it: see [`RunOrder`] |
//! | `RAISES` | a future that has the state | the next message is its panic |
//! | `HAS_WEAK` | any thread | there are weak references, or were |
//! | `RESTART` | a supervisor, under its lock | the run is to put the actor aside |
//! | `ATTACHED` | any thread, under a lock | something is, or was: see `attached` |
//! | `CENSUS` | any thread | the run is to count the messages: see `attached::census` |
//! | `ENDED` | the run, after `DEAD` | nothing is attached any more: the list has let go of it |
//!
//! **References** are counted in the bits above: one for each `ActorRef` and the like. Neither a
//! run nor the list of the system has one.
//!
//! # The last reference
//!
//! An actor to which nothing refers can get no message any more. It ends when it has handled those
//! that it has. So the thread that drops the last reference keeps the count at one, sets FINAL, and
//! sends the message `final`, to which the reference belongs from then on. It is behind all other
//! messages: each of their senders had a reference.
//!
//! ```text
//!               drop_ref: the last one                   accept_final: still the only one
//!   n references ───────────────────► 1, FINAL ─────────────────► the run ends the actor
//!                                      │    ▲
//!             the actor makes a        ▼    │  that is dropped
//!             reference to itself     n, FINAL, REVIVED ──► accept_final: n - 1, the actor goes on
//! ```
//!
//! Only a handler, and a thread that has a [notice](LifeWord::reach) for the actor, can make a
//! reference while there is none besides that of `final`. It sets REVIVED. If that reference is
//! still there when the run comes to `final`, the one of `final` is dropped like any other. If it
//! is gone, messages may have been sent by it, behind `final`: then `final` is sent once more.
//!
//! **Which thread frees the memory.** The thread that accepts the only reference of an actor that
//! is DEAD. Some threads act for a dead actor: the run that has ended it, a sender that has found
//! it dead, a thread that goes through the list of the system. Each has a reference meanwhile, so
//! none of them is left then.
//!
//! # Weak references
//!
//! They are not counted. To upgrade one makes a reference in one step, if there is another besides
//! that of `final`, and the actor is neither KILLED nor DEAD. So it is as if that other one were
//! cloned. If `final` is on its way, the new reference may send messages behind it, as one of a
//! handler may: REVIVED. The memory is there meanwhile: see [`weak_link`](super::weak_link).
//!
//! **The race feared** is a thread that drops the last reference and then touches memory that
//! another one has freed. The count never is zero. The thread that sends `final` touches nothing of
//! the actor after that, unless it finds the actor idle and acts for it.

use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::planted;

const STARTED: usize = 1;
const KILLED: usize = 2;
const DEAD: usize = 4;
const PANICKED: usize = 8;
const FINAL: usize = 16;
const REVIVED: usize = 32;
const NEWEST: usize = 64;
const OLDEST: usize = 128;
const HAS_WEAK: usize = 256;
const RAISES: usize = 512;
const RESTART: usize = 1024;
const ATTACHED: usize = 2048;
const CENSUS: usize = 4096;
const ENDED: usize = 8192;
/// One reference.
const REF: usize = 16384;

/// In which order a worker of the pool comes to its actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunOrder {
    /// As woken tasks: the one that was told something last is the next, but not too often.
    Managed,
    /// The one that has got a message last is the first.
    NewestFirst,
    /// The one that has got a message first.
    OldestFirst,
}

/// What a thread has to do that has come to `final`.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FinalStep {
    /// There are other references: the actor goes on. That of `final` has been dropped.
    Continue,
    /// The reference is the only one. It belongs to the thread from now on.
    End,
    /// The same, but there may be messages behind: to send `final` again, with the reference.
    SendAgain,
}

/// What a thread has to do that drops a reference.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefDrop {
    /// Nothing.
    Kept,
    /// It was the last one: to send `final`, with the reference.
    SendFinal,
}

/// The word of one actor.
#[derive(Debug)]
#[repr(transparent)]
pub(crate) struct LifeWord(AtomicUsize);

impl LifeWord {
    /// Of an actor with one reference.
    pub(crate) fn new(order: RunOrder) -> Self {
        let bit = match order {
            RunOrder::Managed => 0,
            RunOrder::NewestFirst => NEWEST,
            RunOrder::OldestFirst => OLDEST,
        };
        LifeWord(AtomicUsize::new(REF | bit))
    }

    /// In which order the pool runs the actor.
    #[inline]
    pub(crate) fn order(&self) -> RunOrder {
        // Relaxed: it never changes.
        match self.0.load(Ordering::Relaxed) & (NEWEST | OLDEST) {
            0 => RunOrder::Managed,
            NEWEST => RunOrder::NewestFirst,
            _ => RunOrder::OldestFirst,
        }
    }

    /// A reference is made, from another one or by a thread that acts for the actor.
    #[inline]
    pub(crate) fn add_ref(&self) {
        // Relaxed: another reference keeps the memory.
        let before = self.0.fetch_add(REF, Ordering::Relaxed);
        if before > isize::MAX as usize {
            // The memory would be freed under the eyes of others.
            std::process::abort();
        }
    }

    /// A reference is dropped.
    #[inline]
    pub(crate) fn drop_ref(&self) -> RefDrop {
        // Relaxed: the step below acquires.
        let mut now = self.0.load(Ordering::Relaxed);
        if planted!(ActorLastRefTwoSteps) && now >= 2 * REF {
            self.0.fetch_sub(REF, Ordering::AcqRel);
            return RefDrop::Kept;
        }
        loop {
            let is_last = now & FINAL == 0 && now < 2 * REF;
            let next = if !is_last || planted!(ActorLastRefGone) {
                now - REF
            } else {
                now | FINAL
            };
            // Release: what this reference was used for comes before the end. Acquire: `final` is
            // behind what the others were used for. Relaxed: a step that fails is tried anew.
            match self
                .0
                .compare_exchange_weak(now, next, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) if is_last => return RefDrop::SendFinal,
                Ok(_) => return RefDrop::Kept,
                Err(other) => now = other,
            }
        }
    }

    /// A weak reference becomes one that counts, if there is another one of those. Returns whether
    /// it does.
    pub(crate) fn upgrade(&self) -> bool {
        self.add_ref_beside(1)
    }

    /// A reference is made for one notice, unless the actor is about to end: the message at hand
    /// may yet make references, and the notice is then not to be missed. Returns whether it is.
    pub(crate) fn reach(&self) -> bool {
        self.add_ref_beside(0)
    }

    /// A reference is made if there are this many others, besides that of `final`, and the actor
    /// is not about to end.
    fn add_ref_beside(&self, least: usize) -> bool {
        // Relaxed, here and below: as in `add_ref`, another reference keeps the memory.
        let mut now = self.0.load(Ordering::Relaxed);
        loop {
            let is_final = now & FINAL != 0;
            let others = now / REF - usize::from(is_final);
            let is_ending = now & (KILLED | DEAD) != 0 && !planted!(UpgradeOfEnding);
            if others < least || is_ending {
                return false;
            }
            if planted!(UpgradeTwoSteps) {
                self.add_ref();
                return true;
            }
            if now > isize::MAX as usize {
                // As in `add_ref`.
                std::process::abort();
            }
            let revived = if is_final { REVIVED } else { 0 };
            let next = (now + REF) | revived;
            // Relaxed: as above. On failure: a step that fails is tried anew.
            match self
                .0
                .compare_exchange_weak(now, next, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
    }

    /// There is a weak reference; by a thread that has one that counts.
    pub(crate) fn note_weak(&self) {
        // Relaxed: that reference is dropped before the memory is freed, and that publishes it.
        self.0.fetch_or(HAS_WEAK, Ordering::Relaxed);
    }

    /// Whether there was a weak reference; asked by the thread that frees the memory.
    pub(crate) fn has_weak(&self) -> bool {
        // Relaxed: as above.
        self.0.load(Ordering::Relaxed) & HAS_WEAK != 0
    }

    /// The run makes a reference.
    pub(crate) fn add_ref_in_run(&self) {
        self.add_ref();
        // Relaxed: the run itself reads it. Other threads do not set FINAL while there is this
        // reference.
        if self.0.load(Ordering::Relaxed) & FINAL != 0 {
            self.0.fetch_or(REVIVED, Ordering::Relaxed);
        }
    }

    /// The run, or a thread that acts for a dead actor, has come to `final`.
    pub(crate) fn accept_final(&self) -> FinalStep {
        // Relaxed: the step below acquires.
        let mut now = self.0.load(Ordering::Relaxed);
        loop {
            let (step, next) = if now >= 2 * REF {
                (FinalStep::Continue, (now & !(FINAL | REVIVED)) - REF)
            } else if now & REVIVED != 0 && now & DEAD == 0 && !planted!(ActorRevivedUnseen) {
                (FinalStep::SendAgain, now & !REVIVED)
            } else {
                // Killed: no weak reference is upgraded to the one of the run.
                (FinalStep::End, now & !(FINAL | REVIVED) | KILLED)
            };
            // Relaxed: as in `drop_ref`.
            match self
                .0
                .compare_exchange_weak(now, next, Ordering::AcqRel, Ordering::Relaxed)
            {
                Ok(_) if planted!(ActorFinalUncounted) => return FinalStep::End,
                Ok(_) => return step,
                Err(other) => now = other,
            }
        }
    }

    /// The run calls the hook `started`.
    pub(crate) fn start(&self) {
        // Relaxed: read by runs, which see each other.
        self.0.fetch_or(STARTED, Ordering::Relaxed);
    }

    pub(crate) fn has_started(&self) -> bool {
        // Relaxed: as above.
        self.0.load(Ordering::Relaxed) & STARTED != 0
    }

    /// The hook `started` of another state is to be called.
    pub(crate) fn restart(&self) {
        // Relaxed: as in `start`.
        self.0.fetch_and(!STARTED, Ordering::Relaxed);
    }

    /// The actor has panicked, and is aside. That is the reason if it ends now.
    pub(crate) fn note_panic(&self) {
        // Relaxed: the run that ends the actor is queued later, by the caller.
        self.0.fetch_or(PANICKED, Ordering::Relaxed);
    }

    /// The actor has another state.
    pub(crate) fn forget_panic(&self) {
        // Relaxed: by the run.
        self.0.fetch_and(!PANICKED, Ordering::Relaxed);
    }

    /// The state is gone, and there will be no other.
    pub(crate) fn die(&self, panicked: bool) {
        let bits = if panicked { DEAD | PANICKED } else { DEAD };
        // Release pairs with `is_dead`.
        self.0.fetch_or(bits, Ordering::Release);
    }

    /// The actor is dead, its mailbox is idle, and its system has let go of it. Returns whether
    /// something is attached.
    pub(crate) fn end(&self) -> bool {
        // Release pairs with `attach`: a thread that comes too late may say that it has ended. What
        // is attached is reached under a lock.
        self.0.fetch_or(ENDED, Ordering::Release) & ATTACHED != 0
    }

    /// Something was attached, as far as the run knows.
    pub(crate) fn has_attached(&self) -> bool {
        // Relaxed: the run sees what it has attached itself. What other threads attach meanwhile
        // is as if they had attached it later.
        self.0.load(Ordering::Relaxed) & ATTACHED != 0
    }

    /// Something is to be attached, by a thread that has a reference and the lock for that. Returns
    /// whether it may be: the actor has not ended. It may be dead.
    pub(crate) fn attach(&self) -> bool {
        if planted!(AttachTwoSteps) {
            let goes_on = self.0.load(Ordering::Acquire) & ENDED == 0;
            self.0.fetch_or(ATTACHED, Ordering::AcqRel);
            return goes_on;
        }
        // Acquire pairs with `end`: a thread that finds the actor ended may say so.
        self.0.fetch_or(ATTACHED, Ordering::Acquire) & ENDED == 0
    }

    /// No further message is to be handled. To be followed by a push.
    pub(crate) fn kill(&self) {
        // Relaxed: the push publishes it.
        self.0.fetch_or(KILLED, Ordering::Relaxed);
    }

    /// The run, between two messages: whether the actor is killed or to be put aside, or is asked
    /// how many messages it has.
    #[inline]
    pub(crate) fn is_interrupted(&self) -> bool {
        // Relaxed: a run that does not see it finds the message that was pushed after it.
        self.0.load(Ordering::Relaxed) & (KILLED | RESTART | CENSUS) != 0
    }

    /// The run, between two messages.
    pub(crate) fn is_killed(&self) -> bool {
        // Relaxed: as above.
        self.0.load(Ordering::Relaxed) & KILLED != 0
    }

    /// The run is to put the actor aside, for a restart. To be followed by a push.
    pub(crate) fn ask_restart(&self) {
        // Relaxed: the push publishes it.
        self.0.fetch_or(RESTART, Ordering::Relaxed);
    }

    /// The run, between two messages: whether it is to put the actor aside.
    pub(crate) fn is_to_restart(&self) -> bool {
        // Relaxed: as in `is_interrupted`.
        self.0.load(Ordering::Relaxed) & RESTART != 0
    }

    /// The run is to say how many messages there are. Returns whether that is to be followed by a
    /// push. Otherwise another thread has asked, and the run has not come to its push.
    pub(crate) fn ask_census(&self) -> bool {
        // Relaxed: the push publishes it.
        self.0.fetch_or(CENSUS, Ordering::Relaxed) & CENSUS == 0
    }

    /// The run is about to answer all that have asked.
    pub(crate) fn end_census(&self) {
        // Relaxed: what was attached before is reached under a lock. An `ask_census` that this does
        // not clear is seen before the next message.
        self.0.fetch_and(!CENSUS, Ordering::Relaxed);
    }

    /// The actor is put aside.
    pub(crate) fn clear_restart(&self) {
        // Relaxed: set and cleared under the lock of the supervisor.
        self.0.fetch_and(!RESTART, Ordering::Relaxed);
    }

    /// The next message is a panic, which ends the actor whatever else is asked for.
    pub(crate) fn raise(&self) {
        // Relaxed: read by the next run, which sees what the caller has done.
        self.0.fetch_or(RAISES, Ordering::Relaxed);
    }

    /// The panic is being raised: an actor that is started again is interrupted as before.
    pub(crate) fn has_raised(&self) {
        // Relaxed: used by runs, which see each other.
        self.0.fetch_and(!RAISES, Ordering::Relaxed);
    }

    /// Whether it is.
    pub(crate) fn raises(&self) -> bool {
        // Relaxed: as above.
        self.0.load(Ordering::Relaxed) & RAISES != 0
    }

    /// Whether the state is gone.
    #[inline]
    pub(crate) fn is_dead(&self) -> bool {
        // Acquire pairs with `die`.
        self.0.load(Ordering::Acquire) & DEAD != 0
    }

    /// Whether a panic has ended the actor.
    pub(crate) fn has_panicked(&self) -> bool {
        // Acquire: as above.
        self.0.load(Ordering::Acquire) & PANICKED != 0
    }
}
