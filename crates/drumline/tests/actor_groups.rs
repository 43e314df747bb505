//! Groups of actors: members and broadcasts. And weak recipients.

mod common;

use std::collections::BTreeMap;
use std::mem::size_of;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use common::actors::{Crash, Member, Wait};
use common::{Event, eventually, pool};
use drumline::Pool;
use drumline::actor::{
    Actor, ActorGroup, ActorRef, ActorSystem, AsyncContext, AsyncHandler, Context, Handler,
    Overflow, Recipient, SpawnOptions, SupervisorOptions, WeakActorRef, WeakRecipient,
};

impl Handler<u64> for Member<u64> {
    type Reply = ();

    fn handle(&mut self, word: u64, _: &mut Context<Self>) {
        // The test may be over.
        let _ = self.heard.send((self.number, word));
    }
}

fn members(
    system: &ActorSystem,
    count: usize,
    heard: &Sender<(usize, u64)>,
) -> Vec<ActorRef<Member<u64>>> {
    let member = |number| {
        let heard = heard.clone();
        system.spawn(Member { number, heard })
    };
    (0..count).map(member).collect()
}

fn group_of(members: &[ActorRef<Member<u64>>]) -> ActorGroup<u64> {
    let group = ActorGroup::new();
    members.iter().for_each(|member| group.join(member));
    group
}

/// All actors of the system have ended.
fn end(system: &ActorSystem) {
    let deadline = Instant::now() + Duration::from_secs(3_600);
    assert!(system.shutdown(deadline).is_complete());
}

#[test]
fn a_weak_recipient_is_upgraded_while_there_is_a_reference() {
    let pool = pool(1);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let member = members(&system, 1, &send).remove(0);
    let recipient: Recipient<u64> = member.recipient();
    drop(member);
    let weak = recipient.downgrade();
    let other = weak.clone();
    weak.upgrade().unwrap().tell(5).unwrap();
    assert_eq!(heard.recv(), Ok((0, 5)));
    drop(recipient);
    assert!(weak.upgrade().is_none() && other.upgrade().is_none());
    assert_eq!(format!("{weak:?}"), "WeakRecipient { .. }");
    drop(send);
    assert!(heard.recv().is_err(), "the actor has ended");
    let member = {
        let (send, _) = mpsc::channel();
        members(&system, 1, &send).remove(0)
    };
    let weak = member.recipient::<u64, _>().downgrade();
    member.stop_now();
    assert!(weak.upgrade().is_none(), "it is killed");
}

#[test]
fn handles_are_small() {
    let word = size_of::<usize>();
    assert_eq!(size_of::<WeakActorRef<Member<u64>>>(), word);
    assert_eq!(size_of::<WeakRecipient<u64>>(), 2 * word);
    assert_eq!(size_of::<ActorGroup<u64>>(), word);
}

#[test]
fn an_actor_is_a_member_once() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let members = members(&system, 2, &send);
    let group = ActorGroup::default();
    assert!(group.is_empty());
    assert_eq!(group.tell_all(0).told(), 0, "there are none");
    for _ in 0..3 {
        group.join(&members[0]);
    }
    group.join(&members[0].clone());
    assert_eq!((group.len(), group.is_empty()), (1, false));
    assert!(!group.leave(&members[1]), "it has not joined");
    assert_eq!(group.clone().tell_all(1).told(), 1);
    assert_eq!(heard.recv(), Ok((0, 1)));
    assert!(group.leave(&members[0]));
    assert!(!group.leave(&members[0]));
    assert_eq!(group.tell_all(2).told(), 0);
    group.join(&members[0]);
    assert_eq!(group.tell_all(3).told(), 1);
    assert_eq!(heard.recv(), Ok((0, 3)));
    end(&system);
    drop((send, members));
    assert!(heard.recv().is_err(), "nothing else was told");
}

#[test]
fn members_may_be_of_any_type_and_await() {
    struct Awaits(Sender<(usize, u64)>);
    impl Actor for Awaits {}
    impl AsyncHandler<u64> for Awaits {
        type Reply = ();
        async fn handle(&mut self, word: u64, _: AsyncContext<Self>) {
            self.0.send((100, word)).unwrap();
        }
    }

    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let group = ActorGroup::new();
    let member = members(&system, 1, &send).remove(0);
    let awaits = system.spawn(Awaits(send));
    group.join(&member);
    group.join(&awaits);
    assert_eq!(group.tell_all(4).told(), 2);
    let mut all = [heard.recv().unwrap(), heard.recv().unwrap()];
    all.sort_unstable();
    assert_eq!(all, [(0, 4), (100, 4)]);
    assert_eq!(group.recipients().len(), 2);
}

#[test]
fn those_that_end_leave() {
    let pool = Pool::builder().jobs(2).panic_handler(|_| ());
    let pool = pool.build().unwrap();
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let mut members = members(&system, 5, &send);
    let group = group_of(&members);
    members[0].stop();
    members[1].stop_now();
    members[2].tell(Crash).unwrap();
    eventually("they end", || members[..3].iter().all(|m| !m.is_alive()));
    drop(members.pop());
    let report = group.tell_all(9);
    assert_eq!((report.told(), report.ended()), (1, 4));
    assert!(report.no_room().is_empty());
    assert_eq!(
        format!("{report:?}"),
        "Broadcast { told: 1, no_room: 0, ended: 4 }"
    );
    assert_eq!(heard.recv(), Ok((3, 9)));
    let report = group.tell_all(10);
    assert_eq!((report.told(), report.ended()), (1, 0), "they have left");
    assert!(!group.leave(&members[0]));
    assert_eq!(group.len(), 1);
    drop(members);
    assert!(group.is_empty(), "a group keeps no member alive");
    assert_eq!(group.len(), 0);
}

#[test]
fn a_member_that_starts_again_stays() {
    let pool = Pool::builder().jobs(2).panic_handler(|_| ());
    let pool = pool.build().unwrap();
    let system = ActorSystem::new(&pool);
    let options = SupervisorOptions::new().max_restarts(100, Duration::from_secs(3_600));
    let supervisor = system.supervisor(options);
    let (send, heard) = mpsc::channel();
    let member = supervisor.spawn(move || Member {
        number: 0,
        heard: send.clone(),
    });
    let group = ActorGroup::new();
    group.join(&member);
    for word in 0..20 {
        member.tell(Crash).unwrap();
        assert_eq!(group.tell_all(word).told(), 1);
        assert_eq!(heard.recv(), Ok((0, word)));
    }
}

#[test]
fn the_report_says_which_members_had_no_room() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let spawn = |number, overflow| {
        let heard = send.clone();
        let options = SpawnOptions::new().bounded(1, overflow);
        system.spawn_with(Member { number, heard }, options)
    };
    let bounded = [spawn(1, Overflow::Fail), spawn(2, Overflow::DropNewest)];
    let free = members(&system, 1, &send).remove(0);
    let event = Arc::new(Event::new());
    for member in &bounded {
        let (here, is_here) = mpsc::channel();
        member.tell(Wait(here, Arc::clone(&event))).unwrap();
        is_here.recv().unwrap();
        // Until there is no room.
        let lost = system.dead_letters();
        while member.try_tell(0).is_ok() && system.dead_letters() == lost {}
    }
    let lost = system.dead_letters();
    let group = group_of(&bounded);
    group.join(&free);
    let report = group.tell_all(7);
    assert_eq!((report.told(), report.ended()), (2, 0));
    let [no_room] = report.no_room() else {
        panic!("{report:?}");
    };
    let name = format!("{:?}", no_room.upgrade().unwrap());
    assert_eq!(name, format!("{:?}", bounded[0].recipient::<u64, _>()));
    assert_eq!(system.dead_letters(), lost + 1, "that of the second one");
    event.set();
    end(&system);
    drop(send);
    drop((bounded, free));
    let sevens: Vec<_> = heard.iter().filter(|&(_, word)| word == 7).collect();
    assert_eq!(sevens, [(0, 7)], "only the one without a bound was told");
}

#[test]
fn a_broadcast_waits_for_room_without_a_lock() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let heard_by = send.clone();
    let bounded = system.spawn_with(
        Member {
            number: 1,
            heard: heard_by,
        },
        SpawnOptions::new().bounded(1, Overflow::Wait),
    );
    let event = Arc::new(Event::new());
    let (here, is_here) = mpsc::channel();
    bounded.tell(Wait(here, Arc::clone(&event))).unwrap();
    is_here.recv().unwrap();
    let mut fillers = 0;
    while bounded.try_tell(0).is_ok() {
        fillers += 1;
    }
    let first = members(&system, 1, &send).remove(0);
    let group = group_of(&[first.clone(), bounded.clone()]);
    thread::scope(|scope| {
        let broadcast = scope.spawn(|| group.tell_all(5));
        // The first one has been told; the broadcast waits, or is about to.
        assert_eq!(heard.recv(), Ok((0, 5)));
        let other = members(&system, 1, &send).remove(0);
        group.join(&other);
        assert!(group.leave(&first));
        assert_eq!(group.len(), 2);
        assert!(group.leave(&bounded));
        event.set();
        assert_eq!(broadcast.join().unwrap().told(), 2, "as it began");
    });
    for _ in 0..fillers {
        assert_eq!(heard.recv(), Ok((1, 0)));
    }
    assert_eq!(heard.recv(), Ok((1, 5)));
}

#[test]
fn broadcasts_of_one_thread_arrive_in_order() {
    const WORDS: u64 = 300;
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let members = members(&system, 3, &send);
    let group = group_of(&members);
    thread::scope(|scope| {
        for thread in 0..2 {
            let group = &group;
            scope.spawn(move || {
                for word in 0..WORDS {
                    assert_eq!(group.tell_all(thread * WORDS + word).told(), 3);
                }
            });
        }
    });
    end(&system);
    drop((send, members));
    let mut next = BTreeMap::new();
    for (number, word) in heard {
        let expected = next.entry((number, word / WORDS)).or_insert(0);
        assert_eq!(word % WORDS, *expected);
        *expected += 1;
    }
    assert_eq!(next.into_values().collect::<Vec<_>>(), [WORDS; 6]);
}

#[test]
fn many_threads_join_leave_and_broadcast() {
    const ROUNDS: usize = 200;
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let all = members(&system, 12, &send);
    // Of these, some come and go, some end, and the rest stays.
    let (moving, others) = all.split_at(4);
    let (ending, staying) = others.split_at(4);
    let group = group_of(&all);
    let told: usize = thread::scope(|scope| {
        for member in moving {
            let group = &group;
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    assert!(group.leave(member));
                    group.join(member);
                }
            });
        }
        scope.spawn(move || ending.iter().for_each(ActorRef::stop));
        let broadcasts = [0, 1].map(|thread| {
            let group = &group;
            scope.spawn(move || {
                let tell = |round| {
                    let report = group.tell_all((thread * ROUNDS + round) as u64);
                    assert!(report.told() >= staying.len() && report.no_room().is_empty());
                    report.told()
                };
                (0..ROUNDS).map(tell).sum::<usize>()
            })
        });
        broadcasts.into_iter().map(|b| b.join().unwrap()).sum()
    });
    eventually("those end", || ending.iter().all(|m| !m.is_alive()));
    assert_eq!(group.len(), 8);
    end(&system);
    let lost = system.dead_letters();
    drop((send, all));
    let heard: Vec<_> = heard.iter().collect();
    assert_eq!(heard.len() + lost, told);
    for number in 8..12 {
        let by_one = heard.iter().filter(|&&(by, _)| by == number);
        assert_eq!(by_one.count(), 2 * ROUNDS, "member {number} has stayed");
    }
}

#[test]
fn members_that_have_ended_do_not_pile_up() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let staying = members(&system, 10, &send);
    let group = group_of(&staying);
    for _ in 0..60 {
        let batch = members(&system, 50, &send);
        batch.iter().for_each(|member| group.join(member));
        drop(batch);
        eventually("the batch ends", || system.actors() == staying.len());
    }
    let report = group.tell_all(1);
    assert_eq!(report.told(), staying.len());
    assert!(report.ended() < 200, "{} of 3,000 are left", report.ended());
    assert_eq!(heard.iter().take(10).count(), 10);
}

#[test]
fn members_of_a_large_group_leave_in_any_order() {
    let pool = pool(2);
    let system = ActorSystem::new(&pool);
    let (send, heard) = mpsc::channel();
    let all = members(&system, 2_000, &send);
    let group = group_of(&all);
    assert_eq!(group.tell_all(1).told(), all.len());
    let mut numbers: Vec<_> = heard.iter().take(all.len()).collect();
    numbers.sort_unstable();
    assert!((0..).zip(&numbers).all(|(n, &heard)| heard == (n, 1)));
    for third in 0..3 {
        assert!(!group.is_empty());
        for member in all.iter().skip(third).step_by(3) {
            assert!(group.leave(member));
        }
    }
    assert!(group.is_empty());
}
