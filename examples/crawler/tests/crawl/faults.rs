//! Fetchers and sites that fail.

use std::io::{self, ErrorKind};
use std::sync::Arc;

use crawler::crawl;
use crawler::site_map::SiteMap;

use crate::{limits, pool};

const MAP: SiteMap = SiteMap { pages: 40 };

/// A page is lost with the fetcher that panics on it, and with that those in its mailbox. The
/// other fetchers go on.
#[test]
fn a_fetcher_that_panics_takes_no_more_than_its_pages() {
    let fetch = |path: &str| {
        assert_ne!(path, "/page/39", "a panic of a test");
        Ok(MAP.response(path))
    };
    let report = crawl(&pool(2), SiteMap::FIRST, limits(3), Arc::new(fetch)).unwrap();
    let lost: Vec<_> = report
        .failed
        .iter()
        .filter(|(_, trouble)| trouble.what == "its fetcher has ended")
        .map(|(path, _)| path.as_str())
        .collect();
    assert!(lost.contains(&"/page/39"), "{report}");
    // One that was fetched, and one that was in the mailbox.
    assert!(lost.len() <= 2, "{report}");
}

#[test]
fn without_fetchers_the_rest_is_reported() {
    let fetch = |path: &str| {
        assert_eq!(path, SiteMap::FIRST, "a panic of a test");
        Ok(MAP.response(path))
    };
    let report = crawl(&pool(2), SiteMap::FIRST, limits(1), Arc::new(fetch)).unwrap();
    assert_eq!(report.pages, 1);
    // Three children, the page at random, and the one that fails.
    let what = |path: &str| report.failed[path].what.as_str();
    assert_eq!(what("/page/1"), "its fetcher has ended");
    assert!(report.failed.len() >= 4, "{report}");
    assert!(
        report
            .failed
            .values()
            .any(|trouble| trouble.what == "no fetcher is left"),
        "{report}"
    );
}

#[test]
fn a_connection_that_breaks_is_a_page_that_failed() {
    let fetch = |path: &str| match path {
        "/page/2" => Err(io::Error::from(ErrorKind::ConnectionReset)),
        path => Ok(MAP.response(path)),
    };
    let report = crawl(&pool(2), SiteMap::FIRST, limits(2), Arc::new(fetch)).unwrap();
    let trouble = &report.failed["/page/2"];
    assert_eq!(
        (trouble.on.as_str(), trouble.what.as_str()),
        ("/page/0", "connection reset")
    );
}
