//! What an account is asked.

use drumline::channel::oneshot;

use crate::{Amount, Refusal};

/// Where the answer goes. A client that is gone misses it, and that is all.
pub type Reply<T> = oneshot::Sender<Result<T, Refusal>>;

/// A request to an account. Each answer but that to [`Close`](Request::Close) is the new balance.
pub enum Request {
    /// What is the balance?
    Balance(Reply<Amount>),
    /// Cash comes in.
    Deposit(Amount, Reply<Amount>),
    /// Cash goes out.
    Withdraw(Amount, Reply<Amount>),
    /// The first step of a transfer: the amount is put aside, for another account.
    Reserve(Amount, Reply<Amount>),
    /// The second step, at the other account.
    Receive(Amount, Reply<Amount>),
    /// The third step: what was put aside has gone to the other account, or comes back.
    Settle(Amount, Settlement, Reply<Amount>),
    /// Pay out the balance, and end. The answer is what is paid out.
    Close(Reply<Amount>),
}

/// How the second step of a transfer went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// The other account has the money.
    Received,
    /// The other account has refused it.
    Refused,
}

impl Request {
    /// The reply of a request that cannot be granted.
    pub fn into_reply(self) -> Reply<Amount> {
        match self {
            Request::Balance(reply)
            | Request::Deposit(_, reply)
            | Request::Withdraw(_, reply)
            | Request::Reserve(_, reply)
            | Request::Receive(_, reply)
            | Request::Settle(_, _, reply)
            | Request::Close(reply) => reply,
        }
    }
}
