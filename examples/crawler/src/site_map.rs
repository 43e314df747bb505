//! What the pages of the made-up site are.
//!
//! The pages form a tree, so each can be reached. They have further links: to themselves, to pages
//! that come earlier or later, to other sites, to pages that there are not, and to pages that fail.

use fastrand::Rng;

use crate::http::Response;
use crate::index::WordCounts;
use crate::page::Page;

/// The children of a page.
const CHILDREN: usize = 3;

/// Each page with a number that ends so has a link to a page that there is not.
const BREAKS: usize = 10;

/// Each page of which the number is a multiple of this has a link to a page that fails.
const FAILS: usize = 50;

/// How many words a page has, without those of its links.
const WORDS: usize = 200;

/// Words, of which the first ones are the most frequent.
const VOCABULARY: [&str; 16] = [
    "the", "of", "and", "drum", "line", "beat", "march", "snare", "roll", "stick", "tempo",
    "brass", "parade", "field", "cadence", "flam",
];

/// A site of this many pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiteMap {
    /// How many pages there are.
    pub pages: usize,
}

impl SiteMap {
    /// The page with which a crawl begins.
    pub const FIRST: &'static str = "/page/0";

    /// What the site answers to a request for this path. It is the same each time.
    pub fn response(self, path: &str) -> Response {
        let number = |prefix: &str| path.strip_prefix(prefix)?.parse::<usize>().ok();
        let (status, body) = if let Some(page) = number("/page/").filter(|page| *page < self.pages)
        {
            (200, self.html(page))
        } else if number("/failing/").is_some() {
            (500, "this page fails".to_owned())
        } else {
            (404, "there is no such page".to_owned())
        };
        Response { status, body }
    }

    fn html(self, page: usize) -> String {
        let mut random = Rng::with_seed(page as u64);
        let mut html = format!("<html><a name=\"top\"></a><h1>page {page}</h1><p>");
        for _ in 0..WORDS {
            // The smaller of two numbers is more often a small one.
            let word = random
                .usize(..VOCABULARY.len())
                .min(random.usize(..VOCABULARY.len()));
            html.push_str(VOCABULARY[word]);
            html.push(' ');
        }
        let mut link = |target: &str| html.push_str(&format!("<a href=\"{target}\">link</a> "));
        for child in CHILDREN * page + 1..=CHILDREN * page + CHILDREN {
            if child < self.pages {
                link(&format!("/page/{child}"));
            }
        }
        link(&format!("/page/{}#top", random.usize(..self.pages)));
        link(&format!("/page/{page}"));
        link("#top");
        link("http://example.org/");
        if page % BREAKS == BREAKS - 1 {
            link(&format!("/missing/{page}"));
        }
        if page.is_multiple_of(FAILS) {
            link(&format!("/failing/{page}"));
        }
        html.push_str("</html>");
        html
    }

    /// The links to pages that there are not.
    pub fn broken(self) -> Vec<String> {
        let pages = (0..self.pages).filter(|page| page % BREAKS == BREAKS - 1);
        pages.map(|page| format!("/missing/{page}")).collect()
    }

    /// The links to pages that fail.
    pub fn failing(self) -> Vec<String> {
        let pages = (0..self.pages).filter(|page| page.is_multiple_of(FAILS));
        pages.map(|page| format!("/failing/{page}")).collect()
    }

    /// How often each word is on the site.
    pub fn words(self) -> WordCounts {
        let mut counts = WordCounts::new();
        for page in 0..self.pages {
            for (word, count) in Page::parse(&self.html(page)).words {
                *counts.entry(word).or_default() += count;
            }
        }
        counts
    }
}
