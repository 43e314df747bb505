//! Who comes when a consumer is called.

use std::marker::PhantomData;

use super::bench::Bench;
use crate::Scope;
use crate::pool::{self, Shared, Signal};
use crate::scope::OfCrew;
use crate::spawn;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock, thread};

/// The work of a stage, whatever its types are: what a consumer runs from its arrival until it
/// leaves.
pub(super) trait Shift<'s>: Send + Sync {
    /// Consumes until others do what is left, or all is done.
    fn consume(self: Arc<Self>, crew: &(dyn Crew<'s> + Sync));
}

/// Brings consumers.
pub(super) trait Crew<'s> {
    /// Has one more consumer come, if there is one.
    fn call(&self, shift: Arc<dyn Shift<'s> + 's>);

    /// Whether the calling thread may work as a consumer: as one of them, or because there are
    /// none, and never will be.
    fn takes_caller(&self) -> bool;

    /// Whether the calling thread is one of them here and now.
    fn has_caller(&self) -> bool {
        false
    }

    /// Whether the calling thread has a job that no other can run, and runs it when its consumer
    /// leaves.
    fn is_sent_for(&self) -> bool {
        false
    }

    /// Runs `work` on the calling thread, as one of them.
    fn with_caller(&self, work: &mut dyn FnMut()) {
        work();
    }

    /// A consumer has nothing to do for now. `true`: it has been called again.
    fn rest(&self) -> bool {
        false
    }

    /// The stream is over.
    fn dismiss(&self) {}
}

/// Jobs of a scope: whoever of the pool has time.
impl<'s> Crew<'s> for Scope<'s> {
    fn call(&self, shift: Arc<dyn Shift<'s> + 's>) {
        self.spawn(move |scope| shift.consume(scope));
    }

    fn takes_caller(&self) -> bool {
        pool::may_visit(self.crew().registry())
    }

    fn has_caller(&self) -> bool {
        pool::is_inmost(self.crew().registry())
    }

    fn is_sent_for(&self) -> bool {
        self.has_caller() && pool::is_sent_for()
    }

    fn with_caller(&self, work: &mut dyn FnMut()) {
        pool::visit(self.crew().registry(), work);
    }
}

/// Tasks of a pool, for streams that outlive the frame that began them.
pub(super) struct Tasks {
    pub(super) registry: Shared,
}

impl Crew<'static> for Tasks {
    fn call(&self, shift: Arc<dyn Shift<'static>>) {
        let Some(_open) = pool::open_for_long_lived(&self.registry) else {
            return;
        };
        let tasks = Tasks {
            registry: Shared::clone(&self.registry),
        };
        let registry = Shared::clone(&self.registry);
        spawn::spawn_long_lived(registry, move || shift.consume(&tasks));
    }

    /// The handle of the pool may be gone, and its threads with it. A thread that calls, and asks
    /// after that, learns it: a pool is not over while a task waits in it.
    fn takes_caller(&self) -> bool {
        pool::may_visit(&self.registry) || self.registry.line().is_over()
    }

    fn has_caller(&self) -> bool {
        pool::is_inmost(&self.registry)
    }

    fn is_sent_for(&self) -> bool {
        self.has_caller() && pool::is_sent_for()
    }

    fn with_caller(&self, work: &mut dyn FnMut()) {
        pool::visit(&self.registry, work);
    }
}

/// Starts threads.
pub(super) trait Hire<'h>: Clone + Send + Sync {
    /// Starts one. `false`: the system refuses.
    fn start(&self, name: String, body: Box<dyn FnOnce() + Send + 'h>) -> bool;
}

impl<'scope> Hire<'scope> for &'scope thread::Scope<'scope, '_> {
    fn start(&self, name: String, body: Box<dyn FnOnce() + Send + 'scope>) -> bool {
        #[cfg(not(drumline_shuttle))]
        {
            let builder = thread::Builder::new().name(name);
            builder.spawn_scoped(self, body).is_ok()
        }
        // Its builder knows no scopes.
        #[cfg(drumline_shuttle)]
        {
            drop((name, self.spawn(body)));
            true
        }
    }
}

/// Starts threads that nobody waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detached;

impl Hire<'static> for Detached {
    fn start(&self, name: String, body: Box<dyn FnOnce() + Send>) -> bool {
        let builder = thread::Builder::new().name(name);
        builder.spawn(body).is_ok()
    }
}

/// Threads of their own. They are started one by one, as they are called for the first time.
pub(super) struct Threads<'h, H> {
    hire: H,
    lives: PhantomData<&'h ()>,
    common: Arc<Common>,
    number: usize,
}

/// What the threads of one stage share.
struct Common {
    bench: Bench,
    most: usize,
    started: Mutex<usize>,
    /// The system has refused the first thread.
    refused: AtomicBool,
    /// Threads that have been started and have not ended.
    living: Mutex<usize>,
    /// None of them lives any more, once none can be started.
    gone: Signal,
}

/// A thread that has been started, until it ends or turns out to be refused.
struct Life(Arc<Common>);

impl Life {
    fn begin(common: &Arc<Common>) -> Self {
        *lock(&common.living) += 1;
        Life(Arc::clone(common))
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        let mut living = lock(&self.0.living);
        *living -= 1;
        let is_last = *living == 0;
        drop(living);
        if is_last {
            self.0.gone.give();
        }
    }
}

impl<'h, H: Hire<'h> + 'h> Threads<'h, H> {
    /// At most `most` threads; the first of them is the caller's if `with_caller`.
    pub(super) fn new(hire: H, most: usize, with_caller: bool) -> Self {
        Threads {
            hire,
            lives: PhantomData,
            common: Arc::new(Common {
                bench: Bench::new(most, 0),
                most,
                started: Mutex::new(usize::from(with_caller)),
                refused: AtomicBool::new(false),
                living: Mutex::new(0),
                gone: Signal::new(),
            }),
            number: 0,
        }
    }

    /// Waits until all threads have ended, after the caller's own work: from then on only they
    /// start others. A thread of a pool serves its pool meanwhile.
    pub(super) fn wait(&self) {
        let gone = &self.common.gone;
        loop {
            // Given too early where the system has refused a thread.
            gone.take_back();
            if *lock(&self.common.living) == 0 {
                return;
            }
            gone.wait();
        }
    }

    /// Starts another thread, if there may be more and the system has one. Returns whether it did,
    /// and how many there are.
    fn start<'s: 'h>(&self, shift: Arc<dyn Shift<'s> + 's>) -> (bool, usize) {
        let mut started = lock(&self.common.started);
        if *started == self.common.most {
            return (false, *started);
        }
        let crew = Threads {
            hire: self.hire.clone(),
            lives: PhantomData,
            common: Arc::clone(&self.common),
            number: *started,
        };
        let name = format!("drumline-stream-{}", *started);
        let life = Life::begin(&self.common);
        let body = Box::new(move || {
            let _life = life;
            shift.consume(&crew);
        });
        let is_new = self.hire.start(name, body);
        *started += usize::from(is_new);
        (is_new, *started)
    }
}

impl<'s: 'h, 'h, H: Hire<'h> + 'h> Crew<'s> for Threads<'h, H> {
    fn call(&self, shift: Arc<dyn Shift<'s> + 's>) {
        let bench = &self.common.bench;
        if bench.wake() {
            return;
        }
        let (is_new, threads) = self.start(shift);
        if !is_new {
            // All are at work, or on their way to the bench.
            bench.call();
        }
        // Relaxed: only the serial end makes the first call, and asks.
        self.common.refused.store(threads == 0, Ordering::Relaxed);
    }

    fn takes_caller(&self) -> bool {
        self.common.refused.load(Ordering::Relaxed)
    }

    fn rest(&self) -> bool {
        self.common.bench.rest(self.number)
    }

    fn dismiss(&self) {
        self.common.bench.close();
    }
}
