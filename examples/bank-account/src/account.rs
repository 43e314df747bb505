//! The task that has the money.

use drumline::channel::lanes;

use crate::request::{Reply, Request, Settlement};
use crate::{AccountId, Amount, Refusal, Statement};

/// An account. Only its own task ever touches it.
pub struct Account {
    statement: Statement,
    /// Where the payout goes, once no transfer is on its way.
    closing: Option<Reply<Amount>>,
}

impl Account {
    /// An account with this balance.
    pub fn new(id: AccountId, balance: Amount) -> Self {
        Account {
            statement: Statement::new(id, balance),
            closing: None,
        }
    }

    /// Answers requests until a client closes the account, or all clerks are gone.
    pub async fn serve(mut self, mut requests: lanes::Receiver<Request>) -> Statement {
        while self.statement.paid_out.is_none() {
            match requests.recv_async().await {
                Ok(request) => self.answer(request),
                Err(_) => break,
            }
            self.close_if_settled();
        }
        // A request is either here, or its send has failed: none is left without an answer.
        for request in requests.drain() {
            let _ = request.into_reply().send(Err(self.closed()));
        }
        self.statement
    }

    fn answer(&mut self, request: Request) {
        let (result, reply) = match request {
            Request::Settle(amount, settlement, reply) => (self.settle(amount, settlement), reply),
            // It waits for transfers that are on their way, and begins nothing new.
            request if self.closing.is_some() => (Err(self.closed()), request.into_reply()),
            Request::Balance(reply) => (Ok(self.statement.balance), reply),
            Request::Deposit(amount, reply) => (self.deposit(amount), reply),
            Request::Withdraw(amount, reply) => (self.withdraw(amount), reply),
            Request::Reserve(amount, reply) => (self.reserve(amount), reply),
            Request::Receive(amount, reply) => (self.receive(amount), reply),
            Request::Close(reply) => {
                self.closing = Some(reply);
                return;
            }
        };
        let _ = reply.send(result);
    }

    fn closed(&self) -> Refusal {
        Refusal::Closed(self.statement.account)
    }

    fn close_if_settled(&mut self) {
        if self.statement.reserved == 0
            && let Some(reply) = self.closing.take()
        {
            let balance = std::mem::take(&mut self.statement.balance);
            self.statement.paid_out = Some(balance);
            let _ = reply.send(Ok(balance));
        }
    }

    /// Adds to the balance. What is reserved may come back, so there must be room for both.
    fn add(&mut self, amount: Amount) -> Result<Amount, Refusal> {
        let statement = &mut self.statement;
        let balance = statement.balance.checked_add(amount);
        match balance.filter(|balance| balance.checked_add(statement.reserved).is_some()) {
            Some(balance) => {
                statement.balance = balance;
                Ok(balance)
            }
            None => Err(Refusal::TooMuch(statement.account)),
        }
    }

    fn take(&mut self, amount: Amount) -> Result<Amount, Refusal> {
        let statement = &mut self.statement;
        match statement.balance.checked_sub(amount) {
            Some(balance) => {
                statement.balance = balance;
                Ok(balance)
            }
            None => Err(Refusal::NotEnough {
                account: statement.account,
                balance: statement.balance,
            }),
        }
    }

    fn deposit(&mut self, amount: Amount) -> Result<Amount, Refusal> {
        let balance = self.add(amount)?;
        self.statement.deposited += u128::from(amount);
        Ok(balance)
    }

    fn withdraw(&mut self, amount: Amount) -> Result<Amount, Refusal> {
        let balance = self.take(amount)?;
        self.statement.withdrawn += u128::from(amount);
        Ok(balance)
    }

    fn reserve(&mut self, amount: Amount) -> Result<Amount, Refusal> {
        let balance = self.take(amount)?;
        self.statement.reserved += amount;
        Ok(balance)
    }

    fn receive(&mut self, amount: Amount) -> Result<Amount, Refusal> {
        let balance = self.add(amount)?;
        self.statement.received += u128::from(amount);
        Ok(balance)
    }

    fn settle(&mut self, amount: Amount, settlement: Settlement) -> Result<Amount, Refusal> {
        self.statement.reserved -= amount;
        match settlement {
            Settlement::Received => self.statement.sent += u128::from(amount),
            Settlement::Refused => self.statement.balance += amount,
        }
        Ok(self.statement.balance)
    }
}

#[cfg(test)]
mod tests {
    use drumline::channel::oneshot;

    use super::*;

    fn ask(
        account: &mut Account,
        request: impl FnOnce(Reply<Amount>) -> Request,
    ) -> Result<Amount, Refusal> {
        let (reply, answer) = oneshot::channel();
        account.answer(request(reply));
        account.close_if_settled();
        answer.recv().expect("each request has an answer")
    }

    #[test]
    fn money_that_is_reserved_cannot_be_withdrawn() {
        let mut account = Account::new(3, 100);
        assert_eq!(ask(&mut account, |to| Request::Reserve(80, to)), Ok(20));
        assert_eq!(
            ask(&mut account, |to| Request::Withdraw(21, to)),
            Err(Refusal::NotEnough {
                account: 3,
                balance: 20
            })
        );
        let refused = |to| Request::Settle(80, Settlement::Refused, to);
        assert_eq!(ask(&mut account, refused), Ok(100));
        assert!(account.statement.is_balanced());
    }

    #[test]
    fn there_is_always_room_for_what_comes_back() {
        let mut account = Account::new(0, Amount::MAX);
        assert_eq!(
            ask(&mut account, |to| Request::Reserve(10, to)),
            Ok(Amount::MAX - 10)
        );
        let deposit = |to| Request::Deposit(1, to);
        assert_eq!(ask(&mut account, deposit), Err(Refusal::TooMuch(0)));
        let receive = |to| Request::Receive(1, to);
        assert_eq!(ask(&mut account, receive), Err(Refusal::TooMuch(0)));
        let refused = |to| Request::Settle(10, Settlement::Refused, to);
        assert_eq!(ask(&mut account, refused), Ok(Amount::MAX));
    }

    #[test]
    fn an_account_closes_when_its_transfers_are_settled() {
        let mut account = Account::new(0, 100);
        assert_eq!(ask(&mut account, |to| Request::Reserve(60, to)), Ok(40));
        let (reply, mut payout) = oneshot::channel();
        account.answer(Request::Close(reply));
        account.close_if_settled();
        assert!(payout.try_recv().is_err());
        // Nothing new begins meanwhile.
        assert_eq!(ask(&mut account, Request::Balance), Err(Refusal::Closed(0)));
        assert_eq!(ask(&mut account, Request::Close), Err(Refusal::Closed(0)));

        let received = |to| Request::Settle(60, Settlement::Received, to);
        assert_eq!(ask(&mut account, received), Ok(40));
        assert_eq!(payout.try_recv(), Ok(Ok(40)));
        assert_eq!(account.statement.paid_out, Some(40));
        assert!(account.statement.is_balanced());
    }
}
