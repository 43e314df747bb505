//! The actors that fetch.

use std::io;
use std::sync::Arc;

use drumline::actor::{Actor, ActorRef, Context, Handler};
use drumline::blocking;

use crate::errand::{Errand, Outcome};
use crate::http::Response;
use crate::index::{AddWords, WordIndex};
use crate::page::Page;

/// How a page is fetched: over a socket, or otherwise in tests.
pub type Fetch = dyn Fn(&str) -> io::Result<Response> + Send + Sync;

/// Fetches one page at a time.
pub struct Fetcher {
    fetch: Arc<Fetch>,
    index: ActorRef<WordIndex>,
}

impl Fetcher {
    /// One that gives words to this index.
    pub fn new(fetch: Arc<Fetch>, index: ActorRef<WordIndex>) -> Self {
        Fetcher { fetch, index }
    }
}

impl Actor for Fetcher {}

impl Handler<Errand> for Fetcher {
    type Reply = ();

    fn handle(&mut self, errand: Errand, _: &mut Context<Self>) {
        // The thread waits for a socket. Another one of the pool takes its place meanwhile.
        let outcome = match blocking(|| (self.fetch)(errand.path())) {
            Ok(response) => match response.status {
                200 => {
                    let Page { words, links } = Page::parse(&response.body);
                    // Waits while the mailbox of the index is full.
                    match self.index.tell(AddWords(words)) {
                        Ok(()) => Outcome::Fetched(links),
                        Err(error) => Outcome::Failed(format!("it is not in the index: {error}")),
                    }
                }
                404 => Outcome::Missing,
                status => Outcome::Failed(format!("status {status}")),
            },
            Err(error) => Outcome::Failed(error.to_string()),
        };
        errand.finish(outcome);
    }
}
