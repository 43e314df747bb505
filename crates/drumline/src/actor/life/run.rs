//! A run: the actor handles messages, one after another.
//!
//! ```text
//!  queue of the pool ──► run ──┬── no message left ──► idle, until a sender queues the next run
//!         ▲                    ├── enough for now ──► behind what else is queued
//!         └────────────────────┘
//!                              ├── stop, kill, a panic, the last reference ──► the end
//!                              └── a panic or RESTART, with a supervisor ──► put aside
//! ```
//!
//! A *recursive* actor goes straight on to the next message, [`RECURSIVE_MOST`] times at most, and
//! is then queued behind the other work of its worker. A *loop* actor is queued for each message.

use std::ptr::NonNull;

use super::Current;
use crate::actor::Style;
use crate::actor::memory::{ActorCore, RunFrame, RunRequest};
use crate::actor::system::CountedRun;
use crate::pool::{WakeOrigin, note_run_length};
use crate::unwind;

/// A recursive actor handles at most this many messages before others have a turn.
const RECURSIVE_MOST: u32 = 61;

/// How a run ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// There are no messages. The actor may be gone.
    Idle,
    /// There are more messages; another run is to be queued.
    More,
    /// The actor has ended. It may be gone.
    Ended,
    /// A future or a supervisor has the actor, and queues the next run. The actor may be gone.
    Held,
}

/// What came of the envelope at hand.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// It is open, and the actor goes on.
    Continue,
    /// The same; there is another envelope at hand, not opened yet.
    Front,
    /// The actor is to end. The run has `final`'s reference if it `has_reference`.
    End { has_reference: bool },
    /// The actor belongs to a future, and may be gone.
    Held,
    /// The actor is to be put aside for its supervisor. The envelope at hand is not open.
    Restart,
}

/// How the messages of a run ended.
enum Handled {
    Idle,
    More,
    Held,
    Restart,
    End { has_reference: bool },
}

/// The run of an actor of this style, as a job.
pub(crate) fn run_of(style: Style, is_counted: bool) -> unsafe fn(*const ()) {
    match (style, is_counted) {
        (Style::Recursive, false) => run_recursive,
        (Style::Loop, false) => run_loop,
        (Style::Recursive, true) => run_recursive_counted,
        (Style::Loop, true) => run_loop_counted,
    }
}

/// The run of a recursive actor, as a job.
///
/// # Safety
///
/// `data` is the address of a live core with a run that was queued in a pool. Called once for each
/// of those runs.
unsafe fn run_recursive(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<false>(data, RECURSIVE_MOST) };
}

/// The run of a loop actor, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
unsafe fn run_loop(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<false>(data, 1) };
}

/// The run of a recursive actor that counts, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
unsafe fn run_recursive_counted(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<true>(data, RECURSIVE_MOST) };
}

/// The run of a loop actor that counts, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
unsafe fn run_loop_counted(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<true>(data, 1) };
}

/// # Safety
///
/// As for [`run_recursive`].
#[inline]
unsafe fn run_as_job<const COUNTS: bool>(data: *const (), most: u32) {
    // SAFETY: the address of a core is not null.
    let core = unsafe { NonNull::new_unchecked(data.cast_mut().cast::<ActorCore>()) };
    let end = if COUNTS {
        // SAFETY: the caller's obligation.
        unsafe { run_and_count(core, most) }
    } else {
        // SAFETY: as above.
        unsafe { run(core, most) }
    };
    if end == RunEnd::More {
        // SAFETY: the run leaves the mailbox to the next one, and this thread is in the pool.
        unsafe { ActorCore::queue(core, WakeOrigin::Itself) };
    }
}

/// Handles up to `most` messages, and counts the run if the actor counts.
///
/// # Safety
///
/// As for [`run`].
pub(crate) unsafe fn run_and_count(core: NonNull<ActorCore>, most: u32) -> RunEnd {
    // Until this returns. The actor may be gone by then.
    //
    // SAFETY: the actor is alive.
    let _counted = CountedRun::begin(unsafe { core.as_ref() }.counter());
    // SAFETY: the caller's obligation.
    unsafe { run(core, most) }
}

/// Handles up to `most` messages.
///
/// # Safety
///
/// The caller has been called on for the actor by the sender that found it idle, or by the run
/// before.
#[inline]
unsafe fn run(core: NonNull<ActorCore>, most: u32) -> RunEnd {
    let _current = Current::enter(core.as_ptr());
    // SAFETY: the caller's obligation.
    let mut frame = unsafe { RunFrame::begin(core) };
    // SAFETY: the frame is that of this run.
    match unwind::catch(|| unsafe { frame.handle(most) }) {
        Ok(Handled::Idle) => RunEnd::Idle,
        Ok(Handled::More) => RunEnd::More,
        Ok(Handled::Held) => RunEnd::Held,
        Ok(Handled::Restart) => {
            // SAFETY: as above; the actor is supervised.
            unsafe { frame.put_aside_for_restart() };
            RunEnd::Held
        }
        Ok(Handled::End { has_reference }) => {
            // SAFETY: as above.
            unsafe { frame.end(None, has_reference) };
            RunEnd::Ended
        }
        // SAFETY: as above.
        Err(payload) => match unsafe { frame.fail(payload) } {
            None => RunEnd::Held,
            Some(payload) => {
                // SAFETY: as above.
                unsafe { frame.end(Some(payload), false) };
                RunEnd::Ended
            }
        },
    }
}

impl RunFrame {
    /// Whether the envelope at hand has been opened.
    pub(crate) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Opens the envelope at hand, unless the actor has been killed.
    ///
    /// # Safety
    ///
    /// The frame is that of a run that has begun, and the envelope at hand is not open.
    #[inline]
    pub(crate) unsafe fn open_at_hand(&mut self) -> Opened {
        // SAFETY: the actor is alive until it is idle.
        let word = unsafe { &(*self.core).word };
        if word.is_interrupted() && !word.raises() {
            // SAFETY: the caller's obligation.
            if let Some(opened) = unsafe { self.interrupt() } {
                return opened;
            }
        }
        self.is_open = true;
        // SAFETY: this is the run, and the envelope has not been opened.
        unsafe { self.open() };
        if self.request != RunRequest::Nothing {
            let request = std::mem::replace(&mut self.request, RunRequest::Nothing);
            match request {
                RunRequest::Front => return Opened::Front,
                RunRequest::Hold => return Opened::Held,
                _ => {}
            }
            // SAFETY: the actor is alive.
            if request == RunRequest::Stop || unsafe { self.accept_final() } {
                return Opened::End {
                    has_reference: request == RunRequest::Final,
                };
            }
        }
        Opened::Continue
    }

    /// Does what the word asks for before the envelope at hand is opened. `None`: the run goes on.
    ///
    /// # Safety
    ///
    /// As for [`open_at_hand`](Self::open_at_hand).
    #[cold]
    unsafe fn interrupt(&mut self) -> Option<Opened> {
        // SAFETY: the actor is alive until it is idle.
        let word = unsafe { &(*self.core).word };
        if word.is_killed() {
            return Some(Opened::End {
                has_reference: false,
            });
        }
        if word.is_to_restart() {
            return Some(Opened::Restart);
        }
        // SAFETY: the caller's obligation.
        unsafe { self.answer_census() };
        None
    }

    /// Goes on to the next envelope. `false`: there is none, and the actor may be gone.
    ///
    /// # Safety
    ///
    /// The frame is that of a run that has begun, and the envelope at hand is open.
    #[inline]
    pub(crate) unsafe fn next_or_idle(&mut self) -> bool {
        // SAFETY: this is the run, and that is the message at hand.
        let next = unsafe { (*self.core).mailbox.next_or_idle(self.at_hand) };
        // SAFETY: the envelope is open.
        unsafe { self.go_on(next) };
        next.is_some()
    }

    /// # Safety
    ///
    /// The frame is that of a run that has begun. After `Idle` the actor may be gone.
    #[inline]
    unsafe fn handle(&mut self, most: u32) -> Handled {
        let mut left = most;
        loop {
            // SAFETY: this is the run, and the envelope at hand is fresh.
            match unsafe { self.open_at_hand() } {
                // SAFETY: this is the run, and the envelope is open.
                Opened::Continue if !unsafe { self.next_or_idle() } => {
                    if left != most {
                        note_run_length(most - left);
                    }
                    return Handled::Idle;
                }
                Opened::Continue | Opened::Front => {}
                Opened::Held => return Handled::Held,
                Opened::Restart => return Handled::Restart,
                Opened::End { has_reference } => return Handled::End { has_reference },
            }
            left -= 1;
            if left == 0 {
                note_run_length(most - 1);
                // SAFETY: this is the run, and that is the next message.
                unsafe { (*self.core).mailbox.requeue(self.at_hand) };
                return Handled::More;
            }
        }
    }
}
