//! What the program says of the pool's threads: names, handlers, and how they are started.

use std::any::Any;
use std::io;

use super::PoolBuilder;
use crate::pool::observe::event::Event;
use crate::pool::observe::warning::Warning;
use crate::pool::workers::thread_builder::ThreadBuilder;

impl PoolBuilder {
    /// Names the threads of the pool by their number; `drumline-0` and so on
    /// unless set.
    ///
    /// The pool may ask for more names than it has jobs: for threads that take the places of
    /// blocked ones. A hook that panics is reported as for
    /// [`panic_handler`](Self::panic_handler), and a name with a NUL byte is a [`Warning`]; in
    /// both cases the thread has the default name. The hook runs on any thread that calls the
    /// pool, as if that were outside of it.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .jobs(1)
    ///     .thread_name(|index| format!("render-{index}"))
    ///     .build()?;
    /// let name = pool.install(|| std::thread::current().name().map(String::from));
    /// assert_eq!(name.as_deref(), Some("render-0"));
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Blocking
    ///
    /// The thread that runs the hook may have a place in the pool, and no further thread starts
    /// before the hook returns. So a hook that waits for the pool (that joins one of its tasks, or
    /// calls it) may wait for itself, for ever.
    pub fn thread_name(mut self, name: impl FnMut(usize) -> String + Send + 'static) -> Self {
        self.threads.name = Some(Box::new(name));
        self
    }

    /// Called on each thread of the pool when it starts, with its number.
    ///
    /// The thread is in the pool and has a place, so the handler may do what a job may: fork,
    /// loop, spawn, block. A panic goes to the [panic handler](Self::panic_handler).
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (started, starts) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .start_handler(move |index| started.send(index).unwrap())
    ///     .build()?;
    /// let mut numbers = [starts.recv().unwrap(), starts.recv().unwrap()];
    /// numbers.sort();
    /// assert_eq!(numbers, [0, 1]);
    /// # drop(pool);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn start_handler(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.set_start(hook);
        self
    }

    /// Called on each thread of the pool before it ends, with its number.
    ///
    /// It may do what a [start handler](Self::start_handler) may.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (ended, ends) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .exit_handler(move |index| ended.send(index).unwrap())
    ///     .build()?;
    /// pool.shutdown()?;
    /// assert_eq!(ends.iter().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn exit_handler(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.set_exit(hook);
        self
    }

    /// Called with the payload of a panic that no thread waits for: of a detached
    /// task, or of one of these hooks. Without it, such panics are counted
    /// ([`Pool::lost_panics`](crate::Pool::lost_panics)), and the
    /// [warning handler](Self::warning_handler) and the [event handler](Self::event_handler) are
    /// told of each. Either way the pool goes on.
    ///
    /// A handler is told in addition to the panic hook of the process. That hook
    /// has run when the panic began, on the thread on which it began. It prints
    /// the panic to standard error unless the program has replaced it. Drumline
    /// prints nothing then, so no panic is printed twice. No hook runs for
    /// [`resume_unwind`](std::panic::resume_unwind): a program that detaches
    /// tasks which end in that way needs one of the handlers, to hear of them.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (tell, told) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .panic_handler(move |payload| tell.send(payload).unwrap())
    ///     .build()?;
    /// drop(pool.spawn(|| panic!("no handle waits for this")));
    /// let payload = told.recv()?;
    /// assert_eq!(payload.downcast_ref(), Some(&"no handle waits for this"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Blocking
    ///
    /// The handler runs on the thread that has the payload, as a rule one with a place in the pool,
    /// before that goes on. So a handler that waits for the pool may wait for itself, for ever. If
    /// a task had panicked before its handle was dropped, a worker of the pool calls the handler,
    /// as long as there is one: the thread that drops the handle may hold a lock which the handler
    /// takes. When the pool has ended, the thread that drops the handle calls it.
    ///
    /// While the handler runs on a thread, it is not called there for another panic, such as that
    /// of a job which it waits for and which runs on its thread. That panic is counted as lost.
    pub fn panic_handler(
        mut self,
        hook: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static,
    ) -> Self {
        self.hooks.set_panic(hook);
        self
    }

    /// Called when the pool is smaller than asked, or has fewer runnable threads than
    /// jobs because of [`max_threads`](Self::max_threads). Called also when a panic is
    /// lost because there is no [panic handler](Self::panic_handler).
    ///
    /// Warnings go to the [event handler](Self::event_handler), too. If there is
    /// neither, they are printed to standard error; but not the panics, which the
    /// panic hook prints.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .warning_handler(|warning| println!("warning: {warning}"))
    ///     .build()?;
    /// # drop(pool);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    ///
    /// # Blocking
    ///
    /// The handler runs on the thread that has noticed, before that goes on. The thread may have a
    /// place in the pool, or start the threads that others wait for. So a handler that waits for
    /// the pool (that joins one of its tasks, or calls it) may wait for itself, for ever. Pass the
    /// warning on to another thread instead.
    pub fn warning_handler(mut self, hook: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.hooks.set_warning(hook);
        self
    }

    /// Called on each thread of the pool before anything else, with its
    /// number: the place to bind it to a processor.
    ///
    /// ```
    /// # fn bind_to_processor(_: usize) {}
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .pin(|index| bind_to_processor(index)) // by whatever means you like
    ///     .build()?;
    /// # drop(pool);
    /// # Ok::<(), drumline::BuildError>(())
    /// ```
    pub fn pin(mut self, hook: impl Fn(usize) + Send + Sync + 'static) -> Self {
        self.hooks.set_pin(hook);
        self
    }

    /// Starts the threads of the pool with `spawner`, which has to arrange that
    /// [`ThreadBuilder::run`] is called on a thread of its own. Threads that
    /// [`Pool::set_jobs`](crate::Pool::set_jobs) adds later are started in the ordinary way.
    ///
    /// Such a pool makes no spare threads: one that [blocks](crate::blocking) is
    /// replaced only by threads that the pool has anyway, and blocking that
    /// was not announced is not noticed.
    ///
    /// ```
    /// let pool = drumline::Pool::builder()
    ///     .jobs(2)
    ///     .spawn_handler(|thread| {
    ///         std::thread::Builder::new().spawn(|| thread.run()).map(drop)
    ///     })
    ///     .build()?;
    /// assert_eq!(pool.install(|| 6 * 7), 42);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Blocking
    ///
    /// No thread starts before the spawner returns. So a spawner that waits for the pool may wait
    /// for itself, for ever.
    pub fn spawn_handler(
        mut self,
        spawner: impl FnMut(ThreadBuilder) -> io::Result<()> + 'static,
    ) -> Self {
        self.spawner = Some(Box::new(spawner));
        self
    }

    /// Called when something happens to the threads of the pool: one starts,
    /// sleeps, wakes up, takes a job from another, blocks; see [`Event`].
    ///
    /// The handler runs on the thread that it happens to, before that goes on,
    /// and on several at the same time: be brief. While it runs, its thread is
    /// not in the pool, so what it calls there comes from outside; a handler that
    /// waits for the pool may wait for itself. What happens to its thread meanwhile
    /// is not told. If it panics, that goes to the
    /// [panic handler](Self::panic_handler), and the pool goes on.
    ///
    /// Without a handler an event costs one branch. None lies on the way of a
    /// fork. With the feature `tracing` each event is one of `tracing` as well,
    /// for the target `drumline`: warnings at that level, all else at the level
    /// for debugging.
    ///
    /// ```
    /// use std::sync::mpsc;
    ///
    /// let (tell, told) = mpsc::channel();
    /// let pool = drumline::Pool::builder()
    ///     .jobs(1)
    ///     .event_handler(move |event| tell.send(event.to_string()).unwrap())
    ///     .build()?;
    /// pool.shutdown()?;
    /// let story: Vec<String> = told.iter().collect();
    /// assert_eq!(story.first().unwrap(), "thread 0 started");
    /// assert_eq!(story.last().unwrap(), "thread 0 ends");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn event_handler(mut self, hook: impl Fn(&Event) + Send + Sync + 'static) -> Self {
        self.hooks.set_event(hook);
        self
    }
}
