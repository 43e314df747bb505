//! Scopes and broadcasts under rayon's names: what closures get, and what callers see of them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::{BroadcastContext, Scope, ScopeFifo, ThreadPool, ThreadPoolBuilder};

const THREADS: usize = 3;

fn pool() -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(THREADS);
    pool.build().unwrap()
}

/// Numbers of threads, in any order.
#[derive(Default)]
struct Seen(Mutex<Vec<usize>>);

impl Seen {
    fn note(&self, context: &BroadcastContext<'_>) {
        assert_eq!(context.num_threads(), THREADS);
        self.0.lock().unwrap().push(context.index());
    }

    fn check(self, times: usize) {
        let mut seen = self.0.into_inner().unwrap();
        seen.sort_unstable();
        let all: Vec<usize> = (0..THREADS).flat_map(|n| vec![n; times]).collect();
        assert_eq!(seen, all);
    }
}

/// Broadcasts, from a job of the scope and from the broadcast itself.
fn broadcast_twice<'scope>(scope: &Scope<'scope>, seen: &'scope Seen) {
    scope.spawn(move |scope| {
        scope.spawn_broadcast(move |scope: &Scope<'scope>, context| {
            seen.note(&context);
            if context.index() == 0 {
                scope.spawn_broadcast(move |_, context| seen.note(&context));
            }
        });
    });
}

/// The same in a scope of the other kind.
fn broadcast_twice_fifo<'scope>(scope: &ScopeFifo<'scope>, seen: &'scope Seen) {
    scope.spawn_fifo(move |scope| {
        scope.spawn_broadcast(move |scope: &ScopeFifo<'scope>, context| {
            seen.note(&context);
            if context.index() == 0 {
                scope.spawn_broadcast(move |_, context| seen.note(&context));
            }
        });
    });
}

#[test]
fn broadcasts_of_a_scope() {
    let pool = pool();
    let seen = Seen::default();
    pool.scope(|scope| broadcast_twice(scope, &seen));
    pool.in_place_scope(|scope| broadcast_twice(scope, &seen));
    pool.install(|| rayon::scope(|scope| broadcast_twice(scope, &seen)));
    pool.install(|| rayon::in_place_scope(|scope| broadcast_twice(scope, &seen)));
    seen.check(8);
}

#[test]
fn broadcasts_of_a_fifo_scope() {
    let pool = pool();
    let seen = Seen::default();
    pool.scope_fifo(|scope| broadcast_twice_fifo(scope, &seen));
    pool.in_place_scope_fifo(|scope| broadcast_twice_fifo(scope, &seen));
    pool.install(|| rayon::scope_fifo(|scope| broadcast_twice_fifo(scope, &seen)));
    pool.install(|| rayon::in_place_scope_fifo(|scope| broadcast_twice_fifo(scope, &seen)));
    seen.check(8);
}

#[test]
fn broadcasts_without_a_scope() {
    let pool = pool();
    let seen = Seen::default();
    pool.broadcast(|context| seen.note(&context));
    pool.install(|| rayon::broadcast(|context| seen.note(&context)));
    seen.check(2);

    let (send, receive) = std::sync::mpsc::channel();
    let again = send.clone();
    pool.spawn_broadcast(move |context| send.send(context.index()).unwrap());
    pool.install(|| {
        rayon::spawn_broadcast(move |context| again.send(context.index()).unwrap());
    });
    let mut seen: Vec<usize> = receive.iter().collect();
    seen.sort_unstable();
    assert_eq!(seen, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn the_results_of_scopes() {
    let mut value = 0;
    let result = rayon::scope(|scope| {
        scope.spawn(|_| value = 1);
        "lifo"
    });
    assert_eq!((result, value), ("lifo", 1));
    let result = rayon::scope_fifo(|scope| {
        scope.spawn_fifo(|_| value = 2);
        "fifo"
    });
    assert_eq!((result, value), ("fifo", 2));
    let here = std::rc::Rc::new("here");
    let result = rayon::in_place_scope(|scope| {
        scope.spawn(|_| value = 3);
        here.clone()
    });
    assert_eq!((*result, value), ("here", 3));
    let result = rayon::in_place_scope_fifo(|scope| {
        scope.spawn_fifo(|_| value = 4);
        here.clone()
    });
    assert_eq!((*result, value), ("here", 4));
}

#[test]
fn panics_come_after_all_have_ended() {
    let pool = pool();
    let ended = AtomicUsize::new(0);
    let payload = catch_unwind(AssertUnwindSafe(|| {
        pool.scope(|scope| {
            scope.spawn_broadcast(|_, context| {
                ended.fetch_add(1, Ordering::Relaxed);
                if context.index() == 1 {
                    panic!("thread 1");
                }
            });
        });
    }))
    .unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"thread 1"));
    assert_eq!(ended.into_inner(), THREADS);
}

#[test]
fn debug() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let context = pool.broadcast(|context| format!("{context:?}"));
    assert_eq!(
        context,
        ["BroadcastContext { index: 0, num_threads: 1, .. }"]
    );
    assert_eq!(pool.scope(|scope| format!("{scope:?}")), "Scope { .. }");
    let fifo = pool.scope_fifo(|scope| format!("{scope:?}"));
    assert_eq!(fifo, "ScopeFifo { .. }");
}
