//! Money that moves between accounts.

use bank_account::{Amount, Bank, Refusal};
use drumline::block_on;

use crate::pool;

#[test]
fn a_transfer_moves_the_amount() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [100, 5]);
    let mut client = bank.client();
    block_on(async {
        assert_eq!(client.transfer(0, 1, 30).await, Ok(70));
        assert_eq!(client.balance(0).await, Ok(70));
        assert_eq!(client.balance(1).await, Ok(35));
        assert_eq!(client.deposit(0, 1).await, Ok(71));
        assert_eq!(client.withdraw(1, 35).await, Ok(0));
    });
    client.finish();
    let books = bank.finish().unwrap();
    assert!(books.are_balanced());
    let first = &books.statements[0];
    assert_eq!((first.sent, first.received, first.deposited), (30, 0, 1));
    assert_eq!(books.statements[1].withdrawn, 35);
}

#[test]
fn a_transfer_that_is_refused_moves_nothing() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [100, Amount::MAX]);
    let mut client = bank.client();
    block_on(async {
        let not_enough = Refusal::NotEnough {
            account: 0,
            balance: 100,
        };
        assert_eq!(client.transfer(0, 1, 101).await, Err(not_enough));
        assert_eq!(client.transfer(0, 1, 1).await, Err(Refusal::TooMuch(1)));
        assert_eq!(client.transfer(0, 0, 1).await, Err(Refusal::SameAccount(0)));
        let unknown = Err(Refusal::NoSuchAccount(2));
        assert_eq!(client.transfer(0, 2, 1).await, unknown);
        assert_eq!(client.transfer(2, 0, 1).await, unknown);
        assert_eq!(client.balance(2).await, unknown);
        assert_eq!(client.balance(0).await, Ok(100));
        assert_eq!(client.balance(1).await, Ok(Amount::MAX));
    });
    client.finish();
    assert!(bank.finish().unwrap().are_balanced());
}

/// All accounts send to each other at once, more than their lanes have room for.
fn transfers_in_circles(jobs: usize) {
    const ACCOUNTS: usize = 4;
    let pool = pool(jobs);
    let mut bank = Bank::open(&pool, [1_000; ACCOUNTS]);
    let clients = (0..32).map(|number| {
        let mut client = bank.client();
        pool.spawn_future(async move {
            for round in 0..50 {
                let from = (number + round) % ACCOUNTS;
                let to = (from + 1 + number % (ACCOUNTS - 1)) % ACCOUNTS;
                match client.transfer(from, to, 10).await {
                    Ok(_) | Err(Refusal::NotEnough { .. }) => {}
                    Err(refusal) => panic!("{refusal}"),
                }
            }
            client.finish();
        })
    });
    let clients: Vec<_> = clients.collect();
    clients
        .into_iter()
        .for_each(|client| client.join().unwrap());
    let books = bank.finish().unwrap();
    assert!(books.are_balanced(), "{books:?}");
    assert_eq!(books.balance(), 4_000);
}

#[test]
fn transfers_in_circles_end() {
    transfers_in_circles(3);
}

#[test]
fn transfers_in_circles_end_on_one_job() {
    transfers_in_circles(1);
}
