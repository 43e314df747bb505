//! What outlives a panic: a log for each account, to which entries are only appended.
//!
//! It stands for stable storage. One actor writes to a log, so its lock is free nearly always.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::transfer::{Outcome, Transfer};

/// A part of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The first account has paid.
    Withdrawn,
    /// The second account has got it.
    Deposited,
    /// The second account cannot have it, and the first one has it again.
    Returned,
}

/// A record of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The account has this much from the beginning.
    Opened(u64),
    /// A step of a transfer.
    Moved {
        /// The number of the transfer.
        transfer: u64,
        /// Which step.
        step: Step,
        /// How much.
        amount: u64,
    },
    /// A record of which only a part was written.
    Torn,
}

/// The logs of all accounts.
#[derive(Debug)]
pub struct Journal {
    logs: Vec<Mutex<Vec<Entry>>>,
}

impl Journal {
    /// One for this many accounts, which have this balance each.
    pub fn open(accounts: usize, balance: u64) -> Self {
        let log = || Mutex::new(vec![Entry::Opened(balance)]);
        Journal {
            logs: (0..accounts).map(|_| log()).collect(),
        }
    }

    /// Appends a record to the log of an account.
    pub fn append(&self, account: usize, entry: Entry) {
        self.with(account, |log| log.push(entry));
    }

    /// The log of an account.
    pub fn read(&self, account: usize) -> Vec<Entry> {
        self.with(account, |log| log.clone())
    }

    /// Whether the log of an account has this step of this transfer.
    pub fn has(&self, account: usize, number: u64, wanted: Step) -> bool {
        let is_it = |entry: &Entry| {
            matches!(entry, Entry::Moved { transfer, step, .. }
                if (*transfer, *step) == (number, wanted))
        };
        self.with(account, |log| log.iter().any(is_it))
    }

    fn with<R>(&self, account: usize, work: impl FnOnce(&mut Vec<Entry>) -> R) -> R {
        // No panic leaves a log half changed.
        let mut log = self.logs[account]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        work(&mut log)
    }

    /// How much all accounts have together, torn records left out.
    pub fn sum(&self) -> u64 {
        let mut sum = 0;
        for account in 0..self.logs.len() {
            for entry in self.read(account) {
                match entry {
                    Entry::Opened(amount) => sum += amount,
                    Entry::Moved { step, amount, .. } => match step {
                        Step::Withdrawn => sum -= amount,
                        Step::Deposited | Step::Returned => sum += amount,
                    },
                    Entry::Torn => {}
                }
            }
        }
        sum
    }

    /// Whether each transfer was done exactly once, or moved nothing, as its outcome says.
    ///
    /// # Errors
    ///
    /// The first transfer for which that is not so.
    pub fn audit(&self, outcomes: &[(Transfer, Outcome)]) -> Result<(), String> {
        let mut moved: HashMap<u64, Vec<(Step, usize, u64)>> = HashMap::new();
        for account in 0..self.logs.len() {
            for entry in self.read(account) {
                if let Entry::Moved {
                    transfer,
                    step,
                    amount,
                } = entry
                {
                    let steps = moved.entry(transfer).or_default();
                    steps.push((step, account, amount));
                }
            }
        }
        for (transfer, outcome) in outcomes {
            let Transfer {
                number,
                from,
                to,
                amount,
            } = *transfer;
            let mut steps = moved.remove(&number).unwrap_or_default();
            steps.sort_by_key(|(step, ..)| *step as u8);
            let withdrawn = (Step::Withdrawn, from, amount);
            let is_right = match outcome {
                Ok(()) => steps == [withdrawn, (Step::Deposited, to, amount)],
                Err(_) => steps.is_empty() || steps == [withdrawn, (Step::Returned, from, amount)],
            };
            if !is_right {
                return Err(format!(
                    "{transfer:?}: {outcome:?}, and there were {steps:?}"
                ));
            }
        }
        match moved.into_keys().min() {
            None => Ok(()),
            Some(number) => Err(format!(
                "there was no transfer {number}, and money was moved"
            )),
        }
    }
}
