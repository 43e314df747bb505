//! What opens accounts and clients, and closes the books.

use std::collections::HashMap;

use drumline::channel::{CloseReason, lanes, spsc};
use drumline::{JoinError, JoinHandle, Pool};

use crate::account::Account;
use crate::clerk::Clerk;
use crate::request::Request;
use crate::{Amount, Books, Client, Statement};

/// How many requests of one clerk may wait at one account. A clerk sends the next one only after an
/// answer, unless its client has given up.
const PER_LANE: usize = 2;

/// A bank, with tasks that run on a pool.
#[derive(Debug)]
pub struct Bank<'p> {
    pool: &'p Pool,
    lanes: Vec<lanes::Sender<Request>>,
    accounts: Vec<JoinHandle<Statement>>,
    clerks: Vec<JoinHandle<CloseReason>>,
}

impl<'p> Bank<'p> {
    /// A bank with an account for each of these balances. They are numbered from 0.
    pub fn open(pool: &'p Pool, balances: impl IntoIterator<Item = Amount>) -> Self {
        let (lanes, accounts) = balances
            .into_iter()
            .enumerate()
            .map(|(id, balance)| {
                let (lane, requests) = lanes::per_lane(PER_LANE);
                let account = Account::new(id, balance);
                (lane, pool.spawn_future(account.serve(requests)))
            })
            .unzip();
        Bank {
            pool,
            lanes,
            accounts,
            clerks: Vec::new(),
        }
    }

    /// A new client, and the task behind it. It takes a lane to each account, of about 800
    /// bytes.
    pub fn client(&mut self) -> Client {
        let (sender, errands) = spsc::bounded(1);
        let clerk = Clerk::new(self.lanes.clone());
        self.clerks
            .push(self.pool.spawn_future(clerk.serve(errands)));
        Client::new(sender)
    }

    /// Waits until all clients are gone, and closes the books.
    ///
    /// # Errors
    ///
    /// If a task of the bank has panicked, or the pool has ended before.
    pub fn finish(self) -> Result<Books, JoinError> {
        let mut clients = HashMap::new();
        for clerk in self.clerks {
            *clients.entry(clerk.join()?).or_default() += 1;
        }
        // With the last lanes the accounts end.
        self.lanes.into_iter().for_each(lanes::Sender::finish);
        let statements = self.accounts.into_iter().map(JoinHandle::join);
        Ok(Books {
            statements: statements.collect::<Result<_, _>>()?,
            clients,
        })
    }
}
