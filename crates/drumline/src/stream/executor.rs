//! How a consumer comes when it is called.

use std::marker::PhantomData;

use super::parked_consumers::{ParkedConsumers, Rest};
use crate::Scope;
use crate::pool::{self, SharedRegistry, Signal};
use crate::scope::HasScopeState;
use crate::spawn;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock, thread};
use crate::wait;

/// The work of a stage, whatever its types are: what a consumer runs from its arrival until it
/// leaves.
pub(super) trait ConsumerBody<'s>: Send + Sync {
    /// Consumes until others do what is left, or all is done.
    fn consume(self: Arc<Self>, executor: &(dyn Executor<'s> + Sync));
}

/// Brings consumers.
pub(super) trait Executor<'s> {
    /// Has one more consumer come, if there is one.
    fn call(&self, consumer_body: Arc<dyn ConsumerBody<'s> + 's>);

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
    fn with_caller(&self, work: &mut (dyn FnMut() + Send)) {
        work();
    }

    /// A consumer has nothing to do for now. `true`: it has been called again.
    fn rest(&self) -> bool {
        false
    }

    /// Whether a call of a consumer may have brought none.
    #[cfg(feature = "futures")]
    fn may_lose_calls(&self) -> bool {
        false
    }

    /// The stream is over.
    fn dismiss(&self) {}
}

/// Jobs of a scope: any thread of the pool that has time.
impl<'s> Executor<'s> for Scope<'s> {
    fn call(&self, consumer_body: Arc<dyn ConsumerBody<'s> + 's>) {
        self.spawn(move |scope| consumer_body.consume(scope));
    }

    fn takes_caller(&self) -> bool {
        pool::may_work(self.state().registry())
    }

    fn has_caller(&self) -> bool {
        pool::is_inmost(self.state().registry())
    }

    fn is_sent_for(&self) -> bool {
        self.has_caller() && pool::is_sent_for()
    }

    fn with_caller(&self, work: &mut (dyn FnMut() + Send)) {
        pool::work_in(self.state().registry(), work);
    }
}

/// Tasks of a pool, for streams that outlive the frame that began them.
pub(super) struct Tasks {
    pub(super) registry: SharedRegistry,
}

impl Tasks {
    /// Calls a consumer. `false`: the pool is over, or has no thread.
    pub(super) fn try_call(&self, consumer_body: &Arc<dyn ConsumerBody<'static>>) -> bool {
        let Some(_open) = pool::open_for_long_lived(&self.registry) else {
            return false;
        };
        let tasks = Tasks {
            registry: SharedRegistry::clone(&self.registry),
        };
        let registry = SharedRegistry::clone(&self.registry);
        let consumer_body = Arc::clone(consumer_body);
        spawn::spawn_long_lived(registry, move || consumer_body.consume(&tasks));
        true
    }

    /// Whether no call brings a consumer any more.
    #[cfg(feature = "futures")]
    pub(super) fn has_no_pool(&self) -> bool {
        self.registry.workers() == 0 || self.registry.idle_set().is_over()
    }
}

impl Executor<'static> for Tasks {
    fn call(&self, consumer_body: Arc<dyn ConsumerBody<'static>>) {
        self.try_call(&consumer_body);
    }

    /// The handle of the pool may be gone, and its threads with it. A thread that calls, and asks
    /// after that, learns it: a pool is not over while a task waits in it.
    fn takes_caller(&self) -> bool {
        pool::may_work(&self.registry) || self.registry.idle_set().is_over()
    }

    fn has_caller(&self) -> bool {
        pool::is_inmost(&self.registry)
    }

    fn is_sent_for(&self) -> bool {
        self.has_caller() && pool::is_sent_for()
    }

    fn with_caller(&self, work: &mut (dyn FnMut() + Send)) {
        pool::work_in(&self.registry, work);
    }
}

/// Starts threads.
pub(super) trait StartThread<'h>: Clone + Send + Sync {
    /// Starts one. `false`: the system refuses.
    fn start(&self, name: String, body: Box<dyn FnOnce() + Send + 'h>) -> bool;
}

impl<'scope> StartThread<'scope> for &'scope thread::Scope<'scope, '_> {
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

/// Starts threads that no other thread waits for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Detached;

impl StartThread<'static> for Detached {
    fn start(&self, name: String, body: Box<dyn FnOnce() + Send>) -> bool {
        let builder = thread::Builder::new().name(name);
        builder.spawn(body).is_ok()
    }
}

/// Threads of their own. They are started one by one, as they are called for the first time.
pub(super) struct Threads<'h, H> {
    starter: H,
    lives: PhantomData<&'h ()>,
    common: Arc<Common>,
    number: usize,
}

/// What the threads of one stage share.
struct Common {
    parked: ParkedConsumers,
    most: usize,
    /// The first consumer is on the thread that has begun the stream, perhaps one of a pool.
    with_caller: bool,
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

impl<'h, H: StartThread<'h> + 'h> Threads<'h, H> {
    /// At most `most` threads; the first of them is the caller's if `with_caller`.
    pub(super) fn new(starter: H, most: usize, with_caller: bool) -> Self {
        Threads {
            starter,
            lives: PhantomData,
            common: Arc::new(Common {
                parked: ParkedConsumers::new(most, 0),
                most,
                with_caller,
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
    fn start<'s: 'h>(&self, consumer_body: Arc<dyn ConsumerBody<'s> + 's>) -> (bool, usize) {
        let mut started = lock(&self.common.started);
        if *started == self.common.most {
            return (false, *started);
        }
        let executor = Threads {
            starter: self.starter.clone(),
            lives: PhantomData,
            common: Arc::clone(&self.common),
            number: *started,
        };
        let name = format!("drumline-stream-{}", *started);
        let life = Life::begin(&self.common);
        let body = Box::new(move || {
            let _life = life;
            consumer_body.consume(&executor);
        });
        let is_new = self.starter.start(name, body);
        *started += usize::from(is_new);
        (is_new, *started)
    }
}

impl<'s: 'h, 'h, H: StartThread<'h> + 'h> Executor<'s> for Threads<'h, H> {
    fn call(&self, consumer_body: Arc<dyn ConsumerBody<'s> + 's>) {
        let parked = &self.common.parked;
        if parked.wake() {
            return;
        }
        let (is_new, threads) = self.start(consumer_body);
        if !is_new {
            // All are at work, or about to park.
            parked.call();
        }
        // Relaxed: only the serial end makes the first call, and asks.
        self.common.refused.store(threads == 0, Ordering::Relaxed);
    }

    fn takes_caller(&self) -> bool {
        self.common.refused.load(Ordering::Relaxed)
    }

    fn has_caller(&self) -> bool {
        self.common.with_caller && self.number == 0 && pool::is_in_any()
    }

    fn is_sent_for(&self) -> bool {
        self.has_caller() && pool::is_sent_for()
    }

    fn rest(&self) -> bool {
        let parked = &self.common.parked;
        loop {
            // A consumer on a thread of a pool has left for this.
            pool::run_what_is_sent();
            // Such a thread has other things to do meanwhile.
            match wait::blocking(|| parked.rest_for(self.number, None)) {
                Rest::Called => return true,
                Rest::Sent => {}
                Rest::Over | Rest::Late => return false,
            }
        }
    }

    fn dismiss(&self) {
        self.common.parked.close();
    }
}
