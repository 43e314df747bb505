//! Random systems of actors: tells, asks, stops, kills and panics, mailboxes with bounds, async
//! handlers and weak references. They run on all schedulers but that of tests, and on shared
//! threads with a number that changes. Systems are shut down with a deadline or dropped, and pools
//! are dropped with living systems.
//!
//! Checked in each round: all actors end and are dropped; each message is handled once, comes back
//! or is a dead letter; what one sender sends is received in that order; dead letters and panics
//! are counted; what actors count is what they have handled; weak references lead to no actor in
//! the end. The state of an actor is plain memory, so that ThreadSanitizer sees two runs that are
//! not one after the other. In the end all threads end.

mod occurred;
mod peer;
mod schedulers;
mod speaker;
mod talker;
mod tally;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use drumline::actor::{ActorSystem, SharedScheduler, Style};
use drumline::{Pool, WaitPolicy};
use stress::{Random, Run, check, dither, shut_down};

use self::peer::{Peer, WeakPeer};
use self::schedulers::Schedulers;
use self::speaker::Speaker;
use self::talker::{spawn, spawn_function};
use self::tally::Tally;

/// Threads that have a round each.
const DRIVERS: u64 = 2;

/// Panics that pools have reported.
static REPORTS: AtomicU64 = AtomicU64::new(0);

fn main() {
    let run = Run::start();
    let threads_before = stress::threads();
    let pools: Vec<Pool> = (1..=3).map(pool).collect();
    let threads = SharedScheduler::new(2).expect("threads");
    let panics = AtomicU64::new(0);
    run.repeat(DRIVERS, |random| {
        // Relaxed: read when the threads of the rounds have been joined.
        panics.fetch_add(round(&pools, &threads, random), Ordering::Relaxed);
    });
    shut_down(pools);
    drop(threads);
    // A thread that outlives the program would be a leak to AddressSanitizer.
    while stress::threads() > threads_before {
        thread::yield_now();
    }
    let reports = REPORTS.load(Ordering::Acquire);
    check(reports == panics.into_inner(), "panics were not reported");
    tally::report_totals();
    occurred::report();
    run.report("systems of actors");
}

fn pool(jobs: usize) -> Pool {
    let pool = Pool::builder()
        .jobs(jobs)
        .wait_policy(WaitPolicy::Related)
        .panic_handler(|_| {
            REPORTS.fetch_add(1, Ordering::Release);
        });
    pool.build().expect("a pool")
}

/// One system. Returns how many actors have panicked.
fn round(pools: &[Pool], threads: &SharedScheduler, random: &mut Random) -> u64 {
    let own_pool = (random.below(4) == 0).then(|| pool(1 + random.below(3) as usize));
    let has_own_pool = own_pool.is_some();
    let shared = &pools[random.below(pools.len() as u64) as usize];
    let style = [Style::Recursive, Style::Loop][random.below(2) as usize];
    let schedulers = Arc::new(Schedulers::new(threads, random));
    let (place, scheduler) = schedulers.of_system();
    place.note_system();
    let tally = Arc::new(Tally::default());
    let system = ActorSystem::builder()
        .style(style)
        .scheduler(scheduler)
        .build(own_pool.as_ref().unwrap_or(shared));
    system.on_dead_letter(Tally::is_losing);
    let peers = start(&system, &tally, &schedulers, random);
    let weak: Vec<WeakPeer> = peers.iter().map(Peer::downgrade).collect();
    let dead_letters = thread::scope(|scope| {
        for _ in 0..1 + random.below(3) {
            let mut own = Speaker::outside(&tally, &schedulers, &peers, random);
            scope.spawn(move || own.speak(true));
        }
        let mut own = Speaker::outside(&tally, &schedulers, &peers, random);
        drop(peers);
        drop(schedulers);
        if random.below(2) == 0 {
            own.speak(true);
        } else {
            dither(random.below(20_000));
        }
        drop(own);
        end(system, own_pool, random)
    });
    // The watchdog ends the program if there is something that never ends.
    while !tally.is_over() || weak.iter().any(|peer| peer.upgrade().is_some()) {
        thread::yield_now();
    }
    tally.check(dead_letters, has_own_pool)
}

/// Some actors, which know the ones before them, and tell each other of the ones behind.
fn start(
    system: &ActorSystem,
    tally: &Arc<Tally>,
    schedulers: &Arc<Schedulers>,
    random: &mut Random,
) -> Vec<Peer> {
    let mut peers: Vec<Peer> = Vec::new();
    for _ in 0..1 + random.below(8) {
        let own = Speaker::new(tally, schedulers, &peers, random);
        let peer = if random.below(8) == 0 {
            spawn_function(own, system)
        } else {
            spawn(own, |talker, options| system.spawn_with(talker, options))
        };
        peers.push(peer);
    }
    peers
}

/// Ends the system in one of the ways. Returns the number of its dead letters, if no further one
/// can come.
fn end(system: ActorSystem, own_pool: Option<Pool>, random: &mut Random) -> Option<usize> {
    match (own_pool, random.below(4)) {
        (Some(pool), 0) => {
            shut_down([pool]);
            check(system.actors() == 0, "a pool has ended before its actors");
        }
        (Some(pool), 1) => {
            drop(pool);
            drop(system);
        }
        (Some(pool), 2) => {
            drop(system);
            shut_down([pool]);
        }
        (_, 0 | 1) => {
            let report = system.shutdown(Instant::now() + Duration::from_secs(600));
            check(report.is_complete(), "a shutdown was not complete");
            check(system.actors() == 0, "there are actors after a shutdown");
        }
        (_, 2) => {
            // Not all come to their end in time, perhaps.
            let time = Duration::from_micros(random.below(1_000));
            let report = system.shutdown(Instant::now() + time);
            if !report.is_complete() {
                let report = system.shutdown(Instant::now() + Duration::from_secs(600));
                check(report.is_complete(), "what was killed has not ended");
            }
            return Some(system.dead_letters());
        }
        _ => drop(system),
    }
    None
}
