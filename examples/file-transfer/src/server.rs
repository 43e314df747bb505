//! What answers requests, each with a job.

use anyhow::{Result, ensure};
use drumline::channel::lanes;
use drumline::{JoinHandle, Pool};

use crate::request::Request;
use crate::upload::{Outcome, upload};

/// A server, with jobs that run on a pool.
#[derive(Debug)]
pub struct Server {
    requests: lanes::Sender<Request>,
    outcomes: lanes::Receiver<Outcome>,
    task: JoinHandle<()>,
}

/// The way of a client to a server. A clone is another one.
#[derive(Clone, Debug)]
pub struct Connection(lanes::Sender<Request>);

impl Server {
    /// Starts a server.
    pub fn start(pool: &Pool) -> Self {
        let (requests, requested) = lanes::unbounded();
        let (outcome, outcomes) = lanes::unbounded();
        Server {
            requests,
            outcomes,
            task: pool.spawn_future(serve(requested, outcome)),
        }
    }

    /// A new connection.
    pub fn connect(&self) -> Connection {
        Connection(self.requests.clone())
    }

    /// Waits for the next transfer to end. `None`: the pool has ended.
    pub fn next_outcome(&mut self) -> Option<Outcome> {
        self.outcomes.recv().ok()
    }

    /// Waits until all connections are gone and all transfers have ended. Returns those that
    /// [`next_outcome`](Self::next_outcome) has not returned.
    pub fn finish(self) -> Vec<Outcome> {
        let Server {
            requests,
            mut outcomes,
            task,
        } = self;
        requests.finish();
        let outcomes = outcomes.iter().collect();
        // If the pool has ended, so has the task, and all transfers.
        let _ = task.join();
        outcomes
    }
}

/// Starts a job for each request, until there is no connection.
async fn serve(mut requests: lanes::Receiver<Request>, outcomes: lanes::Sender<Outcome>) {
    while let Ok(request) = requests.recv_async().await {
        let mut outcomes = outcomes.clone();
        // It reads files and waits for the client. The pool replaces threads that wait.
        drop(drumline::spawn(move || {
            // A server that is gone wants no outcomes.
            let _ = outcomes.send(upload(request));
        }));
    }
}

impl Connection {
    /// A connection to anything that answers requests.
    pub fn new(requests: lanes::Sender<Request>) -> Self {
        Connection(requests)
    }

    /// Sends a request.
    ///
    /// # Errors
    ///
    /// If the server is gone.
    pub fn request(&mut self, request: Request) -> Result<()> {
        // The request in the error has nothing to add.
        ensure!(self.0.send(request).is_ok(), "the server is gone");
        Ok(())
    }
}
