//! Starts servers on free ports, and talks to them over plain sockets.
//!
//! The tests wait for events: a counter that changes, a line that arrives, a connection that is
//! refused. None of them measures a time.

mod cancellation;
mod client;
#[cfg(unix)]
mod command_line;
mod gate;
mod limits;
mod requests;
mod running;
mod shutdown;
