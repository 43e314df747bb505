//! The actor that knows the members.

use std::collections::{BTreeMap, VecDeque};

use drumline::CancellationToken;
use drumline::actor::{Actor, ActorRef, Context, Handler, TellError};

use crate::connection::{Connection, Line};
use crate::farewell::{Farewell, SHUTDOWN};

/// The number of a member. No two members ever have the same.
pub type MemberId = u64;

/// A client joins. The reply is its number.
pub struct Join {
    /// The actor that writes to it.
    pub connection: ActorRef<Connection>,
    /// Cancelled by the room when the client is too slow.
    pub evicted: CancellationToken,
}

/// A member says something.
pub struct Say(pub MemberId, pub String);

/// A member wants to be called something else.
pub struct Rename(pub MemberId, pub String);

/// A member is told that its command makes no sense.
pub struct Complain(pub MemberId, pub &'static str);

/// A member leaves.
pub struct Leave(pub MemberId, pub Farewell);

/// All members are sent away, and the room ends.
pub struct Close;

/// What a room has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoomReport {
    /// How many clients have joined.
    pub joined: u64,
    /// How many lines they have said.
    pub said: u64,
    /// How many of them were too slow.
    pub too_slow: u64,
    /// How many lines were given to the actors of clients. That includes the news of joins and
    /// leaves.
    pub delivered: u64,
}

struct Member {
    nick: String,
    connection: ActorRef<Connection>,
    evicted: CancellationToken,
}

/// The members, and what it has done so far.
#[derive(Default)]
pub struct Room {
    members: BTreeMap<MemberId, Member>,
    report: RoomReport,
}

impl Member {
    /// Gives it a line. Returns why it has to leave, if it has to.
    fn tell(&self, line: &Line) -> Option<Farewell> {
        match self.connection.tell(line.clone()) {
            Ok(()) => None,
            Err(TellError::Full(_)) => {
                // Its actor may wait for the socket, and has no room for a message. So the token
                // ends that wait, and what is in the mailbox is discarded.
                self.evicted.cancel();
                self.connection.stop_now();
                Some(Farewell::TooSlow)
            }
            Err(TellError::Dead(_)) => Some(Farewell::Gone),
        }
    }
}

impl Room {
    /// Tells all members something. Those that are too slow leave, which the others are told too.
    fn announce(&mut self, line: String) {
        let mut lines = VecDeque::from([line]);
        while let Some(text) = lines.pop_front() {
            let line = Line::new(text);
            let report = &mut self.report;
            self.members.retain(|_, member| match member.tell(&line) {
                None => {
                    report.delivered += 1;
                    true
                }
                Some(farewell) => {
                    report.too_slow += u64::from(farewell == Farewell::TooSlow);
                    lines.push_back(has_left(&member.nick, farewell));
                    false
                }
            });
        }
    }

    /// Tells one member something.
    fn tell(&mut self, id: MemberId, line: &Line) {
        let Some(member) = self.members.get(&id) else {
            return;
        };
        match member.tell(line) {
            None => self.report.delivered += 1,
            Some(farewell) => {
                self.report.too_slow += u64::from(farewell == Farewell::TooSlow);
                let text = has_left(&member.nick, farewell);
                self.members.remove(&id);
                self.announce(text);
            }
        }
    }
}

fn has_left(nick: &str, farewell: Farewell) -> String {
    format!("* {nick} left{}\n", farewell.to_others())
}

impl Actor for Room {}

impl Handler<Join> for Room {
    type Reply = MemberId;

    fn handle(&mut self, join: Join, _: &mut Context<Self>) -> MemberId {
        self.report.joined += 1;
        let id = self.report.joined;
        let nick = format!("guest{id}");
        self.announce(format!("* {nick} joined\n"));
        let welcome = Line::new(format!("* you are {nick}\n"));
        let member = Member {
            nick,
            connection: join.connection,
            evicted: join.evicted,
        };
        self.members.insert(id, member);
        self.tell(id, &welcome);
        id
    }
}

impl Handler<Say> for Room {
    type Reply = ();

    fn handle(&mut self, Say(id, text): Say, _: &mut Context<Self>) {
        if let Some(member) = self.members.get(&id) {
            self.report.said += 1;
            let line = format!("{}: {text}\n", member.nick);
            self.announce(line);
        }
    }
}

impl Handler<Rename> for Room {
    type Reply = ();

    fn handle(&mut self, Rename(id, nick): Rename, _: &mut Context<Self>) {
        if self.members.values().any(|member| member.nick == nick) {
            return self.tell(id, &Line::new(format!("! {nick} is taken\n")));
        }
        if let Some(member) = self.members.get_mut(&id) {
            let line = format!("* {} is now {nick}\n", member.nick);
            member.nick = nick;
            self.announce(line);
        }
    }
}

impl Handler<Complain> for Room {
    type Reply = ();

    fn handle(&mut self, Complain(id, text): Complain, _: &mut Context<Self>) {
        self.tell(id, &Line::new(format!("! {text}\n")));
    }
}

impl Handler<Leave> for Room {
    type Reply = ();

    fn handle(&mut self, Leave(id, farewell): Leave, _: &mut Context<Self>) {
        self.tell(id, &Line::new(farewell.to_client()));
        // One that was too slow for its last line has left already.
        if let Some(member) = self.members.remove(&id) {
            member.connection.stop();
            self.announce(has_left(&member.nick, farewell));
        }
    }
}

impl Handler<Close> for Room {
    type Reply = RoomReport;

    fn handle(&mut self, Close: Close, context: &mut Context<Self>) -> RoomReport {
        self.announce(SHUTDOWN.to_owned());
        for member in std::mem::take(&mut self.members).into_values() {
            member.connection.stop();
        }
        context.stop_now();
        self.report
    }
}
