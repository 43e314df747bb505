//! Actors that do random things with those that they know.

use std::sync::Arc;
use std::time::Duration;

use shuttle::rand::rngs::ThreadRng;
use shuttle::rand::{Rng, thread_rng};

use super::ledger::{ActorLedger, LifeStage, Parcel};
use crate::actor::{
    Actor, ActorRef, ActorSystem, AskError, Context, Handler, Inbox, InboxError, Overflow,
    Scheduler, SpawnOptions, Style, ThreadActor, WeakActorRef,
};
use crate::unwind;

/// A handler starts no further actor if there are as many as this.
const MOST_ACTORS: usize = 6;

/// What a program may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grammar {
    /// Actors may refer to each other in circles, so that they do not end by themselves.
    pub(super) rings: bool,
    /// Handlers wait for replies.
    pub(super) asks: bool,
    /// Actors are stopped and killed, and panic.
    pub(super) ends: bool,
    /// Some mailboxes have bounds.
    pub(super) bounds: bool,
    /// Some actors have threads.
    pub(super) threads: bool,
}

/// A reference to an actor, and its number.
#[derive(Clone)]
pub(super) struct Friend {
    pub(super) actor: usize,
    waits: bool,
    reference: FriendRef,
}

#[derive(Clone)]
enum FriendRef {
    Handlers(ActorRef<RandomActor>),
    Thread(ActorRef<ThreadActor<Parcel>>),
}

/// What an actor, or a thread outside, knows.
pub(super) struct Acquaintance {
    /// Its own number, as that of a sender.
    pub(super) own: usize,
    pub(super) ledger: Arc<ActorLedger>,
    pub(super) grammar: Grammar,
    pub(super) friends: Vec<Friend>,
    /// Those that it does not keep alive.
    pub(super) weak: Vec<WeakFriend>,
}

/// A weak reference to an actor with handlers, and what else belongs to a [`Friend`].
pub(super) struct WeakFriend {
    actor: usize,
    waits: bool,
    reference: WeakActorRef<RandomActor>,
}

impl Acquaintance {
    pub(super) fn friend(&self) -> Option<&Friend> {
        let len = self.friends.len();
        (len > 0).then(|| &self.friends[thread_rng().gen_range(0..len)])
    }

    /// Takes a friend into its state, unless that would close a circle.
    fn meet(&mut self, friend: Friend) {
        if self.grammar.rings || friend.actor > self.own {
            self.friends.push(friend);
        }
    }

    /// A friend that a message to `receiver` may carry.
    fn present_for(&self, receiver: usize) -> Option<Friend> {
        let friend = self.friend()?;
        let is_fine = self.grammar.rings || friend.actor > receiver;
        (is_fine && thread_rng().gen_ratio(1, 3)).then(|| friend.clone())
    }

    pub(super) fn tell(&self, friend: &Friend, fuel: u32, may_wait: bool) {
        let carried = self.present_for(friend.actor);
        let parcel = self.parcel(friend, false, fuel, carried);
        let told = match &friend.reference {
            FriendRef::Handlers(actor) if may_wait => actor.tell(parcel),
            FriendRef::Handlers(actor) => actor.try_tell(parcel),
            FriendRef::Thread(actor) if may_wait => actor.tell(parcel),
            FriendRef::Thread(actor) => actor.try_tell(parcel),
        };
        if let Err(error) = told {
            self.ledger.returned(error);
        }
    }

    /// Asks, and waits for the reply, or not for long, or not at all.
    pub(super) fn ask(&self, friend: &Friend, fuel: u32, is_outside: bool) {
        // The actor would wait for room, and no circle is seen.
        if !is_outside && friend.waits {
            return;
        }
        let parcel = self.parcel(friend, true, fuel, None);
        let patience = thread_rng().gen_range(0..4);
        let timeout = Duration::from_micros(thread_rng().gen_range(0..100));
        let reply = match (&friend.reference, patience) {
            (FriendRef::Handlers(actor), 0) => return drop(actor.ask(parcel)),
            (FriendRef::Handlers(actor), 1) => actor.ask(parcel).recv_timeout(timeout),
            (FriendRef::Handlers(actor), _) => actor.ask(parcel).recv(),
            (FriendRef::Thread(actor), 0) => return drop(actor.ask(parcel)),
            (FriendRef::Thread(actor), 1) => actor.ask(parcel).recv_timeout(timeout),
            (FriendRef::Thread(actor), _) => actor.ask(parcel).recv(),
        };
        let is_right = match reply {
            Ok(()) | Err(AskError::Dead | AskError::Panicked) => true,
            Err(AskError::Full) => self.grammar.bounds,
            Err(AskError::Timeout) => patience == 1,
            Err(AskError::Cycle(_)) => !is_outside,
        };
        if !is_right {
            let fault = format!("{} has no reply of {}", self.own, friend.actor);
            self.ledger.fault(fault);
        }
    }

    /// Keeps a friend alive no longer, or once more.
    fn weaken_or_upgrade(&mut self) {
        let mut rng = thread_rng();
        if self.weak.is_empty() || rng.r#gen() {
            if self.friends.is_empty() {
                return;
            }
            let index = rng.gen_range(0..self.friends.len());
            let friend = self.friends.swap_remove(index);
            if let FriendRef::Handlers(actor) = &friend.reference {
                self.weak.push(WeakFriend {
                    actor: friend.actor,
                    waits: friend.waits,
                    reference: actor.downgrade(),
                });
            }
        } else {
            let weak = &self.weak[rng.gen_range(0..self.weak.len())];
            if let Some(actor) = weak.reference.upgrade() {
                self.friends.push(Friend {
                    actor: weak.actor,
                    waits: weak.waits,
                    reference: FriendRef::Handlers(actor),
                });
            }
        }
    }

    fn parcel(&self, to: &Friend, is_asked: bool, fuel: u32, carried: Option<Friend>) -> Parcel {
        let ends = (self.own, to.actor);
        self.ledger.parcel(ends, is_asked, fuel, carried)
    }

    pub(super) fn stop(&self, friend: &Friend) {
        self.ledger.stop(self.own, friend.actor);
        match &friend.reference {
            FriendRef::Handlers(actor) => actor.stop(),
            FriendRef::Thread(actor) => actor.stop(),
        }
    }

    pub(super) fn stop_now(&self, friend: &Friend) {
        self.ledger.kill(friend.actor);
        match &friend.reference {
            FriendRef::Handlers(actor) => actor.stop_now(),
            FriendRef::Thread(actor) => actor.stop_now(),
        }
    }

    /// One of the things that actors and threads outside do.
    pub(super) fn act(&mut self, fuel: u32, is_outside: bool) {
        let mut rng = thread_rng();
        if rng.gen_ratio(1, 6) {
            return self.weaken_or_upgrade();
        }
        let Some(friend) = self.friend().cloned() else {
            return;
        };
        match rng.gen_range(0..12) {
            0..=4 => self.tell(&friend, fuel, is_outside && rng.r#gen()),
            5 | 6 if self.grammar.asks || is_outside => self.ask(&friend, fuel, is_outside),
            7 if self.grammar.ends => self.stop(&friend),
            8 if self.grammar.ends => self.stop_now(&friend),
            9 => {
                let index = rng.gen_range(0..self.friends.len());
                drop(self.friends.swap_remove(index));
            }
            _ => shuttle::thread::yield_now(),
        }
    }
}

/// An actor with handlers.
pub(super) struct RandomActor {
    own: Acquaintance,
    /// It sets messages aside at times.
    sets_aside: bool,
    /// How many it has set aside, and how many of those it has handled.
    aside: usize,
    taken_up: usize,
}

impl Actor for RandomActor {
    fn started(&mut self, _: &mut Context<Self>) {
        self.own.ledger.advance(self.own.own, LifeStage::Started);
    }

    fn stopped(&mut self, _: &mut Context<Self>) {
        self.own.ledger.advance(self.own.own, LifeStage::Stopped);
    }
}

impl Drop for RandomActor {
    fn drop(&mut self) {
        self.own.ledger.advance(self.own.own, LifeStage::Dropped);
    }
}

impl Handler<Parcel> for RandomActor {
    type Reply = ();

    fn handle(&mut self, mut parcel: Parcel, context: &mut Context<Self>) {
        let mut rng = thread_rng();
        if let Some(place) = parcel.aside {
            if place != self.taken_up {
                let fault = format!("{place} set aside came before {}", self.taken_up);
                self.own.ledger.fault(fault);
            }
            self.taken_up += 1;
        } else {
            self.own.ledger.receive(&parcel, self.own.own);
            if self.sets_aside && rng.r#gen() {
                parcel.set_aside(Some(self.aside));
                match context.stash(parcel) {
                    Ok(()) => {
                        self.aside += 1;
                        if rng.gen_ratio(1, 4) {
                            context.unstash_all();
                        }
                        return;
                    }
                    Err(back) => {
                        parcel = back.into_inner();
                        parcel.set_aside(None);
                    }
                }
            }
        }
        parcel.handle();
        if let Some(friend) = parcel.carried.take() {
            self.own.meet(friend);
        }
        if rng.r#gen() {
            context.unstash_all();
        }
        if parcel.fuel > 0 {
            for _ in 0..rng.gen_range(0..3) {
                self.act(context, parcel.fuel - 1);
            }
        }
    }
}

impl RandomActor {
    fn act(&mut self, context: &mut Context<Self>, fuel: u32) {
        let mut rng = thread_rng();
        let own = self.own.own;
        let ends = self.own.grammar.ends;
        match rng.gen_range(0..24) {
            0 if ends => {
                self.own.ledger.stop(own, own);
                context.stop();
            }
            1 if ends => {
                self.own.ledger.kill(own);
                context.stop_now();
            }
            2 if ends => {
                self.own.ledger.panic(own);
                unwind::resume(Box::new("as it was told"));
            }
            3 | 4 => {
                let waits = false;
                let reference = FriendRef::Handlers(context.actor_ref());
                let itself = Friend {
                    actor: own,
                    waits,
                    reference,
                };
                self.own.tell(&itself, fuel, false);
                self.own.meet(itself);
            }
            5 if self.own.ledger.actors() < MOST_ACTORS => {
                let actor = self.own.ledger.further_actor();
                let friend = spawn(actor, &self.own, Vec::new(), |actor, options| {
                    context.spawn_with(actor, options)
                });
                self.own.meet(friend);
            }
            _ => self.own.act(fuel, false),
        }
    }
}

/// Starts an actor with handlers, which has this number and these friends.
pub(super) fn spawn(
    actor: usize,
    parent: &Acquaintance,
    friends: Vec<Friend>,
    start: impl FnOnce(RandomActor, SpawnOptions) -> ActorRef<RandomActor>,
) -> Friend {
    let mut rng = thread_rng();
    let bound = random_bound(&mut rng, parent.grammar);
    parent.ledger.set_bound(actor, bound);
    let mut options = with_bound(SpawnOptions::new(), bound);
    if rng.r#gen() {
        options = options.style(Style::Loop);
    }
    if parent.grammar.threads && rng.gen_ratio(1, 4) {
        options = options.scheduler(Scheduler::Pinned);
    }
    let sets_aside = rng.gen_ratio(1, 3);
    if sets_aside {
        options = options.stash(rng.gen_range(1..4));
    }
    let random = RandomActor {
        own: Acquaintance {
            own: actor,
            ledger: Arc::clone(&parent.ledger),
            grammar: parent.grammar,
            friends,
            weak: Vec::new(),
        },
        sets_aside,
        aside: 0,
        taken_up: 0,
    };
    Friend {
        actor,
        waits: bound == Some(Overflow::Wait),
        reference: FriendRef::Handlers(start(random, options)),
    }
}

/// Starts an actor that is a function.
pub(super) fn spawn_thread(
    actor: usize,
    parent: &Acquaintance,
    friends: Vec<Friend>,
    system: &ActorSystem,
) -> Friend {
    let bound = random_bound(&mut thread_rng(), parent.grammar);
    parent.ledger.set_bound(actor, bound);
    let mut own = ReceivingActor(Acquaintance {
        own: actor,
        ledger: Arc::clone(&parent.ledger),
        grammar: parent.grammar,
        friends,
        weak: Vec::new(),
    });
    let options = with_bound(SpawnOptions::new(), bound);
    let started = system.spawn_thread_with(options, move |inbox| own.live(inbox));
    Friend {
        actor,
        waits: bound == Some(Overflow::Wait),
        reference: FriendRef::Thread(started.expect("nothing can fail here")),
    }
}

/// What an actor that is a function has.
struct ReceivingActor(Acquaintance);

impl ReceivingActor {
    fn live(&mut self, inbox: &mut Inbox<Parcel>) {
        let mut rng = thread_rng();
        self.0.ledger.advance(self.0.own, LifeStage::Started);
        while let Ok(parcel) = self.receive(inbox) {
            self.0.ledger.receive(&parcel, self.0.own);
            let mut parcel = parcel;
            parcel.handle();
            if let Some(friend) = parcel.carried.take() {
                self.0.meet(friend);
            }
            if parcel.fuel > 0 && rng.r#gen() {
                self.0.act(parcel.fuel - 1, false);
            }
            if self.0.grammar.ends && rng.gen_ratio(1, 8) {
                self.0.ledger.kill(self.0.own);
                break;
            }
        }
        self.0.ledger.advance(self.0.own, LifeStage::Stopped);
    }

    /// The next message, by any of the ways to receive one.
    fn receive(&self, inbox: &mut Inbox<Parcel>) -> Result<Parcel, InboxError> {
        let mut rng = thread_rng();
        for _ in 0..2 {
            let received = match rng.gen_range(0..3) {
                0 => inbox.try_receive(),
                1 => inbox.receive_timeout(Duration::from_micros(rng.gen_range(0..60))),
                _ => break,
            };
            if received.as_ref().err() != Some(&InboxError::Empty) {
                return received;
            }
            if self.0.grammar.ends && rng.gen_ratio(1, 12) {
                // It returns while it is idle.
                self.0.ledger.kill(self.0.own);
                return Err(InboxError::Empty);
            }
        }
        inbox.receive().ok_or(InboxError::Ended)
    }
}

impl Drop for ReceivingActor {
    fn drop(&mut self) {
        self.0.ledger.advance(self.0.own, LifeStage::Dropped);
    }
}

fn random_bound(rng: &mut ThreadRng, grammar: Grammar) -> Option<Overflow> {
    (grammar.bounds && rng.r#gen()).then(|| match rng.gen_range(0..4) {
        0 => Overflow::Wait,
        1 => Overflow::Fail,
        2 => Overflow::DropOldest,
        _ => Overflow::DropNewest,
    })
}

fn with_bound(options: SpawnOptions, bound: Option<Overflow>) -> SpawnOptions {
    match bound {
        Some(overflow) => options.bounded(thread_rng().gen_range(1..3), overflow),
        None => options,
    }
}
