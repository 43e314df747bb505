//! The actor that counts words.

use std::collections::HashMap;

use drumline::actor::{Actor, Context, Handler};

/// How often each word was on a page.
pub type WordCounts = HashMap<String, u64>;

/// The words of a page.
pub struct AddWords(pub WordCounts);

/// What are the counts so far? The index gives them away, and begins anew.
pub struct TakeCounts;

/// The index of a site.
#[derive(Debug, Default)]
pub struct WordIndex {
    counts: WordCounts,
}

impl Actor for WordIndex {}

impl Handler<AddWords> for WordIndex {
    type Reply = ();

    fn handle(&mut self, AddWords(words): AddWords, _: &mut Context<Self>) {
        for (word, count) in words {
            *self.counts.entry(word).or_default() += count;
        }
    }
}

impl Handler<TakeCounts> for WordIndex {
    type Reply = WordCounts;

    fn handle(&mut self, TakeCounts: TakeCounts, _: &mut Context<Self>) -> WordCounts {
        std::mem::take(&mut self.counts)
    }
}
