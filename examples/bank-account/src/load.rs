//! Random requests of many clients.

use std::num::NonZero;
use std::ops::AddAssign;

use fastrand::Rng;

use crate::{Amount, Client, Refusal};

/// No single request is about more than this.
const MOST: Amount = 100;

/// What clients have done, by the answers that they got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many requests were granted.
    pub granted: u64,
    /// How many requests were refused, for want of money or because an account is closed.
    pub refused: u64,
    /// The cash that went in.
    pub deposited: u128,
    /// The cash that came out.
    pub withdrawn: u128,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.granted += other.granted;
        self.refused += other.refused;
        self.deposited += other.deposited;
        self.withdrawn += other.withdrawn;
    }
}

/// Makes a number of random requests to accounts, three of eight of which are transfers.
///
/// # Errors
///
/// If the bank does not answer.
pub async fn visit(
    client: &mut Client,
    accounts: NonZero<usize>,
    requests: u64,
    mut random: Rng,
) -> Result<Tally, Refusal> {
    let mut tally = Tally::default();
    for _ in 0..requests {
        let account = random.usize(..accounts.get());
        let amount = random.u64(1..=MOST);
        let result = match random.u8(..8) {
            0 => client.balance(account).await,
            1 | 2 => {
                let result = client.deposit(account, amount).await;
                tally.deposited += result.map_or(0, |_| amount.into());
                result
            }
            3 | 4 => {
                let result = client.withdraw(account, amount).await;
                tally.withdrawn += result.map_or(0, |_| amount.into());
                result
            }
            _ => {
                let to = random.usize(..accounts.get());
                client.transfer(account, to, amount).await
            }
        };
        match result {
            Ok(_) => tally.granted += 1,
            Err(refusal @ Refusal::NoAnswer(_)) => return Err(refusal),
            Err(_) => tally.refused += 1,
        }
    }
    Ok(tally)
}
