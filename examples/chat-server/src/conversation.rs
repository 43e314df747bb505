//! The task that reads from one client.

use drumline::CancellationToken;
use drumline::actor::{ActorRef, ActorSystem, AskError, Overflow, SpawnOptions};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;

use crate::closer::Closer;
use crate::command::{Command, LONGEST_LINE};
use crate::connection::Connection;
use crate::farewell::Farewell;
use crate::outbox::Outbox;
use crate::room::{Complain, Join, Leave, MemberId, Rename, Room, Say};

/// What a client sends, and where it goes.
pub struct Conversation {
    reader: BufReader<OwnedReadHalf>,
    room: ActorRef<Room>,
    evicted: CancellationToken,
    closer: Closer,
}

impl Conversation {
    /// Starts the actor that writes to the client. Returns the reading side, and that actor.
    pub fn begin(
        socket: TcpStream,
        system: &ActorSystem,
        backlog: usize,
        room: ActorRef<Room>,
        closer: Closer,
    ) -> (Self, ActorRef<Connection>) {
        let (reader, writer) = socket.into_split();
        let evicted = CancellationToken::new();
        let outbox = Outbox::new(writer);
        let connection = Connection::new(outbox, evicted.clone(), closer.clone());
        let options = SpawnOptions::new().bounded(backlog, Overflow::Fail);
        let connection = system.spawn_with(connection, options);
        let conversation = Conversation {
            reader: BufReader::new(reader),
            room,
            evicted,
            closer,
        };
        (conversation, connection)
    }

    /// Reads until the client leaves, is too slow, or `stop` is cancelled.
    pub async fn run(mut self, connection: ActorRef<Connection>, stop: CancellationToken) {
        let join = Join {
            connection,
            evicted: self.evicted.clone(),
        };
        // A room that is closed has no members. Its server stops.
        if let Ok(id) = self.room.ask(join).await {
            let evicted = self.evicted.clone();
            tokio::select! {
                result = self.listen(id) => {
                    if let Ok(farewell) = result {
                        // A room that is closed has sent all members away.
                        let _ = self.room.ask(Leave(id, farewell)).await;
                    }
                }
                // Both are done by the room.
                () = evicted.cancelled() => {}
                () = stop.cancelled() => {}
            }
        }
        // The system resets a connection that is closed with bytes in it which were not read. Then
        // the client may miss its last lines. So all is read, for a while.
        let mut sink = tokio::io::sink();
        let rest = tokio::io::copy(&mut self.reader, &mut sink);
        self.closer.within_grace(rest).await;
    }

    /// Does what the client says, and waits for each line until the room has handled it. So a
    /// client has one message in the mailbox of the room, and no more.
    async fn listen(&mut self, id: MemberId) -> Result<Farewell, AskError> {
        let mut line = Vec::new();
        loop {
            line.clear();
            let mut limited = (&mut self.reader).take(LONGEST_LINE as u64);
            match limited.read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return Ok(Farewell::Gone),
                Ok(_) if line.ends_with(b"\n") => {}
                Ok(LONGEST_LINE) => return Ok(Farewell::LongLine),
                // The stream has ended in the middle of a line.
                Ok(_) => return Ok(Farewell::Gone),
            }
            match Command::parse(&line) {
                Command::Say(text) => self.room.ask(Say(id, text)).await?,
                Command::Nick(nick) => self.room.ask(Rename(id, nick)).await?,
                Command::Invalid(text) => self.room.ask(Complain(id, text)).await?,
                Command::Nothing => {}
                Command::Quit => return Ok(Farewell::Quit),
            }
        }
    }
}
