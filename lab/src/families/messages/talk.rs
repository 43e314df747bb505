//! A client that talks with a server all the time.

use std::thread;

use super::MessageRuntime;
use super::dialogue::{Client, Server};
use crate::session::Session;

/// What a client does all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Talk {
    /// It sends numbers.
    Sends,
    /// It asks.
    Asks,
}

/// Measures a client, and a server on another thread, from making the session to its end.
pub fn talk<R: MessageRuntime>(size: u64, talk: Talk, session: &mut Session) {
    let messages = match talk {
        Talk::Sends => size,
        Talk::Asks => 2 * size,
    };
    session.tasks(2, Some(messages));
    session.sample_prepared(
        size,
        &mut (),
        |()| (),
        |()| {
            let (client, server) = R::dialogue();
            thread::scope(|scope| {
                let server = scope.spawn(|| server.serve());
                let numbers = 0..size;
                let client = match talk {
                    Talk::Sends => client.send(numbers),
                    Talk::Asks => client.ask(numbers),
                };
                let sum = client.and_then(Client::finish);
                let served = server.join().expect("the server panicked");
                served.and(sum)
            })
        },
        |(), sum| {
            if sum == Some((0..size).sum()) {
                Ok(())
            } else {
                Err(format!("the sum of the numbers is {sum:?}"))
            }
        },
    );
}
