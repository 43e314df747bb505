//! Routers: each message to one member of a group, in turn or by its key.

mod common;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use common::actors::{Crash, Member, Wait};
use common::{Event, eventually, pool, quiet_panic};
use drumline::Pool;
use drumline::actor::{
    ActorGroup, ActorRef, ActorSystem, Context, Handler, Overflow, Router, SpawnOptions,
    SupervisorOptions, TellError,
};

/// A key, and what is said under it.
type Said = (u64, u64);

impl Handler<Said> for Member<Said> {
    type Reply = ();

    fn handle(&mut self, said: Said, _: &mut Context<Self>) {
        // The test may be over.
        let _ = self.heard.send((self.number, said));
    }
}

/// A group of some members, and what they hear.
struct Choir {
    system: ActorSystem,
    group: ActorGroup<Said>,
    members: Vec<ActorRef<Member<Said>>>,
    send: Sender<(usize, Said)>,
    heard: Receiver<(usize, Said)>,
}

impl Choir {
    fn new(pool: &Pool, count: usize) -> Self {
        let (send, heard) = mpsc::channel();
        let mut choir = Choir {
            system: ActorSystem::new(pool),
            group: ActorGroup::new(),
            members: Vec::new(),
            send,
            heard,
        };
        (0..count).for_each(|_| choir.add(SpawnOptions::new()));
        choir
    }

    fn add(&mut self, options: SpawnOptions) {
        let (number, heard) = (self.members.len(), self.send.clone());
        let member = self.system.spawn_with(Member { number, heard }, options);
        self.group.join(&member);
        self.members.push(member);
    }

    /// By which members the next messages are heard.
    fn hear(&self, count: usize) -> Vec<(usize, Said)> {
        self.heard.iter().take(count).collect()
    }

    /// Which member gets each of these keys.
    fn map(&self, router: &Router<Said>, keys: u64) -> BTreeMap<u64, usize> {
        for key in 0..keys {
            router.tell((key, 0)).unwrap();
        }
        let heard = self.hear(keys as usize).into_iter();
        heard.map(|(by, (key, _))| (key, by)).collect()
    }

    /// All that was heard until now, when all have ended.
    fn end(self) -> Vec<(usize, Said)> {
        let deadline = Instant::now() + Duration::from_secs(3_600);
        assert!(self.system.shutdown(deadline).is_complete());
        drop(self.send);
        drop(self.members);
        self.heard.iter().collect()
    }
}

fn by_key(group: &ActorGroup<Said>) -> Router<Said> {
    Router::by_key(group, |&(key, _): &Said| key)
}

/// How often each member is there.
fn counts(heard: &[(usize, Said)], members: usize) -> Vec<usize> {
    let count = |member| heard.iter().filter(|&&(by, _)| by == member).count();
    (0..members).map(count).collect()
}

#[test]
fn a_handle_can_be_sent_and_is_small() {
    fn is_send<T: Send>() {}
    is_send::<Router<Said>>();
    assert!(mem::size_of::<Router<Said>>() <= 6 * mem::size_of::<usize>());
    let group = ActorGroup::new();
    let routers = [Router::round_robin(&group), by_key(&group)];
    let texts = routers.map(|router| format!("{router:?}"));
    let by = |what| format!("Router {{ choice: \"{what}\" }}");
    assert_eq!(texts, [by("round robin"), by("by key")]);
}

#[test]
fn round_robin_takes_turns() {
    let pool = pool(2);
    let choir = Choir::new(&pool, 5);
    let router = Router::round_robin(&choir.group);
    for word in 0..23 {
        router.tell((0, word)).unwrap();
    }
    let heard = choir.end();
    let mut sorted = counts(&heard, 5);
    sorted.sort_unstable();
    assert_eq!(sorted, [4, 4, 5, 5, 5]);
    // Words that are 5 apart have gone to one member, in order.
    for member in 0..5 {
        let of_one = heard.iter().filter(|&&(by, _)| by == member);
        let words: Vec<u64> = of_one.map(|&(_, (_, word))| word).collect();
        assert!(words.windows(2).all(|w| w[1] == w[0] + 5), "{words:?}");
    }
}

#[test]
fn clones_begin_elsewhere_and_go_their_own_way() {
    let pool = pool(2);
    let choir = Choir::new(&pool, 4);
    let first = Router::round_robin(&choir.group);
    let clones = [first.clone(), first.clone(), first.clone()];
    for router in clones.iter().chain([&first]) {
        router.tell((0, 0)).unwrap();
    }
    assert_eq!(counts(&choir.hear(4), 4), [1; 4]);
    for _ in 0..40 {
        first.tell((0, 0)).unwrap();
        clones[0].tell((0, 0)).unwrap();
    }
    assert_eq!(counts(&choir.end(), 4), [20; 4]);
}

#[test]
fn without_a_member_the_message_comes_back() {
    let pool = pool(1);
    let mut choir = Choir::new(&pool, 0);
    let routers = [Router::round_robin(&choir.group), by_key(&choir.group)];
    for router in &routers {
        assert_eq!(router.tell((1, 2)), Err(TellError::Dead((1, 2))));
        assert_eq!(router.try_tell((1, 3)), Err(TellError::Dead((1, 3))));
    }
    for number in 0..3 {
        choir.add(SpawnOptions::new());
        for router in &routers {
            router.tell((4, 5)).unwrap();
        }
        assert_eq!(choir.hear(2), [(number, (4, 5)); 2]);
        if number == 1 {
            // A member that has left gets nothing, though it lives.
            assert!(choir.group.leave(&choir.members[number]));
        } else {
            choir.members[number].stop();
            let member = &choir.members[number];
            eventually("it ends", || !member.is_alive());
        }
        for router in &routers {
            assert_eq!(router.tell((6, 7)), Err(TellError::Dead((6, 7))));
        }
        assert_eq!(choir.group.len(), 0);
    }
}

#[test]
fn members_that_end_are_passed_over() {
    let pool = pool(2);
    let mut choir = Choir::new(&pool, 20);
    let routers = [Router::round_robin(&choir.group), by_key(&choir.group)];
    // So that they have seen all members.
    for router in &routers {
        choir.map(router, 40);
    }
    for left in (1..20).rev() {
        // The last reference, or a stop.
        let ended = choir.members.swap_remove(left / 2);
        if left % 2 == 0 {
            ended.stop_now();
        }
        drop(ended);
        for router in &routers {
            choir.map(router, 60);
        }
        assert_eq!(choir.group.len(), left);
    }
    assert_eq!(choir.system.dead_letters(), 0);
}

#[test]
fn all_but_one_end_at_once() {
    let pool = pool(2);
    let mut choir = Choir::new(&pool, 300);
    let routers = [Router::round_robin(&choir.group), by_key(&choir.group)];
    for router in &routers {
        router.tell((0, 0)).unwrap();
    }
    choir.hear(2);
    choir.members.truncate(1);
    for router in &routers {
        for key in 0..10 {
            router.tell((key, 1)).unwrap();
        }
    }
    assert_eq!(counts(&choir.hear(20), 1), [20]);
}

#[test]
fn a_key_goes_to_one_member_by_all_routers() {
    let pool = pool(2);
    let choir = Choir::new(&pool, 8);
    let router = by_key(&choir.group);
    let first = choir.map(&router, 4_000);
    assert_eq!(choir.map(&router, 4_000), first);
    assert_eq!(choir.map(&router.clone(), 4_000), first);
    assert_eq!(choir.map(&by_key(&choir.group), 4_000), first);
    // Each of 8 gets 500 or so. The numbers are the same in each run.
    for member in 0..8 {
        let share = first.values().filter(|&&by| by == member).count();
        assert!((400..600).contains(&share), "{share} for member {member}");
    }
}

#[test]
fn only_the_share_of_a_member_moves() {
    let pool = pool(2);
    let mut choir = Choir::new(&pool, 7);
    let router = by_key(&choir.group);
    let before = choir.map(&router, 4_000);
    choir.add(SpawnOptions::new());
    let joined = choir.map(&router, 4_000);
    let moved: Vec<_> = before
        .iter()
        .filter(|&(key, by)| joined[key] != *by)
        .collect();
    assert!(moved.iter().all(|(key, _)| joined[key] == 7));
    assert!(
        (400..600).contains(&moved.len()),
        "{} have moved",
        moved.len()
    );
    // One leaves, and another one ends.
    assert!(choir.group.leave(&choir.members[2]));
    let left = choir.map(&router, 4_000);
    for (key, by) in &joined {
        assert!(if *by == 2 {
            left[key] != 2
        } else {
            left[key] == *by
        });
    }
    choir.members[5].stop_now();
    let ended = choir.map(&router, 4_000);
    for (key, by) in &left {
        assert!(if *by == 5 {
            ended[key] != 5
        } else {
            ended[key] == *by
        });
    }
}

#[test]
fn keys_are_kept_when_a_member_starts_again() {
    let pool = Pool::builder().jobs(2).panic_handler(|_| ());
    let pool = pool.build().unwrap();
    let mut choir = Choir::new(&pool, 2);
    let options = SupervisorOptions::new().max_restarts(100, Duration::from_secs(3_600));
    let supervisor = choir.system.supervisor(options);
    let send = choir.send.clone();
    let member = supervisor.spawn(move || Member {
        number: 2,
        heard: send.clone(),
    });
    choir.group.join(&member);
    choir.members.push(member);
    let router = by_key(&choir.group);
    let before = choir.map(&router, 100);
    assert!(before.values().any(|&by| by == 2));
    for _ in 0..10 {
        choir.members[2].tell(Crash).unwrap();
        assert_eq!(choir.map(&router, 100), before);
    }
}

#[test]
fn a_member_without_room_acts_by_its_bound() {
    let pool = pool(2);
    let mut choir = Choir::new(&pool, 0);
    choir.add(SpawnOptions::new().bounded(1, Overflow::Fail));
    choir.add(SpawnOptions::new().bounded(1, Overflow::Wait));
    let event = Arc::new(Event::new());
    for member in &choir.members {
        let (here, is_here) = mpsc::channel();
        member.tell(Wait(here, Arc::clone(&event))).unwrap();
        is_here.recv().unwrap();
        while member.try_tell((0, 0)).is_ok() {}
    }
    let router = Router::round_robin(&choir.group);
    // Each in turn, twice: no other member is tried.
    for word in 0..4 {
        assert_eq!(router.try_tell((0, word)), Err(TellError::Full((0, word))));
    }
    assert_eq!(router.tell((0, 4)), Err(TellError::Full((0, 4))));
    let keyed = by_key(&choir.group);
    assert_eq!(keyed.try_tell((1, 5)), Err(TellError::Full((1, 5))));
    assert_eq!(choir.group.len(), 2, "none of them leaves");
    let (begins, has_begun) = mpsc::channel();
    let waits = thread::spawn(move || {
        begins.send(()).unwrap();
        router.tell((9, 9))
    });
    has_begun.recv().unwrap();
    event.set();
    assert_eq!(waits.join().unwrap(), Ok(()));
    let heard = choir.end();
    assert!(heard.contains(&(1, (9, 9))), "the second one had to wait");
}

#[test]
fn what_one_handle_sends_under_a_key_arrives_in_order() {
    const THREADS: u64 = 3;
    const WORDS: u64 = 500;
    let pool = pool(2);
    let choir = Choir::new(&pool, 4);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let router = by_key(&choir.group);
            scope.spawn(move || {
                for word in 0..WORDS {
                    router.tell((word % 10, thread * WORDS + word)).unwrap();
                }
            });
        }
    });
    let heard = choir.end();
    assert_eq!(heard.len() as u64, THREADS * WORDS);
    let mut last = BTreeMap::new();
    let mut member = BTreeMap::new();
    for (by, (key, word)) in heard {
        assert_eq!(*member.entry(key).or_insert(by), by);
        let before = last.insert((key, word / WORDS), word);
        assert!(before.is_none_or(|before| before < word));
    }
}

#[test]
fn members_come_and_go_while_many_threads_tell() {
    const THREADS: usize = 3;
    const WORDS: usize = 1_000;
    let pool = pool(2);
    let choir = Choir::new(&pool, 10);
    let told: usize = thread::scope(|scope| {
        let tell = |router: Router<Said>| {
            move || {
                let tell = |word: &usize| router.tell((*word as u64, 0)).is_ok();
                (0..WORDS).filter(tell).count()
            }
        };
        let mut tellers = Vec::new();
        for _ in 0..THREADS {
            tellers.push(scope.spawn(tell(by_key(&choir.group))));
            tellers.push(scope.spawn(tell(Router::round_robin(&choir.group))));
        }
        for member in &choir.members[..3] {
            let group = &choir.group;
            scope.spawn(move || {
                for _ in 0..100 {
                    group.leave(member);
                    group.join(member);
                }
            });
        }
        choir.members[3..6].iter().for_each(ActorRef::stop);
        tellers.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(told, 2 * THREADS * WORDS, "there always is a member");
    let ending = &choir.members[3..6];
    eventually("those end", || ending.iter().all(|m| !m.is_alive()));
    assert_eq!(choir.group.len(), 7);
    let deadline = Instant::now() + Duration::from_secs(3_600);
    assert!(choir.system.shutdown(deadline).is_complete());
    let lost = choir.system.dead_letters();
    assert_eq!(choir.end().len() + lost, told);
}

/// A key with a hash that may panic.
struct Fragile(bool);

impl Hash for Fragile {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if self.0 {
            quiet_panic("this hash");
        }
        state.write_u8(1);
    }
}

#[test]
fn a_key_may_panic_and_a_router_goes_on() {
    let pool = pool(1);
    let choir = Choir::new(&pool, 3);
    let router = Router::by_key(&choir.group, |&(key, _): &Said| {
        if key == 1 {
            quiet_panic("this key");
        }
        Fragile(key == 2)
    });
    for round in 0..3 {
        for key in [1, 2] {
            let told = catch_unwind(AssertUnwindSafe(|| router.tell((key, round))));
            assert!(told.is_err());
        }
        router.tell((0, round)).unwrap();
    }
    let heard = choir.end();
    let words: Vec<Said> = heard.into_iter().map(|(_, said)| said).collect();
    assert_eq!(words, [(0, 0), (0, 1), (0, 2)]);
}

#[test]
fn a_key_may_use_the_group_and_the_router() {
    let pool = pool(1);
    let choir = Choir::new(&pool, 3);
    let own: Arc<Mutex<Option<Router<Said>>>> = Arc::default();
    let depth = AtomicUsize::new(0);
    let (group, member) = (choir.group.clone(), choir.members[0].clone());
    let of_key = Arc::clone(&own);
    let router = Router::by_key(&choir.group, move |&(key, _): &Said| {
        assert!(group.leave(&member));
        group.join(&member);
        assert_eq!(group.len(), 3);
        if depth.fetch_add(1, Ordering::SeqCst).is_multiple_of(2) {
            let router = of_key.lock().unwrap().take();
            let router = router.expect("the test has put it there");
            router.tell((key, 2)).unwrap();
            // Also the own one, by another handle.
            *of_key.lock().unwrap() = Some(router);
        }
        key
    });
    *own.lock().unwrap() = Some(router.clone());
    for key in 0..10 {
        router.tell((key, 1)).unwrap();
    }
    // The key has a handle of its own router.
    drop(own.lock().unwrap().take());
    let told = choir.group.tell_all((7, 7));
    assert_eq!(told.told(), 3);
    drop(router);
    let mut words: Vec<u64> = choir.end().into_iter().map(|(_, (_, word))| word).collect();
    words.sort_unstable();
    assert_eq!(words, [[1; 10].as_slice(), &[2; 10], &[7; 3]].concat());
}
