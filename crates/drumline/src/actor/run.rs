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

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::cell::ActorCore;
use super::dead_letter::Loss;
use super::envelope::Envelope;
use super::mailbox::Mailbox;
use super::message_counts::CountedRun;
use crate::pool::{WakeOrigin, note_run_length};
use crate::sync::per_thread;
use crate::unwind;

/// A recursive actor handles at most this many messages before others have a turn.
const RECURSIVE_MOST: u32 = 61;

per_thread! {
    /// The actor with the message that this thread handles.
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

/// The type of the message that a handler panics with. Written while the handler unwinds.
///
/// One word, so that a message costs no more than to keep that.
pub(super) struct NameOnUnwind<M>(*mut RunFrame, PhantomData<fn(M)>);

impl<M> NameOnUnwind<M> {
    /// # Safety
    ///
    /// The frame stays until this is dropped, and is not borrowed then.
    #[inline]
    pub(super) unsafe fn new(frame: *mut RunFrame) -> Self {
        NameOnUnwind(frame, PhantomData)
    }
}

impl<M> Drop for NameOnUnwind<M> {
    #[cold]
    fn drop(&mut self) {
        // SAFETY: the promise of `new`.
        unsafe { (*self.0).failed_message = Some(std::any::type_name::<M>) };
    }
}

/// What a run knows.
pub(super) struct RunFrame {
    pub(super) core: *const ActorCore,
    /// Why envelopes are discarded; `None` while they are handled.
    pub(super) loss: Option<Loss>,
    pub(super) request: Request,
    /// The content of the envelope at hand has been taken out.
    pub(super) is_open: bool,
    /// The type of the message that a handler has panicked with.
    pub(super) failed_message: Option<fn() -> &'static str>,
    /// The panic that comes out of the run is because of a linked actor.
    pub(super) fails_by_link: bool,
    pub(super) at_hand: NonNull<Envelope>,
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
    /// A future or a supervisor has the actor, and queues the next run. The actor may be gone.
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

/// The run of a recursive actor, as a job.
///
/// # Safety
///
/// `data` is the address of a live core with a run that was queued in a pool. Called once for each
/// of those runs.
pub(super) unsafe fn run_recursive(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<false>(data, RECURSIVE_MOST) };
}

/// The run of a loop actor, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
pub(super) unsafe fn run_loop(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<false>(data, 1) };
}

/// The run of a recursive actor that counts, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
pub(super) unsafe fn run_recursive_counted(data: *const ()) {
    // SAFETY: the caller's obligation.
    unsafe { run_as_job::<true>(data, RECURSIVE_MOST) };
}

/// The run of a loop actor that counts, as a job.
///
/// # Safety
///
/// As for [`run_recursive`].
pub(super) unsafe fn run_loop_counted(data: *const ()) {
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
pub(super) unsafe fn run_and_count(core: NonNull<ActorCore>, most: u32) -> RunEnd {
    // Until this returns. The actor may be gone by then.
    //
    // SAFETY: the actor is alive.
    let _counted = unsafe { CountedRun::begin(core) };
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
    #[inline]
    pub(super) fn new(core: *const ActorCore, at_hand: NonNull<Envelope>) -> Self {
        RunFrame {
            core,
            loss: None,
            request: Request::Nothing,
            is_open: false,
            failed_message: None,
            fails_by_link: false,
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
    pub(super) unsafe fn go_on(&mut self, next: Option<NonNull<Envelope>>) {
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
        let word = unsafe { &(*self.core).word };
        if word.is_interrupted() && !word.raises() {
            // SAFETY: the caller's obligation.
            if let Some(opened) = unsafe { self.interrupt() } {
                return opened;
            }
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
                let link = Envelope::link(self.at_hand);
                // SAFETY: this is the run, and that is the next message.
                unsafe { (*self.core).mailbox.requeue(link) };
                return Handled::More;
            }
        }
    }

    /// Leaves the message at hand, which does nothing more, for the next run to begin with. This
    /// run goes on as long as it has not told another thread of that run.
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
///
/// A nudge is known by the address of this function. If it could be inlined, an optimized build
/// would have a copy in each codegen unit, with an address of its own.
#[inline(never)]
pub(super) unsafe fn open_nudge(_: NonNull<Envelope>, _: &mut RunFrame) {}

/// The actor with the message that the calling thread handles; null if there is none.
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
