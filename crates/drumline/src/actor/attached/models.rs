//! Loom models of what is attached to an actor that ends.

use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use super::table::AttachTable;
use crate::actor::life_word::{LifeWord, RunOrder};
use crate::actor::models::explore;
use crate::sync::plant::{Plant, must_catch};

const ADDRESS: usize = 64;

/// What the run does that ends the actor. Returns how many entries it has taken out.
fn end(word: &LifeWord, table: &AttachTable<()>) -> usize {
    word.die(false);
    if !word.end() {
        return 0;
    }
    let taken = table.with(ADDRESS, |shard| shard.take(ADDRESS, |_, ()| true));
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
        let left = table.with(ADDRESS, |shard| shard.take(ADDRESS, |_, ()| true));
        assert!(left.is_empty());
    });
}

/// Two threads ask for the length of the mailbox, with one notice or two. When the run has come to
/// those, it has answered both.
fn two_questions() {
    explore(3, || {
        let word = Arc::new(LifeWord::new(RunOrder::Managed));
        let table = Arc::new(AttachTable::new());
        let notices = Arc::new(AtomicUsize::new(0));
        let askers = [1, 2].map(|number| {
            let (word, table, notices) = (word.clone(), table.clone(), notices.clone());
            thread::spawn(move || {
                let made = table.with(ADDRESS, |shard| shard.attach(&word, (ADDRESS, number), ()));
                assert!(made.is_ok());
                if word.ask_census() {
                    // As the push of a notice.
                    notices.fetch_add(1, Ordering::AcqRel);
                }
            })
        });
        // The run comes to the first notice, and to a second one if there is one. What it sees
        // besides, it sees when all have asked.
        while notices.load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        let answer = || {
            let answers = word.is_interrupted();
            let answers = answers.then(|| table.take_census(&word, ADDRESS, |_, ()| true));
            answers.map_or(0, |answers| answers.len())
        };
        let mut answered = answer();
        for asker in askers {
            asker.join().unwrap();
        }
        if notices.load(Ordering::Acquire) == 2 {
            answered += answer();
        }
        assert_eq!(answered, 2, "a question has no answer");
    });
}

#[test]
fn loom_census() {
    two_questions();
}

#[test]
fn loom_plants_census() {
    must_catch(Plant::CensusClearedLast, two_questions);
}

#[test]
fn loom_attach() {
    attach_at_the_end();
}

#[test]
fn loom_plants_attach() {
    must_catch(Plant::AttachTwoSteps, attach_at_the_end);
}
