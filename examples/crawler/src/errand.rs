//! One page that a fetcher was told to fetch, and what came of it.

use std::sync::Arc;

use drumline::actor::Recipient;

/// What came of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was fetched, and links to these.
    Fetched(Vec<String>),
    /// The site has no such page.
    Missing,
    /// It was not fetched, for this reason.
    Failed(String),
}

/// The frontier is told this when an errand has come to its end.
pub struct Finished {
    /// The page.
    pub path: Arc<str>,
    /// What came of it.
    pub outcome: Outcome,
}

/// A page to fetch. The frontier hears of its end exactly once: also if the fetcher panics, or ends
/// while the errand is in its mailbox.
pub struct Errand {
    path: Arc<str>,
    frontier: Option<Recipient<Finished>>,
}

impl Errand {
    /// To this page, for the frontier.
    pub fn new(path: Arc<str>, frontier: Recipient<Finished>) -> Self {
        Errand {
            path,
            frontier: Some(frontier),
        }
    }

    /// The page.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Tells the frontier what came of it.
    pub fn finish(mut self, outcome: Outcome) {
        self.report(outcome);
    }

    /// Takes it back from a fetcher that has no room for it. The frontier is not told.
    pub fn take_back(mut self) -> Arc<str> {
        self.frontier = None;
        Arc::clone(&self.path)
    }

    fn report(&mut self, outcome: Outcome) {
        if let Some(frontier) = self.frontier.take() {
            let path = Arc::clone(&self.path);
            // A frontier that has ended wants to know nothing more.
            let _ = frontier.tell(Finished { path, outcome });
        }
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        self.report(Outcome::Failed("its fetcher has ended".to_owned()));
    }
}
