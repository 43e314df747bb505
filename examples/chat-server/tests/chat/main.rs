//! Starts servers on free ports, and talks to them over plain sockets.
//!
//! The tests wait for events: a line that arrives, a connection that ends. None of them measures a
//! time.

mod client;
#[cfg(unix)]
mod command_line;
mod load;
mod room;
mod running;
mod shutdown;
mod slow;
