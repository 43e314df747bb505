//! What the stress programs share: the command line, the clock, a watchdog, random numbers.
//!
//! A stress program repeats *rounds* until its time is up. What must hold is checked in every
//! round, with [`check`]; a round that never ends is caught by the watchdog. Both end the process
//! with a message and a status that is not zero, and so does a crash, which is how an entry that
//! was run twice often shows.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use drumline::Pool;

/// A program in which nothing moves for this long is stuck: much longer than a loaded machine
/// with a sanitizer leaves a thread waiting.
const STUCK: Duration = Duration::from_secs(60);

#[derive(Parser)]
struct Options {
    /// How long to go on.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Where the random numbers begin; the time of day unless set.
    #[arg(long)]
    seed: Option<u64>,
}

/// Rounds done, by all threads together.
static ROUNDS: AtomicU64 = AtomicU64::new(0);

/// Where the random numbers of this run began.
static SEED: OnceLock<u64> = OnceLock::new();

/// One run of a stress program.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    start: Instant,
    end: Instant,
    seed: u64,
}

impl Run {
    /// Reads the command line, and starts the clock and the watchdog.
    pub fn start() -> Self {
        let options = Options::parse();
        let start = Instant::now();
        let seed = options.seed.unwrap_or_else(|| {
            let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
            now.map_or(1, |now| now.as_nanos() as u64)
        });
        println!("seed {seed}");
        SEED.get_or_init(|| seed);
        thread::spawn(watchdog);
        Run {
            start,
            end: start + Duration::from_secs(options.seconds),
            seed,
        }
    }

    /// Whether there is time for another round.
    pub fn goes_on(&self) -> bool {
        Instant::now() < self.end
    }

    /// How much of the time is over, from 0 to 1 and beyond.
    pub fn has_used(&self) -> f64 {
        self.start.elapsed().as_secs_f64() / (self.end - self.start).as_secs_f64()
    }

    /// Random numbers, a stream of their own for each `stream`.
    pub fn random(&self, stream: u64) -> Random {
        Random::new(self.seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// Repeats `round` on this many threads at once, each with random numbers of its own, until the
    /// time is up.
    pub fn repeat(&self, threads: u64, round: impl Fn(&mut Random) + Sync) {
        let round = &round;
        thread::scope(|scope| {
            for stream in 0..threads {
                let mut random = self.random(stream);
                scope.spawn(move || {
                    while self.goes_on() {
                        round(&mut random);
                        round_done();
                    }
                });
            }
        });
    }

    /// Says what was done.
    pub fn report(&self, what: &str) {
        let rounds = ROUNDS.load(Ordering::Relaxed);
        let seconds = self.start.elapsed().as_secs_f64();
        println!("{rounds} {what} in {seconds:.1} s");
    }
}

/// Counts a round.
pub fn round_done() {
    ROUNDS.fetch_add(1, Ordering::Relaxed);
}

fn watchdog() {
    let mut seen = u64::MAX;
    let mut waited = Waited::new();
    loop {
        let rounds = ROUNDS.load(Ordering::Relaxed);
        if rounds != seen {
            seen = rounds;
            waited = Waited::new();
        } else if waited.so_far() > STUCK {
            eprintln!("FAILED: nothing has moved for {STUCK:?}");
            say_seed();
            // Not an exit: a debugger then shows where all threads are.
            process::abort();
        }
        thread::sleep(Duration::from_millis(50));
    }
}

/// Measures a wait by looking at the clock again and again. A gap between two looks counts for
/// little: the process may have been stopped meanwhile, and with it what it waits for.
#[derive(Debug)]
pub struct Waited {
    last: Instant,
    sum: Duration,
}

impl Waited {
    /// Nothing has been waited for yet.
    #[expect(clippy::new_without_default, reason = "a beginning is no default")]
    pub fn new() -> Self {
        Waited {
            last: Instant::now(),
            sum: Duration::ZERO,
        }
    }

    /// For how long, as far as this thread has noticed.
    pub fn so_far(&mut self) -> Duration {
        let now = Instant::now();
        self.sum += (now - self.last).min(Duration::from_millis(100));
        self.last = now;
        self.sum
    }
}

/// How many threads the process has. `None`: the system does not say.
pub fn threads() -> Option<usize> {
    let threads = std::fs::read_dir("/proc/self/task").ok()?;
    Some(threads.count())
}

/// Ends pools that are not used any more; each of them must be able to.
pub fn shut_down(pools: impl IntoIterator<Item = Pool>) {
    for pool in pools {
        check(pool.shutdown().is_ok(), "a pool could not be shut down");
    }
}

/// Ends the process: something went wrong.
#[cold]
pub fn fail(why: &str) -> ! {
    let rounds = ROUNDS.load(Ordering::Relaxed);
    eprintln!("FAILED in round {rounds}: {why}");
    say_seed();
    process::exit(1);
}

/// Says how to begin with the same random numbers again.
fn say_seed() {
    if let Some(seed) = SEED.get() {
        eprintln!("to begin with the same random numbers: --seed {seed}");
    }
}

/// Ends the process with a message unless `ok`.
#[inline]
pub fn check(ok: bool, why: &str) {
    if !ok {
        fail(why);
    }
}

/// Occupies this thread for about `time`.
pub fn work_for(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Passes a few nanoseconds per step, without a look at the clock.
#[inline]
pub fn dither(steps: u64) {
    for step in 0..steps {
        std::hint::black_box(step);
    }
}

/// xorshift64* (Vigna 2016): fast, and good enough to vary things.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream that begins with this seed.
    pub fn new(seed: u64) -> Self {
        // splitmix64's finaliser, so that similar seeds give different streams.
        let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        Random((z ^ (z >> 31)) | 1)
    }

    /// The next number.
    #[inline]
    pub fn number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`, which is not zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        (self.number() >> 11) % bound
    }
}
