//! The border between the scheduler and the program's own code that it calls.
//!
//! # What it owns
//!
//! The *hooks* of a pool: what names a thread and what starts one; the handlers of a thread's
//! start and exit; the handlers of panics, warnings and events, and `tracing` beside them. They
//! are private to this file, so nothing else can call one.
//!
//! # The border
//!
//! A hook may be called at almost any step of the scheduler. A push that wakes a thread may have
//! to start one, which is named; a wait tells that it sleeps; a thief tells that it steals. At
//! such a step a job that refers to the caller's frame may lie in a deque. A worker may stand in
//! the idle set, or a place may be given up and not taken back. So three rules hold:
//!
//! 1. **No panic crosses the border.** It is caught here and [reported](Hooks::report_panic).
//!    An error of the hook is a warning. The pool goes on, with fewer threads if need be.
//! 2. **A hook finds its thread outside of every pool**, so what it calls there comes from outside.
//!    The handlers of start and exit are the exception: they run when their worker is active, like
//!    a job of the pool, and may do all that a job may.
//! 3. **A hook is not entered again while it runs on the same thread**, since it could hold a lock
//!    of its own. What would be told meanwhile is not told; what would be reported is counted.
//!
//! The same holds for what hooks leave behind: payloads, errors and captured values are dropped
//! here, where a drop that panics is caught ([`unwind::discard`]).
//!
//! The scheduler's own cold paths stand under [`unwind::never`]. If a panic of its own ever leaves
//! one, the process ends with a message. So no frame dies under a job that refers to it.

use std::any::Any;
use std::cell::Cell;
use std::io;

use super::local;
use crate::platform::stderr;
use crate::pool::observe::event::Event;
use crate::pool::observe::trace;
use crate::pool::observe::warning::Warning;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::per_thread;
use crate::unwind::{self, Payload};

/// Names a thread by its number.
pub(crate) type NameHook = Box<dyn FnMut(usize) -> String + Send>;
type IndexHook = Box<dyn Fn(usize) + Send + Sync>;
type PanicHook = Box<dyn Fn(Box<dyn Any + Send>) + Send + Sync>;
type WarningHook = Box<dyn Fn(&Warning) + Send + Sync>;
type EventHook = Box<dyn Fn(&Event) + Send + Sync>;

/// The handlers that the program gave a pool.
#[derive(Default)]
pub(crate) struct Hooks {
    pin: Option<IndexHook>,
    start: Option<IndexHook>,
    exit: Option<IndexHook>,
    panic: Option<PanicHook>,
    warning: Option<WarningHook>,
    event: Option<EventHook>,
    /// Panics that no handler was told of.
    lost_panics: AtomicUsize,
}

/// For the builder.
impl Hooks {
    pub(crate) fn set_pin(&mut self, hook: impl Fn(usize) + Send + Sync + 'static) {
        self.pin = Some(Box::new(hook));
    }

    pub(crate) fn set_start(&mut self, hook: impl Fn(usize) + Send + Sync + 'static) {
        self.start = Some(Box::new(hook));
    }

    pub(crate) fn set_exit(&mut self, hook: impl Fn(usize) + Send + Sync + 'static) {
        self.exit = Some(Box::new(hook));
    }

    pub(crate) fn set_panic(&mut self, hook: impl Fn(Box<dyn Any + Send>) + Send + Sync + 'static) {
        self.panic = Some(Box::new(hook));
    }

    pub(crate) fn set_warning(&mut self, hook: impl Fn(&Warning) + Send + Sync + 'static) {
        self.warning = Some(Box::new(hook));
    }

    pub(crate) fn set_event(&mut self, hook: impl Fn(&Event) + Send + Sync + 'static) {
        self.event = Some(Box::new(hook));
    }

    /// Whether the threads of the pool are special because of their handlers.
    pub(crate) fn are_for_threads(&self) -> bool {
        self.has_entry() || self.exit.is_some()
    }

    /// Whether a worker has a handler to run before it does anything else.
    pub(crate) fn has_entry(&self) -> bool {
        self.pin.is_some() || self.start.is_some()
    }

    /// Whether a worker has a handler to run at its end.
    pub(crate) fn has_exit(&self) -> bool {
        self.exit.is_some()
    }

    pub(crate) fn has_panic(&self) -> bool {
        self.panic.is_some()
    }
}

/// The captured values of a hook may panic when they are dropped, on whichever thread is the last
/// to know the pool.
impl Drop for Hooks {
    fn drop(&mut self) {
        unwind::discard(self.pin.take());
        unwind::discard(self.start.take());
        unwind::discard(self.exit.take());
        unwind::discard(self.panic.take());
        unwind::discard(self.warning.take());
        unwind::discard(self.event.take());
    }
}

/// Which hooks run on this thread: a bit for each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HookKind {
    Name = 1,
    Spawn = 2,
    Panic = 4,
    Warning = 8,
    Event = 16,
    Trace = 32,
}

per_thread! {
    static RUNNING: Cell<u8> = const { Cell::new(0) };
    /// The thread warns of a panic that is lost.
    static LOSING: Cell<bool> = const { Cell::new(false) };
}

/// The hooks that only listen. While any hook runs on a thread, nothing is told to these there:
/// a program may use one lock in all of them.
const LISTENERS: u8 = HookKind::Warning as u8 | HookKind::Event as u8 | HookKind::Trace as u8;

/// Runs a hook, unless it runs on this thread already, or may not be told anything now (`None`).
fn cross<R>(kind: HookKind, hook: impl FnOnce() -> R) -> Option<Result<R, Payload>> {
    let running = RUNNING.with(Cell::get);
    let bit = kind as u8;
    if running & bit != 0 || running != 0 && LISTENERS & bit != 0 {
        return None;
    }
    RUNNING.with(|cell| cell.set(running | bit));
    let outcome = unwind::catch(hook);
    RUNNING.with(|cell| cell.set(running));
    Some(outcome)
}

/// The name for thread `index`. Without one, because the hook panics or the name cannot be used,
/// the thread gets the default name, and that is reported.
pub(crate) fn name_thread(hooks: &Hooks, hook: &mut NameHook, index: usize) -> Option<String> {
    local::outside(|| match cross(HookKind::Name, || hook(index))? {
        Ok(name) if name.contains('\0') => {
            hooks.warn(Warning::NameNotUsed { index, name });
            None
        }
        Ok(name) => Some(name),
        Err(payload) => {
            hooks.report_panic(payload);
            None
        }
    })
}

/// Has `spawner` start the thread of `builder`.
pub(crate) fn spawn_thread<B>(
    hooks: &Hooks,
    spawner: &mut dyn FnMut(B) -> io::Result<()>,
    builder: B,
) -> io::Result<()> {
    let crossed = local::outside(|| cross(HookKind::Spawn, || spawner(builder)));
    match crossed {
        Some(Ok(outcome)) => outcome,
        Some(Err(payload)) => {
            local::outside(|| hooks.report_panic(payload));
            Err(io::Error::other("the spawn handler panicked"))
        }
        // A thread that serves requests serves all that come meanwhile; it never does so twice.
        None => Err(io::Error::other("the spawn handler runs already")),
    }
}

impl Hooks {
    /// Runs the handlers with which a worker begins. It is active meanwhile.
    pub(crate) fn run_entry(&self, index: usize) {
        self.run_thread_hook(self.pin.as_ref(), index);
        self.run_thread_hook(self.start.as_ref(), index);
    }

    /// Runs the handler with which a worker ends. It is active meanwhile.
    pub(crate) fn run_exit(&self, index: usize) {
        self.run_thread_hook(self.exit.as_ref(), index);
    }

    fn run_thread_hook(&self, hook: Option<&IndexHook>, index: usize) {
        if let Some(hook) = hook
            && let Err(payload) = unwind::catch(|| hook(index))
        {
            self.report_panic(payload);
        }
    }

    /// A panic that no caller waits for: of a detached task, or of a hook.
    pub(crate) fn report_panic(&self, payload: Payload) {
        let Some(hook) = &self.panic else {
            return self.lose_panic(payload);
        };
        let mut payload = Some(payload);
        let crossed = cross(HookKind::Panic, || payload.take().map(hook));
        if let Some(payload) = payload {
            self.lose_panic(payload);
        }
        if let Some(Err(payload)) = crossed {
            self.lose_panic(payload);
        }
    }

    /// How many panics were reported to no handler.
    pub(crate) fn lost_panics(&self) -> usize {
        // Relaxed: as where it is counted.
        self.lost_panics.load(Ordering::Relaxed)
    }

    /// A panic of which no panic handler hears: counted, and a warning. What is lost while a
    /// thread warns of that is only counted.
    fn lose_panic(&self, payload: Payload) {
        let message = unwind::message(&*payload).map(str::to_owned);
        unwind::discard(payload);
        // Relaxed: a count, beside which nothing is published.
        let lost = self.lost_panics.fetch_add(1, Ordering::Relaxed) + 1;
        if !LOSING.with(|losing| losing.replace(true)) {
            self.warn(Warning::PanicLost { message, lost });
            LOSING.with(|losing| losing.set(false));
        }
    }

    /// Whether an event would be heard.
    #[inline]
    pub(crate) fn is_heard(&self) -> bool {
        self.event.is_some() || trace::is_on()
    }

    /// Notifies the event handler and `tracing`. Returns whether either listens.
    #[cold]
    pub(crate) fn notify_now(&self, event: &Event) -> bool {
        local::outside(|| {
            let mut heard = false;
            if let Some(hook) = &self.event {
                match cross(HookKind::Event, || hook(event)) {
                    None => {}
                    Some(Ok(())) => heard = true,
                    Some(Err(payload)) => {
                        heard = true;
                        self.report_panic(payload);
                    }
                }
            }
            match cross(HookKind::Trace, || trace::notify(event)) {
                None => {}
                Some(Ok(traced)) => heard |= traced,
                Some(Err(payload)) => self.report_panic(payload),
            }
            heard
        })
    }

    /// Warns: the warning handler, and as an event; on standard error where neither hears. Not to
    /// be called with the lock of the idle set held.
    #[cold]
    pub(crate) fn warn(&self, warning: Warning) {
        // The text of a warning may be the program's as well: an error of its own.
        let warned = unwind::catch(|| {
            let mut heard = false;
            if let Some(hook) = &self.warning {
                local::outside(|| match cross(HookKind::Warning, || hook(&warning)) {
                    None => {}
                    Some(Ok(())) => heard = true,
                    Some(Err(payload)) => {
                        heard = true;
                        self.report_panic(payload);
                    }
                });
            }
            if self.is_heard() {
                heard |= self.notify_now(&Event::from(&warning));
            }
            if !heard && warning.is_printed() {
                stderr::say(&warning.to_string());
            }
        });
        if let Err(payload) = warned {
            self.report_panic(payload);
        }
        unwind::discard(warning);
    }
}
