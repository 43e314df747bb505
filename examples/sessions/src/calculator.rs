//! A calculator with a protocol that has grown: an older client speaks with a newer server.
//!
//! ```
//! use sessions::calculator::{self, greeting};
//!
//! let (hello, server) = greeting::unbounded();
//! let server = std::thread::spawn(|| calculator::serve(server));
//! // This client knows the first version only.
//! let client = calculator::connect_one(hello)?;
//! assert_eq!(calculator::sum(client, [1, 2, 3])?, 6);
//! assert_eq!(server.join().unwrap()?, calculator::Version::One);
//! # Ok::<(), drumline::protocol::PeerLeft>(())
//! ```
//!
//! There are two ways for a protocol to grow.
//!
//! * **A step gets another branch.** The client chooses in the step `Start`. When
//!   [`two`](mod@two) has more branches there than [`one`](mod@one), the text of a client that uses
//!   the old ones needs no change. The server has a `match` with one arm too few, so it does not
//!   compile until it can do what is new.
//! * **A version beside the other one.** Clients that were written for the types of the first
//!   version keep them. Each client begins with a [`greeting`](mod@greeting). There it *sends* the
//!   server the other side of a session of the version that it speaks. The greeting has a branch
//!   for each version, and grows in the first way.

use drumline::protocol::PeerLeft;

drumline::protocol! {
    /// The first version: sums.
    pub mod one of client with server {
        Start = choose {
            Add((i64, i64)) => Answer,
            Quit => end,
        };
        Answer = recv i64 => Start;
    }
}

drumline::protocol! {
    /// The second version: two more branches, and a step that tells more than a number.
    pub mod two of client with server {
        Start = choose {
            Add((i64, i64)) => Answer,
            Multiply((i64, i64)) => Answer,
            Divide((i64, i64)) => Quotient,
            Quit => end,
        };
        Answer = recv i64 => Start;
        Quotient = offer {
            Is(i64) => Start,
            /// Nothing can be divided by zero.
            ByZero => Start,
        };
    }
}

drumline::protocol! {
    /// How each client begins.
    pub mod greeting of client with server {
        Hello = choose {
            /// The client speaks the first version, in this session.
            One(one::server::Start) => end,
            /// The client speaks the second version, in this session.
            Two(two::server::Start) => end,
        };
    }
}

/// A version of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// [`one`](mod@one).
    One,
    /// [`two`](mod@two).
    Two,
}

/// Begins a session of the first version.
///
/// # Errors
///
/// If the server has left.
pub fn connect_one(hello: greeting::client::Hello) -> Result<one::client::Start, PeerLeft> {
    let (client, server) = one::unbounded();
    hello.choose(greeting::choice::Hello::One(server))?;
    Ok(client)
}

/// Begins a session of the second version.
///
/// # Errors
///
/// If the server has left.
pub fn connect_two(hello: greeting::client::Hello) -> Result<two::client::Start, PeerLeft> {
    let (client, server) = two::unbounded();
    hello.choose(greeting::choice::Hello::Two(server))?;
    Ok(client)
}

/// A client of the first version: adds numbers up.
///
/// # Errors
///
/// If the server has left.
pub fn sum(
    mut start: one::client::Start,
    numbers: impl IntoIterator<Item = i64>,
) -> Result<i64, PeerLeft> {
    let mut sum = 0;
    for number in numbers {
        let answer = start.choose(one::choice::Start::Add((sum, number)))?;
        (sum, start) = answer.recv()?;
    }
    start.choose(one::choice::Start::Quit)?;
    Ok(sum)
}

/// A client of the second version: the mean of numbers, rounded towards zero. `None`: there are no
/// numbers.
///
/// # Errors
///
/// If the server has left.
pub fn mean(
    mut start: two::client::Start,
    numbers: impl IntoIterator<Item = i64>,
) -> Result<Option<i64>, PeerLeft> {
    let (mut sum, mut count) = (0, 0);
    for number in numbers {
        let answer = start.choose(two::choice::Start::Add((sum, number)))?;
        (sum, start) = answer.recv()?;
        count += 1;
    }
    let quotient = start.choose(two::choice::Start::Divide((sum, count)))?;
    let (mean, start) = match quotient.offer()? {
        two::offer::Quotient::Is(mean, start) => (Some(mean), start),
        two::offer::Quotient::ByZero(start) => (None, start),
    };
    start.choose(two::choice::Start::Quit)?;
    Ok(mean)
}

/// A server of all versions. Returns which one the client spoke.
///
/// # Errors
///
/// If the client leaves before the end.
pub fn serve(hello: greeting::server::Hello) -> Result<Version, PeerLeft> {
    match hello.offer()? {
        greeting::offer::Hello::One(session, _end) => serve_one(session).map(|_| Version::One),
        greeting::offer::Hello::Two(session, _end) => serve_two(session).map(|_| Version::Two),
    }
}

fn serve_one(mut start: one::server::Start) -> Result<one::server::End, PeerLeft> {
    loop {
        start = match start.offer()? {
            one::offer::Start::Add((a, b), answer) => answer.send(a.wrapping_add(b))?,
            one::offer::Start::Quit(end) => return Ok(end),
        };
    }
}

fn serve_two(mut start: two::server::Start) -> Result<two::server::End, PeerLeft> {
    loop {
        start = match start.offer()? {
            two::offer::Start::Add((a, b), answer) => answer.send(a.wrapping_add(b))?,
            two::offer::Start::Multiply((a, b), answer) => answer.send(a.wrapping_mul(b))?,
            two::offer::Start::Divide((a, b), quotient) => match a.checked_div(b) {
                Some(result) => quotient.choose(two::choice::Quotient::Is(result))?,
                // Or the one quotient that is too large, which wraps as all else does here.
                None if b != 0 => quotient.choose(two::choice::Quotient::Is(a))?,
                None => quotient.choose(two::choice::Quotient::ByZero)?,
            },
            two::offer::Start::Quit(end) => return Ok(end),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn each_client_speaks_its_version() {
        let (hello, server) = greeting::unbounded();
        let server = thread::spawn(|| serve(server));
        assert_eq!(sum(connect_one(hello).unwrap(), 1..=100), Ok(5_050));
        assert_eq!(server.join().unwrap(), Ok(Version::One));

        for (numbers, expected) in [(vec![3, 4, 8], Some(5)), (vec![], None)] {
            let (hello, server) = greeting::unbounded();
            let server = thread::spawn(|| serve(server));
            assert_eq!(mean(connect_two(hello).unwrap(), numbers), Ok(expected));
            assert_eq!(server.join().unwrap(), Ok(Version::Two));
        }
    }

    #[test]
    fn the_new_version_multiplies_and_wraps() {
        let (hello, server) = greeting::unbounded();
        let server = thread::spawn(|| serve(server));
        let start = connect_two(hello).unwrap();
        let answer = start.choose(two::choice::Start::Multiply((6, 7))).unwrap();
        let (product, start) = answer.recv().unwrap();
        assert_eq!(product, 42);
        let least = two::choice::Start::Divide((i64::MIN, -1));
        match start.choose(least).unwrap().offer().unwrap() {
            two::offer::Quotient::Is(result, _start) => assert_eq!(result, i64::MIN),
            two::offer::Quotient::ByZero(_) => panic!("-1 is not 0"),
        }
        // The client has left in the middle.
        let left = server.join().unwrap().unwrap_err();
        assert_eq!(
            (left.protocol(), left.role(), left.step()),
            ("two", "client", "Start")
        );
    }

    #[test]
    fn a_client_that_only_says_hello_has_left() {
        let (hello, server) = greeting::unbounded();
        drop(connect_one(hello));
        assert_eq!(serve(server).unwrap_err().step(), "Start");
    }
}
