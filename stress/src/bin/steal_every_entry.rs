//! Every entry of a deque is run exactly once, however owner and thief meet.
//!
//! A round has three parts. In a *forced duel* there is one private entry, and its owner does
//! nothing with the pool until it pops it. A thief gets no answer to its request, and forces the
//! steal. The owner measures how long that takes, and pops at about that moment. In a *short duel*
//! the owner pops its one entry within a microsecond, and thieves come back for it all the time. A
//! *tree* forks at random, and its leaves count themselves, each in a place of its own.
//!
//! Without the thief's barrier owner and thief both get the entry of a forced duel: the owner's
//! store of `top` is still in its store buffer when the thief reads `top`, and the owner has read
//! `head` already. Before its pop the owner stores to lines that are in no cache. The store of
//! `top` has to wait for them in the store buffer, for a microsecond instead of nanoseconds.
//!
//! Planted: fails

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use drumline::{FnContext, Pool, PoolBuilder};
#[cfg(target_os = "linux")]
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};
use stress::{Random, Run, Waited, check, dither, round_done, work_for};

/// Forced duels in a round.
const FORCED_DUELS: usize = 50;
/// Short duels in a round.
const SHORT_DUELS: usize = 1_000;
/// How long a stolen half works: long enough to be worth a barrier on any machine.
const WORTH_IT: Duration = Duration::from_micros(40);
/// How long the owner waits for a thief before it goes on without one.
const NO_THIEF: Duration = Duration::from_millis(5);
/// How long the owner waits for a thief with its processor all to itself.
const LATE: Duration = Duration::from_micros(100);
/// How soon the owner answers a thief, if both have a processor.
const AT_ONCE: Duration = Duration::from_micros(5);
/// Leaves of the largest tree.
const LEAVES: usize = 512;
/// Lines of memory to store to: more than a cache holds.
const COLD_LINES: u64 = 1 << 20;
/// Numbers in a line.
const LINE: usize = 8;
/// The most stores before a pop: about what a store buffer holds.
const COLD_STORES: u64 = 64;

/// How often an entry ran. Never reset: an entry that runs late is seen too.
static RUNS: AtomicU64 = AtomicU64::new(0);
/// The number of the forced duel with the bait that a thief began last.
static BAIT_BEGUN: AtomicU64 = AtomicU64::new(0);
/// The number of the forced duel with the bait that a thief has ended last.
static BAIT_ENDED: AtomicU64 = AtomicU64::new(0);
/// The number of the last forced duel in which owner and thief have met after the bait.
static MET: AtomicU64 = AtomicU64::new(0);
/// The number of the forced duel with the second entry that was begun last.
static ENTRY_BEGUN: AtomicU64 = AtomicU64::new(0);
/// How often a thief has called its owner.
static CALL: AtomicU64 = AtomicU64::new(0);
/// The call that an owner has answered last.
static ANSWER: AtomicU64 = AtomicU64::new(0);

fn main() {
    let run = Run::start();
    let mut pools: Vec<(Pool, Timing)> = [2, 3, 4]
        .into_iter()
        .map(|jobs| Pool::builder().jobs(jobs))
        .chain([bound()])
        .map(|builder| (builder.build().expect("a pool"), Timing::new()))
        .collect();
    let counts: Vec<AtomicU32> = (0..LEAVES).map(|_| AtomicU32::new(0)).collect();
    let mut random = run.random(0);
    let mut duels = Duels::new();
    while run.goes_on() {
        let chosen = match random.below(8) {
            0 => 1,
            1 => 2,
            2..=4 => 3,
            _ => 0,
        };
        let (pool, timing) = &mut pools[chosen];
        let round = &mut random;
        let duels = &mut duels;
        pool.install(|| {
            for _ in 0..FORCED_DUELS {
                duels.force(round, timing);
            }
            for _ in 0..SHORT_DUELS {
                duels.short(round);
            }
            tree(round, &counts);
        });
        round_done();
    }
    let (forced, missed) = pools.iter().fold((0, 0), |(forced, missed), (pool, _)| {
        let stats = pool.stats();
        (forced + stats.claims_forced, missed + stats.claims_missed)
    });
    let steal = pools[0].1.steal;
    run.report(&format!(
        "rounds of {FORCED_DUELS} forced duels (met: {} stolen, {} popped), {SHORT_DUELS} short \
         duels ({} stolen) and a tree; {forced} steals forced, {missed} missed, in about {steal:?}",
        duels.forced_stolen, duels.forced_popped, duels.short_stolen
    ));
}

/// A pool with two workers, the owner and the thief, each on a processor of its own. While other
/// programs are busy, the system may leave both on one processor for long.
fn bound() -> PoolBuilder {
    let processors = processors();
    let builder = Pool::builder().jobs(2).guests(false);
    builder.pin(move |number| {
        if !processors.is_empty() {
            bind(processors[number % processors.len()]);
        }
    })
}

/// The processors that this process may use; none if that is not known.
#[cfg(target_os = "linux")]
fn processors() -> Vec<usize> {
    let allowed = sched_getaffinity(Pid::from_raw(0));
    allowed.map_or(Vec::new(), |allowed| {
        (0..CpuSet::count())
            .filter(|&processor| allowed.is_set(processor) == Ok(true))
            .collect()
    })
}

#[cfg(not(target_os = "linux"))]
fn processors() -> Vec<usize> {
    Vec::new()
}

/// Binds this thread to a processor, if the system allows it.
#[cfg(target_os = "linux")]
fn bind(processor: usize) {
    let mut only = CpuSet::new();
    if only.set(processor).is_ok() {
        let _ = sched_setaffinity(Pid::from_raw(0), &only);
    }
}

#[cfg(not(target_os = "linux"))]
fn bind(_processor: usize) {}

/// How long a thief takes to force a steal: from its return until it begins with the entry.
#[derive(Clone, Copy, Debug)]
struct Timing {
    /// About the lower quartile of what was measured.
    steal: Duration,
}

impl Timing {
    fn new() -> Self {
        Timing {
            steal: Duration::from_micros(10),
        }
    }

    /// When to pop. `None`: not before the entry is stolen, to measure how long that takes.
    fn pop_after(self, random: &mut Random) -> Option<Duration> {
        let percent = match random.below(8) {
            0 => return None,
            1 => random.below(300),
            _ => 60 + random.below(80),
        };
        Some(self.steal * percent as u32 / 100)
    }

    /// Moves a little towards the lower quartile. The median would be too long while other programs
    /// are busy: they stop the thief in about every second duel.
    fn learn(&mut self, took: Duration) {
        let step = self.steal / 32;
        if took < self.steal {
            self.steal -= step * 3;
        } else {
            self.steal += step;
        }
    }
}

/// What was done in duels, and what the owner needs for them.
struct Duels {
    /// Entries pushed in all duels: how often an entry must have run.
    entries: u64,
    /// Forced duels begun: the number of the last one.
    forced: u64,
    forced_stolen: usize,
    forced_popped: usize,
    short_stolen: usize,
    cold: Vec<AtomicU64>,
}

impl Duels {
    fn new() -> Self {
        Duels {
            entries: 0,
            forced: 0,
            forced_stolen: 0,
            forced_popped: 0,
            short_stolen: 0,
            // Not zero: each page must be there.
            cold: (0..COLD_LINES * LINE as u64).map(AtomicU64::new).collect(),
        }
    }

    /// A private entry: a thief forces its steal at about the time when its owner pops it.
    ///
    /// A thief that finds nothing asks in advance, and the next push answers it. So the first entry
    /// is a bait. Its push takes the request off the deque, and its owner leaves it to the thief.
    /// The second entry is pushed while the thief is busy with the bait.
    fn force(&mut self, random: &mut Random, timing: &mut Timing) {
        self.forced += 1;
        let number = self.forced;
        let cold = &self.cold;
        let pop_after = timing.pop_after(random);
        let (met, stolen) = drumline::join_context(
            |_| {
                let came = wait_for(&BAIT_BEGUN, number, || {});
                let (met, stolen) = drumline::join_context(
                    |_| {
                        let met = came
                            && wait_for(&BAIT_ENDED, number, meet_thief)
                            && MET.load(Ordering::Relaxed) == number;
                        if met {
                            pop_in_time(pop_after, number, timing);
                            store_cold(cold, random);
                        }
                        met
                    },
                    |context: FnContext| {
                        ENTRY_BEGUN.store(number, Ordering::Relaxed);
                        run_entry(context)
                    },
                );
                (met, stolen)
            },
            |context: FnContext| {
                if context.migrated() {
                    BAIT_BEGUN.store(number, Ordering::Relaxed);
                }
                if run_entry(context) && meet_owner() {
                    MET.store(number, Ordering::Relaxed);
                }
                // Release pairs with the Acquire in `wait_for`: whether they have met.
                BAIT_ENDED.store(number, Ordering::Release);
            },
        )
        .0;
        if met && pop_after.is_some() {
            self.forced_stolen += usize::from(stolen);
            self.forced_popped += usize::from(!stolen);
        }
        self.have_run(2);
    }

    /// A short entry, which its owner pops soon.
    fn short(&mut self, random: &mut Random) {
        let steps = random.below(300);
        let ((), stolen) = drumline::join_context(|_| dither(steps), run_entry);
        self.short_stolen += usize::from(stolen);
        self.have_run(1);
    }

    /// This many more entries were pushed; all of them must have run.
    fn have_run(&mut self, more: u64) {
        self.entries += more;
        let (entries, runs) = (self.entries, RUNS.load(Ordering::Relaxed));
        check(
            runs == entries,
            &format!("{entries} entries ran {runs} times"),
        );
    }
}

/// An entry of a duel; returns whether it was stolen. A stolen one works for long enough that its
/// thief does not back off. One that was not stolen is as short as can be.
fn run_entry(context: FnContext) -> bool {
    RUNS.fetch_add(1, Ordering::Relaxed);
    if context.migrated() {
        work_for(WORTH_IT);
    }
    context.migrated()
}

/// Waits without a step of the pool. Returns `false` if no thief has come.
fn wait_for(event: &AtomicU64, number: u64, meanwhile: impl Fn()) -> bool {
    let mut waited = Waited::new();
    // Acquire pairs with the Release store of `BAIT_ENDED`.
    while event.load(Ordering::Acquire) < number {
        meanwhile();
        let so_far = waited.so_far();
        if so_far > NO_THIEF {
            return false;
        }
        if so_far > LATE {
            // The thief may need this processor.
            thread::yield_now();
        }
        std::hint::spin_loop();
    }
    true
}

/// Whether both threads have a processor: the owner answers at once.
fn meet_owner() -> bool {
    let call = CALL.fetch_add(1, Ordering::Relaxed) + 1;
    let start = Instant::now();
    while ANSWER.load(Ordering::Relaxed) < call {
        if start.elapsed() > AT_ONCE {
            return false;
        }
        std::hint::spin_loop();
    }
    true
}

/// The owner's answer.
fn meet_thief() {
    ANSWER.store(CALL.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// Keeps the owner busy until it is to pop its entry.
fn pop_in_time(after: Option<Duration>, number: u64, timing: &mut Timing) {
    if let Some(after) = after {
        return work_for(after);
    }
    let start = Instant::now();
    if wait_for(&ENTRY_BEGUN, number, || {}) {
        timing.learn(start.elapsed());
    }
}

/// Leaves stores in the store buffer that take long to leave it.
#[inline]
fn store_cold(cold: &[AtomicU64], random: &mut Random) {
    for _ in 0..random.below(COLD_STORES) {
        let line = random.below(COLD_LINES) as usize;
        cold[line * LINE].store(1, Ordering::Relaxed);
    }
}

/// A tree of random shape; in some, leaves that are worth stealing.
fn tree(random: &mut Random, counts: &[AtomicU32]) {
    let leaves = 1 + random.below(LEAVES as u64) as usize;
    let counts = &counts[..leaves];
    let long = random.below(4) == 0;
    node(random.number(), counts, long);
    for count in counts {
        let ran = count.swap(0, Ordering::Relaxed);
        check(ran == 1, &format!("a leaf ran {ran} times"));
    }
}

fn node(seed: u64, counts: &[AtomicU32], long: bool) {
    let mut random = Random::new(seed);
    match counts {
        [] => {}
        [leaf] => {
            leaf.fetch_add(1, Ordering::Relaxed);
            if long && random.below(8) == 0 {
                work_for(Duration::from_micros(30 + random.below(20)));
            }
        }
        _ => {
            let at = 1 + random.below(counts.len() as u64 - 1) as usize;
            let (left, right) = counts.split_at(at);
            let seeds = (random.number(), random.number());
            drumline::join(|| node(seeds.0, left, long), || node(seeds.1, right, long));
        }
    }
}
