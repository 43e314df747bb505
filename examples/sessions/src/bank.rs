//! A bank: one clerk serves all customers, each of which has a session.
//!
//! ```
//! use sessions::bank::{self, account};
//!
//! let (start, clerk) = account::unbounded();
//! let clerk = std::thread::spawn(|| bank::serve(vec![100], vec![clerk]));
//! let (balance, start) = bank::deposit(start, 0, 50)?;
//! assert_eq!(balance, Some(150));
//! bank::leave(start)?;
//! assert_eq!(clerk.join().unwrap().balances, [150]);
//! # Ok::<(), drumline::protocol::PeerLeft>(())
//! ```
//!
//! The clerk takes one request at a time, from the first session that has one. So no lock is
//! needed, and money cannot be lost between two accounts: a transfer is one request, which is
//! granted or refused as a whole. A customer that goes away in the middle has made no request, or
//! hears no more of the one that was made.

use drumline::protocol::{PeerLeft, select};

/// The number of an account.
pub type AccountId = usize;

/// An amount of money, in the smallest unit.
pub type Amount = u64;

/// What is moved from one account to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Where it comes from.
    pub from: AccountId,
    /// Where it goes.
    pub to: AccountId,
    /// How much.
    pub amount: Amount,
}

drumline::protocol! {
    /// What a customer and the clerk of a bank say to each other.
    pub mod account of customer with clerk {
        /// The customer says what to do.
        Start = choose {
            /// Money comes into this account.
            Deposit((AccountId, Amount)) => Decision,
            /// Money leaves this account.
            Withdraw((AccountId, Amount)) => Decision,
            /// Money goes from one account to another.
            Move(Transfer) => Decision,
            Leave => end,
        };
        /// The clerk says whether it was done.
        Decision = offer {
            /// It was. This is the balance of the account, or of the first one.
            Granted(Amount) => Start,
            /// It was not: there is too little, or no such account.
            Refused => Start,
        };
    }
}

use account::{choice, clerk, customer, offer};

/// The result of a request: the balance if it was granted, and the next step.
type Decided = Result<(Option<Amount>, customer::Start), PeerLeft>;

/// Puts money into an account. Returns its balance, or `None` if that was refused.
///
/// # Errors
///
/// If the clerk has left.
pub fn deposit(start: customer::Start, to: AccountId, amount: Amount) -> Decided {
    decided(start.choose(choice::Start::Deposit((to, amount)))?)
}

/// Takes money out of an account. Returns its balance, or `None` if that was refused.
///
/// # Errors
///
/// If the clerk has left.
pub fn withdraw(start: customer::Start, from: AccountId, amount: Amount) -> Decided {
    decided(start.choose(choice::Start::Withdraw((from, amount)))?)
}

/// Moves money. Returns the balance of the account that it has left, or `None` if that was refused.
///
/// # Errors
///
/// If the clerk has left.
pub fn transfer(start: customer::Start, transfer: Transfer) -> Decided {
    decided(start.choose(choice::Start::Move(transfer))?)
}

/// Says goodbye.
///
/// # Errors
///
/// If the clerk has left.
pub fn leave(start: customer::Start) -> Result<customer::End, PeerLeft> {
    Ok(start.choose(choice::Start::Leave)?)
}

fn decided(decision: customer::Decision) -> Decided {
    Ok(match decision.offer()? {
        offer::Decision::Granted(balance, start) => (Some(balance), start),
        offer::Decision::Refused(start) => (None, start),
    })
}

/// What the clerk knows in the evening.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Books {
    /// What each account has.
    pub balances: Vec<Amount>,
    /// How many requests were granted.
    pub granted: u64,
    /// How many were refused.
    pub refused: u64,
    /// How many customers went away without a word.
    pub left: u64,
}

impl Books {
    fn deposit(&mut self, to: AccountId, amount: Amount) -> Option<Amount> {
        let balance = self.balances.get_mut(to)?;
        *balance = balance.checked_add(amount)?;
        Some(*balance)
    }

    fn withdraw(&mut self, from: AccountId, amount: Amount) -> Option<Amount> {
        let balance = self.balances.get_mut(from)?;
        *balance = balance.checked_sub(amount)?;
        Some(*balance)
    }

    fn transfer(&mut self, transfer: Transfer) -> Option<Amount> {
        let Transfer { from, to, amount } = transfer;
        // Both accounts are asked before either is changed.
        if from == to || self.balances.get(to)?.checked_add(amount).is_none() {
            return None;
        }
        let balance = self.withdraw(from, amount)?;
        self.deposit(to, amount).map(|_| balance)
    }

    /// Answers. `None`: the customer has left.
    fn decide(
        &mut self,
        decision: clerk::Decision,
        balance: Option<Amount>,
    ) -> Option<clerk::Start> {
        let start = match balance {
            Some(balance) => {
                self.granted += 1;
                decision.choose(choice::Decision::Granted(balance)).ok()
            }
            None => {
                self.refused += 1;
                decision.choose(choice::Decision::Refused).ok()
            }
        };
        self.left += u64::from(start.is_none());
        start
    }
}

/// Serves all customers until each of them has left.
pub fn serve(balances: Vec<Amount>, mut customers: Vec<clerk::Start>) -> Books {
    let mut books = Books {
        balances,
        ..Books::default()
    };
    while let Some((_, request)) = select(&mut customers) {
        let (decision, balance) = match request {
            Ok(offer::Start::Deposit((to, amount), decision)) => {
                (decision, books.deposit(to, amount))
            }
            Ok(offer::Start::Withdraw((from, amount), decision)) => {
                (decision, books.withdraw(from, amount))
            }
            Ok(offer::Start::Move(transfer, decision)) => (decision, books.transfer(transfer)),
            Ok(offer::Start::Leave(_end)) => continue,
            Err(_left) => {
                books.left += 1;
                continue;
            }
        };
        // Customers that have been served go to the end of the queue.
        customers.extend(books.decide(decision, balance));
    }
    books
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn no_money_is_lost() {
        const CUSTOMERS: usize = 6;
        let (starts, clerks): (Vec<_>, Vec<_>) =
            (0..CUSTOMERS).map(|_| account::unbounded()).unzip();
        let clerk = thread::spawn(|| serve(vec![100; 3], clerks));
        let customers = starts.into_iter().enumerate().map(|(number, start)| {
            thread::spawn(move || {
                let mut start = start;
                for round in 0..200 {
                    let transfer = Transfer {
                        from: (number + round) % 3,
                        to: (number + 1) % 3,
                        amount: (round % 70) as Amount,
                    };
                    start = super::transfer(start, transfer).unwrap().1;
                }
                if number % 2 == 0 {
                    leave(start).unwrap();
                }
            })
        });
        let customers: Vec<_> = customers.collect();
        customers
            .into_iter()
            .for_each(|customer| customer.join().unwrap());
        let books = clerk.join().unwrap();
        assert_eq!(books.balances.iter().sum::<Amount>(), 300);
        assert_eq!(books.granted + books.refused, 1_200);
        assert_eq!(books.left, 3);
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let (start, clerk) = account::bounded(1);
        let clerk = thread::spawn(|| serve(vec![10, Amount::MAX], vec![clerk]));
        let (balance, start) = withdraw(start, 0, 11).unwrap();
        assert_eq!(balance, None);
        let (balance, start) = withdraw(start, 7, 0).unwrap();
        assert_eq!(balance, None);
        let (balance, start) = deposit(start, 1, 1).unwrap();
        assert_eq!(balance, None);
        let full = Transfer {
            from: 0,
            to: 1,
            amount: 5,
        };
        let (balance, start) = transfer(start, full).unwrap();
        assert_eq!(balance, None);
        let (balance, start) = withdraw(start, 0, 4).unwrap();
        assert_eq!(balance, Some(6));
        drop(start);
        let books = clerk.join().unwrap();
        assert_eq!(books.balances, [6, Amount::MAX]);
        assert_eq!((books.granted, books.refused, books.left), (1, 4, 1));
    }
}
