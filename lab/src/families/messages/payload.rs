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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_counts() {
        fn total<const WORDS: usize>() -> Total {
            let mut total = Total::default();
            for _ in 0..2 {
                (0..10).for_each(|number| total.add(&Payload::<WORDS>::new(number)));
            }
            total
        }
        assert_eq!(total::<8>(), Total::expected::<8>(2, 10));
        assert_eq!(total::<0>(), Total { count: 20, sum: 0 });
        assert_ne!(total::<8>(), Total::expected::<7>(2, 10));
    }
}
