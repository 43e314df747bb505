//! How often each kind of thing has occurred, in all rounds: what a run has tried.
//!
//! Relaxed, all of it: counts, beside which nothing is published.

use std::sync::atomic::{AtomicU64, Ordering};

/// Where an actor runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Managed,
    ForkJoinLifo,
    ForkJoinFifo,
    Shared,
    Pinned,
    /// A function on its own thread.
    Function,
}

/// What is counted besides actors and their messages.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// Shared threads were changed to a larger number, a smaller one, or the same.
    Grown,
    Shrunk,
    Unchanged,
    /// A change of such threads began while another one was under way.
    ChangedAtOnce,
    Downgraded,
    Upgraded,
    /// A weak reference was not upgraded: its actor had ended, or was about to.
    NotUpgraded,
    /// An async handler has begun, has gone on after it was pending, is done, or was dropped with
    /// its pool.
    AsyncBegun,
    AsyncResumed,
    AsyncDone,
    AsyncCut,
    /// The messages that an actor has counted were compared with the calls of its handlers.
    CountCompared,
    /// An async handler has awaited a reply.
    AsyncAsked,
}

const PLACES: [(Place, &str); 6] = [
    (Place::Managed, "managed"),
    (Place::ForkJoinLifo, "fork/join, newest first"),
    (Place::ForkJoinFifo, "fork/join, oldest first"),
    (Place::Shared, "shared threads"),
    (Place::Pinned, "pinned"),
    (Place::Function, "functions"),
];

/// For each place: systems that have it as their own, actors, and messages that were handled there.
static PLACED: [[AtomicU64; 3]; PLACES.len()] =
    [const { [const { AtomicU64::new(0) }; 3] }; PLACES.len()];

static EVENTS: [AtomicU64; Event::AsyncAsked as usize + 1] =
    [const { AtomicU64::new(0) }; Event::AsyncAsked as usize + 1];

impl Place {
    /// A system runs its actors there unless they say otherwise.
    pub fn note_system(self) {
        PLACED[self as usize][0].fetch_add(1, Ordering::Relaxed);
    }

    pub fn note_actor(self) {
        PLACED[self as usize][1].fetch_add(1, Ordering::Relaxed);
    }

    pub fn note_handled(self) {
        PLACED[self as usize][2].fetch_add(1, Ordering::Relaxed);
    }
}

impl Event {
    pub fn note(self) {
        self.add(1);
    }

    pub fn add(self, count: u64) {
        EVENTS[self as usize].fetch_add(count, Ordering::Relaxed);
    }

    fn count(self) -> u64 {
        EVENTS[self as usize].load(Ordering::Relaxed)
    }
}

/// Says how often each kind has occurred.
pub fn report() {
    for (place, name) in PLACES {
        let counts = &PLACED[place as usize];
        let [systems, actors, handled] = counts.each_ref().map(|n| n.load(Ordering::Relaxed));
        println!("{name}: {systems} systems, {actors} actors, {handled} messages");
    }
    let [grown, shrunk, unchanged, at_once] = [
        Event::Grown,
        Event::Shrunk,
        Event::Unchanged,
        Event::ChangedAtOnce,
    ]
    .map(Event::count);
    println!(
        "changes of shared threads: {grown} more, {shrunk} fewer, {unchanged} none; \
         {at_once} beside another one"
    );
    let [downgraded, upgraded, not_upgraded] =
        [Event::Downgraded, Event::Upgraded, Event::NotUpgraded].map(Event::count);
    println!("weak references: {downgraded}, upgraded {upgraded}, in vain {not_upgraded}");
    let compared = Event::CountCompared.count();
    println!("counts of handled messages, compared: {compared}");
    let [begun, resumed, done, cut, asked] = [
        Event::AsyncBegun,
        Event::AsyncResumed,
        Event::AsyncDone,
        Event::AsyncCut,
        Event::AsyncAsked,
    ]
    .map(Event::count);
    println!(
        "async handlers: {begun} begun, {done} done, {cut} dropped with their pool; \
         resumed {resumed} times; {asked} asks"
    );
}
