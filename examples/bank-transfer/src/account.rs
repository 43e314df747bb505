//! The actor that has the money.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::sync::Arc;

use drumline::actor::{Actor, Context, Failure, Handler};

use crate::faults::Faults;
use crate::journal::{Entry, Journal, Step};

/// The panic message of an account that cannot read its log.
const TORN: &str = "a record of the journal is torn";

/// An account. All that it has comes from its log.
pub struct Account {
    number: usize,
    journal: Arc<Journal>,
    faults: Arc<Faults>,
    balance: u64,
    seen: HashSet<(u64, Step)>,
}

impl Account {
    /// The account as its log says.
    ///
    /// # Panics
    ///
    /// If a record is torn. Another try would find the same.
    pub fn replay(number: usize, journal: &Arc<Journal>, faults: &Arc<Faults>) -> Self {
        let mut account = Account {
            number,
            journal: Arc::clone(journal),
            faults: Arc::clone(faults),
            balance: 0,
            seen: HashSet::new(),
        };
        for entry in journal.read(number) {
            match entry {
                Entry::Opened(balance) => account.balance = balance,
                Entry::Moved {
                    transfer,
                    step,
                    amount,
                } => account.apply(transfer, step, amount),
                // The panic hook would print it. The supervisor reports it.
                Entry::Torn => resume_unwind(Box::new(TORN)),
            }
        }
        account
    }

    /// Whether an account has failed because its log cannot be read.
    pub fn is_corrupt(failure: &Failure) -> bool {
        failure.panic_message() == TORN
    }

    fn apply(&mut self, transfer: u64, step: Step, amount: u64) {
        match step {
            Step::Withdrawn => self.balance -= amount,
            Step::Deposited | Step::Returned => self.balance += amount,
        }
        self.seen.insert((transfer, step));
    }
}

impl Actor for Account {}

/// Do a step of a transfer, unless it has been done.
#[derive(Clone, Copy)]
pub struct Move {
    /// The number of the transfer.
    pub transfer: u64,
    /// Which step.
    pub step: Step,
    /// How much.
    pub amount: u64,
}

impl Handler<Move> for Account {
    /// The step is done; or there is only this much.
    type Reply = Result<(), u64>;

    fn handle(&mut self, step: Move, _: &mut Context<Self>) -> Result<(), u64> {
        let Move {
            transfer,
            step,
            amount,
        } = step;
        self.faults.chance("before the change");
        if self.seen.contains(&(transfer, step)) {
            return Ok(());
        }
        if step == Step::Withdrawn && self.balance < amount {
            return Err(self.balance);
        }
        let entry = Entry::Moved {
            transfer,
            step,
            amount,
        };
        self.journal.append(self.number, entry);
        // The state does not know yet what the journal knows, and the teller gets no reply.
        self.faults.chance("after the change");
        self.apply(transfer, step, amount);
        Ok(())
    }
}

/// How much is there?
pub struct GetBalance;

impl Handler<GetBalance> for Account {
    type Reply = u64;

    fn handle(&mut self, GetBalance: GetBalance, _: &mut Context<Self>) -> u64 {
        self.balance
    }
}
