//! What is to be moved, and what came of it.

use std::fmt;

/// An order to move money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// No other transfer has it. A try again has the same.
    pub number: u64,
    /// The account that has the money.
    pub from: usize,
    /// The account that gets it.
    pub to: usize,
    /// How much.
    pub amount: u64,
}

/// Why no money was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// There is no account with this number.
    NoSuchAccount(usize),
    /// Both accounts are this one.
    SameAccount(usize),
    /// The first account has only this much.
    NotEnough(u64),
    /// This account has been stopped.
    Closed(usize),
    /// The bank has been shut down.
    NoTeller,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoSuchAccount(account) => write!(f, "there is no account {account}"),
            Refusal::SameAccount(account) => write!(f, "both accounts are account {account}"),
            Refusal::NotEnough(balance) => write!(f, "the balance is only {balance}"),
            Refusal::Closed(account) => write!(f, "account {account} is closed"),
            Refusal::NoTeller => f.write_str("there is no teller"),
        }
    }
}

/// What came of a transfer: it is done, or nothing was moved.
pub type Outcome = Result<(), Refusal>;
