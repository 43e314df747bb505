//! Fixed shares on threads that have started already: what a pool can reach that knows all items
//! and their lengths in advance.
//!
//! The threads are a tree: each wakes two others before it begins its own share, so the last one
//! is reached after as many steps as the tree is deep.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Thread};

use anyhow::{Context, Result};

use crate::families::virtual_cores::sleepers::Sleepers;
use crate::families::virtual_cores::{Sharing, VirtualRuntime};
use crate::runtime::{Role, RuntimeCard};

/// One thread per share.
#[derive(Debug)]
pub struct Ideal {
    helpers: Helpers,
    jobs: usize,
}

/// The way to the helpers that one thread wakes.
type Helpers = Vec<Sender<HelpRequest>>;

/// What a helper is told.
#[derive(Clone, Debug)]
struct HelpRequest {
    items: Arc<Sleepers>,
    round: Arc<Round>,
}

/// One operation.
#[derive(Debug)]
struct Round {
    /// The helpers that have not ended their shares.
    left: AtomicUsize,
    caller: Thread,
}

impl HelpRequest {
    /// Wakes further helpers, as far as there is something for them, and runs a share.
    fn follow(&self, helpers: &Helpers, number: usize) {
        for (below, helper) in (2 * number + 1..).zip(helpers) {
            // Those with nothing to do have the largest numbers, and so have all below them.
            if !self.items.share(below).is_empty() {
                helper
                    .send(self.clone())
                    .expect("helpers wait for requests");
            }
        }
        for &item in self.items.share(number) {
            self.items.run(item);
        }
    }
}

/// The helpers below thread `above`, each of which wakes those below itself.
fn helpers(above: usize, jobs: usize) -> Result<Helpers> {
    let numbers = [2 * above + 1, 2 * above + 2];
    let below = numbers.into_iter().filter(|number| *number < jobs);
    below
        .map(|number| {
            let helpers = helpers(number, jobs)?;
            let (sender, requests) = channel();
            thread::Builder::new()
                .spawn(move || help(number, &helpers, &requests))
                .context("a thread cannot be made")?;
            Ok(sender)
        })
        .collect()
}

fn help(number: usize, helpers: &Helpers, requests: &Receiver<HelpRequest>) {
    for HelpRequest { items, round } in requests {
        let request = HelpRequest { items, round };
        request.follow(helpers, number);
        let HelpRequest { items, round } = request;
        drop(items);
        // Pairs with the Acquire load in `each`: the caller sees that the items have run.
        if round.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            round.caller.unpark();
        }
    }
}

impl VirtualRuntime for Ideal {
    const CARD: RuntimeCard = RuntimeCard {
        name: "ideal",
        about: "fixed shares, the longest items dealt first, on threads that have started already",
        package: None,
        role: Role::Bound,
        rank: 1,
        scheduler: "none, shares fixed in advance",
        parallel: true,
        colour: (176, 181, 189),
    };

    const SHARINGS: &'static [Sharing] = &[Sharing::Share, Sharing::Stream];

    const KEEPS_JOBS: bool = true;

    fn start(jobs: usize) -> Result<Self> {
        let helpers = helpers(0, jobs)?;
        Ok(Self { helpers, jobs })
    }

    fn enter<R: Send>(&self, call: impl FnOnce() -> R + Send) -> R {
        call()
    }

    fn each(&self, items: &Arc<Sleepers>) {
        let busy = (1..self.jobs).filter(|number| !items.share(*number).is_empty());
        let round = Arc::new(Round {
            left: AtomicUsize::new(busy.count()),
            caller: thread::current(),
        });
        let items = Arc::clone(items);
        let request = HelpRequest { items, round };
        request.follow(&self.helpers, 0);
        // Pairs with the last decrement in `help`.
        while request.round.left.load(Ordering::Acquire) > 0 {
            thread::park();
        }
    }

    fn nested(&self, items: &Arc<Sleepers>, _inner: usize) {
        self.each(items);
    }

    fn join(&self, items: &Arc<Sleepers>) {
        self.each(items);
    }

    fn scope(&self, items: &Arc<Sleepers>) {
        self.each(items);
    }

    fn stream(&self, items: &Arc<Sleepers>) {
        self.each(items);
    }
}
