//! Why a request is not granted.

use std::error::Error;
use std::fmt;

use drumline::channel::CloseReason;

use crate::{AccountId, Amount};

/// Why a request is not granted. The money is where it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The bank has no account of this number.
    NoSuchAccount(AccountId),
    /// The account is closed, or about to be.
    Closed(AccountId),
    /// A transfer from an account to itself.
    SameAccount(AccountId),
    /// The account has less than the request takes.
    NotEnough {
        /// The account.
        account: AccountId,
        /// What it has, without what is reserved for transfers.
        balance: Amount,
    },
    /// The account would have more than an [`Amount`] can say.
    TooMuch(AccountId),
    /// No answer comes: the bank has ended, or a task of it has panicked. Whether the request was
    /// carried out is not known.
    NoAnswer(CloseReason),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoSuchAccount(account) => write!(f, "there is no account {account}"),
            Refusal::Closed(account) => write!(f, "account {account} is closed"),
            Refusal::SameAccount(account) => {
                write!(f, "a transfer from account {account} to itself")
            }
            Refusal::NotEnough { account, balance } => {
                write!(f, "account {account} has only {balance}")
            }
            Refusal::TooMuch(account) => write!(f, "account {account} cannot hold that much"),
            Refusal::NoAnswer(reason) => write!(f, "the bank does not answer: {reason}"),
        }
    }
}

impl Error for Refusal {}
