//! Accounts that are closed.

use bank_account::{Bank, Refusal};
use drumline::block_on;

use crate::pool;

#[test]
fn an_account_that_is_closed_pays_out_and_refuses() {
    let pool = pool(2);
    let mut bank = Bank::open(&pool, [100, 50]);
    let mut client = bank.client();
    block_on(async {
        assert_eq!(client.close(1).await, Ok(50));
        let closed = Err(Refusal::Closed(1));
        assert_eq!(client.balance(1).await, closed);
        assert_eq!(client.deposit(1, 1).await, closed);
        assert_eq!(client.transfer(1, 0, 1).await, closed);
        assert_eq!(client.close(1).await, closed);
        // The money comes back.
        assert_eq!(client.transfer(0, 1, 1).await, closed);
        assert_eq!(client.balance(0).await, Ok(100));
    });
    let mut late = bank.client();
    assert_eq!(block_on(late.balance(1)), Err(Refusal::Closed(1)));
    late.finish();
    client.finish();
    let books = bank.finish().unwrap();
    assert!(books.are_balanced());
    assert_eq!(books.statements[1].paid_out, Some(50));
    assert_eq!(books.balance(), 100);
}

/// Each account is closed while all others send to it and it sends to all others.
fn accounts_close_under_load(jobs: usize) {
    const ACCOUNTS: usize = 4;
    let pool = pool(jobs);
    let mut bank = Bank::open(&pool, [1_000; ACCOUNTS]);
    let clients: Vec<_> = (0..12)
        .map(|number| {
            let mut client = bank.client();
            pool.spawn_future(async move {
                let mut closed = [false; ACCOUNTS];
                for round in 0.. {
                    let from = (number + round) % ACCOUNTS;
                    let to = (from + 1 + round % (ACCOUNTS - 1)) % ACCOUNTS;
                    match client.transfer(from, to, 1).await {
                        Ok(_) | Err(Refusal::NotEnough { .. }) => {}
                        Err(Refusal::Closed(account)) => closed[account] = true,
                        Err(refusal) => panic!("{refusal}"),
                    }
                    // One account has no other one left to send to.
                    if closed.iter().filter(|is_closed| **is_closed).count() >= ACCOUNTS - 1 {
                        break;
                    }
                }
                client.finish();
            })
        })
        .collect();
    let mut owner = bank.client();
    let mut paid_out = 0;
    for account in 0..ACCOUNTS {
        paid_out += u128::from(block_on(owner.close(account)).unwrap());
    }
    owner.finish();
    clients
        .into_iter()
        .for_each(|client| client.join().unwrap());
    let books = bank.finish().unwrap();
    assert!(books.are_balanced(), "{books:?}");
    assert_eq!((books.balance(), paid_out), (0, 4_000));
}

#[test]
fn accounts_close_under_load_on_three_jobs() {
    accounts_close_under_load(3);
}

#[test]
fn accounts_close_under_load_on_one_job() {
    accounts_close_under_load(1);
}
