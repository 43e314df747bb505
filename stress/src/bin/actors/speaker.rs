//! What an actor, or a thread outside, knows and sends.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use drumline::actor::AskError;
use stress::{Random, check, dither};

use crate::occurred::{Event, Place};
use crate::peer::{Mail, Peer, WeakPeer};
use crate::schedulers::Schedulers;
use crate::tally::{Message, Tally};

/// References of either kind that one speaker has.
const MOST_PEERS: usize = 16;

/// A sender of messages.
pub struct Speaker {
    pub tally: Arc<Tally>,
    pub schedulers: Arc<Schedulers>,
    pub random: Random,
    /// As a sender.
    own: u64,
    sent: u64,
    pub peers: Vec<Peer>,
    weak: Vec<WeakPeer>,
    /// The newest message of each sender.
    newest: BTreeMap<u64, u64>,
    /// Where its actor runs, if it is one.
    pub place: Place,
}

impl Speaker {
    /// One that knows some of these.
    pub fn new(
        tally: &Arc<Tally>,
        schedulers: &Arc<Schedulers>,
        peers: &[Peer],
        random: &mut Random,
    ) -> Self {
        let mut random = Random::new(random.number());
        let known = peers.iter().filter(|_| random.below(2) == 0);
        Speaker {
            tally: Arc::clone(tally),
            schedulers: Arc::clone(schedulers),
            own: tally.next_sender(),
            sent: 0,
            peers: known.cloned().collect(),
            weak: Vec::new(),
            newest: BTreeMap::new(),
            place: Place::Managed,
            random,
        }
    }

    /// One that knows all of these.
    pub fn outside(
        tally: &Arc<Tally>,
        schedulers: &Arc<Schedulers>,
        peers: &[Peer],
        random: &mut Random,
    ) -> Self {
        let mut speaker = Self::new(tally, schedulers, &[], random);
        speaker.peers = peers.to_vec();
        speaker
    }

    /// One that this speaker starts, and that knows some of those that it knows.
    pub fn child(&mut self) -> Self {
        Self::new(&self.tally, &self.schedulers, &self.peers, &mut self.random)
    }

    fn peer(&mut self) -> Option<Peer> {
        let len = self.peers.len() as u64;
        (len > 0).then(|| self.peers[self.random.below(len) as usize].clone())
    }

    fn mail(&mut self, peer: &Peer, fuel: u32, is_asked: bool) -> Mail {
        self.sent += 1;
        let mut mail = Message::new(&self.tally, (self.own, self.sent), fuel, is_asked);
        mail.is_awaited = peer.has_async_handler() && self.random.below(4) == 0;
        mail
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

    pub fn act(&mut self, fuel: u32, is_outside: bool) {
        let Some(peer) = self.peer() else { return };
        match self.random.below(256) {
            0 => peer.stop(),
            1 => peer.stop_now(),
            2..8 => {
                let index = self.random.below(self.peers.len() as u64) as usize;
                drop(self.peers.swap_remove(index));
            }
            8..12 => self.downgrade(&peer),
            12..24 => self.upgrade(),
            24 if is_outside || self.random.below(16) == 0 => {
                self.schedulers.resize(&mut self.random);
            }
            // A handler that waits for room could wait for itself.
            25..41 if is_outside || !peer.waits => self.ask(&peer, fuel, is_outside),
            _ => self.tell(&peer, fuel, is_outside),
        }
    }

    fn downgrade(&mut self, peer: &Peer) {
        if self.weak.len() < MOST_PEERS {
            self.weak.push(peer.downgrade());
            Event::Downgraded.note();
        }
    }

    fn upgrade(&mut self) {
        let len = self.weak.len() as u64;
        if len == 0 {
            return;
        }
        let index = self.random.below(len) as usize;
        if let Some(peer) = self.weak[index].upgrade() {
            Event::Upgraded.note();
            self.know(peer);
        } else {
            Event::NotUpgraded.note();
            drop(self.weak.swap_remove(index));
        }
    }

    pub fn tell(&mut self, peer: &Peer, fuel: u32, may_wait: bool) {
        let mut mail = self.mail(peer, fuel, false);
        if self.random.below(8) == 0 {
            mail.carried = self.peer();
        }
        if let Err(error) = peer.tell(mail, may_wait) {
            self.tally.back(error);
        }
    }

    fn ask(&mut self, peer: &Peer, fuel: u32, is_outside: bool) {
        let mail = self.mail(peer, fuel, true);
        let mut answer = peer.ask(mail);
        let mut patience = self.random.below(4);
        // No thread takes the place of a shared one, and the asked actor may need it.
        if self.place == Place::Shared {
            patience = patience.min(1);
        }
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

    /// Asks in an async handler, and awaits the reply.
    pub async fn ask_awaiting(&mut self, fuel: u32) {
        let Some(peer) = self.peer().filter(|peer| !peer.waits) else {
            return;
        };
        let mail = self.mail(&peer, fuel, true);
        let answer = peer.ask(mail);
        drop(peer);
        Event::AsyncAsked.note();
        let is_right = matches!(
            answer.await,
            Ok(()) | Err(AskError::Dead | AskError::Panicked | AskError::Full | AskError::Cycle(_))
        );
        check(
            is_right,
            "an awaited answer is not one of those that can be",
        );
    }

    /// Has a message that is not set aside.
    pub fn receive(&mut self, mail: &Mail) {
        let before = self.newest.insert(mail.sender, mail.number);
        let is_newer = before.is_none_or(|before| before < mail.number);
        check(is_newer, "messages of a sender came in another order");
    }

    /// Handles a message that it has.
    pub fn take(&mut self, mail: &mut Mail) {
        mail.handle();
        self.place.note_handled();
        if let Some(peer) = mail.carried.take() {
            self.know(peer);
        }
    }

    fn know(&mut self, peer: Peer) {
        if self.peers.len() < MOST_PEERS {
            self.peers.push(peer);
        }
    }
}
