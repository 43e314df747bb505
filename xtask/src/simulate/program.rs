//! What a simulated pool is given to do.

use std::cell::RefCell;

use super::clock::{ThreadFuture, ThreadId, Time};
use super::world::World;

/// The shape of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A loop over all items, which cost the same.
    Loop,
    /// A loop in which every tenth item, at random, costs 9.1 times the mean, and the others a
    /// tenth of it.
    Uneven,
    /// A tree of joins that divides at random; the items are its leaves.
    Join,
}

/// A program, in one or several rounds.
#[derive(Clone, Debug)]
pub struct Program {
    pub shape: Shape,
    pub items: usize,
    /// Of one item, on average.
    pub cost: Time,
    /// Items sleep instead of computing.
    pub sleeps: bool,
    pub rounds: usize,
    /// Between two rounds.
    pub gap: Time,
}

/// Items in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    pub start: usize,
    pub end: usize,
}

impl Items {
    pub fn len(self) -> usize {
        self.end - self.start
    }

    pub fn split(self, at: usize) -> (Self, Self) {
        let middle = self.start + at;
        let (start, end) = (self.start, self.end);
        (Items { start, end: middle }, Items { start: middle, end })
    }
}

/// What a thread can take from another one.
#[derive(Clone, Copy, Debug)]
pub enum Job {
    /// A part of a loop.
    Part(Items),
    /// A part of a tree.
    Node(Items),
}

/// What has been done.
#[derive(Debug)]
pub struct ItemsDone {
    /// How often each item was run.
    runs: RefCell<Vec<u32>>,
    took: RefCell<Vec<Time>>,
}

impl ItemsDone {
    pub fn new(program: &Program) -> Self {
        ItemsDone {
            runs: RefCell::new(vec![0; program.items]),
            took: RefCell::default(),
        }
    }

    pub fn round_took(&self, took: Time) {
        self.took.borrow_mut().push(took);
    }

    /// The mean of all rounds.
    pub fn mean(&self) -> Time {
        let took = self.took.borrow();
        took.iter().sum::<Time>() / (took.len() as Time).max(1)
    }

    /// Whether each item was run once in each of the `rounds`.
    pub fn is_complete(&self, rounds: usize) -> bool {
        let is_complete = |&runs: &u32| runs as usize == rounds;
        self.runs.borrow().iter().all(is_complete) && self.took.borrow().len() == rounds
    }
}

/// A number that looks random, the same for the same one.
fn mix(number: usize) -> usize {
    let mixed = (number as u64 ^ 0x5DEE_CE66).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 16) as usize
}

impl Program {
    /// What this item costs.
    pub fn cost_of(&self, item: usize) -> Time {
        match self.shape {
            Shape::Loop | Shape::Join => self.cost,
            Shape::Uneven if mix(item).is_multiple_of(10) => self.cost * 91 / 10,
            Shape::Uneven => self.cost / 10,
        }
    }

    /// No schedule is faster: the longest item, or all of them divided by the jobs.
    pub fn ideal(&self, jobs: usize) -> Time {
        let costs = || (0..self.items).map(|item| self.cost_of(item));
        let longest = costs().max().unwrap_or(0);
        longest.max(costs().sum::<Time>() / jobs as Time)
    }
}

impl World {
    pub async fn run_program(&self, me: ThreadId) {
        let items = Items {
            start: 0,
            end: self.program.items,
        };
        match self.program.shape {
            Shape::Loop | Shape::Uneven => {
                self.lazy(me, items).await;
            }
            Shape::Join => self.node(me, items).await,
        }
    }

    /// A node of a tree of joins.
    pub fn node(&self, me: ThreadId, items: Items) -> ThreadFuture<'_> {
        Box::pin(async move {
            let Some((a, b)) = self.halves_of_node(items) else {
                return self.fold(me, items).await;
            };
            self.push(me, Job::Node(b)).await;
            self.node(me, a).await;
            if self.pop(me).await {
                self.node(me, b).await;
            }
        })
    }

    /// The two halves of a node of a tree of joins; none of a leaf.
    pub fn halves_of_node(&self, items: Items) -> Option<(Items, Items)> {
        let at = 1 + mix(items.start * 31 + items.end).checked_rem(items.len() - 1)?;
        Some(items.split(at))
    }

    /// Goes through items, one after the other. What computes is put together.
    pub async fn fold(&self, me: ThreadId, items: Items) {
        let mut cost = 0;
        for item in items.start..items.end {
            self.progress.runs.borrow_mut()[item] += 1;
            cost += self.program.cost_of(item);
            if self.program.sleeps {
                self.work(me, std::mem::take(&mut cost), true).await;
            }
        }
        self.work(me, cost, false).await;
    }
}
