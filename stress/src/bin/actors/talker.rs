//! Actors that talk to those that they know.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use drumline::actor::{
    Actor, ActorRef, ActorSystem, AskError, Context, Handler, Inbox, Overflow, Scheduler,
    SpawnOptions, ThreadActor,
};
use stress::{Random, check, dither};

use crate::tally::{Alive, Message, Tally};

/// A message that may carry a reference.
type Mail = Message<Peer>;

/// A reference to an actor.
#[derive(Clone)]
pub struct Peer {
    /// Senders wait for room.
    waits: bool,
    reference: PeerRef,
}

#[derive(Clone)]
enum PeerRef {
    Handlers(ActorRef<Talker>),
    Thread(ActorRef<ThreadActor<Mail>>),
}

/// What an actor, or a thread outside, knows and sends.
pub struct Speaker {
    tally: Arc<Tally>,
    random: Random,
    /// As a sender.
    own: u64,
    sent: u64,
    peers: Vec<Peer>,
    /// The newest message of each sender.
    newest: BTreeMap<u64, u64>,
}

impl Speaker {
    /// One that knows some of these.
    pub fn new(tally: &Arc<Tally>, peers: &[Peer], random: &mut Random) -> Self {
        let mut random = Random::new(random.number());
        let known = peers.iter().filter(|_| random.below(2) == 0);
        Speaker {
            tally: Arc::clone(tally),
            own: tally.next_sender(),
            sent: 0,
            peers: known.cloned().collect(),
            newest: BTreeMap::new(),
            random,
        }
    }

    /// One that knows all of these.
    pub fn outside(tally: &Arc<Tally>, peers: &[Peer], random: &mut Random) -> Self {
        let mut speaker = Self::new(tally, &[], random);
        speaker.peers = peers.to_vec();
        speaker
    }

    fn peer(&mut self) -> Option<Peer> {
        let len = self.peers.len() as u64;
        (len > 0).then(|| self.peers[self.random.below(len) as usize].clone())
    }

    fn mail(&mut self, fuel: u32, is_asked: bool) -> Mail {
        self.sent += 1;
        Message::new(&self.tally, (self.own, self.sent), fuel, is_asked)
    }

    /// Talks for some time.
    pub fn speak(&mut self, is_outside: bool) {
        for _ in 0..self.random.below(200) {
            self.act(3, is_outside);
            if self.random.below(4) == 0 {
                dither(self.random.below(2_000));
            }
        }
    }

    fn act(&mut self, fuel: u32, is_outside: bool) {
        let Some(peer) = self.peer() else { return };
        match self.random.below(256) {
            0 => match &peer.reference {
                PeerRef::Handlers(actor) => actor.stop(),
                PeerRef::Thread(actor) => actor.stop(),
            },
            1 => match &peer.reference {
                PeerRef::Handlers(actor) => actor.stop_now(),
                PeerRef::Thread(actor) => actor.stop_now(),
            },
            2..8 => {
                let index = self.random.below(self.peers.len() as u64) as usize;
                drop(self.peers.swap_remove(index));
            }
            // A handler that waits for room could wait for itself.
            8..24 if is_outside || !peer.waits => self.ask(&peer, fuel, is_outside),
            _ => self.tell(&peer, fuel, is_outside),
        }
    }

    fn tell(&mut self, peer: &Peer, fuel: u32, may_wait: bool) {
        let mut mail = self.mail(fuel, false);
        if self.random.below(8) == 0 {
            mail.carried = self.peer();
        }
        let told = match &peer.reference {
            PeerRef::Handlers(actor) if may_wait => actor.tell(mail),
            PeerRef::Handlers(actor) => actor.try_tell(mail),
            PeerRef::Thread(actor) if may_wait => actor.tell(mail),
            PeerRef::Thread(actor) => actor.try_tell(mail),
        };
        if let Err(error) = told {
            self.tally.back(error);
        }
    }

    fn ask(&mut self, peer: &Peer, fuel: u32, is_outside: bool) {
        let mail = self.mail(fuel, true);
        let mut answer = match &peer.reference {
            PeerRef::Handlers(actor) => actor.ask(mail),
            PeerRef::Thread(actor) => actor.ask(mail),
        };
        let patience = self.random.below(4);
        let reply = match patience {
            0 => return,
            1 => answer.recv_timeout(Duration::from_micros(self.random.below(100))),
            // A wait that is awaited is in no circle that is seen.
            2 if is_outside => drumline::block_on(answer),
            _ => answer.recv(),
        };
        let is_right = match reply {
            Ok(()) | Err(AskError::Dead | AskError::Panicked | AskError::Full) => true,
            Err(AskError::Timeout) => patience == 1,
            Err(AskError::Cycle(_)) => !is_outside,
            Err(_) => false,
        };
        check(is_right, "an answer is not one of those that can be");
    }

    /// Has a message that is not set aside.
    fn receive(&mut self, mail: &Mail) {
        let before = self.newest.insert(mail.sender, mail.number);
        let is_newer = before.is_none_or(|before| before < mail.number);
        check(is_newer, "messages of a sender came in another order");
    }

    fn meet(&mut self, mail: &mut Mail) {
        if let Some(peer) = mail.carried.take()
            && self.peers.len() < 16
        {
            self.peers.push(peer);
        }
    }
}

/// An actor with handlers.
pub struct Talker {
    own: Speaker,
    sets_aside: bool,
    /// Last, so that it is counted until all else is gone.
    _alive: Alive,
}

impl Actor for Talker {}

impl Handler<Mail> for Talker {
    type Reply = ();

    fn handle(&mut self, mut mail: Mail, context: &mut Context<Self>) {
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
        mail.handle();
        own.meet(&mut mail);
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
                2 => {
                    own.tally.panics();
                    std::panic::resume_unwind(Box::new("as it was told"));
                }
                3..8 => {
                    let child = Speaker::new(&own.tally, &own.peers, &mut own.random);
                    let child = spawn(child, |talker, options| context.spawn_with(talker, options));
                    own.peers.push(child);
                }
                8..24 => {
                    let waits = true;
                    let reference = PeerRef::Handlers(context.actor_ref());
                    own.tell(&Peer { waits, reference }, fuel, false);
                }
                _ => own.act(fuel, false),
            }
        }
    }
}

/// Starts an actor with handlers.
pub fn spawn(
    mut own: Speaker,
    start: impl FnOnce(Talker, SpawnOptions) -> ActorRef<Talker>,
) -> Peer {
    let (mut options, waits) = random_bound(&mut own.random);
    if own.random.below(8) == 0 {
        options = options.scheduler(Scheduler::Pinned);
    }
    let sets_aside = own.random.below(4) == 0;
    if sets_aside {
        options = options.stash(1 + own.random.below(8) as usize);
    }
    let _alive = Alive::new(&own.tally);
    let talker = Talker {
        own,
        sets_aside,
        _alive,
    };
    let reference = PeerRef::Handlers(start(talker, options));
    Peer { waits, reference }
}

/// Starts an actor that is a function.
pub fn spawn_thread(mut own: Speaker, system: &ActorSystem) -> Peer {
    let (options, waits) = random_bound(&mut own.random);
    let alive = Alive::new(&own.tally);
    let body = move |inbox: &mut Inbox<Mail>| {
        let _alive = alive;
        own.live(inbox);
    };
    let started = system.spawn_thread_with(options, body);
    let reference = PeerRef::Thread(started.expect("a thread"));
    Peer { waits, reference }
}

impl Speaker {
    fn live(mut self, inbox: &mut Inbox<Mail>) {
        loop {
            let received = match self.random.below(4) {
                0 => inbox.try_receive().ok(),
                1 => {
                    let timeout = Duration::from_micros(self.random.below(200));
                    inbox.receive_timeout(timeout).ok()
                }
                _ => match inbox.receive() {
                    Some(mail) => Some(mail),
                    None => return,
                },
            };
            if let Some(mut mail) = received {
                self.receive(&mail);
                mail.handle();
                self.meet(&mut mail);
                if mail.fuel > 0 {
                    self.act(mail.fuel - 1, false);
                }
            }
            if self.random.below(256) == 0 {
                return;
            }
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
