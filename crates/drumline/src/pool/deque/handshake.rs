//! How owners change over to fences when the barrier is lost.
//!
//! # What it owns
//!
//! One word for each seat. It says whether the seat's occupant may be pushing
//! without a fence. The occupant alone writes it.
//!
//! ```text
//!                 begin                     acknowledge
//!     IDLE ──────────────────► PLAIN ────────────────────────► FENCED
//!       ▲                       │                                (for ever)
//!       └───────────────────────┘
//!                  end
//! ```
//!
//! * IDLE: the occupant has nothing pending, and does not push before it has
//!   called [`begin`](Handshake::begin). A worker that is in the idle set or is the
//!   searcher, and a seat that no guest has.
//! * PLAIN: the occupant may push and pop with nothing but `barrier::light`.
//! * FENCED: each push from now on is followed by a fence, and everything that
//!   was pending has been exposed by its owner.
//!
//! # Steps
//!
//! 1. A thread that runs the barrier and sees it fail declares it lost (`barrier::heavy`). From
//!    then on no thief steals by force: it takes only what an owner has exposed.
//! 2. The thread asks the owners for attention, as a searcher does anyway: each
//!    deque's `limit` is null. An owner sees that at one of its next pushes.
//!    When it does matters to nothing but the duration of step 4.
//! 3. The owner, at that cold step, finds the barrier lost. It makes all deques
//!    of its chain *exposing* (`pool::deque`), and *then* stores FENCED. An
//!    occupant that comes later does so before its first push.
//! 4. A thread that wants to sleep marks, runs its own fence, looks at the word
//!    of each seat, and scans. It may sleep if no seat is PLAIN and the scan
//!    finds nothing. Otherwise it naps and begins again.
//!
//! # The races feared
//!
//! *A thief and the owner both get an entry*, because the owner pops without a
//! fence. A thief takes only entries below `head`, under the thief-lock. After
//! step 1 only the owner moves `head` up, in its own program order before its
//! later pops; so each such pop sees `head` and asks under the lock. A thief
//! that had its barrier before step 1 claimed rightfully.
//!
//! *An entry is hidden*: a thread sleeps, and the push has seen no mark. Let
//! the sleeper see FENCED. Pushes before that store are visible to it, because
//! the store releases them: its scan finds them. Pushes after the store have a
//! fence between `head`, which exposes them, and the look at the reasons. The
//! sleeper has one between the mark and its scan, which goes by `head`. So it
//! sees the entry, or the push sees the mark.
//!
//! *A seat is IDLE to the sleeper, and its occupant pushes.* The occupant calls
//! `begin` before it passes the lock of the idle set (`IdleSet::enter`, `take`,
//! `begin`). The sleeper looks after it has passed that lock. If the
//! occupant came first, the sleeper sees PLAIN. If the sleeper came first, the
//! idle set tells the occupant to mark its own deque, or has another thread watch.
//!
//! # An owner that does not answer
//!
//! One long job may keep an owner from its next push for any time. What it has
//! exposed can be taken, what it has not waits for it. Idle threads nap
//! meanwhile, up to [`LAST_NAP`]; a push that meets their marks wakes them at
//! once.
//!
//! An owner that blocks, perhaps until another thread has run what it pushed,
//! does not answer either. But the kernel has switched it out since, and that is
//! a full barrier on its behalf. So it keeps no thread awake, and what it has
//! pushed is exposed for it (`Seat::settle`, `Deque::expose_sleeper`).
//!
//! Not covered is an owner that computes, and never blocks, until another thread
//! has run what it pushed before the loss was noticed. The same holds for one
//! that blocks where the sandbox hides `/proc`.
//!
//! # Rejected
//!
//! A signal to each owner (signals belong to the program); `mprotect` (no
//! barrier on arm64); to wait until a store buffer "must be" empty (no system
//! says when); a trampoline deque in front of the deque in use (frames below would still
//! pop without a fence, and the frames above would return to it); a trampoline for
//! the calls that come later (8 of 25 ns per `join`, for one more kind of seat).

use std::time::Duration;

use super::Deque;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{barrier, planted};

const IDLE: usize = 0;
const PLAIN: usize = 1;
const FENCED: usize = 2;

/// The first nap of a thread that cannot be sure whether it may sleep.
const FIRST_NAP: Duration = Duration::from_millis(1);
/// The longest.
const LAST_NAP: Duration = Duration::from_millis(16);

/// Whether the occupant of a seat may be pushing without a fence.
#[derive(Debug)]
pub(crate) struct Handshake {
    state: AtomicUsize,
}

impl Handshake {
    /// For a seat. Its occupant fences from the start if `fenced`.
    pub(crate) fn new(fenced: bool) -> Self {
        Handshake {
            state: AtomicUsize::new(if fenced { FENCED } else { PLAIN }),
        }
    }

    /// It may push from now on. To be called before it passes the lock of the idle set.
    #[inline]
    pub(crate) fn begin(&self) {
        self.leave(IDLE, PLAIN);
    }

    /// It has nothing pending, and pushes nothing until it [begins](Self::begin).
    #[inline]
    pub(crate) fn end(&self) {
        self.leave(PLAIN, IDLE);
    }

    fn leave(&self, from: usize, to: usize) {
        // Relaxed: the occupant alone writes it.
        if self.state.load(Ordering::Relaxed) == from {
            // Release: a thread that sees IDLE sees everything taken back.
            self.state.store(to, Ordering::Release);
        }
    }

    /// Whether it has to [acknowledge](Self::acknowledge) that the barrier is lost.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        // Relaxed: the occupant asks, and it alone writes the word.
        barrier::is_lost() && self.state.load(Ordering::Relaxed) != FENCED
    }

    /// It has learnt that the barrier is lost: it exposes what is pending in its
    /// `deques`, and fences from now on.
    pub(crate) fn acknowledge<'a>(&self, deques: impl Iterator<Item = &'a Deque>) {
        if planted!(AcknowledgeFirst) {
            self.state.store(FENCED, Ordering::Release);
        }
        for deque in deques {
            deque.start_exposing();
        }
        // Release pairs with the Acquire in `is_settled`: a thread that sees it
        // sees all pushes that came without a fence.
        self.state.store(FENCED, Ordering::Release);
    }

    /// Whether the occupant may push at any moment, as far as one can see.
    pub(crate) fn may_push(&self) -> bool {
        // Relaxed: a hint that publishes nothing.
        self.state.load(Ordering::Relaxed) != IDLE
    }

    /// Whether the occupant pushes with a fence, or not at all. To be asked
    /// after the marks and a fence, and before the scan.
    pub(crate) fn is_settled(&self) -> bool {
        self.state.load(Ordering::Acquire) != PLAIN || planted!(SettledUnasked)
    }
}

/// Naps of a thread that cannot be sure whether it may sleep: each twice as long
/// as the one before.
#[derive(Debug)]
pub(crate) struct Naps(Duration);

impl Naps {
    pub(crate) fn new() -> Self {
        Naps(FIRST_NAP)
    }

    /// The length of the next one.
    pub(crate) fn next(&mut self) -> Duration {
        let nap = self.0;
        self.0 = (nap * 2).min(LAST_NAP);
        nap
    }
}
