//! Many transfers at once, and their report.

use std::num::NonZero;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drumline::Pool;

use crate::bank::{Bank, BankOptions};
use crate::faults::Faults;
use crate::journal::{Entry, Journal};
use crate::transfer::{Outcome, Transfer};

/// How long the tree may take to come down.
const END: Duration = Duration::from_secs(60);

/// What is asked of the bank.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// How many accounts there are.
    pub accounts: NonZero<usize>,
    /// What each of them has.
    pub balance: u32,
    /// How many transfers there are.
    pub transfers: u64,
    /// One chance in this many is a panic.
    pub faults: Option<NonZero<u64>>,
    /// Where transfers and panics come from.
    pub seed: u64,
    /// The account with a torn journal, if there is one.
    pub corrupt: Option<usize>,
    /// How the bank is made. There are as many clients as tellers.
    pub bank: BankOptions,
}

/// What came of a load.
#[derive(Debug)]
pub struct LoadReport {
    /// Each transfer, and what came of it.
    pub outcomes: Vec<(Transfer, Outcome)>,
    /// How much all accounts had before.
    pub before: u64,
    /// How much they have after that, by their journals.
    pub after: u64,
    /// What each account says. One that was stopped says nothing.
    pub balances: Vec<Option<u64>>,
    /// The panics on purpose.
    pub hits: u64,
    /// The panics of which the system has told.
    pub failures: u64,
    /// The restarts.
    pub restarts: usize,
    /// The actors that had not ended at the deadline.
    pub abandoned: Vec<String>,
    /// Whether each transfer was done once or not at all, as its outcome says.
    pub audit: Result<(), String>,
    /// From the first transfer to the last one.
    pub time: Duration,
}

impl LoadReport {
    /// How many transfers were done.
    pub fn done(&self) -> usize {
        let is_done = |(_, outcome): &&(Transfer, Outcome)| outcome.is_ok();
        self.outcomes.iter().filter(is_done).count()
    }
}

impl Load {
    /// Runs it.
    pub fn run(self, pool: &Pool) -> LoadReport {
        let accounts = self.accounts.get();
        let journal = Arc::new(Journal::open(accounts, self.balance.into()));
        let before = journal.sum();
        if let Some(account) = self.corrupt {
            journal.append(account, Entry::Torn);
        }
        let faults = Arc::new(Faults::new(self.faults, self.seed));
        let bank = Bank::open(pool, accounts, &journal, &faults, self.bank);
        let bank = Arc::new(bank);
        let begin = Instant::now();
        let clients = self.bank.tellers.get() as u64;
        let clients: Vec<_> = (0..clients)
            .map(|client| {
                let bank = Arc::clone(&bank);
                pool.spawn_future(async move {
                    let mut outcomes = Vec::new();
                    for number in (client..self.transfers).step_by(clients as usize) {
                        let order = self.order(number);
                        outcomes.push((order, bank.transfer(order).await));
                    }
                    outcomes
                })
            })
            .collect();
        let outcomes: Vec<_> = clients
            .into_iter()
            .flat_map(|client| client.join().expect("a client does not panic"))
            .collect();
        let time = begin.elapsed();
        let balances = bank.balances();
        let report = bank.shut_down(Instant::now() + END);
        LoadReport {
            before,
            after: journal.sum(),
            balances,
            hits: faults.hits(),
            failures: bank.failures(),
            restarts: bank.restarts(),
            abandoned: report.abandoned().to_vec(),
            audit: journal.audit(&outcomes),
            outcomes,
            time,
        }
    }

    /// A transfer of this load. One in some hundreds names an account that there is not.
    fn order(&self, number: u64) -> Transfer {
        let mut random = fastrand::Rng::with_seed(self.seed.wrapping_add(number << 20));
        let accounts = self.accounts.get();
        let to = match random.u32(..500) {
            0 => accounts,
            _ => random.usize(..accounts),
        };
        Transfer {
            number,
            from: random.usize(..accounts),
            to,
            amount: random.u64(1..=u64::from(self.balance / 4).max(1)),
        }
    }
}
