//! The bank from outside: its promises, and the program.

mod command_line;
mod failures;
mod refusals;

use std::num::NonZero;

use bank_transfer::{BankOptions, Load};
use drumline::Pool;

fn pool(jobs: usize) -> Pool {
    let pool = Pool::builder().jobs(jobs).panic_handler(|_| {});
    pool.build().unwrap()
}

/// Four tellers, which may be started again as often as they like.
fn bank() -> BankOptions {
    BankOptions {
        tellers: NonZero::new(4).unwrap(),
        teller_restarts: usize::MAX,
    }
}

/// One chance in this many is a panic.
fn load(faults: u64, seed: u64) -> Load {
    Load {
        accounts: NonZero::new(5).unwrap(),
        balance: 1_000,
        transfers: 400,
        faults: NonZero::new(faults),
        seed,
        corrupt: None,
        bank: bank(),
    }
}
