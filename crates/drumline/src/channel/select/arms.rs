//! What the macros `select!` and `select_async!` are made of.

use std::cell::Cell;
use std::future::Future;
use std::mem;
use std::panic::Location;
use std::pin::{Pin, pin};
use std::ptr;
use std::task::{Poll, Waker};
use std::time::Duration;

use super::assert_has_places;
use super::ends::{RecvEnd, SendEnd};
use super::waiting::{self, Listened, Paths, SelectOutcome, Selecting};
use crate::channel::{PortSet, RecvError, SendError, TryRecvError, TrySendError};
use crate::channel::{lanes, mpmc, mpsc, oneshot, spsc};
use crate::sync::{Instant, XorShift, per_thread};
use crate::wait::WaiterEntry;

/// How many selects of a thread begin at the same place. A new place for each costs two branches
/// that the processor predicts wrongly, and what lies at the old one is in the cache.
const SELECTS_AT_A_PLACE: u32 = 16;

per_thread! {
    /// Where the selects of this thread begin.
    static BEGINNING: Cell<Beginning> = const { Cell::new(Beginning { random: 0, left: 0 }) };
}

/// A random place among any number of arms.
#[derive(Clone, Copy, Debug)]
struct Beginning {
    /// The state of the random numbers; 0 before the first one.
    random: u32,
    /// How many more selects begin there.
    left: u32,
}

impl Beginning {
    /// The next place.
    #[cold]
    fn drawn(self, seed: usize) -> Self {
        let numbers = match self.random {
            0 => XorShift::new(seed),
            state => XorShift::from_state(state),
        };
        numbers.draw();
        Beginning {
            random: numbers.state(),
            left: SELECTS_AT_A_PLACE,
        }
    }
}

/// An arm of a macro.
pub trait SelectArm {
    /// Uses the arm, unless it would have to wait.
    fn choose(&mut self) -> bool;

    /// As for an end.
    fn listen(&mut self, waker: &Waker) -> Listened;

    /// As for an end. An arm that was chosen keeps what it has.
    fn unlisten(&mut self);
}

/// An arm that receives.
pub struct RecvArm<E: RecvEnd> {
    end: E,
    watch: E::Watch,
    result: Option<Result<E::Message, RecvError>>,
}

/// An arm that sends.
pub struct SendArm<E: SendEnd> {
    end: E,
    watch: E::Watch,
    state: SendState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SendState {
    Waits,
    /// A place is kept for the message.
    HasPlace,
    Closed,
}

/// The right to send one message, or to have it back.
pub struct SelectedSend<'a, E: SendEnd> {
    end: &'a mut E,
    watch: &'a mut E::Watch,
    state: SendState,
}

impl<E: RecvEnd> RecvArm<E> {
    pub(super) fn new(end: E) -> Self {
        RecvArm {
            end,
            watch: Default::default(),
            result: None,
        }
    }

    /// What comes now: a message, or the end. `None`: it would have to wait.
    #[inline]
    pub(super) fn take(&mut self) -> Option<Result<E::Message, RecvError>> {
        match self.end.take(&mut self.watch) {
            Ok(message) => Some(Ok(message)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Closed(reason)) => Some(Err(RecvError::new(reason))),
        }
    }

    /// What has come, if the arm was chosen.
    #[inline]
    pub fn take_result(&mut self) -> Option<Result<E::Message, RecvError>> {
        self.result.take()
    }
}

impl<E: RecvEnd> SelectArm for RecvArm<E> {
    #[inline]
    fn choose(&mut self) -> bool {
        self.result = self.take();
        self.result.is_some()
    }

    fn listen(&mut self, waker: &Waker) -> Listened {
        self.end.listen(&mut self.watch, waker)
    }

    fn unlisten(&mut self) {
        self.end.unlisten(&mut self.watch);
    }
}

impl<E: SendEnd> SendArm<E> {
    #[track_caller]
    pub(super) fn new(end: E) -> Self {
        assert_has_places(&end);
        SendArm {
            end,
            watch: Default::default(),
            state: SendState::Waits,
        }
    }

    /// Whether the arm was chosen.
    #[inline]
    pub fn is_chosen(&self) -> bool {
        self.state != SendState::Waits
    }

    /// The right to send that the arm has when it was chosen.
    ///
    /// By itself, and not in an `Option`: one that the macro matches on would borrow the end until
    /// the code of the arm has run.
    #[inline]
    pub fn take_right(&mut self) -> SelectedSend<'_, E> {
        SelectedSend {
            state: mem::replace(&mut self.state, SendState::Waits),
            end: &mut self.end,
            watch: &mut self.watch,
        }
    }
}

impl<E: SendEnd> SelectArm for SendArm<E> {
    fn choose(&mut self) -> bool {
        self.state = match self.end.reserve(&mut self.watch) {
            Ok(()) => SendState::HasPlace,
            Err(TrySendError::Full(())) => return false,
            Err(TrySendError::Closed(())) => SendState::Closed,
        };
        true
    }

    fn listen(&mut self, waker: &Waker) -> Listened {
        self.end.listen(&mut self.watch, waker)
    }

    fn unlisten(&mut self) {
        let is_chosen = self.is_chosen();
        self.end.unlisten(&mut self.watch, is_chosen);
    }
}

impl<E: SendEnd> SelectedSend<'_, E> {
    /// Sends the message; it comes back if the channel is closed.
    #[inline]
    pub fn send(mut self, message: E::Message) -> Result<(), SendError<E::Message>> {
        match mem::replace(&mut self.state, SendState::Waits) {
            SendState::HasPlace => self.end.send(self.watch, message).map_err(SendError),
            _ => Err(SendError(message)),
        }
    }
}

impl<E: SendEnd> Drop for SelectedSend<'_, E> {
    fn drop(&mut self) {
        if self.state == SendState::HasPlace {
            // The message was not made: its expression has left the arm, or panicked.
            self.end.unlisten(self.watch, false);
        }
    }
}

/// The arm that comes first. Random: arms in turn would be in step with a program that selects
/// twice in a loop, and each of its two selects would always begin with the same arm.
#[inline]
fn first_arm(arms: usize) -> usize {
    BEGINNING.with(|cell| {
        let mut beginning = cell.get();
        if beginning.left == 0 {
            // Threads differ by where their state lies.
            beginning = beginning.drawn(ptr::from_ref(cell).addr() >> 4);
        }
        beginning.left -= 1;
        cell.set(beginning);
        // The place as a fraction of 2^32: below `arms`, and cheaper than a remainder.
        ((u64::from(beginning.random) * arms as u64) >> 32) as usize
    })
}

/// The arms of one select.
struct ArmList<'p, 'e> {
    arms: &'p mut [&'e mut (dyn SelectArm + Send)],
    first: usize,
}

impl<'p, 'e> ArmList<'p, 'e> {
    #[inline]
    fn new(arms: &'p mut [&'e mut (dyn SelectArm + Send)], is_biased: bool) -> Self {
        let first = if is_biased { 0 } else { first_arm(arms.len()) };
        ArmList { arms, first }
    }
}

impl Paths for ArmList<'_, '_> {
    type Chosen = ();

    #[inline]
    fn choose(&mut self) -> Option<()> {
        let (before, after) = self.arms.split_at_mut(self.first);
        let mut arms = after.iter_mut().chain(before);
        arms.any(|arm| arm.choose()).then_some(())
    }

    fn is_over(&self) -> bool {
        false
    }

    fn listen(&mut self, waker: &Waker, mut listened: impl FnMut(Listened)) {
        for arm in &mut *self.arms {
            listened(arm.listen(waker));
        }
    }

    fn unlisten(&mut self) {
        for arm in &mut *self.arms {
            arm.unlisten();
        }
    }
}

/// What the expansions of the macros use. No part of the interface.
#[doc(hidden)]
pub mod private {
    use super::*;

    pub use super::SelectArm;
    pub use crate::deadline::{sleep, sleep_until};

    /// Ends that are borrowed mutably to receive.
    pub trait RecvByMut {
        /// The borrow.
        type End<'a>: RecvEnd
        where
            Self: 'a;
        /// The arm.
        fn recv_in_select(&mut self) -> RecvArm<Self::End<'_>>;
    }

    /// Ends that are shared to receive.
    pub trait RecvByRef {
        /// The borrow.
        type End<'a>: RecvEnd
        where
            Self: 'a;
        /// The arm.
        fn recv_in_select(&self) -> RecvArm<Self::End<'_>>;
    }

    /// Ends that are borrowed mutably to send.
    pub trait SendByMut {
        /// The borrow.
        type End<'a>: SendEnd
        where
            Self: 'a;
        /// The arm.
        fn send_in_select(&mut self) -> SendArm<Self::End<'_>>;
    }

    /// Ends that are shared to send.
    pub trait SendByRef {
        /// The borrow.
        type End<'a>: SendEnd
        where
            Self: 'a;
        /// The arm.
        fn send_in_select(&self) -> SendArm<Self::End<'_>>;
    }

    macro_rules! by_mut {
        ($Trait:ident, $Arm:ident, $method:ident: $($End:path),+) => {$(
            impl<T: Send> $Trait for $End {
                type End<'a> = &'a mut Self where Self: 'a;
                #[inline]
                #[track_caller]
                fn $method(&mut self) -> $Arm<&mut Self> {
                    $Arm::new(self)
                }
            }
        )+};
    }

    by_mut!(RecvByMut, RecvArm, recv_in_select: spsc::Receiver<T>, mpsc::Receiver<T>,
        lanes::Receiver<T>, oneshot::Receiver<T>, PortSet<T>);
    by_mut!(SendByMut, SendArm, send_in_select: spsc::Sender<T>, lanes::Sender<T>);

    impl<T: Send> RecvByRef for mpmc::Receiver<T> {
        type End<'a>
            = &'a Self
        where
            Self: 'a;
        #[inline]
        fn recv_in_select(&self) -> RecvArm<&Self> {
            RecvArm::new(self)
        }
    }

    impl<T: Send> SendByRef for mpsc::Sender<T> {
        type End<'a>
            = &'a Self
        where
            Self: 'a;
        #[inline]
        #[track_caller]
        fn send_in_select(&self) -> SendArm<&Self> {
            SendArm::new(self)
        }
    }

    /// Waits until an arm is chosen, or until the deadline. Returns whether one is.
    #[inline]
    #[track_caller]
    pub fn wait(
        arms: &mut [&mut (dyn SelectArm + Send)],
        is_biased: bool,
        deadline: Option<Instant>,
    ) -> bool {
        let mut arms = ArmList::new(arms, is_biased);
        if arms.choose().is_some() {
            return true;
        }
        let mut entry = WaiterEntry::new();
        let outcome = waiting::wait(&mut arms, deadline, &mut entry, Location::caller());
        matches!(outcome, SelectOutcome::Chosen(()))
    }

    /// Whether an arm is chosen at once.
    #[inline]
    pub fn try_wait(arms: &mut [&mut (dyn SelectArm + Send)], is_biased: bool) -> bool {
        ArmList::new(arms, is_biased).choose().is_some()
    }

    /// Waits until an arm is chosen, or until `limit` is ready. Returns whether an arm is.
    #[track_caller]
    pub fn wait_async(
        arms: &mut [&mut (dyn SelectArm + Send)],
        is_biased: bool,
        limit: Option<impl Future<Output = ()> + Send>,
    ) -> impl Future<Output = bool> + Send {
        let location = Location::caller();
        async move {
            let mut arms = ArmList::new(arms, is_biased);
            let mut selecting = Selecting::new(&mut arms, location);
            let mut limit = pin!(limit);
            std::future::poll_fn(move |cx| {
                if let Poll::Ready(outcome) = Pin::new(&mut selecting).poll(cx) {
                    return Poll::Ready(matches!(outcome, SelectOutcome::Chosen(())));
                }
                match limit.as_mut().as_pin_mut() {
                    Some(limit) => limit.poll(cx).map(|()| false),
                    None => Poll::Pending,
                }
            })
            .await
        }
    }

    /// The moment that is this far away. `None`: later than the clock can say.
    pub fn after(timeout: Duration) -> Option<Instant> {
        Instant::now().checked_add(timeout)
    }

    /// No limit.
    pub fn no_limit() -> Option<std::future::Ready<()>> {
        None
    }

    /// A select without a limit has chosen an arm.
    #[cold]
    pub fn no_arm() -> ! {
        unreachable!("a select without a limit waits for an arm")
    }
}
