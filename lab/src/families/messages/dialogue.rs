//! A client and a server that talk by a protocol: numbers in one direction, and questions that are
//! answered.
//!
//! With channels, a side sends an enum of all that it may say, and its peer matches on what comes.
//! Where a library has types for the steps of a protocol, a side is written with those.

use std::ops::Range;

use super::channel::{Receiver, Sender};

/// What the client says.
#[derive(Debug)]
pub enum Request {
    /// One more number.
    Item(u64),
    /// One more number, and a question: how large is it, and 1?
    Ask(u64),
    /// That was all.
    Finish,
}

/// What the server says.
#[derive(Debug)]
pub enum Reply {
    /// To [`Request::Ask`].
    Answer(u64),
    /// To [`Request::Finish`]: the sum of all numbers.
    Sum(u64),
}

/// The side that asks. `None`: the server is gone, or has said something else.
pub trait Client: Sized + Send + 'static {
    /// Sends these numbers.
    fn send(self, numbers: Range<u64>) -> Option<Self>;

    /// Asks for each of these numbers. Each answer has to be right.
    fn ask(self, numbers: Range<u64>) -> Option<Self>;

    /// Asks for the sum.
    fn finish(self) -> Option<u64>;
}

/// The side that answers. `None`: the client is gone.
pub trait Server: Sized + Send + 'static {
    /// Takes `count` numbers, of which none is a question.
    fn take(self, count: u64) -> Option<Self>;

    /// The sum of all numbers until now.
    fn sum(&self) -> u64;

    /// Takes and answers until the client has finished.
    fn serve(self) -> Option<()>;
}

/// A client that sends an enum.
#[derive(Debug)]
pub struct ByHand<S, R> {
    sender: S,
    receiver: R,
    /// Of a server.
    sum: u64,
}

impl<S, R> ByHand<S, R> {
    /// A side that has these ends.
    pub fn new(sender: S, receiver: R) -> Self {
        ByHand {
            sender,
            receiver,
            sum: 0,
        }
    }
}

impl<S: Sender<Request>, R: Receiver<Reply>> Client for ByHand<S, R> {
    fn send(mut self, mut numbers: Range<u64>) -> Option<Self> {
        let is_sent = numbers.all(|number| self.sender.send(Request::Item(number)));
        is_sent.then_some(self)
    }

    fn ask(mut self, mut numbers: Range<u64>) -> Option<Self> {
        let is_right = numbers.all(|number| {
            self.sender.send(Request::Ask(number))
                && matches!(
                    self.receiver.recv(),
                    Some(Reply::Answer(answer)) if answer == number + 1
                )
        });
        is_right.then_some(self)
    }

    fn finish(mut self) -> Option<u64> {
        match self
            .sender
            .send(Request::Finish)
            .then(|| self.receiver.recv())??
        {
            Reply::Sum(sum) => Some(sum),
            Reply::Answer(_) => None,
        }
    }
}

impl<S: Sender<Reply>, R: Receiver<Request>> Server for ByHand<S, R> {
    fn take(mut self, count: u64) -> Option<Self> {
        for _ in 0..count {
            match self.receiver.recv()? {
                Request::Item(number) => self.sum += number,
                Request::Ask(_) | Request::Finish => return None,
            }
        }
        Some(self)
    }

    fn sum(&self) -> u64 {
        self.sum
    }

    fn serve(mut self) -> Option<()> {
        loop {
            let reply = match self.receiver.recv()? {
                Request::Item(number) => {
                    self.sum += number;
                    continue;
                }
                Request::Ask(number) => {
                    self.sum += number;
                    Reply::Answer(number + 1)
                }
                Request::Finish => {
                    return self.sender.send(Reply::Sum(self.sum)).then_some(());
                }
            };
            if !self.sender.send(reply) {
                return None;
            }
        }
    }
}
