//! Waiting for several sessions at once.

mod common;

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, Calls, Message, poll};
use common::{FOREVER, Random, ends, pool, without_guests};
use drumline::block_on;
use drumline::protocol::{
    self, Selected2, Selected3, Selected4, select, select_async, select_deadline, select_timeout,
    try_select,
};

mod protocols {
    use super::Message;

    drumline::protocol! {
        pub mod counting of counter with sum {
            Number = send Message => Number;
        }
    }
    drumline::protocol! {
        pub mod question of client with server {
            Ask = choose {
                Square(u64) => Answer,
                Quit => end,
            };
            Answer = recv u64 => Ask;
        }
    }
}
use protocols::{counting, question};

#[test]
fn an_empty_vector_is_not_waited_for() {
    let mut none: Vec<counting::sum::Number> = Vec::new();
    assert!(select(&mut none).is_none());
    assert!(try_select(&mut none).unwrap().is_none());
    assert!(select_timeout(&mut none, Duration::MAX).unwrap().is_none());
    assert!(
        select_deadline(&mut none, Instant::now())
            .unwrap()
            .is_none()
    );
    assert!(block_on(select_async(&mut none)).is_none());
}

#[test]
fn those_that_were_not_selected_stay_in_their_order() {
    let accounts = Accounts::default();
    let (mut talkers, mut sums): (Vec<_>, Vec<_>) = (0..4).map(|_| counting::unbounded()).unzip();
    assert!(try_select(&mut sums).is_err());
    assert!(select_timeout(&mut sums, Duration::from_millis(1)).is_err());
    assert!(select_deadline(&mut sums, Instant::now()).is_err());
    assert_eq!(sums.len(), 4);

    let talker = talkers.remove(2).send(accounts.message(7)).unwrap();
    let (place, received) = select(&mut sums).unwrap();
    let (message, sum) = received.unwrap();
    assert_eq!((place, message.number), (2, 7));
    assert_eq!(sums.len(), 3);
    // Now the last.
    sums.push(sum);
    let talker = talker.send(accounts.message(8)).unwrap();
    let (place, received) = select_timeout(&mut sums, FOREVER).unwrap().unwrap();
    assert_eq!((place, received.unwrap().0.number), (3, 8));
    drop(talker);
    drop(talkers.remove(1));
    let (place, received) = select(&mut sums).unwrap();
    assert_eq!(place, 1);
    assert_eq!(received.unwrap_err().step(), "Number");
    assert_eq!(sums.len(), 2);
    drop(message);
    accounts.settle();
}

/// Sends this many messages on each session, from a few threads.
fn counters(sessions: usize, messages: usize, accounts: &Accounts) -> Vec<counting::sum::Number> {
    let (talkers, sums): (Vec<_>, Vec<_>) = (0..sessions)
        .map(|place| {
            if place % 2 == 0 {
                counting::unbounded()
            } else {
                counting::bounded(2)
            }
        })
        .unzip();
    for mut talker in talkers {
        let accounts = accounts.clone();
        thread::spawn(move || {
            for number in 0..messages {
                talker = talker.send(accounts.message(number)).unwrap();
            }
        });
    }
    sums
}

#[test]
fn all_messages_of_many_sessions_come() {
    for (sessions, messages) in [(2, 5_000), (20, 300)] {
        ends(move || {
            let accounts = Accounts::default();
            let mut sums = counters(sessions, messages, &accounts);
            let (mut count, mut gone) = (0, 0);
            while let Some((_, received)) = select(&mut sums) {
                match received {
                    Ok((_, sum)) => {
                        count += 1;
                        sums.push(sum);
                    }
                    Err(left) => {
                        assert_eq!(left.role(), "counter");
                        gone += 1;
                    }
                }
            }
            assert_eq!((count, gone), (sessions * messages, sessions));
            accounts.settle();
        });
    }
}

#[test]
fn tasks_select() {
    for jobs in [1, 2] {
        ends(move || {
            let accounts = Accounts::default();
            let pool = pool(jobs);
            let mut sums = counters(10, 500, &accounts);
            let task = pool.spawn_future(async move {
                let mut count = 0;
                while let Some((_, received)) = select_async(&mut sums).await {
                    if let Ok((_, sum)) = received {
                        count += 1;
                        sums.push(sum);
                    }
                }
                count
            });
            assert_eq!(task.join().unwrap(), 5_000);
            accounts.settle();
        });
    }
}

#[test]
fn deadlines_lose_nothing() {
    ends(|| {
        let accounts = Accounts::default();
        let mut sums = counters(6, 500, &accounts);
        let mut random = Random::new(3);
        let mut count = 0;
        while !sums.is_empty() {
            let timeout = Duration::from_micros(random.below(200));
            if let Ok(Some((_, Ok((_, sum))))) = select_timeout(&mut sums, timeout) {
                count += 1;
                sums.push(sum);
            }
        }
        assert_eq!(count, 3_000);
        accounts.settle();
    });
}

#[test]
fn a_server_in_a_pool_of_one_has_many_clients() {
    ends(|| {
        let pool = without_guests(1);
        let (clients, mut servers): (Vec<_>, Vec<_>) =
            (0..5).map(|_| question::unbounded()).unzip();
        let server = pool.spawn(move || {
            let mut answers = 0;
            while let Some((_, received)) = select(&mut servers) {
                match received.unwrap() {
                    question::offer::Ask::Square(number, answer) => {
                        servers.push(answer.send(number * number).unwrap());
                        answers += 1;
                    }
                    question::offer::Ask::Quit(_end) => {}
                }
            }
            answers
        });
        let clients: Vec<_> = clients
            .into_iter()
            .map(|mut ask| {
                pool.spawn(move || {
                    for number in 0..50 {
                        let answer = ask.choose(question::choice::Ask::Square(number)).unwrap();
                        let (square, next) = answer.recv().unwrap();
                        assert_eq!(square, number * number);
                        ask = next;
                    }
                    ask.choose(question::choice::Ask::Quit).map(drop).unwrap();
                })
            })
            .collect();
        clients
            .into_iter()
            .for_each(|client| client.join().unwrap());
        assert_eq!(server.join().unwrap(), 250);
    });
}

#[test]
fn tuples_say_which_one_has_come() {
    let accounts = Accounts::default();
    let (talker, sum) = counting::unbounded();
    let (client, server) = question::unbounded();
    let (sum, server) = try_select((sum, server)).unwrap_err();
    let (sum, server) = select_timeout((sum, server), Duration::from_millis(1)).unwrap_err();
    let Ok(_end) = client.choose(question::choice::Ask::Quit) else {
        panic!("the server is there");
    };
    let sum = match select((sum, server)) {
        Selected2::First(..) => panic!("nothing was counted"),
        Selected2::Second(sum, asked) => {
            assert!(matches!(asked.unwrap(), question::offer::Ask::Quit(_)));
            sum
        }
    };

    let (other_talker, other_sum) = counting::unbounded();
    let (client, server) = question::unbounded();
    let talker = talker.send(accounts.message(1)).unwrap();
    let (sum, other_sum, server) = match select((sum, other_sum, server)) {
        Selected3::First(message, other_sum, server) => (message.unwrap().1, other_sum, server),
        other => panic!("{other:?}"),
    };
    drop(other_talker);
    let (sum, server) = match select((sum, other_sum, server)) {
        Selected3::Second(sum, left, server) => {
            assert_eq!(left.unwrap_err().role(), "counter");
            (sum, server)
        }
        other => panic!("{other:?}"),
    };

    let (_one, one) = counting::unbounded();
    let (_two, two) = counting::unbounded();
    let ask = client.choose(question::choice::Ask::Square(4)).unwrap();
    match select((one, sum, server, two)) {
        Selected4::Third(_, _, asked, _) => match asked.unwrap() {
            question::offer::Ask::Square(4, answer) => drop(answer.send(16)),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
    assert_eq!(ask.recv().unwrap().0, 16);
    drop(talker);
    accounts.settle();
}

#[test]
fn a_tuple_is_awaited() {
    ends(|| {
        let accounts = Accounts::default();
        let (mut talker, mut sum) = counting::bounded(1);
        let (client, mut server) = question::unbounded();
        let of_talker = accounts.clone();
        let talking = drumline::spawn_future(async move {
            for number in 0..1_000 {
                talker = talker.send_async(of_talker.message(number)).await.unwrap();
            }
            client
                .choose(question::choice::Ask::Quit)
                .map(drop)
                .unwrap();
            talker
        });
        let count = block_on(async {
            let mut count = 0;
            loop {
                match select_async((sum, server)).await {
                    Selected2::First(received, back) => {
                        sum = received.unwrap().1;
                        server = back;
                        count += 1;
                    }
                    Selected2::Second(mut sum, asked) => {
                        assert!(matches!(asked, Ok(question::offer::Ask::Quit(_))));
                        while let Ok((_, next)) = sum.try_recv() {
                            sum = next;
                            count += 1;
                        }
                        return count;
                    }
                }
            }
        });
        assert_eq!(count, 1_000);
        drop(talking.join().unwrap());
        accounts.settle();
    });
}

#[test]
fn a_select_that_is_dropped_keeps_no_waker_and_loses_nothing() {
    let accounts = Accounts::default();
    let (talkers, mut sums): (Vec<_>, Vec<_>) = (0..3).map(|_| counting::unbounded()).unzip();
    let calls = Calls::new();
    let mut selecting = select_async(&mut sums);
    for _ in 0..3 {
        assert!(poll(&mut selecting, &Arc::clone(&calls).into()).is_pending());
    }
    assert_eq!(Arc::strong_count(&calls), 4, "each session listens");
    drop(selecting);
    assert_eq!(Arc::strong_count(&calls), 1, "a waker is kept");
    let mut talkers = talkers.into_iter();
    let _talker = talkers.next().unwrap().send(accounts.message(5)).unwrap();
    assert_eq!(calls.count(), 0, "a waker was called");

    let mut selecting = select_async(&mut sums);
    let Poll::Ready(Some((0, Ok((message, _))))) = poll(&mut selecting, &Arc::clone(&calls).into())
    else {
        panic!("there is a message");
    };
    assert_eq!(message.number, 5);
    drop((selecting, message));
    accounts.settle();
}

#[test]
fn those_that_wait_in_a_select_are_listed() {
    ends(|| {
        let (talkers, mut sums): (Vec<_>, Vec<_>) = (0..2).map(|_| counting::unbounded()).unzip();
        let waiting = thread::spawn(move || select(&mut sums).map(|(place, _)| place));
        let here = file!();
        common::eventually("the thread is listed at both channels", || {
            let mut places = HashMap::new();
            for waiter in drumline::channel::waiters() {
                if waiter.location().file() == here {
                    *places.entry(waiter.location().line()).or_insert(0) += 1;
                }
            }
            places.values().any(|&count| count == 2)
        });
        drop(talkers);
        assert_eq!(waiting.join().unwrap(), Some(0));
    });
}

#[test]
fn the_path_of_the_module_works_as_well() {
    let (_talker, sum) = counting::unbounded();
    assert!(protocol::try_select(&mut vec![sum]).is_err());
}
