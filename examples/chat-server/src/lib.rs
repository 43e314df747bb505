//! A chat server: one room, and clients that speak lines of text over TCP.
//!
//! tokio owns the sockets. The room is an actor, and so is the writing side of each client. What
//! the room broadcasts is told to each of them, in one order. A client that reads more slowly than
//! the room speaks fills the bounded mailbox of its actor, and is disconnected then.
//!
//! | file | noun |
//! |---|---|
//! | `settings` | what the command line says |
//! | `server` | the listener, and the end of everything |
//! | `room` | the actor that knows the members |
//! | `connection` | the actor that writes to one client |
//! | `outbox` | what is to be written to a socket |
//! | `closer` | the rest that is written after the actor of a client has ended |
//! | `conversation` | the task that reads from one client |
//! | `command` | what a line of a client means |
//! | `farewell` | why a client leaves, in words |
//! | `descriptors` | how many sockets the system lets a process have |
//! | `load` | a thousand clients, and what they hear |
//! | `load_client` | one of them |

mod closer;
mod command;
mod connection;
mod conversation;
pub mod descriptors;
mod farewell;
pub mod load;
mod load_client;
mod outbox;
mod room;
mod server;
mod settings;

pub use command::LONGEST_LINE;
pub use room::RoomReport;
pub use server::{Server, ServerHandle};
pub use settings::Settings;
