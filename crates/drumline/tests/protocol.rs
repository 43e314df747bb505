//! Sessions go through their protocols: on threads, in pools, in tasks.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::messages::{Accounts, Calls, Message, poll};
use common::{ends, pool, without_guests};
use drumline::block_on;
use drumline::protocol::{NotReceived, NotSent, PeerLeft};
use drumline::task::timeout;

drumline::protocol! {
    /// All kinds of steps, and loops.
    mod bank of client with server {
        /// What the client wants.
        Start = choose {
            /// Money comes in.
            Deposit(u64) => Balance,
            Withdraw(u64) => Answer,
            Quit => end,
        };
        Balance = recv u64 => Start;
        Answer = offer {
            Granted(u64) => Start,
            Refused => Start,
        };
    }
}

drumline::protocol! {
    /// Many messages in one direction.
    mod stream of source with sink {
        Flow = choose {
            Item(Message) => Flow,
            Done(&'static str) => Thanks,
        };
        Thanks = recv String => end;
    }
}

drumline::protocol! {
    /// A state that is its own successor, and no end.
    mod endless of talker with listener {
        Talk = send Message => Talk;
    }
}

drumline::protocol! {
    /// The second role begins.
    mod greeting of guest with host {
        Welcome = recv String => Thanks;
        Thanks = send String => end;
    }
}

/// A type that only this file knows, in protocols that are as visible as it is.
struct Private(u8);

drumline::protocol! {
    mod private of left with right {
        Only = send Private => Choice;
        Choice = offer {
            Back(Private) => end,
        };
    }
}

mod inner {
    pub(super) struct Half(pub(super) u8);

    drumline::protocol! {
        pub(super) mod half of left with right {
            Only = choose { One(Half) => end };
        }
    }
    drumline::protocol! {
        pub(crate) mod public of left with right {
            Only = send u8 => end;
        }
    }
}

fn teller(mut start: bank::server::Start) -> Result<(u64, bank::server::End), PeerLeft> {
    use bank::{choice, offer};
    let mut balance = 0;
    loop {
        start = match start.offer()? {
            offer::Start::Deposit(amount, reply) => {
                balance += amount;
                reply.send(balance)?
            }
            offer::Start::Withdraw(amount, answer) if amount <= balance => {
                balance -= amount;
                answer.choose(choice::Answer::Granted(balance))?
            }
            offer::Start::Withdraw(_, answer) => answer.choose(choice::Answer::Refused)?,
            offer::Start::Quit(end) => return Ok((balance, end)),
        }
    }
}

async fn async_teller(
    mut start: bank::server::Start,
) -> Result<(u64, bank::server::End), PeerLeft> {
    use bank::{choice, offer};
    let mut balance = 0;
    loop {
        start = match start.offer_async().await? {
            offer::Start::Deposit(amount, reply) => {
                balance += amount;
                reply.send_async(balance).await?
            }
            offer::Start::Withdraw(amount, answer) if amount <= balance => {
                balance -= amount;
                answer
                    .choose_async(choice::Answer::Granted(balance))
                    .await?
            }
            offer::Start::Withdraw(_, answer) => {
                answer.choose_async(choice::Answer::Refused).await?
            }
            offer::Start::Quit(end) => return Ok((balance, end)),
        }
    }
}

/// Deposits 2 and withdraws 3, by turns. Returns how often the second was refused.
fn customer(mut start: bank::client::Start, rounds: u64) -> Result<u64, PeerLeft> {
    use bank::{choice, client, offer};
    let (mut balance, mut refused) = (0, 0);
    for _ in 0..rounds {
        let (now, next) = start.choose(choice::Start::Deposit(2))?.recv()?;
        balance += 2;
        assert_eq!(now, balance);
        start = match next.choose(choice::Start::Withdraw(3))?.offer()? {
            offer::Answer::Granted(now, next) => {
                balance -= 3;
                assert_eq!(now, balance);
                next
            }
            offer::Answer::Refused(next) => {
                assert!(balance < 3, "refused with {balance}");
                refused += 1;
                next
            }
        };
    }
    let client::End { .. } = start.choose(choice::Start::Quit)?;
    Ok(refused)
}

async fn async_customer(mut start: bank::client::Start, rounds: u64) -> Result<u64, PeerLeft> {
    use bank::{choice, offer};
    let mut refused = 0;
    for _ in 0..rounds {
        let reply = start.choose_async(choice::Start::Deposit(2)).await?;
        let (_, next) = reply.recv_async().await?;
        let answer = next.choose_async(choice::Start::Withdraw(3)).await?;
        start = match answer.offer_async().await? {
            offer::Answer::Granted(_, next) => next,
            offer::Answer::Refused(next) => {
                refused += 1;
                next
            }
        };
    }
    start.choose_async(choice::Start::Quit).await?;
    Ok(refused)
}

/// What is in the bank, and how often it has refused.
const ROUNDS: u64 = 100_000;

fn check(refused: u64, balance: u64, rounds: u64) {
    assert_eq!(balance, 2 * rounds - 3 * (rounds - refused));
    assert_eq!(
        refused,
        rounds.div_ceil(3),
        "each third withdrawal is refused"
    );
}

#[test]
fn threads_go_through_a_loop_a_hundred_thousand_times() {
    for open in [bank::unbounded, || bank::bounded(1)] {
        ends(move || {
            let (client, server) = open();
            let server = thread::spawn(|| teller(server));
            let refused = customer(client, ROUNDS / 2).unwrap();
            let (balance, _end) = server.join().unwrap().unwrap();
            check(refused, balance, ROUNDS / 2);
        });
    }
}

#[test]
fn jobs_of_pools_block_in_sessions() {
    for jobs in [1, 2] {
        ends(move || {
            let pool = without_guests(jobs);
            let (client, server) = bank::bounded(1);
            let server = pool.spawn(|| teller(server));
            let client = pool.spawn(|| customer(client, 1_000));
            let refused = client.join().unwrap().unwrap();
            let (balance, _end) = server.join().unwrap().unwrap();
            check(refused, balance, 1_000);
        });
    }
}

#[test]
fn tasks_await_in_sessions() {
    for jobs in [1, 2] {
        for open in [bank::unbounded, || bank::bounded(1)] {
            ends(move || {
                let pool = pool(jobs);
                let (client, server) = open();
                let server = pool.spawn_future(async_teller(server));
                let client = pool.spawn_future(async_customer(client, ROUNDS));
                let refused = client.join().unwrap().unwrap();
                let (balance, _end) = server.join().unwrap().unwrap();
                check(refused, balance, ROUNDS);
            });
        }
    }
}

#[test]
fn a_thread_and_a_task_are_in_one_session() {
    ends(|| {
        let (client, server) = bank::unbounded();
        let server = drumline::spawn_future(async_teller(server));
        let refused = customer(client, 1_000).unwrap();
        let (balance, _end) = server.join().unwrap().unwrap();
        check(refused, balance, 1_000);
    });
}

#[test]
fn messages_in_one_direction_come_in_order() {
    for open in [stream::unbounded, || stream::bounded(3)] {
        ends(move || {
            let accounts = Accounts::default();
            let (mut source, mut sink) = open();
            let of_source = accounts.clone();
            let source = thread::spawn(move || {
                for number in 0..50_000 {
                    let item = stream::choice::Flow::Item(of_source.message(number));
                    source = source.choose(item).unwrap();
                }
                let thanks = source.choose(stream::choice::Flow::Done("that was all"));
                thanks.unwrap().recv().unwrap().0
            });
            let mut expected = 0;
            let thanks = loop {
                match sink.offer().unwrap() {
                    stream::offer::Flow::Item(item, next) => {
                        assert_eq!(item.number, expected);
                        expected += 1;
                        sink = next;
                    }
                    stream::offer::Flow::Done(word, thanks) => {
                        assert_eq!(word, "that was all");
                        break thanks;
                    }
                }
            };
            let stream::sink::End { .. } = thanks.send("thanks".to_owned()).unwrap();
            assert_eq!(source.join().unwrap(), "thanks");
            assert_eq!(expected, 50_000);
            accounts.settle();
        });
    }
}

#[test]
fn a_try_gives_the_endpoint_back() {
    let (guest, host) = greeting::unbounded();
    let Err(NotReceived::Yet(guest)) = guest.try_recv() else {
        panic!("there is nothing to receive");
    };
    let Err(NotReceived::Yet(guest)) = guest.recv_timeout(Duration::ZERO) else {
        panic!("there is nothing to receive");
    };
    let Err(NotReceived::Yet(guest)) = guest.recv_deadline(Instant::now()) else {
        panic!("there is nothing to receive");
    };
    let host = host.send("come in".to_owned()).unwrap();
    let (word, guest) = guest.try_recv().unwrap();
    assert_eq!(word, "come in");

    let Err(NotReceived::Yet(host)) = host.try_recv() else {
        panic!("there is nothing to receive");
    };
    let greeting::guest::End { .. } = guest.send("thanks".to_owned()).unwrap();
    let (word, _end) = host.recv_timeout(common::FOREVER).unwrap();
    assert_eq!(word, "thanks");
}

#[test]
fn a_choice_that_is_tried_gives_the_endpoint_back() {
    let (client, server) = bank::unbounded();
    let Err(NotReceived::Yet(server)) = server.try_offer() else {
        panic!("there is no choice yet");
    };
    let Err(NotReceived::Yet(server)) = server.offer_timeout(Duration::ZERO) else {
        panic!("there is no choice yet");
    };
    let Err(NotReceived::Yet(server)) = server.offer_deadline(Instant::now()) else {
        panic!("there is no choice yet");
    };
    let _end = client.try_choose(bank::choice::Start::Quit).unwrap();
    assert!(matches!(
        server.try_offer(),
        Ok(bank::offer::Start::Quit(_))
    ));
}

#[test]
fn what_a_full_session_does_not_take_comes_back() {
    let accounts = Accounts::default();
    let (talker, listener) = endless::bounded(1);
    let talker = talker.try_send(accounts.message(1)).unwrap();
    let Err(NotSent::Yet(talker, message)) = talker.try_send(accounts.message(2)) else {
        panic!("the session is full");
    };
    let Err(NotSent::Yet(talker, message)) = talker.send_timeout(message, Duration::ZERO) else {
        panic!("the session is full");
    };
    let Err(NotSent::Yet(mut talker, message)) = talker.send_deadline(message, Instant::now())
    else {
        panic!("the session is full");
    };
    // A future that is ready when there is room does not give up the endpoint.
    let waker = Calls::new();
    assert!(poll(&mut talker.ready(), &waker.clone().into()).is_pending());
    let (first, listener) = listener.recv().unwrap();
    assert_eq!(first.number, 1);
    block_on(talker.ready());
    assert_eq!(waker.count(), 0, "the future that listened is dropped");
    let talker = talker.try_send(message).unwrap();
    assert_eq!(listener.recv().unwrap().0.number, 2);
    drop(talker);
    drop(first);
    accounts.settle();

    let (source, sink) = stream::bounded(1);
    let source = source
        .choose(stream::choice::Flow::Item(accounts.message(3)))
        .unwrap();
    let done = stream::choice::Flow::Done("done");
    let Err(NotSent::Yet(source, done)) = source.try_choose(done) else {
        panic!("the session is full");
    };
    let Err(NotSent::Yet(source, done)) = source.choose_timeout(done, Duration::ZERO) else {
        panic!("the session is full");
    };
    let Err(NotSent::Yet(_, done)) = source.choose_deadline(done, Instant::now()) else {
        panic!("the session is full");
    };
    assert_eq!(done.0, "done");
    drop(sink);
    accounts.settle();
}

#[test]
fn a_wait_that_is_given_up_keeps_the_endpoint() {
    ends(|| {
        block_on(async {
            let (mut guest, host) = greeting::unbounded();
            let moment = Duration::from_millis(1);
            assert!(timeout(moment, guest.ready()).await.is_err());
            let host = drumline::spawn(|| host.send("come in".to_owned()).unwrap());
            guest.ready().await;
            let (word, _guest) = guest.try_recv().unwrap();
            assert_eq!(word, "come in");
            drop(host.await.unwrap());
        });
    });
}

#[test]
fn an_endpoint_is_a_pointer() {
    assert_eq!(size_of::<bank::client::Start>(), size_of::<usize>());
    assert_eq!(
        size_of::<Option<bank::server::Answer>>(),
        size_of::<usize>()
    );
    assert_eq!(size_of::<bank::client::End>(), 0);
}

#[test]
fn a_direction_costs_no_more_than_its_largest_message() {
    // What the other side sends takes no room.
    assert_eq!(size_of::<greeting::lanes::__Up>(), size_of::<String>());
    assert_eq!(size_of::<endless::lanes::__Down>(), 0);
    assert_eq!(size_of::<bank::lanes::__Up>(), 2 * size_of::<u64>());
}

#[test]
fn messages_may_be_private() {
    let (left, right) = private::unbounded();
    let left = left.send(Private(1)).unwrap();
    let (Private(number), right) = right.recv().unwrap();
    let back = private::choice::Choice::Back(Private(number + 1));
    let _end = right.choose(back).unwrap();
    let private::offer::Choice::Back(Private(number), _end) = left.offer().unwrap();
    assert_eq!(number, 2);

    let (left, right) = inner::half::unbounded();
    let one = inner::half::choice::Only::One(inner::Half(3));
    let _end = left.choose(one).unwrap();
    let inner::half::offer::Only::One(half, _end) = right.offer().unwrap();
    assert_eq!(half.0, 3);

    let (left, right) = inner::public::unbounded();
    let _end = left.send(4).unwrap();
    assert_eq!(right.recv().unwrap().0, 4);
}
