//! The actor that writes to one client.
//!
//! A line is one message, and a write to the socket is expensive. So a line is put into the outbox,
//! and the actor tells itself to flush that. Lines that are in the mailbox already come before the
//! flush, and are written with it.
//!
//! While a flush waits for the socket, no other message is handled. The mailbox fills, and the
//! room finds it full. So at most twice the bound of the mailbox waits for a client: that many
//! lines in the outbox, and that many in the mailbox.

use std::sync::Arc;

use drumline::CancellationToken;
use drumline::actor::{Actor, AsyncContext, AsyncHandler, Context, Handler};

use crate::closer::Closer;
use crate::farewell::Farewell;
use crate::outbox::Outbox;

/// A line for a client, with its end. All members share the text of a broadcast.
#[derive(Clone, Debug)]
pub struct Line(Arc<str>);

impl Line {
    /// A line of this text, which ends with a line feed.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Line(text.into())
    }
}

/// The writing side of a client.
#[derive(Debug)]
pub struct Connection {
    /// `None` after an error of the socket.
    outbox: Option<Outbox>,
    is_flush_told: bool,
    evicted: CancellationToken,
    closer: Closer,
}

/// Write what is in the outbox.
struct Flush;

impl Connection {
    /// One that disconnects its client at once, with a last line, when the token is cancelled and
    /// the actor is stopped.
    pub fn new(outbox: Outbox, evicted: CancellationToken, closer: Closer) -> Self {
        Connection {
            outbox: Some(outbox),
            is_flush_told: false,
            evicted,
            closer,
        }
    }
}

impl Actor for Connection {
    fn stopped(&mut self, _: &mut Context<Self>) {
        let Some(mut outbox) = self.outbox.take() else {
            return;
        };
        if self.evicted.is_cancelled() {
            outbox.push(Farewell::TooSlow.to_client());
        }
        self.closer.finish(outbox);
    }
}

impl Handler<Line> for Connection {
    type Reply = ();

    fn handle(&mut self, Line(text): Line, context: &mut Context<Self>) {
        let Some(outbox) = &mut self.outbox else {
            return;
        };
        outbox.push(&text);
        if !self.is_flush_told {
            // Without room in the mailbox, there is another line in it, which tries again.
            self.is_flush_told = context.actor_ref().try_tell(Flush).is_ok();
        }
    }
}

impl AsyncHandler<Flush> for Connection {
    type Reply = ();

    async fn handle(&mut self, Flush: Flush, context: AsyncContext<Self>) {
        self.is_flush_told = false;
        let Some(outbox) = &mut self.outbox else {
            return;
        };
        let result = tokio::select! {
            result = outbox.write() => result,
            // The actor has been stopped. Its hook goes on with the outbox.
            () = self.evicted.cancelled() => Ok(()),
            () = self.closer.abandoned().cancelled() => Ok(()),
        };
        if result.is_err() {
            // The client has gone. The room learns of it from the task that reads.
            self.outbox = None;
            context.stop_now();
        }
    }
}
