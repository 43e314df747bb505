//! What is slow slows down the rest.

use std::collections::HashSet;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crawler::site::Site;
use crawler::site_map::SiteMap;
use crawler::{Limits, crawl, http};

use crate::{limits, pool};

/// Counts what passes, and holds it until it is opened.
#[derive(Default)]
struct Gate {
    state: Mutex<(usize, bool)>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.1).unwrap());
    }

    fn wait_for(&self, count: usize) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| state.0 < count));
    }

    fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.changed.notify_all();
    }
}

/// A site that holds all pages but the first one, and is asked by as many fetchers as it may be.
#[test]
fn as_many_pages_are_in_flight_as_there_are_fetchers_and_no_more() {
    const FETCHERS: usize = 3;
    let gate = Arc::new(Gate::default());
    let hold = Arc::clone(&gate);
    let hold = move |path: &str| {
        if path != SiteMap::FIRST {
            hold.pass();
        }
    };
    let site = Site::start(SiteMap { pages: 100 }, FETCHERS, Box::new(hold)).unwrap();
    let address = site.address();
    let crawl = thread::spawn(move || {
        let fetch = Arc::new(move |path: &str| http::get(address, path));
        crawl(&pool(2), SiteMap::FIRST, limits(FETCHERS), fetch).unwrap()
    });
    // The first page has more links than there are fetchers.
    gate.wait_for(FETCHERS);
    gate.open();
    assert_eq!(crawl.join().unwrap().pages, 100);
    assert_eq!(site.finish().unwrap().most_in_flight, FETCHERS);
}

/// The check of the site can fail.
#[test]
fn a_site_notices_a_request_too_many() {
    let gate = Arc::new(Gate::default());
    let hold = Arc::clone(&gate);
    let site = Site::start(SiteMap { pages: 9 }, 1, Box::new(move |_| hold.pass())).unwrap();
    let address = site.address();
    let clients = ["/page/1", "/page/2"]
        .map(|path| thread::spawn(move || http::get(address, path).unwrap().status));
    gate.wait_for(2);
    gate.open();
    assert_eq!(clients.map(|client| client.join().unwrap()), [200, 200]);
    let error = site.finish().unwrap_err().to_string();
    assert_eq!(error, "2 pages were in flight at once; 1 are allowed");
}

/// One page is fetched, one waits in the mailbox, and the frontier knows many more.
#[test]
fn the_frontier_keeps_what_the_fetchers_have_no_room_for() {
    let map = SiteMap { pages: 200 };
    let seen = Arc::new(Mutex::new(HashSet::new()));
    let fetched = Arc::clone(&seen);
    let fetch = move |path: &str| {
        assert!(fetched.lock().unwrap().insert(path.to_owned()));
        Ok(map.response(path))
    };
    let report = crawl(&pool(1), SiteMap::FIRST, limits(1), Arc::new(fetch)).unwrap();
    assert_eq!(report.pages, 200);
    assert_eq!(
        seen.lock().unwrap().len(),
        200 + report.broken.len() + report.failed.len()
    );
}

#[test]
fn a_frontier_remembers_as_many_pages_as_it_may() {
    let map = SiteMap { pages: 200 };
    let limits = Limits {
        most_pages: 10.try_into().unwrap(),
        ..limits(2)
    };
    let fetch = move |path: &str| Ok(map.response(path));
    let report = crawl(&pool(2), SiteMap::FIRST, limits, Arc::new(fetch)).unwrap();
    let known = report.pages + report.broken.len() + report.failed.len();
    assert_eq!(known, 10);
    assert!(report.left_out > 0);
    assert!(report.to_string().contains("links were left out"));
}
