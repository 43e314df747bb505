//! A whole crawl of a site with all kinds of links.

use std::sync::Arc;

use crawler::site::Site;
use crawler::site_map::SiteMap;
use crawler::{CrawlReport, crawl, http};

use crate::{limits, pool};

fn whole(pages: usize, fetchers: usize, jobs: usize) -> CrawlReport {
    let map = SiteMap { pages };
    let site = Site::start(map, fetchers, Box::new(|_| {})).unwrap();
    let address = site.address();
    let fetch = Arc::new(move |path: &str| http::get(address, path));
    let report = crawl(&pool(jobs), SiteMap::FIRST, limits(fetchers), fetch).unwrap();

    let record = site.finish().unwrap();
    assert!((1..=fetchers).contains(&record.most_in_flight));
    let mut expected: Vec<_> = (0..pages).map(|page| format!("/page/{page}")).collect();
    expected.extend(map.broken());
    expected.extend(map.failing());
    expected.sort_unstable();
    let asked: Vec<_> = record.requests.keys().cloned().collect();
    assert_eq!(asked, expected);
    for (path, count) in &record.requests {
        assert_eq!(*count, 1, "{path}");
    }
    report
}

#[test]
fn each_page_is_fetched_once_and_counted() {
    for (pages, fetchers, jobs) in [(1, 1, 1), (300, 1, 2), (300, 5, 1), (300, 5, 3)] {
        let map = SiteMap { pages };
        let report = whole(pages, fetchers, jobs);
        assert_eq!(report.pages, pages);
        assert_eq!(report.words, map.words());
        assert_eq!(report.left_out, 0);
    }
}

#[test]
fn broken_links_and_pages_that_fail_are_listed() {
    let report = whole(120, 4, 2);
    let mut broken = SiteMap { pages: 120 }.broken();
    assert_eq!(broken.len(), 12);
    broken.sort_unstable();
    let found: Vec<_> = report.broken.keys().cloned().collect();
    assert_eq!(found, broken);
    let on = &report.broken["/missing/119"].on;
    assert_eq!(on, "/page/119");

    let failed: Vec<_> = report.failed.keys().map(String::as_str).collect();
    assert_eq!(failed, ["/failing/0", "/failing/100", "/failing/50"]);
    assert_eq!(report.failed["/failing/50"].what, "status 500");
    let text = report.to_string();
    assert!(text.starts_with("12 broken links\n"), "{text}");
    assert!(
        text.contains("\n  /failing/50, linked on /page/50: status 500\n"),
        "{text}"
    );
}

#[test]
fn words_are_sorted_by_how_frequent_they_are() {
    let report = whole(20, 2, 2);
    let top = report.top(3);
    assert_eq!(top.len(), 3);
    assert!(top.is_sorted_by(|a, b| a.1 >= b.1), "{top:?}");
    assert_eq!(top[0].1, *report.words.values().max().unwrap());
}
