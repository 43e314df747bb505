//! Everything at once, for long: joins, scopes, spawns and calls between pools, in which threads
//! block, announced or not, while the number of jobs changes and pools come and go.
//!
//! The time is divided into laps. After each lap everything rests until the spare threads have
//! ended. Checked: every program gives its answer; after a lap there are as many threads as at
//! its beginning; from the second lap to the last the memory hardly grows; and at the end no thread
//! is left.

use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use drumline::{Pool, blocking};
use stress::{Random, Run, Waited, check, dither, fail, round_done};

/// Threads outside the pools that call them.
const CALLERS: usize = 3;
/// Laps in a run.
const LAPS: u32 = 10;
/// No lap is shorter, however little time there is.
const SHORTEST_LAP: Duration = Duration::from_millis(500);
/// Jobs of the common pools change between 1 and this.
const MOST_JOBS: u64 = 16;
/// Memory that later laps may use beyond the first three: a pool keeps what belongs to as many
/// threads as it ever had at once, and that number grows for a while.
const GROWTH_KIB: u64 = 32 << 10;
/// Threads that are not needed should have gone long before this time is over.
const SETTLES: Duration = Duration::from_secs(12);

/// Tasks that no thread waits for: begun, and done.
static SPAWNED: AtomicUsize = AtomicUsize::new(0);
static DONE: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let run = Run::start();
    let before = threads();
    let pools = Arc::new([true, false].map(|guests| {
        let pool = Pool::builder().jobs(MOST_JOBS as usize).guests(guests);
        pool.build().expect("a pool")
    }));
    let at_rest = before + 2 * MOST_JOBS as usize;
    let mut memory = Vec::new();
    println!("lap: threads at most, then at rest; memory at most, then at rest, in KiB; spares");
    for lap in 1..=LAPS {
        let stop = AtomicBool::new(false);
        let (peak, most) = thread::scope(|scope| {
            for caller in 0..CALLERS {
                let (stop, pools) = (&stop, &pools);
                let mut random = run.random(u64::from(lap) << 32 | caller as u64);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        one_round(&mut random, pools);
                        round_done();
                    }
                });
            }
            let (mut peak, mut most) = (0, 0);
            let start = Instant::now();
            while start.elapsed() < SHORTEST_LAP
                || run.has_used() < f64::from(lap) / f64::from(LAPS)
            {
                thread::sleep(Duration::from_millis(20));
                peak = peak.max(threads());
                most = most.max(resident_kib());
            }
            stop.store(true, Ordering::Relaxed);
            (peak, most)
        });
        settle("threads are left after a lap", &*pools, || {
            threads() <= at_rest
        });
        settle("tasks were lost", &*pools, || {
            DONE.load(Ordering::Acquire) == SPAWNED.load(Ordering::Acquire)
        });
        let spares: u64 = pools.iter().map(|pool| pool.stats().spares).sum();
        memory.push(resident_kib());
        println!(
            "{lap}: {peak}, {}; {most}, {}; {spares}",
            threads(),
            resident_kib()
        );
    }
    for pool in Arc::into_inner(pools).expect("no other thread has them") {
        if pool.shutdown().is_err() {
            fail("a pool could not be shut down");
        }
    }
    settle("threads are left at the end", &[], || threads() <= before);
    // The first laps still find out how much they need.
    let (early, late) = (memory[..3].iter().max(), memory.last());
    if let (Some(early), Some(late)) = (early, late)
        && !cfg!(drumline_sanitizer)
    {
        check(
            *late <= early + GROWTH_KIB,
            &format!("memory grows: {memory:?} KiB"),
        );
    }
    run.report("programs");
}

/// Waits until `condition` holds.
fn settle(what: &str, pools: &[Pool], mut condition: impl FnMut() -> bool) {
    let mut waited = Waited::new();
    while !condition() {
        if waited.so_far() > SETTLES {
            eprintln!("{} threads, {} KiB", threads(), resident_kib());
            for pool in pools {
                eprintln!("{pool:#?}: {}", pool.stats());
            }
            eprintln!("FAILED: {what}");
            process::abort();
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn one_round(random: &mut Random, pools: &Arc<[Pool; 2]>) {
    let seed = random.number();
    let depth = random.below(7) as u32;
    let pool = &pools[random.below(2) as usize];
    match random.below(8) {
        0 => {
            let jobs = 1 + random.below(MOST_JOBS) as usize;
            if pool.set_jobs(jobs).is_err() {
                fail("a pool could not be resized");
            }
        }
        1 => {
            let builder = Pool::builder().jobs(1 + random.below(4) as usize);
            let own = builder.guests(random.below(2) == 0).build();
            let own = own.expect("a pool");
            let program = Program { seed, depth };
            check(own.install(|| program.run(pools)) == program.plan(), ANSWER);
            if random.below(2) == 0 && own.shutdown().is_err() {
                fail("a pool could not be shut down");
            }
        }
        // A few at a time: each further thread costs memory that its pool keeps.
        2 if SPAWNED.load(Ordering::Relaxed) < DONE.load(Ordering::Relaxed) + 4 => {
            SPAWNED.fetch_add(1, Ordering::Relaxed);
            let program = Program {
                seed,
                depth: depth.min(3),
            };
            let own = Arc::clone(pools);
            drop(pool.spawn(move || {
                check(program.run(&own) == program.plan(), ANSWER);
                drop(own);
                DONE.fetch_add(1, Ordering::Release);
            }));
        }
        _ => {
            let program = Program { seed, depth };
            check(
                pool.install(|| program.run(pools)) == program.plan(),
                ANSWER,
            );
        }
    }
}

const ANSWER: &str = "a wrong answer";

/// A random program without `yield_now`: on top of a half that is going to send it could run the
/// half that receives. It follows from its seed; its answer is how many leaves it has.
#[derive(Clone, Copy)]
struct Program {
    seed: u64,
    depth: u32,
}

impl Program {
    /// What the program is, and its parts.
    fn shape(self) -> (u64, u64, impl Fn(u64) -> Program + Copy) {
        let mut random = Random::new(self.seed);
        let kind = if self.depth == 0 {
            100 + random.below(6)
        } else {
            random.below(7)
        };
        let parts = match kind {
            100.. => 0,
            0 | 1 => 2,
            2 | 3 => 1 + random.below(5),
            _ => 1,
        };
        let part = move |part: u64| Program {
            seed: self.seed.rotate_left(13).wrapping_mul(31) + part,
            depth: self.depth - 1,
        };
        (kind, parts, part)
    }

    /// The answer that is right.
    fn plan(self) -> u64 {
        let (_, parts, part) = self.shape();
        (0..parts)
            .map(|index| part(index).plan())
            .sum::<u64>()
            .max(1)
    }

    fn run(self, pools: &Arc<[Pool; 2]>) -> u64 {
        let (kind, parts, part) = self.shape();
        let run = |index| part(index).run(pools);
        match kind {
            0 | 1 => {
                let (a, b) = drumline::join(|| run(0), || run(1));
                a + b
            }
            2 => {
                let sum = AtomicU64::new(0);
                drumline::scope(|scope| {
                    for index in 0..parts {
                        let (sum, run) = (&sum, &run);
                        scope.spawn(move |_| {
                            sum.fetch_add(run(index), Ordering::Relaxed);
                        });
                    }
                });
                sum.into_inner()
            }
            3 => {
                let tasks: Vec<_> = (0..parts)
                    .map(|index| {
                        let (part, pools) = (part(index), Arc::clone(pools));
                        drumline::spawn(move || part.run(&pools))
                    })
                    .collect();
                tasks
                    .into_iter()
                    .map(|task| task.join().expect(ANSWER))
                    .sum()
            }
            4 => pools[(self.seed >> 40) as usize % 2].install(|| run(0)),
            5 => blocking(|| run(0)),
            6 => {
                // The second half waits for the first, or the other way round.
                let (send, receive) = mpsc::channel();
                let receive = move || receive.recv().expect("a message");
                let send = move || send.send(run(0)).expect("a receiver");
                match self.seed >> 60 & 3 {
                    0 => drumline::join(|| blocking(receive), send).0,
                    1 => drumline::join(send, || blocking(receive)).1,
                    2 => drumline::join(receive, send).0,
                    _ => drumline::join(send, receive).1,
                }
            }
            _ => {
                self.leaf(kind);
                1
            }
        }
    }

    fn leaf(self, kind: u64) {
        let micros = Duration::from_micros(self.seed >> 32 & 0x3FF);
        match kind {
            100 => blocking(|| thread::sleep(micros)),
            101 => thread::sleep(micros * 4),
            102 => blocking(|| ()),
            103 => {
                let panics = || drumline::join(panic, || dither(500));
                check(
                    std::panic::catch_unwind(panics).is_err(),
                    "a panic was lost",
                );
            }
            _ => dither(self.seed >> 32 & 0x3FFF),
        }
    }
}

/// Without the hook's message.
fn panic() {
    std::panic::resume_unwind(Box::new("of a leaf"));
}

/// How many threads this process has; none if the system does not tell.
fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The memory that this process occupies; none if the system does not tell.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}
