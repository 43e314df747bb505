//! Items that note what becomes of them, and what is bound to a thread.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use stress::{check, dither, work_for};

/// What became of an item, how often.
#[derive(Default)]
struct Mark {
    made: AtomicU32,
    worked: AtomicU32,
    dropped: AtomicU32,
}

/// What a panic of an item carries.
pub struct Bomb(u64);

/// What the items of a loop have in common.
pub struct Items {
    marks: Vec<Mark>,
    /// Most items take this many steps.
    steps: u64,
    /// One in this many items takes some microseconds.
    dear: u64,
    /// This one panics.
    bomb: Option<u64>,
    /// This many may be worked on at once.
    limit: u32,
    at_once: AtomicU32,
}

impl Items {
    pub fn new(len: u64, steps: u64, dear: u64, bomb: Option<u64>, limit: u32) -> Arc<Self> {
        Arc::new(Items {
            marks: (0..len).map(|_| Mark::default()).collect(),
            steps,
            dear,
            bomb,
            limit,
            at_once: AtomicU32::new(0),
        })
    }

    pub fn len(&self) -> u64 {
        self.marks.len() as u64
    }

    pub fn make(self: &Arc<Self>, number: u64) -> Item {
        self.marks[number as usize]
            .made
            .fetch_add(1, Ordering::Relaxed);
        Item {
            number: Box::new(number),
            items: Arc::clone(self),
        }
    }

    pub fn all(self: &Arc<Self>) -> Vec<Item> {
        (0..self.len()).map(|number| self.make(number)).collect()
    }

    /// Checks what became of all, when the loop is over. `early`: it may have ended before it was
    /// through.
    pub fn check(&self, early: bool) {
        for mark in &self.marks {
            let made = mark.made.load(Ordering::Relaxed);
            let worked = mark.worked.load(Ordering::Relaxed);
            check(
                made == mark.dropped.load(Ordering::Relaxed),
                "an item is lost, or dropped twice",
            );
            check(
                worked == 1 || worked == 0 && early,
                "an item was not worked on once",
            );
        }
    }
}

/// An item. Its number is in plain memory of its own, so that sanitizers see which threads touch
/// it.
pub struct Item {
    number: Box<u64>,
    items: Arc<Items>,
}

impl Item {
    pub fn number(&self) -> u64 {
        *self.number
    }

    pub fn items(&self) -> &Arc<Items> {
        &self.items
    }

    /// Works on it.
    pub fn work(&self) -> u64 {
        let items = &*self.items;
        let number = *self.number;
        let now = 1 + items.at_once.fetch_add(1, Ordering::Relaxed);
        check(now <= items.limit, "a limit was not kept to");
        let mark = &items.marks[number as usize];
        let before = mark.worked.fetch_add(1, Ordering::Relaxed);
        check(before == 0, "an item was worked on twice");
        dither(items.steps);
        if number.is_multiple_of(items.dear) {
            work_for(Duration::from_micros(number % 50));
        }
        items.at_once.fetch_sub(1, Ordering::Relaxed);
        if items.bomb == Some(number) {
            resume_unwind(Box::new(Bomb(number)));
        }
        number
    }
}

impl Drop for Item {
    fn drop(&mut self) {
        let mark = &self.items.marks[*self.number as usize];
        mark.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Bomb {
    /// Which item it was.
    pub fn number(&self) -> u64 {
        self.0
    }
}

/// Something that is used and dropped on the thread that made it, or something is wrong.
pub struct Bound {
    thread: ThreadId,
    count: Rc<Cell<u64>>,
}

impl Bound {
    pub fn new() -> Self {
        Bound {
            thread: thread::current().id(),
            count: Rc::default(),
        }
    }

    /// It is used.
    pub fn touch(&self) {
        check(
            self.thread == thread::current().id(),
            "a state is on another thread",
        );
        let count = Rc::clone(&self.count);
        count.set(count.get() + 1);
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        self.touch();
    }
}
