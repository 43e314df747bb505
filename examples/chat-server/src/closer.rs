//! The rest that is written after the actor of a client has ended.

use std::convert::Infallible;
use std::time::Duration;

use drumline::CancellationToken;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::outbox::Outbox;

/// Writes last lines, for a while. The hook at the end of an actor cannot await, so a task of tokio
/// does it.
///
/// Each clone counts as an open connection, until it is dropped.
#[derive(Clone, Debug)]
pub struct Closer {
    runtime: Handle,
    grace: Duration,
    abandoned: CancellationToken,
    /// Counts this one as open.
    _open: mpsc::Sender<Infallible>,
}

/// Learns when no connection is open.
#[derive(Debug)]
pub struct OpenConnections(mpsc::Receiver<Infallible>);

impl OpenConnections {
    /// Waits until all closers have been dropped.
    pub async fn all_closed(&mut self) {
        // Nothing can be sent, so this is the end of the last sender.
        let end = self.0.recv().await;
        debug_assert!(end.is_none());
    }
}

impl Closer {
    /// One that gives clients this long, unless the token is cancelled before.
    pub fn new(
        runtime: Handle,
        grace: Duration,
        abandoned: CancellationToken,
    ) -> (Self, OpenConnections) {
        let (open, is_open) = mpsc::channel(1);
        let closer = Closer {
            runtime,
            grace,
            abandoned,
            _open: open,
        };
        (closer, OpenConnections(is_open))
    }

    /// Cancelled when the server gives its clients no more time.
    pub fn abandoned(&self) -> &CancellationToken {
        &self.abandoned
    }

    /// Writes what is left, and ends the stream.
    pub fn finish(&self, outbox: Outbox) {
        let closer = self.clone();
        self.runtime.spawn(async move {
            // An error means that the client has gone.
            closer.within_grace(outbox.finish()).await;
        });
    }

    /// Awaits something for as long as a client may take that leaves.
    pub async fn within_grace(&self, end: impl Future) {
        tokio::select! {
            _ = end => {}
            () = tokio::time::sleep(self.grace) => {}
            () = self.abandoned.cancelled() => {}
        }
    }
}
