//! Bank transfers between actors that fail on purpose.
//!
//! An account is an actor, and so is a teller. A teller withdraws from one account and deposits to
//! another. Each of them panics now and then, and is started again by its supervisor.
//!
//! ```text
//!   bank        rest for one
//!   ├── accounts    one for one, any number of restarts; a torn journal stops its account
//!   └── tellers     one for one; too many restarts: all tellers begin anew
//! ```
//!
//! Accounts come first, because tellers depend on them, and not the other way round. A teller has
//! no state that is worth keeping. What an account has is in the journal, which stands for stable
//! storage. So a new state of an account is the old one.
//!
//! A transfer has a number. What is in the journal for that number is not done again, so a message
//! that got no reply can be sent again.
//!
//! | file | noun |
//! |---|---|
//! | `journal` | what outlives a panic, and its audit |
//! | `faults` | panics on purpose |
//! | `account` | the actor that has the money |
//! | `teller` | the actor that moves it |
//! | `transfer` | what is to be moved, and what came of it |
//! | `bank` | the tree of supervisors |
//! | `load` | many transfers at once, and their report |

mod account;
mod bank;
mod faults;
mod journal;
mod load;
mod teller;
mod transfer;

pub use bank::{Bank, BankOptions};
pub use faults::Faults;
pub use journal::{Entry, Journal, Step};
pub use load::{Load, LoadReport};
pub use transfer::{Outcome, Refusal, Transfer};
