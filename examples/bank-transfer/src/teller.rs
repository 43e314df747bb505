//! The actor that moves money.

use std::sync::Arc;

use drumline::actor::{Actor, ActorRef, AskError, AsyncContext, AsyncHandler};

use crate::account::{Account, Move};
use crate::faults::Faults;
use crate::journal::{Entry, Journal, Step};
use crate::transfer::{Outcome, Refusal, Transfer};

/// Takes transfers, one at a time. It remembers none of them.
pub struct Teller {
    accounts: Arc<[ActorRef<Account>]>,
    journal: Arc<Journal>,
    faults: Arc<Faults>,
}

impl Teller {
    /// One for these accounts.
    pub fn new(
        accounts: Arc<[ActorRef<Account>]>,
        journal: Arc<Journal>,
        faults: Arc<Faults>,
    ) -> Self {
        Teller {
            accounts,
            journal,
            faults,
        }
    }

    /// Has an account do a step. Without an account that is alive there is no result.
    async fn step(&self, account: usize, order: &Transfer, step: Step) -> Option<Result<(), u64>> {
        let order = Move {
            transfer: order.number,
            step,
            amount: order.amount,
        };
        loop {
            match self.accounts[account].ask(order).await {
                Ok(result) => return Some(result),
                // It may have done the step or not. Another try does it if it has not. The
                // message waits in the mailbox until the account has another state.
                Err(AskError::Panicked) => {}
                // An account asks nothing and its mailbox has no bound: it has ended.
                Err(_) => return None,
            }
        }
    }

    /// Gives the money back, also to an account that has ended.
    async fn give_back(&self, order: &Transfer) {
        let from = order.from;
        let has_ended = self.step(from, order, Step::Returned).await.is_none();
        // The log of an account that has ended has no other writer.
        if has_ended && !self.journal.has(from, order.number, Step::Returned) {
            let entry = Entry::Moved {
                transfer: order.number,
                step: Step::Returned,
                amount: order.amount,
            };
            self.journal.append(from, entry);
        }
    }
}

impl Actor for Teller {}

impl AsyncHandler<Transfer> for Teller {
    type Reply = Outcome;

    async fn handle(&mut self, order: Transfer, _: AsyncContext<Self>) -> Outcome {
        self.faults.chance("before the transfer");
        let Transfer {
            number, from, to, ..
        } = order;
        if from == to {
            return Err(Refusal::SameAccount(from));
        }
        for account in [from, to] {
            if account >= self.accounts.len() {
                return Err(Refusal::NoSuchAccount(account));
            }
        }
        match self.step(from, &order, Step::Withdrawn).await {
            Some(Ok(())) => {}
            Some(Err(balance)) => return Err(Refusal::NotEnough(balance)),
            // It may have paid before it ended. Then the transfer goes on.
            None if self.journal.has(from, number, Step::Withdrawn) => {}
            None => return Err(Refusal::Closed(from)),
        }
        // The money is in no account now.
        self.faults.chance("between withdrawal and deposit");
        let has_it = match self.step(to, &order, Step::Deposited).await {
            Some(_) => true,
            None => self.journal.has(to, number, Step::Deposited),
        };
        if !has_it {
            self.give_back(&order).await;
            return Err(Refusal::Closed(to));
        }
        self.faults.chance("after the transfer");
        Ok(())
    }
}
