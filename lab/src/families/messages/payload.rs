//! What a message carries: as many bytes as the workload wants, and each of them read.

use std::hint::black_box;

/// A message of `WORDS` words, which are all the same number.
#[derive(Clone, Copy, Debug)]
pub struct Payload<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Payload<WORDS> {
    /// A message made of this number.
    pub fn new(number: u64) -> Self {
        Self([number; WORDS])
    }
}

/// What the server knows of the messages that it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    count: u64,
    sum: u64,
}

impl Total {
    /// The total when each of `senders` sent the numbers below `each`.
    pub fn expected<const WORDS: usize>(senders: u64, each: u64) -> Self {
        let sum: u64 = (0..each).sum();
        Self {
            count: senders * each,
            sum: senders * sum * WORDS as u64,
        }
    }

    /// Adds a message, word by word.
    pub fn add<const WORDS: usize>(&mut self, message: &Payload<WORDS>) {
        self.count += 1;
        // Else the sum of many messages of 0 bytes is computed at once.
        self.sum += black_box(message).0.iter().sum::<u64>();
    }
}
