//! rayon's pool, to compare with: what `rayon-core` 1 does by its sources and their comments.
//!
//! Modelled: a deque for each worker, of which thieves take the oldest from a random one on; the
//! adaptive splitter, which halves a loop as often as there are threads, and anew what was stolen;
//! a worker that waits runs anything; a worker that finds nothing looks 32 times, and sleeps; a
//! push wakes one sleeper where no idle worker is awake, and a worker that has found something
//! wakes two.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use super::clock::{ThreadFuture, ThreadId, Time};
use super::program::{Items, Shape};
use super::world::{CALL, World};

/// A push and a pop, each with a fence.
const FORK: Time = 10;

/// A thief takes what it has found.
const TAKE: Time = 150;

/// A worker looks this often before it sleeps.
const ROUNDS: u32 = 32;

/// A worker that has found something wakes this many sleepers.
const WOKEN: usize = 2;

/// What a worker can be given.
#[derive(Clone, Copy, Debug)]
enum Work {
    /// A part of a loop, which may be halved this often.
    Part(Items, usize),
    /// A node of a tree of joins.
    Node(Items),
}

/// A half of a join, or the whole program.
#[derive(Debug)]
struct Half {
    work: Work,
    owner: ThreadId,
    is_done: Cell<bool>,
}

/// The state of the pool.
#[derive(Debug, Default)]
pub struct RayonPool {
    deques: RefCell<Vec<VecDeque<Rc<Half>>>>,
    injected: RefCell<VecDeque<Rc<Half>>>,
    sleeping: RefCell<BTreeSet<ThreadId>>,
    /// Workers that look for something, or sleep.
    inactive: Cell<usize>,
}

impl RayonPool {
    /// All workers sleep.
    pub fn new(jobs: usize) -> Self {
        RayonPool {
            deques: RefCell::new(vec![VecDeque::new(); jobs]),
            sleeping: RefCell::new((0..jobs).collect()),
            inactive: Cell::new(jobs),
            ..RayonPool::default()
        }
    }

    fn is_empty(&self) -> bool {
        let deques = self.deques.borrow();
        self.injected.borrow().is_empty() && deques.iter().all(VecDeque::is_empty)
    }

    fn workers(&self) -> usize {
        self.deques.borrow().len()
    }

    fn pop(&self, me: ThreadId) -> Option<Rc<Half>> {
        self.deques.borrow_mut()[me].pop_back()
    }

    fn sleepers(&self) -> usize {
        self.sleeping.borrow().len()
    }
}

impl World {
    /// A worker of rayon, which sleeps at first.
    pub async fn rayon_live(&self, me: ThreadId) {
        self.park(me, None).await;
        self.rayon.inactive.set(self.rayon.inactive.get() - 1);
        self.rayon_wait(me, None).await;
    }

    /// A call from outside: the program is injected, and waited for.
    pub async fn rayon_visit(&self) {
        let me = self.guest();
        let items = Items {
            start: 0,
            end: self.program.items,
        };
        // All workers sleep by then.
        self.clock.pass(CALL).await;
        for round in 0..self.program.rounds {
            if round > 0 {
                self.clock.pass(self.program.gap).await;
            }
            let start = self.clock.now();
            let work = match self.program.shape {
                Shape::Loop | Shape::Uneven => Work::Part(items, self.rayon.workers()),
                Shape::Join => Work::Node(items),
            };
            let whole = Rc::new(Half {
                work,
                owner: me,
                is_done: Cell::new(false),
            });
            let was_empty = self.rayon.injected.borrow().is_empty();
            self.rayon
                .injected
                .borrow_mut()
                .push_back(Rc::clone(&whole));
            self.rayon_new_job(was_empty).await;
            while !whole.is_done.get() {
                self.park(me, None).await;
            }
            self.progress.round_took(self.clock.now() - start);
        }
    }

    async fn rayon_wake(&self, count: usize) {
        for _ in 0..count {
            let sleeper = self.rayon.sleeping.borrow_mut().pop_first();
            let Some(sleeper) = sleeper else { return };
            self.counts.up("calls");
            self.unpark(sleeper).await;
        }
    }

    /// Something was pushed.
    async fn rayon_new_job(&self, was_empty: bool) {
        let sleepers = self.rayon.sleepers();
        let awake = self.rayon.inactive.get() - sleepers;
        if sleepers > 0 && (!was_empty || awake == 0) {
            self.rayon_wake(1).await;
        }
    }

    async fn rayon_push(&self, me: ThreadId, work: Work) -> Rc<Half> {
        let half = Rc::new(Half {
            work,
            owner: me,
            is_done: Cell::new(false),
        });
        self.clock.pass(FORK).await;
        let was_empty = {
            let deque = &mut self.rayon.deques.borrow_mut()[me];
            deque.push_back(Rc::clone(&half));
            deque.len() == 1
        };
        self.rayon_new_job(was_empty).await;
        half
    }

    /// Something to run.
    async fn rayon_find(&self, me: ThreadId) -> Option<Rc<Half>> {
        if let Some(own) = self.rayon.pop(me) {
            return Some(own);
        }
        let workers = self.rayon.workers();
        let start = self.random(workers);
        let mut looks = 0;
        for offset in 0..workers {
            let victim = (start + offset) % workers;
            if victim == me {
                continue;
            }
            looks += 1;
            if self.rayon.deques.borrow()[victim].is_empty() {
                continue;
            }
            self.clock.pass(self.times.probe * looks + TAKE).await;
            looks = 0;
            let oldest = self.rayon.deques.borrow_mut()[victim].pop_front();
            if let Some(stolen) = oldest {
                self.counts.up("steals");
                return Some(stolen);
            }
        }
        self.clock.pass(self.times.probe * looks).await;
        self.rayon.injected.borrow_mut().pop_front()
    }

    /// Runs it, and reports that.
    fn rayon_run(&self, me: ThreadId, half: Rc<Half>) -> ThreadFuture<'_> {
        Box::pin(async move {
            match half.work {
                Work::Part(items, splits) => {
                    self.rayon_loop(me, items, splits, half.owner != me).await;
                }
                Work::Node(items) => self.rayon_node(me, items).await,
            }
            half.is_done.set(true);
            let is_asleep = self.rayon.sleeping.borrow_mut().remove(&half.owner);
            if is_asleep || half.owner == self.guest() {
                self.unpark(half.owner).await;
            }
        })
    }

    /// Runs anything until `half` is done; for ever without one.
    async fn rayon_wait(&self, me: ThreadId, half: Option<&Half>) {
        let rayon = &self.rayon;
        let is_done = || half.is_some_and(|half| half.is_done.get());
        while !is_done() {
            if let Some(own) = rayon.pop(me) {
                self.rayon_run(me, own).await;
                continue;
            }
            rayon.inactive.set(rayon.inactive.get() + 1);
            let mut rounds = 0;
            let found = loop {
                if is_done() {
                    break None;
                }
                if let Some(found) = self.rayon_find(me).await {
                    break Some(found);
                }
                if rounds < ROUNDS {
                    rounds += 1;
                    self.clock.pass(self.times.look).await;
                } else if rayon.is_empty() && !is_done() {
                    rayon.sleeping.borrow_mut().insert(me);
                    self.counts.up("parks");
                    self.park(me, None).await;
                    rayon.sleeping.borrow_mut().remove(&me);
                    rounds = 0;
                }
            };
            rayon.inactive.set(rayon.inactive.get() - 1);
            self.rayon_wake(WOKEN).await;
            if let Some(found) = found {
                self.rayon_run(me, found).await;
            }
        }
    }

    /// Both halves: the second one by a thief, if there is one.
    async fn rayon_join(&self, me: ThreadId, first: impl Future<Output = ()>, second: Work) {
        let half = self.rayon_push(me, second).await;
        first.await;
        while !half.is_done.get() {
            match self.rayon.pop(me) {
                Some(own) => self.rayon_run(me, own).await,
                None => self.rayon_wait(me, Some(&half)).await,
            }
        }
    }

    /// `bridge` with its splitter.
    fn rayon_loop(
        &self,
        me: ThreadId,
        items: Items,
        splits: usize,
        is_stolen: bool,
    ) -> ThreadFuture<'_> {
        Box::pin(async move {
            let workers = self.rayon.workers();
            let splits = if is_stolen {
                workers.max(splits / 2)
            } else {
                splits / 2
            };
            if items.len() <= 1 || splits == 0 && !is_stolen {
                return self.fold(me, items).await;
            }
            let (first, second) = items.split(items.len() / 2);
            let first = self.rayon_loop(me, first, splits, false);
            self.rayon_join(me, first, Work::Part(second, splits)).await;
        })
    }

    /// A node of a tree of joins.
    fn rayon_node(&self, me: ThreadId, items: Items) -> ThreadFuture<'_> {
        Box::pin(async move {
            let Some((first, second)) = self.halves_of_node(items) else {
                return self.fold(me, items).await;
            };
            let first = self.rayon_node(me, first);
            self.rayon_join(me, first, Work::Node(second)).await;
        })
    }
}
