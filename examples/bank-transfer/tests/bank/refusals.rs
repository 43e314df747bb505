//! Transfers that are refused, and the audit.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bank_transfer::{Bank, Entry, Faults, Journal, Refusal, Step, Transfer};
use drumline::block_on;

use crate::{bank, pool};

fn order(number: u64, from: usize, to: usize, amount: u64) -> Transfer {
    Transfer {
        number,
        from,
        to,
        amount,
    }
}

fn step(transfer: u64, step: Step, amount: u64) -> Entry {
    Entry::Moved {
        transfer,
        step,
        amount,
    }
}

#[test]
fn a_refusal_moves_nothing_and_is_no_failure() {
    let pool = pool(2);
    let journal = Arc::new(Journal::open(2, 100));
    let faults = Arc::new(Faults::new(None, 0));
    let bank = Bank::open(&pool, 2, &journal, &faults, bank());
    for (order, refusal) in [
        (order(0, 0, 2, 1), Refusal::NoSuchAccount(2)),
        (order(1, 7, 0, 1), Refusal::NoSuchAccount(7)),
        (order(2, 1, 1, 1), Refusal::SameAccount(1)),
        (order(3, 0, 1, 101), Refusal::NotEnough(100)),
    ] {
        assert_eq!(block_on(bank.transfer(order)), Err(refusal), "{refusal}");
    }
    assert_eq!(bank.balances(), [Some(100), Some(100)]);
    // The same transfer twice is one.
    for _ in 0..2 {
        assert_eq!(block_on(bank.transfer(order(4, 0, 1, 100))), Ok(()));
    }
    assert_eq!(bank.balances(), [Some(0), Some(200)]);
    assert_eq!((bank.failures(), bank.restarts()), (0, 0));
    let far = Instant::now() + Duration::from_secs(3_600);
    assert!(bank.shut_down(far).is_complete());
    let late = block_on(bank.transfer(order(5, 1, 0, 1)));
    assert_eq!(late, Err(Refusal::NoTeller));
}

#[test]
fn money_comes_back_from_an_account_that_was_closed() {
    let pool = pool(2);
    let journal = Arc::new(Journal::open(2, 100));
    journal.append(1, Entry::Torn);
    let faults = Arc::new(Faults::new(None, 0));
    let bank = Bank::open(&pool, 2, &journal, &faults, bank());
    let there = order(0, 0, 1, 30);
    assert_eq!(block_on(bank.transfer(there)), Err(Refusal::Closed(1)));
    let back = order(1, 1, 0, 30);
    assert_eq!(block_on(bank.transfer(back)), Err(Refusal::Closed(1)));
    assert_eq!(bank.balances(), [Some(100), None]);
    let steps = [step(0, Step::Withdrawn, 30), step(0, Step::Returned, 30)];
    assert_eq!(journal.read(0)[1..], steps);
}

#[test]
fn a_transfer_goes_on_whose_first_account_was_closed_after_it_had_paid() {
    let pool = pool(2);
    let journal = Arc::new(Journal::open(3, 100));
    for entry in [
        step(0, Step::Withdrawn, 30),
        step(1, Step::Withdrawn, 20),
        Entry::Torn,
    ] {
        journal.append(0, entry);
    }
    journal.append(2, Entry::Torn);
    let faults = Arc::new(Faults::new(None, 0));
    let bank = Bank::open(&pool, 3, &journal, &faults, bank());
    let (one, other) = (order(0, 0, 1, 30), order(1, 0, 2, 20));
    let outcomes = [one, other].map(|order| (order, block_on(bank.transfer(order))));
    assert_eq!(
        outcomes.map(|(_, outcome)| outcome),
        [Ok(()), Err(Refusal::Closed(2))]
    );
    assert_eq!(bank.balances(), [None, Some(130), None]);
    assert_eq!(journal.audit(&outcomes), Ok(()));
    assert_eq!(journal.sum(), 300);
}

#[test]
fn the_audit_finds_what_is_wrong() {
    let done = (order(0, 0, 1, 5), Ok(()));
    let refused = (order(0, 0, 1, 5), Err(Refusal::NotEnough(1)));
    let (paid, got) = (step(0, Step::Withdrawn, 5), step(0, Step::Deposited, 5));
    let audit = |entries: &[(usize, Entry)], outcome| {
        let journal = Journal::open(2, 10);
        for (account, entry) in entries {
            journal.append(*account, *entry);
        }
        journal.audit(&[outcome])
    };
    assert_eq!(audit(&[(0, paid), (1, got)], done), Ok(()));
    assert_eq!(audit(&[], refused), Ok(()));
    for (entries, outcome) in [
        (&[(0, paid)][..], done),
        (&[(0, paid), (1, got), (1, got)], done),
        (&[(0, paid), (0, got)], done),
        (&[(0, paid), (1, step(0, Step::Deposited, 6))], done),
        (&[(0, paid)], refused),
        (&[(0, paid), (1, got)], refused),
        (&[(0, step(9, Step::Withdrawn, 1))], refused),
    ] {
        assert!(audit(entries, outcome).is_err(), "{entries:?}");
    }
}
