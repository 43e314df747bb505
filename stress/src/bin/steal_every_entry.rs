//! Every entry of a deque is run exactly once, however owner and thief meet.
//!
//! Two kinds of rounds, mixed. In a *duel* there is one entry at a time, and thieves that come back
//! for it all the time; its owner pops it at a random moment. A half that was stolen works for a
//! few microseconds, so that the thieves never back off; one that was not is as short as can be. A
//! *tree* forks at random, and its leaves count themselves, each in a place of its own.
//!
//! Without the thief's barrier both get the entry in a duel, sooner or later: the owner's store of
//! `top` is still in its store buffer when the thief reads `top`, and the other way round.
//!
//! Planted: fails

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use drumline::{FnContext, Pool};
use stress::{Random, Run, check, dither, round_done, work_for};

/// Duels in a round.
const DUELS: usize = 1_000;
/// How long a stolen half works: long enough to be worth a barrier on any machine.
const WORTH_IT: Duration = Duration::from_micros(40);
/// Leaves of the largest tree.
const LEAVES: usize = 512;

/// How often an entry ran. Never reset within a round: an entry that runs late is seen too.
static RUNS: AtomicU64 = AtomicU64::new(0);

fn main() {
    let run = Run::start();
    let pools: Vec<Pool> = [2, 3, 4]
        .into_iter()
        .map(|jobs| Pool::builder().jobs(jobs).build().expect("a pool"))
        .collect();
    let handed_over = Pool::builder().jobs(2).guests(false).build();
    let handed_over = handed_over.expect("a pool");
    let counts: Vec<AtomicU32> = (0..LEAVES).map(|_| AtomicU32::new(0)).collect();
    let mut random = run.random(0);
    let mut stolen = 0;
    while run.goes_on() {
        let pool = match random.below(8) {
            0 => &pools[1],
            1 => &pools[2],
            2 | 3 => &handed_over,
            _ => &pools[0],
        };
        let round = &mut random;
        stolen += pool.install(|| {
            let stolen = duels(round);
            tree(round, &counts);
            stolen
        });
        round_done();
    }
    run.report(&format!(
        "rounds of {DUELS} duels ({stolen} stolen) and a tree"
    ));
}

/// One entry after another; returns how many were stolen.
fn duels(random: &mut Random) -> usize {
    let mut stolen = 0;
    let before = RUNS.load(Ordering::Relaxed);
    for duel in 1..=DUELS {
        let steps = random.below(300);
        let ((), migrated) = drumline::join_context(
            |_| dither(steps),
            |context: FnContext| {
                RUNS.fetch_add(1, Ordering::Relaxed);
                if context.migrated() {
                    work_for(WORTH_IT);
                }
                context.migrated()
            },
        );
        stolen += usize::from(migrated);
        let runs = RUNS.load(Ordering::Relaxed) - before;
        check(
            runs == duel as u64,
            &format!("{duel} entries ran {runs} times"),
        );
    }
    stolen
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
