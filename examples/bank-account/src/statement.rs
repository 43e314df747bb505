//! The books of one account, and of all.

use std::collections::HashMap;

use drumline::channel::CloseReason;

use crate::{AccountId, Amount};

/// What went in and out of one account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The number of the account.
    pub account: AccountId,
    /// What it had at the beginning.
    pub opened_with: Amount,
    /// What it has now.
    pub balance: Amount,
    /// What is put aside for transfers that are not settled.
    pub reserved: Amount,
    /// The cash that came in.
    pub deposited: u128,
    /// The cash that went out.
    pub withdrawn: u128,
    /// What came from other accounts.
    pub received: u128,
    /// What went to other accounts.
    pub sent: u128,
    /// The balance that was paid out when a client closed the account. `None`: no client did.
    pub paid_out: Option<Amount>,
}

impl Statement {
    /// A new account.
    pub(crate) fn new(account: AccountId, balance: Amount) -> Self {
        Statement {
            account,
            opened_with: balance,
            balance,
            reserved: 0,
            deposited: 0,
            withdrawn: 0,
            received: 0,
            sent: 0,
            paid_out: None,
        }
    }

    /// Whether what came in is what went out and what is left.
    pub fn is_balanced(&self) -> bool {
        let incoming = u128::from(self.opened_with) + self.deposited + self.received;
        let outgoing = self.withdrawn + self.sent + u128::from(self.paid_out.unwrap_or(0));
        incoming == outgoing + u128::from(self.balance) + u128::from(self.reserved)
    }
}

/// The books of a bank that has closed.
#[derive(Clone, Debug)]
pub struct Books {
    /// All accounts.
    pub statements: Vec<Statement>,
    /// How many clients have ended for which reason.
    pub clients: HashMap<CloseReason, usize>,
}

impl Books {
    /// What all accounts have.
    pub fn balance(&self) -> u128 {
        self.sum(|statement| statement.balance.into())
    }

    /// The sum of something over all accounts.
    pub fn sum(&self, what: impl Fn(&Statement) -> u128) -> u128 {
        self.statements.iter().map(what).sum()
    }

    /// Whether no money was made or lost: each account is balanced, no transfer is left half done,
    /// and what was sent was received.
    pub fn are_balanced(&self) -> bool {
        let is_settled = |statement: &Statement| statement.is_balanced() && statement.reserved == 0;
        self.statements.iter().all(is_settled)
            && self.sum(|statement| statement.sent) == self.sum(|statement| statement.received)
    }
}
