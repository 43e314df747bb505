//! Loom models of what is attached to an actor that ends.

use std::sync::Arc;

use loom::thread;

use super::table::AttachTable;
use crate::actor::life_word::{LifeWord, RunOrder};
use crate::actor::models::explore;
use crate::sync::plant::{Plant, must_catch};

const ADDRESS: usize = 64;

/// What the run does that ends the actor. Returns how many entries it has taken out.
fn end(word: &LifeWord, table: &AttachTable<()>) -> usize {
    if !word.die(false) {
        return 0;
    }
    let taken = table.with(ADDRESS, |shard| shard.take(ADDRESS, |()| true));
    taken.len()
}

/// Two threads attach something while the actor ends. Each entry is refused or taken out.
fn attach_at_the_end() {
    explore(3, || {
        let word = Arc::new(LifeWord::new(RunOrder::Managed));
        let table = Arc::new(AttachTable::new());
        let attach = [1, 2].map(|number| {
            let (word, table) = (Arc::clone(&word), Arc::clone(&table));
            thread::spawn(move || {
                let attach =
                    table.with(ADDRESS, |shard| shard.attach(&word, (ADDRESS, number), ()));
                usize::from(attach.is_ok())
            })
        });
        let taken = end(&word, &table);
        let made: usize = attach.map(|thread| thread.join().unwrap()).iter().sum();
        assert_eq!(made, taken, "an entry outlives its actor");
        let left = table.with(ADDRESS, |shard| shard.take(ADDRESS, |()| true));
        assert!(left.is_empty());
    });
}

#[test]
fn what_is_attached_is_taken_out_or_refused() {
    attach_at_the_end();
}

#[test]
fn an_attach_of_two_steps_is_caught() {
    must_catch(Plant::AttachTwoSteps, attach_at_the_end);
}
