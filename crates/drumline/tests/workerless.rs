//! Pools without workers: pools of a member for good alone, pools for which the system refuses
//! threads, and pools with a spawner that turns out not to start any. Nothing waits for ever in
//! them, and nothing that was spawned is lost.

mod common;

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use common::{Event, FOREVER, ends};
use drumline::stream;
use drumline::{Pool, PoolBuilder, ThreadBuilder};

/// A call from outside, and the text of what it is to return in a pool with as many threads to
/// broadcast to.
struct Call {
    name: &'static str,
    call: fn(&Pool) -> String,
    expected: fn(usize) -> String,
}

fn counted(body: impl FnOnce(&AtomicUsize)) -> String {
    let count = AtomicUsize::new(0);
    body(&count);
    count.into_inner().to_string()
}

fn received<T: std::fmt::Debug + Ord>(send: impl FnOnce(Sender<T>)) -> String {
    let (sender, receiver) = mpsc::channel();
    send(sender);
    let mut all: Vec<T> = receiver.iter().collect();
    all.sort();
    format!("{all:?}")
}

fn indices(threads: usize) -> String {
    format!("{:?}", (0..threads).collect::<Vec<_>>())
}

/// Runs `f`, and says what does not end if it does not.
fn ends_named(name: &str, f: impl FnOnce() + Send + 'static) {
    eprintln!("{name} begins");
    ends(f);
}

/// Every way in which a thread outside can rely on a thread of the pool.
const CALLS: &[Call] = &[
    Call {
        name: "install",
        call: |pool| pool.install(|| 5).to_string(),
        expected: |_| String::from("5"),
    },
    Call {
        name: "join",
        call: |pool| format!("{:?}", pool.join(|| 1, || 2)),
        expected: |_| String::from("(1, 2)"),
    },
    Call {
        name: "spawn",
        call: |pool| pool.spawn(|| 5).join().unwrap().to_string(),
        expected: |_| String::from("5"),
    },
    Call {
        name: "spawn_fifo",
        call: |pool| pool.spawn_fifo(|| 5).join().unwrap().to_string(),
        expected: |_| String::from("5"),
    },
    Call {
        name: "a detached task",
        call: |pool| received(|send| drop(pool.spawn(move || send.send(5).unwrap()))),
        expected: |_| String::from("[5]"),
    },
    Call {
        name: "a task of a detached task",
        call: |pool| {
            received(|send| {
                drop(pool.spawn(move || drop(drumline::spawn(move || send.send(5).unwrap()))));
            })
        },
        expected: |_| String::from("[5]"),
    },
    Call {
        name: "broadcast",
        call: |pool| format!("{:?}", pool.broadcast(|ctx| ctx.index())),
        expected: indices,
    },
    Call {
        name: "spawn_broadcast",
        call: |pool| {
            received(|send| pool.spawn_broadcast(move |ctx| send.send(ctx.index()).unwrap()))
        },
        expected: indices,
    },
    Call {
        name: "scope",
        call: |pool| {
            counted(|count| {
                pool.scope(|scope| {
                    scope.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed));
                    scope.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed));
                });
            })
        },
        expected: |_| String::from("2"),
    },
    Call {
        name: "in_place_scope",
        call: |pool| {
            counted(|count| {
                pool.in_place_scope(|scope| {
                    scope.spawn(|_| _ = count.fetch_add(1, Ordering::Relaxed));
                    scope.spawn_broadcast(|_, _| _ = count.fetch_add(1, Ordering::Relaxed));
                });
            })
        },
        expected: |threads| (1 + threads).to_string(),
    },
    Call {
        name: "in_place_scope_fifo",
        call: |pool| {
            counted(|count| {
                pool.in_place_scope_fifo(|scope| {
                    scope.spawn_fifo(|_| _ = count.fetch_add(1, Ordering::Relaxed));
                });
            })
        },
        expected: |_| String::from("1"),
    },
    Call {
        name: "a stream's iterator",
        call: |pool| {
            let stream = stream::iter(0..100).pool(pool).map(|n| n + 1).ordered();
            stream.into_iter().sum::<i32>().to_string()
        },
        expected: |_| String::from("5050"),
    },
    Call {
        name: "a stream's ordered end",
        call: |pool| {
            let mut sum = 0;
            let stream = stream::iter(0..100).pool(pool).map(|n| n + 1).ordered();
            stream.for_each(|n| sum += n);
            sum.to_string()
        },
        expected: |_| String::from("5050"),
    },
    Call {
        name: "a stream's parallel end",
        call: |pool| {
            let stream = stream::iter(0..100).pool(pool).map(|n| n + 1);
            format!("{:?}", stream.reduce_with(|a, b| a + b))
        },
        expected: |_| String::from("Some(5050)"),
    },
];

/// Ways in which a pool takes calls from outside.
const OPENNESS: &[fn(PoolBuilder) -> PoolBuilder] = &[
    |builder| builder.guests(true),
    |builder| builder.guests(false),
    |builder| builder.guests(false).spares(false),
];

/// Builds a pool, on a thread of its own that is a member for good if `builder` says so, and makes
/// every call from another thread. The first thread does nothing but yield meanwhile.
fn every_call(build: fn(PoolBuilder) -> PoolBuilder, threads: usize, yields: bool) {
    for (openness, open) in OPENNESS.iter().enumerate() {
        for call in CALLS {
            let name = format!("{}, openness {openness}", call.name);
            ends_named(&name, move || {
                let builder = build(open(Pool::builder())).warning_handler(|_| ());
                let pool = Arc::new(builder.build().unwrap());
                let caller = thread::spawn({
                    let pool = Arc::clone(&pool);
                    move || (call.call)(&pool)
                });
                while yields && !caller.is_finished() {
                    drumline::yield_now();
                    thread::yield_now();
                }
                let result = caller.join().unwrap();
                assert_eq!(result, (call.expected)(threads), "{}", call.name);
            });
        }
    }
}

#[test]
fn a_member_that_yields_is_enough() {
    every_call(|builder| builder.jobs(1).use_current_thread(), 1, true);
    let counted = |builder: PoolBuilder| {
        let builder = builder.jobs(1).use_current_thread();
        builder.broadcast_to_member(true)
    };
    every_call(counted, 1, true);
}

fn refuse(builder: PoolBuilder) -> PoolBuilder {
    builder.spawn_handler(|_| Err(io::Error::other("no threads today")))
}

#[test]
fn without_threads_callers_are_enough() {
    every_call(|builder| refuse(builder.jobs(2)), 1, false);
    // The member is busy elsewhere.
    let with_member = |builder: PoolBuilder| refuse(builder.jobs(2).use_current_thread());
    every_call(with_member, 1, false);
}

type Kept = Arc<Mutex<Vec<ThreadBuilder>>>;

/// A pool with threads that the program keeps, and those threads.
fn keeping(builder: PoolBuilder) -> (Pool, Kept) {
    let kept = Kept::default();
    let keep = Arc::clone(&kept);
    let builder = builder.spawn_handler(move |thread| {
        keep.lock().unwrap().push(thread);
        Ok(())
    });
    (builder.build().unwrap(), kept)
}

/// Makes a pool with threads that do not come, makes a call, and tells the pool when the call
/// waits, or is about to.
fn late(call: &'static Call, build: impl FnOnce(PoolBuilder) -> PoolBuilder + Send + 'static) {
    ends_named(call.name, move || {
        let (pool, kept) = keeping(build(Pool::builder().jobs(3)));
        let pool = Arc::new(pool);
        let threads = kept.lock().unwrap().len();
        let (begins, begun) = mpsc::channel();
        let caller = thread::spawn({
            let pool = Arc::clone(&pool);
            move || {
                begins.send(()).unwrap();
                (call.call)(&pool)
            }
        });
        begun.recv().unwrap();
        for _ in 0..call.name.len() % 7 * 20 {
            thread::yield_now();
        }
        // With the lock: what the pool does now does not need it.
        let mut kept = kept.lock().unwrap();
        kept.clear();
        let result = caller.join().unwrap();
        drop(kept);
        // A broadcast that began after the end of the threads goes to one.
        let results = [(call.expected)(threads), (call.expected)(1)];
        let partly = (1..threads).map(|threads| (call.expected)(threads));
        assert!(
            results
                .into_iter()
                .chain(partly)
                .any(|expected| expected == result),
            "{}: {result}",
            call.name
        );
    });
}

#[test]
fn threads_that_turn_out_not_to_come() {
    for round in 0..4 {
        for open in OPENNESS {
            for call in CALLS {
                late(call, *open);
                if round % 2 == 0 {
                    late(call, |builder| open(builder).use_current_thread());
                }
            }
        }
    }
}

#[test]
fn shutdown_finishes_what_was_spawned_for_threads_that_do_not_come() {
    for open in OPENNESS {
        ends_named("shutdown", move || {
            let (pool, kept) = keeping(open(Pool::builder().jobs(3)));
            let done = Arc::new(AtomicUsize::new(0));
            for _ in 0..5 {
                let done = Arc::clone(&done);
                drop(pool.spawn(move || done.fetch_add(1, Ordering::Relaxed)));
            }
            let ending = thread::spawn(move || pool.shutdown().unwrap());
            kept.lock().unwrap().clear();
            ending.join().unwrap();
            assert_eq!(done.load(Ordering::Relaxed), 5);
        });
    }
}

/// What a member of a pool without workers leaves behind is done when the pool ends, and what it
/// spawns afterwards, too: the pool is dropped by the member.
fn left_by_the_member(build: fn(PoolBuilder) -> PoolBuilder) {
    for open in OPENNESS {
        ends_named("the member's tasks", move || {
            let builder = build(open(Pool::builder())).warning_handler(|_| ());
            let pool = builder.build().unwrap();
            let (send, receive) = mpsc::channel();
            let again = send.clone();
            for _ in 0..5 {
                let send = send.clone();
                drop(pool.spawn(move || drop(drumline::spawn(move || send.send(1).unwrap()))));
            }
            let jobs = pool.jobs();
            drop(pool);
            for _ in 0..5 {
                assert_eq!(receive.recv_timeout(FOREVER), Ok(1));
            }
            assert_eq!(drumline::current_jobs(), jobs);
            let broadcast = again.clone();
            drop(drumline::spawn(move || again.send(2).unwrap()));
            assert_eq!(receive.recv_timeout(FOREVER), Ok(2));
            drumline::spawn_broadcast(move |_| broadcast.send(3).unwrap());
            assert_eq!(receive.recv_timeout(FOREVER), Ok(3));
            assert_eq!(drumline::broadcast(|ctx| ctx.threads()), [1]);
        });
    }
}

#[test]
fn the_tasks_of_a_member_are_done_when_it_drops_its_pool() {
    left_by_the_member(|builder| builder.jobs(1).use_current_thread());
    left_by_the_member(|builder| refuse(builder.jobs(2).use_current_thread()));
}

#[test]
fn a_member_spawns_in_a_pool_that_another_thread_ends() {
    for round in 0..300 {
        ends_named("the member's task", move || {
            let builder = refuse(Pool::builder().jobs(2)).use_current_thread();
            let builder = OPENNESS[round % OPENNESS.len()](builder).warning_handler(|_| ());
            let pool = builder.build().unwrap();
            let (send, receive) = mpsc::channel();
            let ending = thread::spawn(move || pool.shutdown().unwrap());
            for _ in 0..round % 50 {
                thread::yield_now();
            }
            drop(drumline::spawn(move || send.send(()).unwrap()));
            ending.join().unwrap();
            // Shut down before the task was spawned, after it, or while it was.
            assert_eq!(receive.recv_timeout(FOREVER), Ok(()));
        });
    }
}

/// Spawns when the thread that it belongs to ends.
struct SpawnsAtTheEnd(Sender<()>);

impl Drop for SpawnsAtTheEnd {
    fn drop(&mut self) {
        let send = self.0.clone();
        drop(drumline::spawn(move || send.send(()).unwrap()));
    }
}

thread_local! {
    static AT_THE_END: Mutex<Option<SpawnsAtTheEnd>> = const { Mutex::new(None) };
}

#[test]
fn a_member_spawns_at_the_end_of_its_thread() {
    for jobs in [1, 2, 3] {
        for open in &OPENNESS[..2] {
            ends_named("the last task", move || {
                let (send, receive) = mpsc::channel();
                let member = thread::spawn(move || {
                    let builder = open(Pool::builder().jobs(jobs)).use_current_thread();
                    let pool = builder.build().unwrap();
                    AT_THE_END.with(|last| *last.lock().unwrap() = Some(SpawnsAtTheEnd(send)));
                    pool
                });
                let pool = member.join().unwrap();
                pool.shutdown().unwrap();
                assert_eq!(receive.try_recv(), Ok(()));
            });
        }
    }
}

/// Fewer jobs than before leave the only place to a member with a thread that has ended.
#[test]
fn a_pool_ends_whose_places_are_all_of_a_thread_that_is_gone() {
    for open in OPENNESS {
        ends_named("shutdown", move || {
            let member = thread::spawn(move || {
                let builder = open(Pool::builder().jobs(2)).use_current_thread();
                let pool = builder.build().unwrap();
                pool.set_jobs(1).unwrap();
                pool
            });
            let pool = member.join().unwrap();
            let done = Arc::new(AtomicUsize::new(0));
            for _ in 0..5 {
                let done = Arc::clone(&done);
                drop(pool.spawn(move || done.fetch_add(1, Ordering::Relaxed)));
            }
            pool.shutdown().unwrap();
            assert_eq!(done.load(Ordering::Relaxed), 5);
        });
    }
}

/// A fixed pool of one member: the tasks of others are the member's, also when the pool is shut
/// down by another thread. They are done one at a time, by the thread with the only index.
#[test]
fn shutdown_waits_for_the_member_that_is_the_only_thread() {
    for _ in 0..20 {
        ends_named("shutdown", || {
            let builder = Pool::builder().jobs(1).use_current_thread();
            let pool = builder.guests(false).spares(false).build().unwrap();
            let ending = thread::spawn(move || {
                let done = Arc::new(AtomicUsize::new(0));
                let inside = Arc::new(AtomicUsize::new(0));
                for _ in 0..5 {
                    let (done, inside) = (Arc::clone(&done), Arc::clone(&inside));
                    drop(pool.spawn(move || {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        assert_eq!(drumline::worker_index(), Some(0));
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        done.fetch_add(1, Ordering::SeqCst);
                    }));
                }
                pool.shutdown().unwrap();
                done.load(Ordering::SeqCst)
            });
            while !ending.is_finished() {
                drumline::yield_now();
                thread::yield_now();
            }
            assert_eq!(ending.join().unwrap(), 5);
        });
    }
}

/// A task that a member has begun while it yields is finished before the pool is shut down.
#[test]
fn shutdown_waits_for_what_a_member_runs() {
    for jobs in [1, 2] {
        for open in OPENNESS {
            ends_named("shutdown", move || {
                let pool = open(Pool::builder().jobs(jobs).use_current_thread());
                let pool = pool.build().unwrap();
                let is_begun = Arc::new(Event::new());
                let begins = Arc::clone(&is_begun);
                let ending = thread::spawn(move || {
                    let done = Arc::new(AtomicUsize::new(0));
                    let count = Arc::clone(&done);
                    let is_done = pool.spawn(move || {
                        begins.set();
                        // Long enough for a shutdown that does not wait.
                        thread::sleep(Duration::from_millis(5));
                        count.fetch_add(1, Ordering::SeqCst);
                    });
                    drop(is_done);
                    pool.shutdown().unwrap();
                    done.load(Ordering::SeqCst)
                });
                while !is_begun.is_set() {
                    drumline::yield_now();
                }
                // It has run in there, to its end.
                assert_eq!(ending.join().unwrap(), 1);
            });
        }
    }
}

/// The handle of a pool may go before the builders of its threads.
#[test]
fn a_pool_is_dropped_whose_builders_are_kept() {
    for open in OPENNESS {
        ends_named("drop", move || {
            let (pool, kept) = keeping(open(Pool::builder().jobs(2)));
            let first = kept.lock().unwrap().remove(0);
            thread::spawn(|| first.run());
            assert_eq!(pool.install(|| 5), 5);
            drop(pool);
            drop(kept);
        });
    }
}
