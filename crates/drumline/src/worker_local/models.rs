//! The table and the indices of threads in the model checker.

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use super::indices::Indices;
use super::table::Table;
use crate::sync::exploration::bounded;
use crate::sync::plant::{Plant, must_catch};

/// Plain memory that loom looks after.
struct Watched(UnsafeCell<usize>);

// SAFETY: loom checks every access.
unsafe impl Send for Watched {}
// SAFETY: as for `Send`.
unsafe impl Sync for Watched {}

impl Watched {
    fn new() -> Self {
        let watched = Watched(UnsafeCell::new(0));
        watched.add(1);
        watched
    }

    fn add(&self, more: usize) {
        // SAFETY: loom checks that no other thread is here.
        self.0.with_mut(|number| unsafe { *number += more });
    }

    fn number(&self) -> usize {
        // SAFETY: loom checks that no other thread writes.
        self.0.with(|number| unsafe { *number })
    }
}

fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    bounded(preemptions).check(model);
}

/// Two threads with indices in one chunk, which neither finds.
fn grows() {
    let table = Arc::new(Table::new());
    let make = |index| {
        let table = Arc::clone(&table);
        thread::spawn(move || {
            // SAFETY: each thread has an index of its own.
            let value = unsafe { table.get_or_make(index, Watched::new) };
            value.add(index);
        })
    };
    let threads = [make(0), make(1)];
    for thread in threads {
        thread.join().unwrap();
    }
    let numbers: Vec<_> = table.values().map(Watched::number).collect();
    assert_eq!(numbers, [1, 2]);
}

#[test]
fn loom_worker_local_grows() {
    explore(3, grows);
}

#[test]
fn loom_plants_worker_local_grows() {
    for plant in [Plant::ChunkReplaced, Plant::ChunkRelaxed] {
        must_catch(plant, || explore(3, grows));
    }
}

/// A thread goes through the values while another makes one.
fn is_read() {
    let table = Arc::new(Table::new());
    // The chunk is there, so that nothing else publishes the other value.
    // SAFETY: no other thread has this index.
    unsafe { table.get_or_make(3, Watched::new) };
    let maker = thread::spawn({
        let table = Arc::clone(&table);
        move || {
            // SAFETY: no other thread has this index.
            unsafe { table.get_or_make(2, Watched::new) };
        }
    });
    let reader = thread::spawn({
        let table = Arc::clone(&table);
        move || {
            for value in table.values() {
                assert_eq!(value.number(), 1);
            }
        }
    });
    maker.join().unwrap();
    reader.join().unwrap();
    assert_eq!(table.values().count(), 2);
}

#[test]
fn loom_worker_local_is_read() {
    explore(3, is_read);
}

#[test]
fn loom_plants_worker_local_is_read() {
    must_catch(Plant::SlotFullRelaxed, || explore(3, is_read));
}

/// Threads come and go. One that ends hands its index on, and the value with it.
fn is_handed_on() {
    let table = Arc::new(Table::new());
    let indices = Arc::new(Indices::new());
    let visit = || {
        let (table, indices) = (Arc::clone(&table), Arc::clone(&indices));
        move || {
            let index = indices.take();
            // SAFETY: held until it is given back.
            let value = unsafe { table.get_or_make(index, Watched::new) };
            value.add(1);
            indices.give_back(index);
        }
    };
    visit()();
    let other = thread::spawn(visit());
    visit()();
    other.join().unwrap();
    let numbers: Vec<_> = table.values().map(Watched::number).collect();
    // Each value was made once, and each visit added to one.
    assert_eq!(numbers.iter().sum::<usize>(), 3 + numbers.len());
}

#[test]
fn loom_worker_local_is_handed_on() {
    explore(3, is_handed_on);
}

#[test]
fn loom_plants_worker_local_is_handed_on() {
    for plant in [Plant::IndexTakenTwice, Plant::IndexGivenRelaxed] {
        must_catch(plant, || explore(3, is_handed_on));
    }
}
