//! The actor that knows which pages have been seen.
//!
//! A page is in one of three places: it *waits* here, or it is *handed out* to a fetcher, or it is
//! *done*. Each page that is handed out comes back as one `Finished`. So when no page waits and
//! none is handed out, the crawl is over. The number of pages that are handed out has a bound: what
//! the mailboxes of the fetchers hold, and one per fetcher that is being fetched.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, mpsc};

use drumline::actor::{Actor, ActorRef, Context, Handler, Overflow, SpawnOptions, TellError};

use crate::crawl::Limits;
use crate::errand::{Errand, Finished, Outcome};
use crate::fetcher::{Fetch, Fetcher};
use crate::index::WordIndex;
use crate::report::{CrawlReport, Trouble};

/// The pages of a site, and which fetcher is next.
pub struct Frontier {
    /// Each page that was seen, and the page on which that was.
    seen: HashMap<Arc<str>, Arc<str>>,
    waiting: VecDeque<Arc<str>>,
    handed_out: usize,
    limits: Limits,
    fetch: Arc<Fetch>,
    index: ActorRef<WordIndex>,
    /// Those that have not panicked.
    fetchers: VecDeque<ActorRef<Fetcher>>,
    report: CrawlReport,
    /// Where the report goes.
    over: mpsc::Sender<CrawlReport>,
}

impl Frontier {
    /// One that begins with this page.
    pub fn new(
        first: &str,
        limits: Limits,
        fetch: Arc<Fetch>,
        index: ActorRef<WordIndex>,
        over: mpsc::Sender<CrawlReport>,
    ) -> Self {
        let first: Arc<str> = first.into();
        Frontier {
            seen: HashMap::from([(Arc::clone(&first), "the command line".into())]),
            waiting: VecDeque::from([first]),
            handed_out: 0,
            limits,
            fetch,
            index,
            fetchers: VecDeque::new(),
            report: CrawlReport::default(),
            over,
        }
    }

    fn add(&mut self, link: &str, on: &Arc<str>) {
        if self.seen.contains_key(link) {
            return;
        }
        if self.seen.len() == self.limits.most_pages.get() {
            self.report.left_out += 1;
            return;
        }
        let link: Arc<str> = link.into();
        self.seen.insert(Arc::clone(&link), Arc::clone(on));
        self.waiting.push_back(link);
    }

    fn trouble(&self, path: &Arc<str>, what: String) -> (String, Trouble) {
        let on = self.seen.get(path).map_or("", |on| on);
        let on = on.to_owned();
        (path.to_string(), Trouble { on, what })
    }

    /// Hands out pages while a fetcher has room for one, and ends when all is done.
    fn go_on(&mut self, context: &mut Context<Self>) {
        while let Some(path) = self.waiting.pop_front() {
            if let Err(path) = self.hand_out(path, context) {
                self.waiting.push_front(path);
                break;
            }
            self.handed_out += 1;
        }
        if self.handed_out > 0 {
            return;
        }
        // Pages wait although none is handed out: there is no fetcher any more.
        for path in std::mem::take(&mut self.waiting) {
            let (path, trouble) = self.trouble(&path, "no fetcher is left".to_owned());
            self.report.failed.insert(path, trouble);
        }
        // The caller may have given up.
        let _ = self.over.send(std::mem::take(&mut self.report));
        context.stop();
    }

    /// Gives the page to the next fetcher that has room. Without one, the page comes back.
    fn hand_out(&mut self, path: Arc<str>, context: &Context<Self>) -> Result<(), Arc<str>> {
        let mut errand = Errand::new(path, context.actor_ref().recipient());
        for _ in 0..self.fetchers.len() {
            let Some(fetcher) = self.fetchers.pop_front() else {
                break;
            };
            match fetcher.tell(errand) {
                Ok(()) => {
                    self.fetchers.push_back(fetcher);
                    return Ok(());
                }
                Err(TellError::Full(back)) => {
                    self.fetchers.push_back(fetcher);
                    errand = back;
                }
                // It has panicked, and is not asked again.
                Err(TellError::Dead(back)) => errand = back,
            }
        }
        Err(errand.take_back())
    }
}

impl Actor for Frontier {
    fn started(&mut self, context: &mut Context<Self>) {
        for number in 0..self.limits.fetchers.get() {
            let fetcher = Fetcher::new(Arc::clone(&self.fetch), self.index.clone());
            let options = SpawnOptions::new()
                .name(format!("fetcher {number}"))
                .bounded(self.limits.ahead.get(), Overflow::Fail);
            self.fetchers
                .push_back(context.spawn_with(fetcher, options));
        }
        self.go_on(context);
    }
}

impl Handler<Finished> for Frontier {
    type Reply = ();

    fn handle(&mut self, finished: Finished, context: &mut Context<Self>) {
        let Finished { path, outcome } = finished;
        self.handed_out -= 1;
        match outcome {
            Outcome::Fetched(links) => {
                self.report.pages += 1;
                for link in links {
                    self.add(&link, &path);
                }
            }
            Outcome::Missing => {
                let (path, trouble) = self.trouble(&path, "there is no such page".to_owned());
                self.report.broken.insert(path, trouble);
            }
            Outcome::Failed(why) => {
                let (path, trouble) = self.trouble(&path, why);
                self.report.failed.insert(path, trouble);
            }
        }
        self.go_on(context);
    }
}
