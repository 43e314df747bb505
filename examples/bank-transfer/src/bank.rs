//! The tree of supervisors.

use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use drumline::Pool;
use drumline::actor::{
    ActorRef, ActorSystem, AskError, Directive, ShutdownReport, SpawnOptions, Strategy, Supervisor,
    SupervisorOptions,
};

use crate::account::{Account, GetBalance};
use crate::faults::Faults;
use crate::journal::Journal;
use crate::teller::Teller;
use crate::transfer::{Outcome, Refusal, Transfer};

/// In which failures are counted. No run takes longer.
const LONG: Duration = Duration::from_secs(3_600);

/// How a bank is made.
#[derive(Clone, Copy, Debug)]
pub struct BankOptions {
    /// How many tellers there are.
    pub tellers: NonZero<usize>,
    /// After this many restarts of tellers, all of them begin anew.
    pub teller_restarts: usize,
}

/// Accounts and tellers, and their supervisors.
pub struct Bank {
    system: ActorSystem,
    root: Supervisor,
    accounts: Arc<[ActorRef<Account>]>,
    tellers: Vec<ActorRef<Teller>>,
    failures: Arc<AtomicU64>,
}

impl Bank {
    /// Opens an account for each log of the journal that has a number below `accounts`.
    pub fn open(
        pool: &Pool,
        accounts: usize,
        journal: &Arc<Journal>,
        faults: &Arc<Faults>,
        options: BankOptions,
    ) -> Self {
        let system = ActorSystem::new(pool);
        let failures = Arc::new(AtomicU64::new(0));
        let heard = Arc::clone(&failures);
        system.on_failure(move |_, _| {
            // Relaxed: a count. It is read when all actors have ended.
            heard.fetch_add(1, Ordering::Relaxed);
        });
        let any_number = SupervisorOptions::new().max_restarts(usize::MAX, LONG);
        let root = system.supervisor(any_number.clone().strategy(Strategy::RestForOne));

        let of_accounts = any_number.on_failure(|failure| {
            // Its state comes from its log. Where that is torn, another try is in vain.
            if Account::is_corrupt(failure) {
                Directive::Stop
            } else {
                Directive::Restart
            }
        });
        let of_accounts = root.supervisor(of_accounts.name("accounts"));
        let open = |number| {
            let (journal, faults) = (Arc::clone(journal), Arc::clone(faults));
            let make = move || Account::replay(number, &journal, &faults);
            let options = SpawnOptions::new().name(format!("account {number}"));
            of_accounts.spawn_with(make, options)
        };
        let accounts: Arc<[_]> = (0..accounts).map(open).collect();

        let of_tellers = SupervisorOptions::new()
            .name("tellers")
            .max_restarts(options.teller_restarts, LONG);
        let of_tellers = root.supervisor(of_tellers);
        let teller = |number| {
            let accounts = Arc::clone(&accounts);
            let (journal, faults) = (Arc::clone(journal), Arc::clone(faults));
            let make = move || {
                let accounts = Arc::clone(&accounts);
                Teller::new(accounts, Arc::clone(&journal), Arc::clone(&faults))
            };
            of_tellers.spawn_with(make, SpawnOptions::new().name(format!("teller {number}")))
        };
        let tellers = (0..options.tellers.get()).map(teller).collect();
        Bank {
            system,
            root,
            accounts,
            tellers,
            failures,
        }
    }

    /// Has a teller do a transfer, until there is an outcome.
    pub async fn transfer(&self, order: Transfer) -> Outcome {
        let teller = &self.tellers[(order.number % self.tellers.len() as u64) as usize];
        loop {
            match teller.ask(order).await {
                Ok(outcome) => return outcome,
                // The number of the transfer keeps another try from doing it twice.
                Err(AskError::Panicked) => {}
                // A teller waits for accounts only, and its mailbox has no bound: it has ended.
                Err(_) => return Err(Refusal::NoTeller),
            }
        }
    }

    /// The balances of all accounts. One that was stopped has none.
    pub fn balances(&self) -> Vec<Option<u64>> {
        let balance = |account: &ActorRef<Account>| account.ask(GetBalance).recv().ok();
        self.accounts.iter().map(balance).collect()
    }

    /// How many panics of actors the system has told of.
    pub fn failures(&self) -> u64 {
        // Relaxed: as above.
        self.failures.load(Ordering::Relaxed)
    }

    /// How many restarts there were.
    pub fn restarts(&self) -> usize {
        self.system.stats().restarts
    }

    /// Ends the tree: first tellers, which end what they do, then accounts.
    #[must_use = "it says which actors have not ended"]
    pub fn shut_down(&self, deadline: Instant) -> ShutdownReport {
        self.root.shutdown(deadline)
    }
}
