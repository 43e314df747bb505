//! What a program holds: requests, and the wait for their answers.

use drumline::channel::{oneshot, spsc};

use crate::clerk::Errand;
use crate::request::{Reply, Request};
use crate::{AccountId, Amount, Refusal};

/// A client of a bank; made by [`Bank::client`](crate::Bank::client).
///
/// The methods are for tasks; a thread uses [`block_on`](drumline::block_on). One request at a time
/// is on its way.
///
/// # Cancellation
///
/// A future that is dropped before it is ready gives up the answer. The request may be carried out
/// all the same: as a whole, or not at all.
#[derive(Debug)]
pub struct Client {
    errands: spsc::Sender<Errand>,
}

impl Client {
    pub(crate) fn new(errands: spsc::Sender<Errand>) -> Self {
        Client { errands }
    }

    async fn call(
        &mut self,
        errand: impl FnOnce(Reply<Amount>) -> Errand,
    ) -> Result<Amount, Refusal> {
        let (reply, answer) = oneshot::channel();
        // An errand that comes back is dropped with its reply, and then the answer says why.
        let _ = self.errands.send_async(errand(reply)).await;
        answer
            .await
            .unwrap_or_else(|closed| Err(Refusal::NoAnswer(closed.reason())))
    }

    /// The balance of an account, without what is on its way to another one.
    ///
    /// # Errors
    ///
    /// As all requests: if the account does not exist, or is closed; if the bank does not answer.
    pub async fn balance(&mut self, account: AccountId) -> Result<Amount, Refusal> {
        self.call(|reply| Errand::Ask(account, Request::Balance(reply)))
            .await
    }

    /// Brings cash. Returns the new balance.
    ///
    /// # Errors
    ///
    /// As [`balance`](Self::balance), and if the account cannot hold that much.
    pub async fn deposit(&mut self, account: AccountId, amount: Amount) -> Result<Amount, Refusal> {
        self.call(|reply| Errand::Ask(account, Request::Deposit(amount, reply)))
            .await
    }

    /// Takes cash. Returns the new balance.
    ///
    /// # Errors
    ///
    /// As [`balance`](Self::balance), and if the account has less than that.
    pub async fn withdraw(
        &mut self,
        account: AccountId,
        amount: Amount,
    ) -> Result<Amount, Refusal> {
        self.call(|reply| Errand::Ask(account, Request::Withdraw(amount, reply)))
            .await
    }

    /// Moves money from one account to another. Returns the new balance of the first one.
    ///
    /// # Errors
    ///
    /// If either account refuses. Then the money stays where it was.
    pub async fn transfer(
        &mut self,
        from: AccountId,
        to: AccountId,
        amount: Amount,
    ) -> Result<Amount, Refusal> {
        self.call(|reply| Errand::Transfer {
            from,
            to,
            amount,
            reply,
        })
        .await
    }

    /// Closes an account, as soon as no transfer from it is on its way. Returns what is paid out.
    ///
    /// # Errors
    ///
    /// As [`balance`](Self::balance).
    pub async fn close(&mut self, account: AccountId) -> Result<Amount, Refusal> {
        self.call(|reply| Errand::Ask(account, Request::Close(reply)))
            .await
    }

    /// Leaves the bank. A client that is dropped instead is noted as one that went away.
    pub fn finish(self) {
        self.errands.finish();
    }
}
