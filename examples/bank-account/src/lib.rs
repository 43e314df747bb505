//! A bank without locks: each account is a task, and all that it hears comes through a channel.
//!
//! ```
//! use bank_account::Bank;
//!
//! let pool = drumline::Pool::builder().jobs(2).build()?;
//! let mut bank = Bank::open(&pool, [100, 0]);
//! let mut client = bank.client();
//! drumline::block_on(async {
//!     assert_eq!(client.transfer(0, 1, 30).await, Ok(70));
//!     assert_eq!(client.balance(1).await, Ok(30));
//! });
//! client.finish();
//! assert_eq!(bank.finish()?.balance(), 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ```text
//!                 spsc::bounded           lanes::per_lane
//!   client ────────────────────► clerk ═══════════════════► account
//!     ▲                                                        │
//!     └────────────────────────────────────────────────────────┘
//!                               oneshot
//! ```
//!
//! | file | noun |
//! |---|---|
//! | `bank` | what opens accounts and clients, and closes the books |
//! | `client` | what a program holds: requests, and the wait for their answers |
//! | `clerk` | the task behind a client, which carries a transfer to its end |
//! | `account` | the task that has the money |
//! | `request` | what an account is asked |
//! | `statement` | the books of one account, and of all |
//! | `refusal` | why a request is not granted |
//! | `load` | random requests of many clients |
//!
//! # Why no transfer waits for ever
//!
//! An account only answers: it never sends a request, and the send of an answer never waits. So
//! each account comes to each of its requests, whatever the others do, and a bounded lane to it has
//! room again.
//!
//! # Why no money is lost
//!
//! A transfer has three steps: the first account reserves the amount, the second one receives it,
//! the first one settles. The clerk takes them, and not the client. So a client that goes away, or
//! panics, leaves no transfer half done.
//!
//! An account that is asked to close waits until its transfers are settled. Then it closes its
//! channel by `drain`: each request that was sent before the end is refused by a reply, and each
//! later one comes back to its clerk.

mod account;
mod bank;
mod clerk;
mod client;
pub mod load;
mod refusal;
mod request;
mod statement;

pub use bank::Bank;
pub use client::Client;
pub use refusal::Refusal;
pub use statement::{Books, Statement};

/// The number of an account.
pub type AccountId = usize;

/// An amount of money, in the smallest unit.
pub type Amount = u64;
