//! What became of each message and of each actor.
//!
//! With the standard library's locks: between two steps of shuttle a thread is alone. What is wrong
//! is written down, and not a panic: that of a handler would be one of its actor.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::random_actor::Friend;
use crate::actor::{DeadLetter, Overflow, TellError};
use crate::sync::thread::{self, ThreadId};

/// Senders outside of actors are called by numbers from this one on.
const OUTSIDE: usize = 1_000;

/// What has happened in one program.
#[derive(Default)]
pub(super) struct ActorLedger(Mutex<LedgerEntries>);

#[derive(Debug, Default)]
struct LedgerEntries {
    parcels: Vec<ParcelEntry>,
    actors: Vec<ActorEntry>,
    /// Senders outside.
    senders: usize,
    /// Threads that are about to drop a dead letter, and whether there was no room for it.
    discarding: Vec<(ThreadId, bool)>,
    dead_letters: usize,
    /// Whether the system or the pool may have ended.
    is_closed: bool,
    panics: usize,
    reports: usize,
    faults: Vec<String>,
}

/// One message.
#[derive(Debug)]
struct ParcelEntry {
    sender: usize,
    receiver: usize,
    /// The thread that asks.
    asker: Option<ThreadId>,
    was_set_aside: bool,
    outcome: ParcelOutcome,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParcelOutcome {
    Sent,
    Handled,
    /// It came back.
    Returned {
        is_full: bool,
    },
    /// It was asked, and did not get to the actor.
    Refused,
    /// It is a dead letter.
    Lost {
        is_overflow: bool,
    },
}

/// How far an actor is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LifeStage {
    #[default]
    Fresh,
    Started,
    Stopped,
    Dropped,
}

/// One actor.
#[derive(Debug, Default)]
struct ActorEntry {
    stage: LifeStage,
    bound: Option<Overflow>,
    /// The number of the newest message of each sender that it has received.
    newest: BTreeMap<usize, usize>,
    /// Senders that have stopped it, and the number of the next message at that time.
    stops: Vec<(usize, usize)>,
    /// It was killed, or has killed itself: its messages may be lost.
    was_killed: bool,
    has_panicked: bool,
}

/// A message.
pub(super) struct Parcel {
    ledger: Arc<ActorLedger>,
    number: usize,
    /// Generations of messages that may come of it.
    pub(super) fuel: u32,
    /// A reference for the actor.
    pub(super) carried: Option<Friend>,
    /// Its place among those that the actor has set aside.
    pub(super) aside: Option<usize>,
    is_settled: bool,
}

impl ActorLedger {
    fn entries(&self) -> MutexGuard<'_, LedgerEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Numbers for some actors, the later ones higher.
    pub(super) fn reserve(&self, actors: usize) {
        let mut entries = self.entries();
        for _ in 0..actors {
            entries.actors.push(ActorEntry::default());
        }
    }

    /// The number of a further actor.
    pub(super) fn further_actor(&self) -> usize {
        self.reserve(1);
        self.entries().actors.len() - 1
    }

    /// The number of a sender outside.
    pub(super) fn outside(&self) -> usize {
        let mut entries = self.entries();
        entries.senders += 1;
        OUTSIDE + entries.senders
    }

    pub(super) fn set_bound(&self, actor: usize, bound: Option<Overflow>) {
        self.entries().actors[actor].bound = bound;
    }

    pub(super) fn actors(&self) -> usize {
        self.entries().actors.len()
    }

    pub(super) fn fault(&self, what: impl Into<String>) {
        self.entries().faults.push(what.into());
    }

    /// A message that is about to be sent. An asker waits for its reply if it `is_asked`.
    pub(super) fn parcel(
        self: &Arc<Self>,
        (sender, receiver): (usize, usize),
        is_asked: bool,
        fuel: u32,
        carried: Option<Friend>,
    ) -> Parcel {
        let asker = is_asked.then(|| thread::current().id());
        let mut entries = self.entries();
        entries.parcels.push(ParcelEntry {
            sender,
            receiver,
            asker,
            was_set_aside: false,
            outcome: ParcelOutcome::Sent,
        });
        Parcel {
            ledger: Arc::clone(self),
            number: entries.parcels.len() - 1,
            fuel,
            carried,
            aside: None,
            is_settled: false,
        }
    }

    /// An actor has a message for the first time.
    pub(super) fn receive(&self, parcel: &Parcel, actor: usize) {
        let mut entries = self.entries();
        let (sender, receiver) = {
            let entry = &entries.parcels[parcel.number];
            (entry.sender, entry.receiver)
        };
        let entry = &mut entries.actors[actor];
        let before = entry.newest.insert(sender, parcel.number);
        let is_right = receiver == actor
            && entry.stage == LifeStage::Started
            && before.is_none_or(|before| before < parcel.number);
        if !is_right {
            let (number, stage) = (parcel.number, entry.stage);
            entries.faults.push(format!(
                "{number} from {sender} to {receiver} came to {actor}, {stage:?}, after {before:?}"
            ));
        }
    }

    /// A message came back.
    pub(super) fn returned(&self, error: TellError<Parcel>) {
        let is_full = matches!(error, TellError::Full(_));
        error
            .into_inner()
            .settle(ParcelOutcome::Returned { is_full });
    }

    /// The thread is about to drop a dead letter.
    pub(super) fn discard(&self, letter: &DeadLetter) {
        let this = thread::current().id();
        let mut entries = self.entries();
        entries.dead_letters += 1;
        entries.discarding.push((this, letter.is_overflow()));
    }

    /// An actor is one stage further.
    pub(super) fn advance(&self, actor: usize, to: LifeStage) {
        let mut entries = self.entries();
        let is_closed = entries.is_closed;
        let entry = &mut entries.actors[actor];
        let from = std::mem::replace(&mut entry.stage, to);
        let is_right = match to {
            LifeStage::Fresh => false,
            LifeStage::Started => from == LifeStage::Fresh,
            LifeStage::Stopped => from == LifeStage::Started && !entry.has_panicked,
            LifeStage::Dropped => match from {
                LifeStage::Fresh => is_closed || entry.was_killed,
                LifeStage::Started => entry.has_panicked,
                LifeStage::Stopped => true,
                LifeStage::Dropped => false,
            },
        };
        if !is_right {
            let fault = format!("actor {actor} went from {from:?} to {to:?}");
            entries.faults.push(fault);
        }
    }

    /// `sender` is about to stop an actor.
    pub(super) fn stop(&self, sender: usize, actor: usize) {
        let mut entries = self.entries();
        let next = entries.parcels.len();
        entries.actors[actor].stops.push((sender, next));
    }

    /// An actor is about to be killed, or leaves.
    pub(super) fn kill(&self, actor: usize) {
        self.entries().actors[actor].was_killed = true;
    }

    /// An actor is about to panic.
    pub(super) fn panic(&self, actor: usize) {
        let mut entries = self.entries();
        entries.panics += 1;
        entries.actors[actor].has_panicked = true;
    }

    /// The pool has reported a panic.
    pub(super) fn report(&self) {
        self.entries().reports += 1;
    }

    /// The system or the pool is about to end.
    pub(super) fn close(&self) {
        self.entries().is_closed = true;
    }

    /// Whether each message has its outcome, or is set aside.
    pub(super) fn is_quiet(&self) -> bool {
        let is_settled =
            |entry: &ParcelEntry| entry.outcome != ParcelOutcome::Sent || entry.was_set_aside;
        self.entries().parcels.iter().all(is_settled)
    }

    /// Whether all actors are gone, and each message has its outcome.
    pub(super) fn is_over(&self) -> bool {
        let entries = self.entries();
        let is_gone = |entry: &ActorEntry| entry.stage == LifeStage::Dropped;
        let is_settled = |entry: &ParcelEntry| entry.outcome != ParcelOutcome::Sent;
        entries.reports == entries.panics
            && entries.actors.iter().all(is_gone)
            && entries.parcels.iter().all(is_settled)
    }

    /// All is over, and was as the model says. Returns how many dead letters there were.
    pub(super) fn check(&self) -> usize {
        let is_over = self.is_over();
        let entries = self.entries();
        assert!(is_over, "something is left: {entries:?}");
        let faults = &entries.faults;
        assert!(faults.is_empty(), "{faults:?}");
        for (number, parcel) in entries.parcels.iter().enumerate() {
            let actor = &entries.actors[parcel.receiver];
            let is_right = match parcel.outcome {
                ParcelOutcome::Sent => false,
                ParcelOutcome::Handled => actor.may_handle(number, parcel.sender),
                ParcelOutcome::Returned { is_full: true } => {
                    matches!(actor.bound, Some(Overflow::Wait | Overflow::Fail))
                }
                ParcelOutcome::Lost { is_overflow: true } => {
                    matches!(
                        actor.bound,
                        Some(Overflow::DropOldest | Overflow::DropNewest)
                    )
                }
                ParcelOutcome::Refused if actor.bound.is_some() => true,
                ParcelOutcome::Refused
                | ParcelOutcome::Returned { .. }
                | ParcelOutcome::Lost { .. } => {
                    entries.is_closed
                        || parcel.was_set_aside
                        || actor.may_lose(number, parcel.sender)
                }
            };
            assert!(
                is_right,
                "message {number} from {} to {}: {:?}, stops {:?}",
                parcel.sender, parcel.receiver, parcel.outcome, actor.stops
            );
        }
        let lost = |entry: &&ParcelEntry| matches!(entry.outcome, ParcelOutcome::Lost { .. });
        assert_eq!(
            entries.parcels.iter().filter(lost).count(),
            entries.dead_letters
        );
        entries.dead_letters
    }
}

impl ActorEntry {
    /// Whether the model allows that it handles a message. Not one that was sent behind a stop by
    /// the same sender. (A message that takes the place of the oldest one takes its ticket, too,
    /// which may be before the stop.)
    fn may_handle(&self, number: usize, sender: usize) -> bool {
        let is_behind = |&(stopper, next): &(usize, usize)| stopper == sender && next <= number;
        self.bound == Some(Overflow::DropOldest) || !self.stops.iter().any(is_behind)
    }

    /// Whether the model allows that it does not handle a message. Not one that was sent before
    /// the only stop, by the same sender; and none if the actor ends with its last reference.
    fn may_lose(&self, number: usize, sender: usize) -> bool {
        let may_overtake = |&(stopper, next): &(usize, usize)| stopper != sender || next <= number;
        self.was_killed || self.has_panicked || self.stops.iter().any(may_overtake)
    }
}

impl Parcel {
    fn settle(&mut self, outcome: ParcelOutcome) {
        self.is_settled = true;
        let mut entries = self.ledger.entries();
        let number = self.number;
        let before = std::mem::replace(&mut entries.parcels[number].outcome, outcome);
        if before != ParcelOutcome::Sent {
            let fault = format!("message {number}: {before:?}, then {outcome:?}");
            entries.faults.push(fault);
        }
    }

    /// The actor handles it.
    pub(super) fn handle(&mut self) {
        self.settle(ParcelOutcome::Handled);
    }

    /// The actor sets it aside, or has no room for it.
    pub(super) fn set_aside(&mut self, place: Option<usize>) {
        self.aside = place;
        self.ledger.entries().parcels[self.number].was_set_aside = place.is_some();
    }
}

impl Drop for Parcel {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let this = thread::current().id();
        let (discarded, is_refused) = {
            let mut entries = self.ledger.entries();
            let index = entries.discarding.iter().position(|(by, _)| *by == this);
            let discarded = index.map(|index| entries.discarding.swap_remove(index).1);
            (discarded, entries.parcels[self.number].asker == Some(this))
        };
        match discarded {
            Some(is_overflow) => self.settle(ParcelOutcome::Lost { is_overflow }),
            None if is_refused => self.settle(ParcelOutcome::Refused),
            None => {
                let fault = format!("message {} is lost in silence", self.number);
                self.ledger.fault(fault);
                self.settle(ParcelOutcome::Refused);
            }
        }
    }
}
