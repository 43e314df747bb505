//! Actors that talk to those that they know.

use std::future::poll_fn;
use std::panic::resume_unwind;
use std::task::Poll;
use std::time::Duration;

use drumline::actor::{
    Actor, ActorRef, ActorSystem, AsyncContext, AsyncHandler, Context, Handler, Inbox, Overflow,
    SpawnOptions,
};
use stress::{Random, check};

use crate::occurred::{Event, Place};
use crate::peer::{Awaited, Mail, Peer};
use crate::speaker::Speaker;
use crate::tally::Alive;

/// An actor with handlers.
pub struct Talker {
    own: Speaker,
    sets_aside: bool,
    /// Calls of its handlers, if the library counts them as well.
    calls: Option<u64>,
    /// Last, so that it is counted until all else is gone.
    _alive: Alive,
}

impl Actor for Talker {}

impl Talker {
    /// A handler is called. Compares the numbers now and then.
    fn count_call(&mut self, own_ref: impl FnOnce() -> ActorRef<Talker>) {
        let Some(calls) = &mut self.calls else { return };
        *calls += 1;
        if self.own.random.below(8) == 0 {
            Event::CountCompared.note();
            // A handler with a future that was dropped before it was polled has not come here.
            let most = *calls + self.own.tally.left();
            let counted = own_ref().stats().map(|stats| stats.handled);
            let is_right = counted.is_some_and(|counted| (*calls..=most).contains(&counted));
            check(is_right, "an actor has counted wrong");
        }
    }
}

impl Handler<Mail> for Talker {
    type Reply = ();

    fn handle(&mut self, mut mail: Mail, context: &mut Context<Self>) {
        self.count_call(|| context.actor_ref());
        let own = &mut self.own;
        if !mail.is_aside {
            own.receive(&mail);
            if self.sets_aside && own.random.below(4) == 0 {
                mail.is_aside = true;
                match context.stash(mail) {
                    Ok(()) => return,
                    Err(back) => mail = back.into_inner(),
                }
            }
        }
        own.take(&mut mail);
        if own.random.below(4) == 0 {
            context.unstash_all();
        }
        if mail.fuel == 0 {
            return;
        }
        let fuel = mail.fuel - 1;
        for _ in 0..own.random.below(3) {
            match own.random.below(256) {
                0 => context.stop(),
                1 => context.stop_now(),
                2 => panic_as_told(own),
                3..8 => {
                    let child = own.child();
                    let child = spawn(child, |talker, options| context.spawn_with(talker, options));
                    own.peers.push(child);
                }
                8..24 => own.tell(&Peer::talker(true, context.actor_ref()), fuel, false),
                _ => own.act(fuel, false),
            }
        }
    }
}

impl AsyncHandler<Awaited> for Talker {
    type Reply = ();

    async fn handle(&mut self, Awaited(mut mail): Awaited, context: AsyncContext<Self>) {
        self.count_call(|| context.actor_ref());
        let own = &mut self.own;
        let handling = own.tally.begin_async();
        own.receive(&mail);
        own.take(&mut mail);
        for _ in 0..own.random.below(3) {
            give_way().await;
        }
        if let Some(fuel) = mail.fuel.checked_sub(1) {
            for _ in 0..own.random.below(3) {
                match own.random.below(256) {
                    0 => context.stop(),
                    1 => context.stop_now(),
                    2 => panic_as_told(own),
                    3..8 => {
                        let child = own.child();
                        let start = |talker, options| context.spawn_with(talker, options);
                        own.peers.push(spawn(child, start));
                    }
                    8..24 => own.tell(&Peer::talker(true, context.actor_ref()), fuel, false),
                    24..64 => own.ask_awaiting(fuel).await,
                    64..80 => give_way().await,
                    _ => own.act(fuel, false),
                }
            }
        }
        handling.done();
    }
}

fn panic_as_told(own: &Speaker) {
    own.tally.panics();
    resume_unwind(Box::new("as it was told"));
}

/// Is pending once.
async fn give_way() {
    let mut has_been_pending = false;
    poll_fn(|cx| {
        if has_been_pending {
            return Poll::Ready(());
        }
        has_been_pending = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    Event::AsyncResumed.note();
}

/// Starts an actor with handlers.
pub fn spawn(
    mut own: Speaker,
    start: impl FnOnce(Talker, SpawnOptions) -> ActorRef<Talker>,
) -> Peer {
    let (mut options, waits) = random_bound(&mut own.random);
    let (place, scheduler) = own.schedulers.of_actor(&mut own.random);
    if let Some(scheduler) = scheduler {
        options = options.scheduler(scheduler);
    }
    own.place = place;
    place.note_actor();
    let sets_aside = own.random.below(4) == 0;
    if sets_aside {
        options = options.stash(1 + own.random.below(8) as usize);
    }
    let is_counted = own.random.below(4) == 0;
    if is_counted {
        options = options.counted();
    }
    let _alive = Alive::new(&own.tally);
    let talker = Talker {
        own,
        sets_aside,
        calls: is_counted.then_some(0),
        _alive,
    };
    Peer::talker(waits, start(talker, options))
}

/// Starts an actor that is a function.
pub fn spawn_function(mut own: Speaker, system: &ActorSystem) -> Peer {
    let (options, waits) = random_bound(&mut own.random);
    own.place = Place::Function;
    own.place.note_actor();
    let alive = Alive::new(&own.tally);
    let body = move |inbox: &mut Inbox<Mail>| {
        let _alive = alive;
        live(own, inbox);
    };
    let started = system.spawn_thread_with(options, body);
    Peer::function(waits, started.expect("a thread"))
}

/// What an actor does that is a function.
fn live(mut own: Speaker, inbox: &mut Inbox<Mail>) {
    loop {
        let received = match own.random.below(4) {
            0 => inbox.try_receive().ok(),
            1 => {
                let timeout = Duration::from_micros(own.random.below(200));
                inbox.receive_timeout(timeout).ok()
            }
            _ => match inbox.receive() {
                Some(mail) => Some(mail),
                None => return,
            },
        };
        if let Some(mut mail) = received {
            own.receive(&mail);
            own.take(&mut mail);
            if mail.fuel > 0 {
                own.act(mail.fuel - 1, false);
            }
        }
        if own.random.below(256) == 0 {
            return;
        }
    }
}

/// With a bound, or none, and whether senders wait for room.
fn random_bound(random: &mut Random) -> (SpawnOptions, bool) {
    let overflow = match random.below(8) {
        0 => Overflow::Wait,
        1 => Overflow::Fail,
        2 => Overflow::DropOldest,
        3 => Overflow::DropNewest,
        _ => return (SpawnOptions::new(), false),
    };
    let bound = 1 + random.below(16) as usize;
    let options = SpawnOptions::new().bounded(bound, overflow);
    (options, overflow == Overflow::Wait)
}
