//! A fuse: the n-th call of one of a program's functions panics, and what lives is counted.
//!
//! `S` says which function it is, the *site*.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use super::quiet_panic;

/// The functions of a program.
pub trait Site: Copy + Eq + Debug + Send + Sync + 'static {}

impl<S: Copy + Eq + Debug + Send + Sync + 'static> Site for S {}

/// What the panics carry.
#[derive(Debug, PartialEq, Eq)]
pub struct Boom<S>(pub S);

/// Panics at the n-th call of one site; counts what lives.
#[derive(Clone)]
pub struct Fuse<S>(Arc<State<S>>);

struct State<S> {
    site: S,
    left: AtomicIsize,
    alive: AtomicIsize,
    made: AtomicUsize,
}

impl<S: Site> Fuse<S> {
    pub fn new(site: S, call: usize) -> Self {
        Fuse(Arc::new(State {
            site,
            left: AtomicIsize::new(isize::try_from(call).unwrap()),
            alive: AtomicIsize::new(0),
            made: AtomicUsize::new(0),
        }))
    }

    /// The site of the call that panics.
    pub fn site(&self) -> S {
        self.0.site
    }

    /// A call of `site`.
    pub fn at(&self, site: S) {
        // Relaxed, here and below: numbers that publish nothing. They are read when all threads
        // that count have been waited for.
        if self.0.site == site && self.0.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            quiet_panic(Boom(site));
        }
    }

    pub fn has_blown(&self) -> bool {
        self.0.left.load(Ordering::Relaxed) <= 0
    }

    /// Something that is counted. Its drop is a call of `site`.
    pub fn thing(&self, site: S) -> Thing<S> {
        self.0.alive.fetch_add(1, Ordering::Relaxed);
        self.0.made.fetch_add(1, Ordering::Relaxed);
        Thing {
            fuse: self.clone(),
            site,
        }
    }

    /// How many things live; those of other threads, too.
    pub fn alive(&self) -> isize {
        self.0.alive.load(Ordering::Acquire)
    }

    /// How many things there were.
    pub fn made(&self) -> usize {
        self.0.made.load(Ordering::Relaxed)
    }
}

/// What a [`Fuse`] counts.
pub struct Thing<S: Site> {
    fuse: Fuse<S>,
    site: S,
}

impl<S: Site> Thing<S> {
    pub fn fuse(&self) -> &Fuse<S> {
        &self.fuse
    }
}

impl<S: Site> Drop for Thing<S> {
    fn drop(&mut self) {
        // Release: a thread that finds nothing alive finds all of this done.
        self.fuse.0.alive.fetch_sub(1, Ordering::Release);
        if !std::thread::panicking() {
            self.fuse.at(self.site);
        }
    }
}
