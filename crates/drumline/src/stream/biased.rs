//! Receivers for programs that run their own threads: numbered, and as few of them awake as can do
//! the work.
//!
//! # The race feared
//!
//! In a pool a thread can run the job of one receiver on top of the job of another, because that
//! job yields with an item in its hands. The lower receiver cannot come back to the stage state
//! before the upper one ends. If the stage state counted on it, the upper receiver and all others
//! could leave, and nothing would watch the source. So *a thread counts once*. While the program
//! has the item of a receiver in its hands, the activity of that receiver lies in
//! `Shared::activity`. A receiver on top of it takes the activity over before it would rest.
//!
//! The lower frame can also be needed by a receiver on another thread: its half of a join, for
//! instance. So a receiver that rests on top of any job looks for work by itself, every 20 ms.

use std::fmt;
use std::time::Duration;

use super::finished::Finished;
use super::load::Load;
use super::parked_consumers::{ParkedConsumers, Rest};
use super::source::{Polled, Source};
use super::stage_state::{EmptySource, PullReport, StageState, Turn};
use super::ticket::Ticket;
use crate::pool;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock, per_thread};
use crate::unwind::{self, Payload};
use crate::wait;

/// Makes `count` receivers of one source, for as many threads.
///
/// A shared queue wakes whichever thread has slept longest, for one item. These receivers keep the
/// low numbers busy, at the expense of the high ones: one sleeps in the source, and the others
/// until one that is awake is *overloaded*, which is when it has received `batch` items without
/// sleeping and there are more. Then the one with the lowest number that sleeps is woken. Producers
/// notice nothing of all this. A `batch` of 1 means each item, also the one that ended a sleep.
///
/// As long as one receiver is at work, it may be the only one that looks at the source, and it
/// looks when it receives an item, and when it asks for the next. So with items that take long, ask
/// for `batch` = 1: those that are there with an item do not wait for it, while a receiver sleeps.
/// (A source that does not know [how many are there](Source::len_hint) has one woken for each
/// item.) Those that come later may wait until the item is done. An item must not wait for a later
/// one, then. In a [`stream`](super::stream()) with a [batch](super::Stream::batch) of 1 it may:
/// one of its consumers stays aside, and sees that another is held up.
///
/// The idea is that of biased work queues.
///
/// ```
/// use drumline::stream::biased;
/// use std::sync::mpsc;
/// use std::thread;
///
/// let (sender, receiver) = mpsc::channel();
/// let workers: Vec<_> = biased::consumers(receiver, 4, 20)
///     .into_iter()
///     .map(|mut items| thread::spawn(move || {
///         let mut sum = 0;
///         while let Some(item) = items.recv() {
///             sum += item;
///         }
///         sum
///     }))
///     .collect();
/// (1..=1_000).for_each(|n| sender.send(n).unwrap());
/// drop(sender);
/// let sum: u64 = workers.into_iter().map(|worker| worker.join().unwrap()).sum();
/// assert_eq!(sum, 500_500);
/// ```
///
/// # Panics
///
/// If `count` or `batch` is 0.
pub fn consumers<S: Source>(mut source: S, count: usize, batch: usize) -> Vec<BiasedReceiver<S>> {
    assert!(
        count > 0 && batch > 0,
        "without consumers, or with a batch of 0, nothing could be received; ask for at least 1 of each"
    );
    let unlimited = Load {
        items: usize::MAX,
        batches: usize::MAX,
        weight: usize::MAX,
    };
    // A stream may have lent it before.
    source.measure_waits(false);
    let stage_state = StageState::new(count, unlimited, Finished::Unwanted);
    let called = stage_state.summon();
    let shared = Arc::new(Shared {
        source: Mutex::new(source),
        stage_state,
        // The first receiver that asks answers the first call.
        parked: ParkedConsumers::new(count, usize::from(called)),
        activity: (0..count).map(|_| AtomicBool::new(false)).collect(),
        threads: Mutex::new(vec![NOWHERE; count]),
    });
    let receiver = |number| BiasedReceiver {
        shared: Arc::clone(&shared),
        number,
        batch,
        at_work: false,
        thread: NOWHERE,
        taken: 0,
        held: None,
        late_panic: None,
    };
    (0..count).map(receiver).collect()
}

/// One of the receivers of a source; see [`consumers`].
///
/// A receiver that is dropped, also by a panic of its thread, leaves what is in the source to the
/// others.
///
/// ```
/// use drumline::stream::biased;
/// use std::sync::mpsc;
///
/// let (sender, receiver) = mpsc::channel();
/// (1..=3u32).for_each(|n| sender.send(n).unwrap());
/// drop(sender);
/// let mut receivers = biased::consumers(receiver, 2, 20);
/// drop(receivers.pop()); // the other one goes on alone
/// assert_eq!(receivers.remove(0).sum::<u32>(), 6);
/// ```
pub struct BiasedReceiver<S: Source> {
    shared: Arc<Shared<S>>,
    number: usize,
    batch: usize,
    /// The stage state counts on it. While the program has an item, this lies in
    /// `Shared::activity`.
    at_work: bool,
    /// The thread that `Shared::threads` has for it.
    thread: usize,
    /// Items that it has received without sleeping.
    taken: usize,
    /// The item that the program has in its hands.
    held: Option<Ticket>,
    /// The source has panicked after it gave the last item.
    late_panic: Option<Payload>,
}

struct Shared<S> {
    /// Locked by the receiver that has the token of the stage state.
    source: Mutex<S>,
    stage_state: StageState<()>,
    parked: ParkedConsumers,
    /// Receivers on which the stage state counts, while the program has their items in its hands.
    activity: Vec<AtomicBool>,
    /// On which thread each receiver took its last item.
    threads: Mutex<Vec<usize>>,
}

/// How often a receiver at rest looks for work by itself, if it is on top of another job.
const LOOK: Duration = Duration::from_millis(20);

/// No thread.
const NOWHERE: usize = 0;

per_thread! {
    static HERE: u8 = const { 0 };
}

/// A number that no other live thread has.
fn here() -> usize {
    HERE.with(|here| std::ptr::from_ref(here).addr())
}

impl<S> Shared<S> {
    /// Takes the activity of a receiver, if it has any. Relaxed: the flag publishes nothing but
    /// itself, and the stage state has a lock.
    fn take_activity(&self, number: usize) -> bool {
        self.activity[number].load(Ordering::Relaxed)
            && self.activity[number].swap(false, Ordering::Relaxed)
    }

    /// Takes the activity of a receiver that is further down on this thread's stack.
    fn take_from_below(&self) -> bool {
        let here = here();
        let threads = lock(&self.threads);
        let mut numbers = (0..threads.len()).filter(|&number| threads[number] == here);
        numbers.any(|number| self.take_activity(number))
    }
}

impl<S: Source> BiasedReceiver<S> {
    /// Waits for the next item of the source that is for this receiver; `None` when the source has
    /// ended.
    ///
    /// ```
    /// use drumline::stream::biased;
    /// use std::{sync::mpsc, thread};
    ///
    /// let (sender, receiver) = mpsc::channel();
    /// let mut receiver = biased::consumers(receiver, 1, 20).remove(0);
    /// let worker = thread::spawn(move || (receiver.recv(), receiver.recv()));
    /// sender.send("a job").unwrap();
    /// drop(sender);
    /// assert_eq!(worker.join().unwrap(), (Some("a job"), None));
    /// ```
    ///
    /// # Panics
    ///
    /// Where the source does; for the others it has ended then.
    ///
    /// # Blocking
    ///
    /// Until there is an item and those with lower numbers have more than they can do, or until the
    /// end.
    pub fn recv(&mut self) -> Option<S::Item> {
        let item = self.receive();
        if item.is_some() {
            self.lend_activity();
        }
        item
    }

    /// The program gets an item: until it asks for the next, another receiver on this thread may
    /// take the place of this one.
    fn lend_activity(&mut self) {
        let here = here();
        if self.thread != here {
            self.thread = here;
            lock(&self.shared.threads)[self.number] = here;
        }
        self.at_work = false;
        // Relaxed: as in `take_activity`.
        self.shared.activity[self.number].store(true, Ordering::Relaxed);
    }

    fn receive(&mut self) -> Option<S::Item> {
        self.at_work |= self.shared.take_activity(self.number);
        if let Some(payload) = self.late_panic.take() {
            unwind::resume(payload);
        }
        loop {
            if !self.at_work {
                self.held = None;
                self.taken = 0;
                if self.shared.take_from_below() {
                    self.at_work = true;
                    continue;
                }
                // The receiver that would call this one may wait for the frame below it, also on
                // another thread.
                let time = pool::stack_room::is_nested().then_some(LOOK);
                match wait::blocking(|| self.shared.parked.rest_for(self.number, time)) {
                    Rest::Called => self.at_work = self.shared.stage_state.arrive(),
                    Rest::Late => self.at_work = self.shared.stage_state.join_in(),
                    Rest::Over => return None,
                    Rest::Sent => pool::run_what_is_sent(),
                }
                continue;
            }
            let turn = match self.held.take() {
                Some(ticket) => self.shared.stage_state.hand_in(ticket, (), false, false),
                None => self.shared.stage_state.turn(false, false),
            };
            match turn {
                Turn::Pull(_) => {
                    if let Some(item) = self.pull() {
                        return Some(item);
                    }
                }
                Turn::Leave => self.at_work = false,
                Turn::Again => {}
                Turn::Over => {
                    self.at_work = false;
                    self.shared.parked.close();
                }
            }
        }
    }

    /// The number of this receiver; the lowest is 0.
    ///
    /// ```
    /// use drumline::stream::biased;
    ///
    /// let (_sender, receiver) = drumline::channel::spsc::unbounded::<u32>();
    /// let receivers = biased::consumers(receiver, 3, 20);
    /// assert!(receivers.iter().map(|receiver| receiver.number()).eq(0..3));
    /// ```
    #[must_use]
    pub fn number(&self) -> usize {
        self.number
    }

    /// Takes an item, as the one with the token.
    fn pull(&mut self) -> Option<S::Item> {
        let shared = &self.shared;
        let mut source = lock(&shared.source);
        let mut slept = false;
        let outcome = match unwind::catch(|| source.try_recv()) {
            Ok(Polled::Item(item)) => Ok(Some(item)),
            Ok(Polled::Ended) => Ok(None),
            Ok(Polled::Empty) => {
                // It is none that asks for results, so it never leaves a call behind.
                let (empty, _) = shared.stage_state.empty(false);
                if empty == EmptySource::Leave {
                    self.at_work = false;
                    return None;
                }
                slept = true;
                unwind::catch(|| wait::blocking(|| source.recv()))
            }
            Err(payload) => Err(payload),
        };
        let found = matches!(outcome, Ok(Some(_)));
        self.taken = if slept { 0 } else { self.taken + 1 };
        let is_full = found && (self.taken >= self.batch || self.batch == 1);
        if is_full {
            self.taken = 0;
        }
        let hint = unwind::catch(|| is_full && source.len_hint() != Some(0));
        drop(source);
        let overloaded = matches!(hint, Ok(true));
        // The item comes first; the program learns of the panic when it asks for the next one.
        self.late_panic = hint.err();
        let (ticket, call) = shared.stage_state.pulled(PullReport {
            load: Load {
                items: usize::from(found),
                batches: usize::from(found),
                weight: 0,
            },
            overloaded,
            lengthy: false,
            ended: !found || self.late_panic.is_some(),
        });
        if call {
            shared.parked.call();
        }
        if self.late_panic.is_some() {
            // As below.
            shared.parked.close();
        }
        match outcome {
            Ok(item) => {
                self.held = item.is_some().then_some(ticket);
                item
            }
            Err(payload) => {
                // For the others it has ended. They rest, and this receiver may never ask again.
                shared.parked.close();
                unwind::resume(payload)
            }
        }
    }
}

/// The items, until the source has ended.
impl<S: Source> Iterator for BiasedReceiver<S> {
    type Item = S::Item;

    fn next(&mut self) -> Option<S::Item> {
        self.recv()
    }
}

impl<S: Source> Drop for BiasedReceiver<S> {
    fn drop(&mut self) {
        // The receiver does not ask for the payload any more, and its drop is code of the program.
        unwind::discard(self.late_panic.take());
        if !(self.at_work || self.shared.take_activity(self.number)) {
            return;
        }
        let done = self.held.take().map(|ticket| (ticket, ()));
        if self.shared.stage_state.step_out(done) {
            self.shared.parked.call();
        }
        if self.shared.stage_state.has_ended() {
            self.shared.parked.close();
        }
    }
}

impl<S: Source> fmt::Debug for BiasedReceiver<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BiasedReceiver")
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
