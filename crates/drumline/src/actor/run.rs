//! A run: the actor handles messages, one after another.
//!
//! ```text
//!  queue of the pool ──► run ──┬── no message left ──► idle, until a sender queues the next run
//!         ▲                    ├── enough for now ──► behind what else is queued
//!         └────────────────────┘
//!                              └── stop, kill, a panic, the last reference ──► the end
//! ```
//!
//! A *recursive* actor goes straight on to the next message, [`RECURSIVE_MOST`] times at most, and
//! is then queued behind the other work of its worker. A *loop* actor is queued for each message.
//!
//! # The end
//!
//! 1. The hook `stopped` is called, unless a panic has ended the actor.
//! 2. The state is dropped. Panics of both are reported.
//! 3. The word says DEAD.
//! 4. All messages are taken, so that the mailbox is idle, and discarded: dead letters.
//! 5. The list of the system lets go of the actor.
//! 6. The run, which has had a reference since 1, drops it.
//!
//! A thread that finds a dead actor idle acts for it ([`give_up`]): it takes its own message back,
//! and discards those of other senders that have come behind it.
//!
//! **The race feared** is a message that no thread discards, or an actor that no thread frees. Each
//! message that is pushed finds another one, and the thread that acts for the actor comes to it; or
//! it finds null, and then its sender acts for the actor. It makes no difference whether the actor
//! lives.

use std::cell::Cell;
use std::ptr::{self, NonNull};

use super::actor_stats;
use super::cell::ActorCore;
use super::dead_letter::Loss;
use super::envelope::Envelope;
use super::life_word::FinalStep;
use super::mailbox::Mailbox;
use crate::pool::WakeOrigin;
use crate::sync::per_thread;
use crate::unwind::{self, Payload};

/// A recursive actor handles at most this many messages before others have a turn.
const RECURSIVE_MOST: u32 = 61;

per_thread! {
    /// The actor whose message this thread handles.
    static CURRENT: Cell<*const ActorCore> = const { Cell::new(ptr::null()) };
}

/// What a message has asked of its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    Nothing,
    /// To end the actor.
    Stop,
    /// The message was `final`.
    Final,
    /// To go on with the envelope at hand: it has come in front of the one that was opened.
    Front,
    /// To leave the actor alone: it belongs to a future.
    Hold,
}

/// What a run knows.
pub(super) struct RunFrame {
    pub(super) core: *const ActorCore,
    /// Why envelopes are discarded; `None` while they are handled.
    pub(super) loss: Option<Loss>,
    pub(super) request: Request,
    /// The content of the envelope at hand has been taken out.
    is_open: bool,
    at_hand: NonNull<Envelope>,
}

/// How a run ended.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    /// There are no messages. The actor may be gone.
    Idle,
    /// There are more messages; another run is to be queued.
    More,
    /// The actor has ended. It may be gone.
    Ended,
    /// A future has the actor, and queues the next run. The actor may be gone.
    Held,
}

/// What came of the envelope at hand.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// It is open, and the actor goes on.
    Continue,
    /// The same; there is another envelope at hand, not opened yet.
    Front,
    /// The actor is to end. The run has `final`'s reference if it `has_reference`.
    End { has_reference: bool },
    /// The actor belongs to a future, and may be gone.
    Held,
}

/// How the messages of a run ended.
enum Handled {
    Idle,
    More,
    Held,
    End { has_reference: bool },
}

/// The run of a recursive actor, as a job.
///
/// # Safety
///
/// `data` is the address of a live core, whose run was queued in a pool; called once for each of
/// those.
pub(super) unsafe fn run_recursive(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job(data, RECURSIVE_MOST) };
}

/// The run of a loop actor, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
pub(super) unsafe fn run_loop(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job(data, 1) };
}

/// # Safety
///
/// As for [`run_recursive`].
#[inline]
unsafe fn run_as_job(data: *const (), most: u32) {
    // SAFETY: the address of a core is not null.
    let core = unsafe { NonNull::new_unchecked(data.cast_mut().cast::<ActorCore>()) };
    // SAFETY: the caller's obligation.
    if unsafe { run(core, most) } == RunEnd::More {
        // SAFETY: the run leaves the mailbox to the next one, and this thread is in the pool.
        unsafe { ActorCore::queue(core, WakeOrigin::Itself) };
    }
}

/// Handles up to `most` messages.
///
/// # Safety
///
/// The caller has been called on for the actor by the sender that found it idle, or by the run
/// before.
#[inline]
pub(super) unsafe fn run(core: NonNull<ActorCore>, most: u32) -> RunEnd {
    let _current = Current::enter(core.as_ptr());
    // SAFETY: the caller's obligation.
    let mut frame = unsafe { RunFrame::begin(core) };
    // SAFETY: the frame is that of this run.
    match unwind::catch(|| unsafe { frame.handle(most) }) {
        Ok(Handled::Idle) => RunEnd::Idle,
        Ok(Handled::More) => RunEnd::More,
        Ok(Handled::Held) => RunEnd::Held,
        Ok(Handled::End { has_reference }) => {
            // SAFETY: as above.
            unsafe { frame.end(None, has_reference) };
            RunEnd::Ended
        }
        Err(payload) => {
            // SAFETY: as above.
            unsafe { frame.end(Some(payload), false) };
            RunEnd::Ended
        }
    }
}

impl RunFrame {
    #[inline]
    pub(super) fn new(core: *const ActorCore, at_hand: NonNull<Envelope>) -> Self {
        RunFrame {
            core,
            loss: None,
            request: Request::Nothing,
            is_open: false,
            at_hand,
        }
    }

    /// The frame of a run that begins with what is in the mailbox.
    ///
    /// # Safety
    ///
    /// As for [`run`].
    #[inline]
    pub(super) unsafe fn begin(core: NonNull<ActorCore>) -> Self {
        // SAFETY: the run owns the mailbox, which is not empty.
        let first = unsafe { Envelope::of((*core.as_ptr()).mailbox.first()) };
        RunFrame::new(core.as_ptr(), first)
    }

    /// Takes the envelope at hand away, and the next one up.
    ///
    /// # Safety
    ///
    /// The envelope at hand is open, and `next` is the one behind it, by a link or because there is
    /// none.
    #[inline]
    unsafe fn go_on(&mut self, next: Option<NonNull<Envelope>>) {
        // SAFETY: its content is out, and no sender has seen it, or that sender has linked the
        // next.
        unsafe { Envelope::free(self.at_hand) };
        if let Some(next) = next {
            self.at_hand = next;
            self.is_open = false;
        }
    }

    /// Whether the envelope at hand has been opened.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Opens the envelope at hand, unless the actor has been killed.
    ///
    /// # Safety
    ///
    /// The frame is that of a run that has begun, and the envelope at hand is not open.
    #[inline]
    pub(super) unsafe fn open_at_hand(&mut self) -> Opened {
        // SAFETY: the actor is alive until it is idle.
        if unsafe { (*self.core).word.is_killed() } {
            return Opened::End {
                has_reference: false,
            };
        }
        self.is_open = true;
        // SAFETY: this is the run, and the envelope has not been opened.
        unsafe { Envelope::open(self.at_hand, self) };
        if self.request != Request::Nothing {
            let request = std::mem::replace(&mut self.request, Request::Nothing);
            match request {
                Request::Front => return Opened::Front,
                Request::Hold => return Opened::Held,
                _ => {}
            }
            // SAFETY: the actor is alive.
            if request == Request::Stop || unsafe { self.accept_final() } {
                return Opened::End {
                    has_reference: request == Request::Final,
                };
            }
        }
        Opened::Continue
    }

    /// Goes on to the next envelope. `false`: there is none, and the actor may be gone.
    ///
    /// # Safety
    ///
    /// The frame is that of a run that has begun, and the envelope at hand is open.
    #[inline]
    pub(super) unsafe fn next_or_idle(&mut self) -> bool {
        let link = Envelope::link(self.at_hand);
        // SAFETY: this is the run, and that is the message at hand.
        let next = unsafe { (*self.core).mailbox.next_or_idle(link) };
        // SAFETY: links are those of envelopes.
        let next = next.map(|next| unsafe { Envelope::of(next) });
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
                Opened::Continue if !unsafe { self.next_or_idle() } => return Handled::Idle,
                Opened::Continue | Opened::Front => {}
                Opened::Held => return Handled::Held,
                Opened::End { has_reference } => return Handled::End { has_reference },
            }
            left -= 1;
            if left == 0 {
                let link = Envelope::link(self.at_hand);
                // SAFETY: this is the run, and that is the next message.
                unsafe { (*self.core).mailbox.requeue(link) };
                return Handled::More;
            }
        }
    }

    /// Leaves the message at hand, which does nothing more, for the next run to begin with. This run
    /// goes on as long as it has not told another thread of that run.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, and the envelope at hand is open.
    pub(super) unsafe fn put_aside(&mut self) {
        // SAFETY: its content has been taken out before the handler was called.
        unsafe { Envelope::make_nudge(self.at_hand) };
        // SAFETY: this is the run, and that is the message which the next one is to come to.
        unsafe { (*self.core).mailbox.requeue(Envelope::link(self.at_hand)) };
    }

    /// Puts an envelope in front of all that the run is to come to. For handlers and hooks.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, which has the actor. The envelope is for this actor, in no
    /// mailbox, and has not been opened.
    pub(super) unsafe fn put_front(&mut self, envelope: NonNull<Envelope>) {
        if self.is_open {
            // SAFETY: its content has been taken out before the handler was called.
            unsafe { Envelope::make_nudge(self.at_hand) };
            self.is_open = false;
        }
        // SAFETY: the run is to come to the envelope at hand.
        unsafe { Mailbox::put_before(Envelope::link(envelope), Envelope::link(self.at_hand)) };
        self.at_hand = envelope;
        if self.request == Request::Nothing {
            self.request = Request::Front;
        }
    }

    /// Ends the actor, because of a panic if there is one. The actor may be gone afterwards.
    ///
    /// # Safety
    ///
    /// The frame is that of a run, which has `final`'s reference if it `has_reference`.
    #[cold]
    pub(super) unsafe fn end(&mut self, panic: Option<Payload>, has_reference: bool) {
        let core = self.core;
        // SAFETY: the actor is alive until the last line.
        let (word, table) = unsafe { (&(*core).word, (*core).table) };
        if !has_reference {
            word.add_ref();
        }
        let has_panicked = panic.is_some();
        if has_panicked {
            // SAFETY: the actor is alive.
            unsafe { &*core }.system.count_panic();
        }
        let what = if has_panicked {
            "an actor ends, as it has panicked"
        } else {
            "an actor ends"
        };
        // SAFETY: as above.
        actor_stats::trace(unsafe { &*core }, what);
        match panic {
            Some(payload) => self.report(payload),
            // SAFETY: the run has the state.
            None if word.has_started() => self.report_panic(|frame| unsafe {
                (table.stopped)(frame);
            }),
            None => {}
        }
        // SAFETY: the run has the state, and drops it here only.
        self.report_panic(|frame| unsafe { (table.drop_state)(frame.core) });
        self.loss = Some(if has_panicked {
            Loss::Panicked
        } else {
            Loss::Dead
        });
        // SAFETY: the actor is alive.
        if let Some(extra) = unsafe { &(*core).extra } {
            extra.close(self);
        }
        word.die(has_panicked);
        // SAFETY: this is the run, with a reference besides that of `final`.
        let is_last = unsafe { self.discard_all() };
        debug_assert!(!is_last, "the run has a reference");
        // SAFETY: the actor is alive, and in the list unless it was not let in.
        unsafe { (*core).system.let_go(core) };
        // SAFETY: the reference of the run.
        unsafe { ActorCore::drop_ref(NonNull::new_unchecked(core.cast_mut())) };
    }

    /// Ends an actor that its system does not let in.
    ///
    /// # Safety
    ///
    /// The actor is fresh: it has not been run, and no run is queued. The caller has a reference.
    pub(super) unsafe fn end_unstarted(core: NonNull<ActorCore>) {
        // SAFETY: the caller stands for the run, and the mailbox of a fresh actor is not empty.
        let mut frame = unsafe { RunFrame::begin(core) };
        // SAFETY: the frame is that of a run.
        unsafe { frame.end(None, false) };
    }

    /// The run has come to `final`. Returns whether the actor ends, and the run has the reference.
    ///
    /// # Safety
    ///
    /// The frame is that of a run.
    #[cold]
    unsafe fn accept_final(&mut self) -> bool {
        // SAFETY: the actor is alive.
        match unsafe { (*self.core).word.accept_final() } {
            FinalStep::Continue => false,
            FinalStep::End => true,
            FinalStep::SendAgain => {
                // SAFETY: the reference is that of `final`, and the run has the mailbox.
                unsafe {
                    let core = NonNull::new_unchecked(self.core.cast_mut());
                    ActorCore::notify(core, Envelope::notice(open_final));
                }
                false
            }
        }
    }

    /// Takes and discards all that is in the mailbox, and leaves it idle. Returns whether the
    /// caller has the last reference, by way of `final`.
    ///
    /// # Safety
    ///
    /// The actor is dead. The caller acts for it, and has a reference, which may be that of the
    /// envelope at hand.
    unsafe fn discard_all(&mut self) -> bool {
        let mut is_last = false;
        // SAFETY: the caller acts for the actor.
        let last = unsafe { (*self.core).mailbox.take_all() };
        loop {
            if !self.is_open {
                self.is_open = true;
                self.request = Request::Nothing;
                // SAFETY: the envelope is the caller's.
                self.report_panic(|frame| unsafe { Envelope::open(frame.at_hand, frame) });
                if self.request == Request::Final {
                    // SAFETY: the reference keeps the memory.
                    is_last |= unsafe { (*self.core).word.accept_final() } == FinalStep::End;
                }
            }
            let link = Envelope::link(self.at_hand);
            if ptr::eq(link, last) {
                // SAFETY: the envelope is open, and no sender can see it any more.
                unsafe { self.go_on(None) };
                return is_last;
            }
            // SAFETY: it is not the last one, so its sender's successor links the next.
            let next = unsafe { Envelope::of(Mailbox::await_next(link)) };
            // SAFETY: the envelope is open, and that is the next.
            unsafe { self.go_on(Some(next)) };
        }
    }

    /// Runs code of the program that may panic, and reports that.
    pub(super) fn report_panic(&mut self, call: impl FnOnce(&mut RunFrame)) {
        if let Err(payload) = unwind::catch(|| call(self)) {
            self.report(payload);
        }
    }

    pub(super) fn report(&self, payload: Payload) {
        // SAFETY: the actor is alive.
        let system = unsafe { &(*self.core).system };
        system.registry().report_panic(payload);
    }
}

/// Acts for a dead actor, which was idle: discards what is in the mailbox, beginning with
/// `envelope`, unless that `is_open`. The actor may be gone afterwards, if that was `final`.
///
/// # Safety
///
/// The caller has found the dead actor idle when it pushed `envelope`. It has a reference, which
/// may be that of `final`.
#[cold]
pub(super) unsafe fn give_up(core: NonNull<ActorCore>, envelope: NonNull<Envelope>, is_open: bool) {
    let core = core.as_ptr().cast_const();
    let mut frame = RunFrame::new(core, envelope);
    frame.is_open = is_open;
    // SAFETY: the actor is alive until the last line.
    frame.loss = Some(if unsafe { (*core).word.has_panicked() } {
        Loss::Panicked
    } else {
        Loss::Dead
    });
    // SAFETY: this thread acts for the actor.
    if unsafe { frame.discard_all() } {
        // SAFETY: nothing refers to the actor any more.
        unsafe { ((*core).table.free)(core) };
    }
}

/// Opens `final`.
///
/// # Safety
///
/// As for [`OpenFn`](super::envelope::OpenFn); so it is for the functions below.
pub(super) unsafe fn open_final(_: NonNull<Envelope>, frame: &mut RunFrame) {
    frame.request = Request::Final;
}

/// Opens `stop`.
pub(super) unsafe fn open_stop(_: NonNull<Envelope>, frame: &mut RunFrame) {
    frame.request = Request::Stop;
}

/// Opens a nudge: the run looks at the word after it.
pub(super) unsafe fn open_nudge(_: NonNull<Envelope>, _: &mut RunFrame) {}

/// The actor whose message the calling thread handles; null if there is none.
pub(super) fn current() -> *const ActorCore {
    CURRENT.with(Cell::get)
}

/// Says which actor's message this thread handles, until it is dropped.
pub(super) struct Current(*const ActorCore);

impl Current {
    #[inline]
    pub(super) fn enter(core: *const ActorCore) -> Self {
        Current(CURRENT.with(|current| current.replace(core)))
    }
}

impl Drop for Current {
    #[inline]
    fn drop(&mut self) {
        CURRENT.with(|current| current.set(self.0));
    }
}
