//! The task behind a client, which carries a transfer to its end.

use drumline::channel::{CloseReason, SendError, lanes, oneshot, spsc};

use crate::request::{Reply, Request, Settlement};
use crate::{AccountId, Amount, Refusal};

/// What a client wants.
pub enum Errand {
    /// A request to one account. The account itself answers the client.
    Ask(AccountId, Request),
    /// A transfer; the answer is the new balance of the account `from`.
    Transfer {
        from: AccountId,
        to: AccountId,
        amount: Amount,
        reply: Reply<Amount>,
    },
}

/// The clerk of one client, with a lane to each account.
pub struct Clerk {
    accounts: Vec<lanes::Sender<Request>>,
}

impl Clerk {
    /// A clerk with these lanes, in the order of the accounts' numbers.
    pub fn new(accounts: Vec<lanes::Sender<Request>>) -> Self {
        Clerk { accounts }
    }

    /// Runs the errands of a client until it is gone. Says why it is gone.
    pub async fn serve(mut self, mut errands: spsc::Receiver<Errand>) -> CloseReason {
        loop {
            match errands.recv_async().await {
                Ok(Errand::Ask(account, request)) => self.pass_on(account, request).await,
                Ok(Errand::Transfer {
                    from,
                    to,
                    amount,
                    reply,
                }) => {
                    let result = self.transfer(from, to, amount).await;
                    // The transfer counts also if the client has gone.
                    let _ = reply.send(result);
                }
                Err(closed) => {
                    self.accounts.into_iter().for_each(lanes::Sender::finish);
                    return closed.reason();
                }
            }
        }
    }

    /// Sends a request to an account. If that is not possible, refuses it.
    async fn pass_on(&mut self, account: AccountId, request: Request) {
        let (refusal, request) = match self.accounts.get_mut(account) {
            Some(lane) => match lane.send_async(request).await {
                Ok(()) => return,
                Err(SendError(request)) => (Refusal::Closed(account), request),
            },
            None => (Refusal::NoSuchAccount(account), request),
        };
        let _ = request.into_reply().send(Err(refusal));
    }

    async fn ask(
        &mut self,
        account: AccountId,
        request: impl FnOnce(Reply<Amount>) -> Request,
    ) -> Result<Amount, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.pass_on(account, request(reply)).await;
        answer
            .await
            .unwrap_or_else(|closed| Err(Refusal::NoAnswer(closed.reason())))
    }

    async fn transfer(
        &mut self,
        from: AccountId,
        to: AccountId,
        amount: Amount,
    ) -> Result<Amount, Refusal> {
        if from == to {
            return Err(Refusal::SameAccount(from));
        }
        self.ask(from, |reply| Request::Reserve(amount, reply))
            .await?;
        let received = self.ask(to, |reply| Request::Receive(amount, reply)).await;
        let settlement = match received {
            Ok(_) => Settlement::Received,
            Err(_) => Settlement::Refused,
        };
        let settled = self
            .ask(from, |reply| Request::Settle(amount, settlement, reply))
            .await;
        received.and(settled)
    }
}
