//! Blocked threads are replaced: whatever waits inside a pool, as many threads as it has jobs
//! go on.

mod common;

use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak, mpsc};
use std::thread;

use common::{Event, FOREVER, ends, eventually, fib, pool, quiet_panic, without_guests};
use drumline::{JoinHandle, Pool, blocking, join, scope, spawn};

const JOBS: [usize; 4] = [1, 2, 4, 16];

/// How a job waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Inside of `blocking`.
    Announced,
    /// So that the pool has to notice by itself.
    Silent,
}

use Way::{Announced, Silent};

/// If the system does not tell what threads do, the pool does not notice by itself.
const WAYS: &[Way] = if cfg!(target_os = "linux") {
    &[Announced, Silent]
} else {
    &[Announced]
};

impl Way {
    fn block<R>(self, f: impl FnOnce() -> R) -> R {
        match self {
            Announced => blocking(f),
            Silent => f(),
        }
    }
}

/// Each way in each kind of pool.
fn everywhere(jobs: &[usize], test: impl Fn(&Pool, Way)) {
    for &way in WAYS {
        for &jobs in jobs {
            test(&pool(jobs), way);
            test(&without_guests(jobs), way);
        }
    }
}

/// Waits until all have happened, without taking part in the pool.
struct Countdown(mpsc::Receiver<()>, usize);

impl Countdown {
    fn new(count: usize) -> (mpsc::Sender<()>, Self) {
        let (send, receive) = mpsc::channel();
        (send, Countdown(receive, count))
    }

    #[track_caller]
    fn wait(self) {
        for left in (1..=self.1).rev() {
            let told = self.0.recv_timeout(FOREVER);
            assert!(told.is_ok(), "{left} of {} are missing", self.1);
        }
    }
}

/// `count` jobs receive what as many jobs that are queued after them send.
fn receive_then_send(pool: &Pool, count: usize, way: Way) {
    let (done, all) = Countdown::new(2 * count);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| mpsc::channel()).unzip();
    for (index, receiver) in receivers.into_iter().enumerate() {
        let done = done.clone();
        drop(pool.spawn_fifo(move || {
            assert_eq!(way.block(|| receiver.recv()), Ok(index));
            done.send(()).unwrap();
        }));
    }
    for (index, sender) in senders.into_iter().enumerate() {
        let done = done.clone();
        drop(pool.spawn_fifo(move || {
            sender.send(index).unwrap();
            done.send(()).unwrap();
        }));
    }
    all.wait();
}

#[test]
fn six_hundred_wait_for_later_ones() {
    for &jobs in &JOBS {
        receive_then_send(&pool(jobs), 600, Announced);
        receive_then_send(&without_guests(jobs), 600, Announced);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn many_wait_for_later_ones_silently() {
    // Noticing takes the monitor some milliseconds for each group of `jobs`.
    for (jobs, count) in [(1, 60), (2, 100), (4, 200), (16, 600)] {
        receive_then_send(&pool(jobs), count, Silent);
        receive_then_send(&without_guests(jobs), count, Silent);
    }
}

#[test]
#[ignore = "5,000 threads; for an otherwise idle machine"]
fn five_thousand_wait_for_later_ones() {
    for &jobs in &JOBS {
        receive_then_send(&pool(jobs), 5_000, Announced);
    }
    if cfg!(target_os = "linux") {
        receive_then_send(&pool(16), 5_000, Silent);
    }
}

fn receive_in_first(way: Way) {
    let (send, receive) = mpsc::channel();
    let receive = move || way.block(|| receive.recv_timeout(FOREVER));
    let (received, sent) = join(receive, move || send.send(7));
    assert_eq!((received, sent), (Ok(7), Ok(())));
}

#[test]
fn the_first_half_waits_for_the_second() {
    everywhere(&JOBS, |pool, way| {
        for _ in 0..10 {
            pool.install(|| receive_in_first(way));
            pool.spawn(move || receive_in_first(way)).join().unwrap();
        }
    });
}

#[test]
fn inside_of_blocking_too() {
    everywhere(&[1, 2], |pool, way| {
        for _ in 0..5 {
            pool.install(|| {
                blocking(|| {
                    receive_in_first(way);
                    blocking(|| receive_in_first(Announced));
                })
            });
        }
    });
}

/// Counts the threads that are inside at once.
#[derive(Default)]
struct Inside {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Inside {
    fn enter(&self, f: impl FnOnce()) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        f();
        self.now.fetch_sub(1, Ordering::SeqCst);
    }

    fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }
}

/// Spawns this many jobs that never sleep, and `together` of which have to run at once for any of
/// them to end; returns how many ran at once.
fn meet_awake(pool: &Pool, together: usize, rounds: usize) -> usize {
    let inside = Arc::new(Inside::default());
    for _ in 0..rounds {
        let (done, all) = Countdown::new(together);
        let here = Arc::new(AtomicUsize::new(0));
        for _ in 0..together {
            let (here, inside, done) = (Arc::clone(&here), Arc::clone(&inside), done.clone());
            drop(pool.spawn(move || {
                inside.enter(|| {
                    here.fetch_add(1, Ordering::SeqCst);
                    let start = std::time::Instant::now();
                    while here.load(Ordering::SeqCst) < together {
                        assert!(start.elapsed() < FOREVER, "the others never came");
                        thread::yield_now();
                    }
                });
                done.send(()).unwrap();
            }));
        }
        all.wait();
    }
    inside.most()
}

/// Many jobs at once, none of which waits; returns how many ran at once.
fn at_once(pool: &Pool, jobs: usize) -> usize {
    let inside = Arc::new(Inside::default());
    let (done, all) = Countdown::new(jobs);
    for _ in 0..jobs {
        let (inside, done) = (Arc::clone(&inside), done.clone());
        drop(pool.spawn(move || {
            inside.enter(|| {
                for _ in 0..20 {
                    thread::yield_now();
                }
            });
            done.send(()).unwrap();
        }));
    }
    all.wait();
    inside.most()
}

/// Jobs that are blocked until `release` is dropped.
struct Blocked {
    release: Vec<mpsc::Sender<()>>,
    ended: Countdown,
}

impl Blocked {
    fn new(pool: &Pool, count: usize, way: Way) -> Self {
        let (begun, all) = Countdown::new(count);
        let (end, ended) = Countdown::new(count);
        let release = (0..count)
            .map(|_| {
                let (release, wait) = mpsc::channel::<()>();
                let (begun, end) = (begun.clone(), end.clone());
                drop(pool.spawn(move || {
                    way.block(|| {
                        begun.send(()).unwrap();
                        wait.recv().unwrap_err()
                    });
                    end.send(()).unwrap();
                }));
                release
            })
            .collect();
        all.wait();
        Blocked { release, ended }
    }

    fn release(self) {
        drop(self.release);
        self.ended.wait();
    }
}

#[test]
fn with_some_blocked_as_many_run_as_there_are_jobs_and_no_more() {
    everywhere(&JOBS, |pool, way| {
        let jobs = pool.jobs();
        for blocked in [1, jobs.saturating_sub(1), jobs, 2 * jobs] {
            let blocked = Blocked::new(pool, blocked, way);
            assert!(meet_awake(pool, jobs, 3) >= jobs);
            // Not at once: on a busy machine a thread may have stood still long enough to be taken
            // for a blocked one. It goes on until it is seen to run.
            eventually("no more than jobs run", || at_once(pool, 50) <= jobs);
            blocked.release();
        }
    });
}

#[test]
fn who_comes_back_goes_on_and_then_the_number_is_right_again() {
    let mut pools = Vec::new();
    everywhere(&JOBS, |pool, way| {
        let jobs = pool.jobs();
        for _ in 0..3 {
            Blocked::new(pool, jobs + 3, way).release();
        }
        // Nothing is active any more once a job has been answered that came after all of them;
        // a job that has sent its last message may still hold its place for a moment.
        eventually("at most as many as there are jobs", || {
            at_once(pool, 50) <= jobs
        });
        let most = meet_awake(pool, jobs, 3);
        assert!(most >= jobs, "no place is lost");
    });
    for jobs in JOBS {
        for pool in [pool(jobs), without_guests(jobs)] {
            let blocked = Blocked::new(&pool, jobs + 3, Announced);
            assert_eq!(meet_awake(&pool, jobs, 1), jobs);
            blocked.release();
            pools.push(pool);
        }
    }
    assert!(pools.iter().all(|pool| pool.stats().spares > 0));
    for pool in pools {
        let jobs = pool.jobs();
        eventually("spares end", || pool.stats().threads == jobs);
        assert_eq!(meet_awake(&pool, jobs, 3), jobs, "and the workers stay");
    }
}

/// On a machine that does something else, too, a thread may wait for its processor for a long time.
/// Then it pays to have one more thread. So this wants one time without.
#[test]
fn computing_needs_no_spares() {
    for jobs in [2, 16] {
        for make in [pool, without_guests] {
            eventually("no spare is made", || computes_without_spares(&make(jobs)));
        }
    }
}

fn computes_without_spares(pool: &Pool) -> bool {
    for _ in 0..10 {
        assert_eq!(pool.install(|| fib(20)), 6765);
        let sum = AtomicUsize::new(0);
        pool.scope(|scope| {
            for _ in 0..200 {
                scope.spawn(|scope| {
                    sum.fetch_add(fib(8) as usize, Ordering::Relaxed);
                    scope.spawn(|_| _ = sum.fetch_add(1, Ordering::Relaxed));
                });
            }
        });
        assert_eq!(sum.into_inner(), 200 * 22);
        let tasks: Vec<_> = (0..200).map(|_| pool.spawn(|| fib(8))).collect();
        let sum: u64 = tasks.into_iter().map(|task| task.join().unwrap()).sum();
        assert_eq!(sum, 200 * 21);
    }
    pool.stats().spares == 0
}

#[test]
fn a_pool_called_inside_of_blocking() {
    everywhere(&[1, 2], |outer, way| {
        for inner in [pool(1), without_guests(1)] {
            let sum = outer.install(|| {
                blocking(|| {
                    inner.install(|| {
                        receive_in_first(way);
                        // And back.
                        outer.install(|| receive_in_first(way));
                        fib(10)
                    })
                })
            });
            assert_eq!(sum, 55);
        }
    });
}

#[test]
fn a_guest_of_two_pools_gives_up_both_places() {
    everywhere(&[1, 4], |outer, way| {
        let inner = pool(1);
        let (outer_ran, inner_ran) = (Arc::new(Event::new()), Arc::new(Event::new()));
        outer.install(|| {
            inner.install(|| {
                let (to_outer, to_inner) = (Arc::clone(&outer_ran), Arc::clone(&inner_ran));
                let in_outer = outer.spawn(move || to_outer.set());
                let in_inner = inner.spawn(move || to_inner.set());
                way.block(|| {
                    outer_ran.wait();
                    inner_ran.wait();
                });
                in_outer.join().unwrap();
                in_inner.join().unwrap();
            });
        });
    });
}

#[test]
fn tasks_that_block_are_joined_inside_of_blocking() {
    everywhere(&[1, 2], |pool, way| {
        pool.install(|| {
            let (send, receive) = mpsc::channel();
            blocking(|| {
                let receives = spawn(move || way.block(|| receive.recv()));
                let sends = spawn(move || send.send(1));
                // In this order: the first is taken back and run here.
                assert_eq!(receives.join().unwrap(), Ok(1));
                sends.join().unwrap().unwrap();
            });
        });
    });
}

#[test]
fn a_panic_inside_of_blocking_gives_the_place_back() {
    everywhere(&JOBS, |pool, way| {
        let jobs = pool.jobs();
        let panic = || {
            let panics = catch_unwind(|| {
                blocking(|| {
                    way.block(|| ());
                    quiet_panic("blocked")
                })
            });
            assert!(panics.is_err());
        };
        for _ in 0..10 {
            pool.install(panic);
            let (a, b) = pool.join(
                || catch_unwind(panic).is_ok(),
                || catch_unwind(panic).is_ok(),
            );
            assert!(a && b);
            let panics = pool.spawn(|| blocking(|| quiet_panic("blocked")));
            assert!(panics.join().is_err());
        }
        assert_eq!(pool.stats().blocked, 0);
        assert_eq!(meet_awake(pool, jobs, 3), jobs);
        eventually("no more than jobs run", || at_once(pool, 50) <= jobs);
    });
}

#[test]
fn the_jobs_of_a_scope_wait_for_each_other() {
    everywhere(&JOBS, |pool, way| {
        let (send, receive) = mpsc::sync_channel(0);
        let receive = Mutex::new(receive);
        let sum = AtomicUsize::new(0);
        pool.install(|| {
            scope(|scope| {
                for _ in 0..20 {
                    scope.spawn(|_| {
                        let number = way.block(|| receive.lock().unwrap().recv().unwrap());
                        sum.fetch_add(number, Ordering::Relaxed);
                    });
                }
                for _ in 0..20 {
                    let send = send.clone();
                    scope.spawn(move |_| way.block(|| send.send(1).unwrap()));
                }
            });
        });
        assert_eq!(sum.into_inner(), 20);
    });
}

#[test]
fn the_shares_of_a_broadcast_wait_for_a_job() {
    everywhere(&JOBS, |pool, way| {
        let go = Arc::new(Event::new());
        let begun = AtomicUsize::new(0);
        let workers = pool.jobs();
        thread::scope(|threads| {
            threads.spawn(|| {
                eventually("every share has begun", || {
                    begun.load(Ordering::SeqCst) == workers
                });
                let go = Arc::clone(&go);
                drop(pool.spawn(move || go.set()));
            });
            let shares = pool.broadcast(|_| {
                begun.fetch_add(1, Ordering::SeqCst);
                way.block(|| go.wait());
            });
            assert_eq!(shares.len(), workers);
        });
    });
}

#[test]
fn a_broadcast_while_all_are_blocked_reaches_those_who_belong_to_the_pool() {
    everywhere(&[1, 4], |pool, way| {
        let jobs = pool.jobs();
        let blocked = Blocked::new(pool, jobs, way);
        assert_eq!(meet_awake(pool, jobs, 1), jobs);
        let shares = thread::scope(|threads| {
            let shares = threads.spawn(|| pool.broadcast(|_| ()).len());
            blocked.release();
            shares.join().unwrap()
        });
        assert_eq!(shares, jobs);
    });
}

#[test]
fn the_destructors_of_thread_locals_may_block() {
    struct Late(Arc<Pool>, Way, mpsc::Sender<()>);
    impl Drop for Late {
        fn drop(&mut self) {
            blocking(|| ());
            self.0.install(|| receive_in_first(self.1));
            blocking(|| self.0.install(|| receive_in_first(self.1)));
            self.2.send(()).unwrap();
        }
    }
    thread_local! {
        static LATE: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) };
    }
    for &way in WAYS {
        for pool in [pool(1), pool(4), without_guests(1), without_guests(4)] {
            let pool = Arc::new(pool);
            let (done, all) = Countdown::new(3);
            let late = || Late(Arc::clone(&pool), way, done.clone());
            let set = |late| LATE.with(|cell| *cell.borrow_mut() = Some(late));
            // A stranger, one that has been inside, and a worker of another pool.
            thread::scope(|threads| {
                threads.spawn(|| set(late()));
                threads.spawn(|| {
                    pool.install(|| ());
                    set(late());
                });
            });
            let other = without_guests(1);
            let late = late();
            other.install(move || set(late));
            other.shutdown().unwrap();
            all.wait();
        }
    }
}

#[test]
fn callers_of_all_kinds_at_once() {
    for &way in WAYS {
        for jobs in [1, 4] {
            ends(move || {
                let pool = pool(jobs);
                thread::scope(|threads| {
                    for _ in 0..4 {
                        threads.spawn(|| {
                            for _ in 0..10 {
                                pool.install(|| receive_in_first(way));
                                pool.scope(|scope| scope.spawn(|_| receive_in_first(way)));
                                pool.spawn(move || receive_in_first(way)).join().unwrap();
                            }
                        });
                    }
                });
            });
        }
    }
}

/// A spare that ends counts as finished when only the destructors of its thread-local state are
/// left. Those may need the pool: no thread in the pool may wait for them.
#[test]
fn the_destructors_of_a_spare_need_its_pool() {
    struct Late(Weak<Pool>, mpsc::Sender<()>);
    impl Drop for Late {
        fn drop(&mut self) {
            let _ended = self.1.clone();
            if let Some(pool) = self.0.upgrade() {
                // Needs a spare. No thread that waits for this one may be the one to make it.
                (0..100).for_each(|_| pool.install(|| receive_in_first(Announced)));
            }
        }
    }
    thread_local! {
        static LATE: std::cell::RefCell<Option<Late>> = const { std::cell::RefCell::new(None) };
    }
    let pools: Vec<_> = (0..2).map(|_| Arc::new(without_guests(1))).collect();
    let mut all_ended = Vec::new();
    for pool in &pools {
        let (ended, wait) = mpsc::channel();
        let blocked = Blocked::new(pool, 3, Announced);
        let (done, all) = Countdown::new(5);
        for _ in 0..5 {
            let (late, done) = (Late(Arc::downgrade(pool), ended.clone()), done.clone());
            drop(pool.spawn(move || {
                LATE.with(|cell| drop(cell.replace(Some(late))));
                done.send(()).unwrap();
            }));
        }
        all.wait();
        blocked.release();
        all_ended.push(wait);
    }
    for (pool, _ended) in pools.iter().zip(all_ended) {
        eventually("spares end", || pool.stats().threads == 1);
        pool.install(|| receive_in_first(Announced));
    }
}

/// A task is blocked until the second half of a join is run, which is pending below it on the same
/// thread. A thread that waits for that task has the only place. It may not run the half, and must
/// not keep the place because it sees the half.
#[test]
fn who_waits_keeps_no_place_for_work_that_it_may_not_run() {
    fn blocked_below_a_half(pool: &Pool, way: Way) {
        let (send, receive) = mpsc::channel();
        let (give, take) = mpsc::channel::<JoinHandle<()>>();
        let (begun, go) = (Arc::new(Event::new()), Arc::new(Event::new()));
        let (begins, goes) = (Arc::clone(&begun), Arc::clone(&go));
        let below = pool.spawn(move || {
            begins.set();
            while !goes.is_set() {
                thread::yield_now();
            }
            let above = || {
                let blocks = spawn(move || {
                    assert_eq!(way.block(|| receive.recv_timeout(FOREVER)), Ok(7));
                });
                give.send(blocks).unwrap();
                // Runs it here, unless another thread has taken it.
                drumline::yield_local();
            };
            join(above, move || send.send(7).unwrap());
        });
        begun.wait();
        // From outside: this is taken before anything that lies on a worker.
        let waits = pool.spawn(move || blocking(|| take.recv()).unwrap().join().unwrap());
        go.set();
        below.join().unwrap();
        waits.join().unwrap();
    }
    everywhere(&[1, 2], |pool, way| {
        for _ in 0..10 {
            blocked_below_a_half(pool, way);
        }
    });
}

/// The monitor, which reads the notes of threads that blocked shortly before, passes members for
/// good by: they give up their places at once, each time.
#[test]
fn a_member_that_blocked_shortly_before_gives_its_place_up() {
    for _ in 0..20 {
        ends(|| {
            let builder = Pool::builder().jobs(2).guests(false).use_current_thread();
            let pool = builder.build().unwrap();
            pool.set_jobs(1).unwrap();
            for _ in 0..10 {
                blocking(|| ());
                let met = Arc::new(Event::new());
                let meets = Arc::clone(&met);
                thread::scope(|threads| {
                    threads.spawn(|| drop(pool.spawn(move || meets.set())));
                });
                blocking(|| met.wait());
            }
        });
    }
}
