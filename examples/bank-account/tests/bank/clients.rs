//! Clients: many of them, threads and tasks, and those that go away.

use std::future::Future;
use std::num::NonZero;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;

use bank_account::load::{Tally, visit};
use bank_account::{Bank, Books, Refusal};
use drumline::channel::CloseReason;
use drumline::{Pool, block_on};
use fastrand::Rng;

use crate::gate::Gate;
use crate::pool;

const ACCOUNTS: NonZero<usize> = NonZero::new(5).unwrap();

/// What the clients were told is what the accounts have.
#[track_caller]
fn agree(books: &Books, tally: Tally) {
    assert!(books.are_balanced(), "{books:?}");
    let opened_with = books.sum(|statement| statement.opened_with.into());
    assert_eq!(
        books.balance() + tally.withdrawn,
        opened_with + tally.deposited
    );
}

fn many_tasks(jobs: usize) {
    let pool = pool(jobs);
    let mut bank = Bank::open(&pool, [300; ACCOUNTS.get()]);
    let visits: Vec<_> = (0..100)
        .map(|seed| {
            let mut client = bank.client();
            pool.spawn_future(async move {
                visit(&mut client, ACCOUNTS, 20, Rng::with_seed(seed)).await
            })
        })
        .collect();
    let mut tally = Tally::default();
    for visit in visits {
        tally += visit.join().unwrap().unwrap();
    }
    assert_eq!(tally.granted + tally.refused, 2_000);
    let books = bank.finish().unwrap();
    agree(&books, tally);
    assert_eq!(books.clients, [(CloseReason::Dropped, 100)].into());
}

#[test]
fn many_tasks_on_three_jobs() {
    many_tasks(3);
}

#[test]
fn many_tasks_on_one_job() {
    many_tasks(1);
}

#[test]
fn threads_are_clients_too() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [300; ACCOUNTS.get()]);
    let threads: Vec<_> = (0..8)
        .map(|seed| {
            let mut client = bank.client();
            thread::spawn(move || {
                let visit = visit(&mut client, ACCOUNTS, 50, Rng::with_seed(seed));
                let tally = block_on(visit).unwrap();
                client.finish();
                tally
            })
        })
        .collect();
    let mut tally = Tally::default();
    for thread in threads {
        tally += thread.join().unwrap();
    }
    let books = bank.finish().unwrap();
    agree(&books, tally);
    assert_eq!(books.clients, [(CloseReason::Finished, 8)].into());
}

#[test]
fn the_books_say_which_clients_have_panicked() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [100, 0]);
    let (mut in_task, mut in_thread) = (bank.client(), bank.client());
    let task = pool.spawn_future(async move {
        in_task.transfer(0, 1, 10).await.unwrap();
        panic!("a client panics, in a task");
    });
    assert!(task.join().is_err());
    let thread = thread::spawn(move || {
        block_on(in_thread.transfer(0, 1, 10)).unwrap();
        panic!("a client panics, in a thread");
    });
    assert!(thread.join().is_err());

    // The others notice nothing.
    let mut other = bank.client();
    assert_eq!(block_on(other.balance(1)), Ok(20));
    other.finish();
    let books = bank.finish().unwrap();
    assert!(books.are_balanced());
    let reasons = [(CloseReason::Panicked, 2), (CloseReason::Finished, 1)];
    assert_eq!(books.clients, reasons.into());
}

/// Polls a future once, and drops it.
#[track_caller]
fn begin_and_give_up<T>(future: impl Future<Output = T>) {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    assert!(future.as_mut().poll(&mut context).is_pending());
}

#[test]
fn a_transfer_whose_client_gives_up_is_carried_to_its_end() {
    let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
    let mut bank = Bank::open(&pool, [100, 0]);
    let mut client = bank.client();
    // No task of the bank runs: the errand waits in the channel.
    let gate = Gate::close(&pool);
    begin_and_give_up(client.transfer(0, 1, 10));
    drop(client);
    gate.open();
    let books = bank.finish().unwrap();
    assert!(books.are_balanced());
    assert_eq!(books.statements[1].balance, 10);
}

#[test]
fn a_request_that_was_not_sent_is_not_carried_out() {
    let pool = Pool::builder().jobs(1).spares(false).build().unwrap();
    let mut bank = Bank::open(&pool, [100]);
    let mut client = bank.client();
    let gate = Gate::close(&pool);
    // The first errand fills the channel; the second one waits for room.
    begin_and_give_up(client.deposit(0, 1));
    begin_and_give_up(client.deposit(0, 1_000));
    gate.open();
    assert_eq!(block_on(client.balance(0)), Ok(101));
    client.finish();
    assert!(bank.finish().unwrap().are_balanced());
}

#[test]
fn clients_that_are_aborted_anywhere_lose_no_money() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [300; ACCOUNTS.get()]);
    for seed in 0..100 {
        let mut client = bank.client();
        let task = pool.spawn_future(async move {
            let random = Rng::with_seed(seed);
            visit(&mut client, ACCOUNTS, u64::MAX, random).await
        });
        // A request of another client takes a while, and it is long enough for some of this one.
        let mut other = bank.client();
        block_on(other.transfer(0, 1, 1)).unwrap_or_default();
        other.finish();
        task.abort();
    }
    let books = bank.finish().unwrap();
    assert!(books.are_balanced(), "{books:?}");
    let reasons = [(CloseReason::Dropped, 100), (CloseReason::Finished, 100)];
    assert_eq!(books.clients, reasons.into());
}

#[test]
fn a_client_of_a_bank_that_is_gone_gets_no_answer() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [100]);
    let mut client = bank.client();
    assert_eq!(block_on(client.balance(0)), Ok(100));
    drop(bank);
    pool.shutdown().unwrap();
    let no_answer = Err(Refusal::NoAnswer(CloseReason::Dropped));
    assert_eq!(block_on(client.balance(0)), no_answer);
    assert_eq!(block_on(client.transfer(0, 1, 1)), no_answer);
}
