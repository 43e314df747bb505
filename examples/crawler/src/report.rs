//! What came of it all.

use std::collections::BTreeMap;
use std::fmt;

use crate::index::WordCounts;

/// A link to a page that was not fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// A page with the link: that on which it was seen first.
    pub on: String,
    /// What is wrong.
    pub what: String,
}

/// What a crawl has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrawlReport {
    /// How many pages were fetched.
    pub pages: usize,
    /// The links to pages that there are not.
    pub broken: BTreeMap<String, Trouble>,
    /// The pages that were not fetched for other reasons.
    pub failed: BTreeMap<String, Trouble>,
    /// How many links were left out, because the frontier knows as many pages as it may.
    pub left_out: u64,
    /// How often each word is on the site.
    pub words: WordCounts,
}

impl CrawlReport {
    /// The most frequent words, with the most frequent one first.
    pub fn top(&self, count: usize) -> Vec<(&str, u64)> {
        let mut words: Vec<_> = self
            .words
            .iter()
            .map(|(word, count)| (word.as_str(), *count))
            .collect();
        words.sort_unstable_by(|(a, a_count), (b, b_count)| (b_count, a).cmp(&(a_count, b)));
        words.truncate(count);
        words
    }
}

/// What went wrong, a line each.
impl fmt::Display for CrawlReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (title, troubles) in [
            ("broken links", &self.broken),
            ("pages that failed", &self.failed),
        ] {
            writeln!(f, "{} {title}", troubles.len())?;
            for (path, Trouble { on, what }) in troubles {
                writeln!(f, "  {path}, linked on {on}: {what}")?;
            }
        }
        if self.left_out > 0 {
            writeln!(f, "{} links were left out: too many pages", self.left_out)?;
        }
        Ok(())
    }
}
