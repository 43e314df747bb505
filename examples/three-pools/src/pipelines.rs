//! What is done: three producers, and what becomes of their items.

use std::ops::Range;

use flate2::{Compress, Compression, FlushCompress};

/// Items that come one after another, and what is done with one.
pub struct Pipeline<I, F> {
    pub name: &'static str,
    /// How many there are.
    pub count: u64,
    /// The producer: one thread asks for them.
    pub items: I,
    /// The consumers; their results are added.
    pub work: F,
}

/// How long the text is that lines and blocks are cut from.
const TEXT: usize = 4 << 20;
/// How long a block is.
const BLOCK: usize = 32 << 10;

/// Hashes lines of some 100 bytes: short items, so that handing over is most of the work.
pub fn lines(
    text: &[u8],
    percent: u32,
) -> Pipeline<impl Iterator<Item = Vec<u8>> + Send, impl Fn(Vec<u8>) -> u64 + Sync> {
    let count = 10_000 * u64::from(percent);
    let lines = text.split_inclusive(|&byte| byte == b'\n').cycle();
    Pipeline {
        name: "lines",
        count,
        items: lines.map(<[u8]>::to_vec).take(count as usize),
        work: |line: Vec<u8>| hash(&line),
    }
}

/// Compresses blocks: long items, which take much longer than to wake a thread for one.
pub fn blocks(
    text: &[u8],
    percent: u32,
) -> Pipeline<impl Iterator<Item = Vec<u8>> + Send, impl Fn(Vec<u8>) -> u64 + Sync> {
    let count = 8 * u64::from(percent);
    let blocks = text.chunks_exact(BLOCK).cycle();
    Pipeline {
        name: "blocks",
        count,
        items: blocks.map(<[u8]>::to_vec).take(count as usize),
        work: |block: Vec<u8>| hash(&deflate(&block)),
    }
}

/// Counts primes in ranges: items that are nothing but computing, between the other two in length.
pub fn primes(
    percent: u32,
) -> Pipeline<impl Iterator<Item = Range<u64>> + Send, impl Fn(Range<u64>) -> u64 + Sync> {
    let count = 100 * u64::from(percent);
    Pipeline {
        name: "primes",
        count,
        items: (0..count).map(|number| {
            let start = 1_000_000 + 250 * number;
            start..start + 250
        }),
        work: |range: Range<u64>| range.filter(|&number| is_prime(number)).count() as u64,
    }
}

/// Text, always the same.
pub fn text() -> Vec<u8> {
    const WORDS: [&str; 8] = [
        "stream", "of", "work", "the", "consumer", "queue", "in", "order",
    ];
    let mut text = Vec::with_capacity(TEXT + 16);
    let mut state = 1u64;
    while text.len() < TEXT {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        text.extend(WORDS[(state >> 61) as usize].as_bytes());
        text.push(if (state >> 40).is_multiple_of(20) {
            b'\n'
        } else {
            b' '
        });
    }
    text
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

fn deflate(block: &[u8]) -> Vec<u8> {
    let mut deflated = Vec::with_capacity(block.len() + 1024);
    let status = Compress::new(Compression::new(6), false).compress_vec(
        block,
        &mut deflated,
        FlushCompress::Finish,
    );
    status.expect("there is room for a block that cannot be compressed");
    deflated
}

fn is_prime(number: u64) -> bool {
    let mut divisors = (3..)
        .step_by(2)
        .take_while(|divisor| divisor * divisor <= number);
    number == 2
        || (number > 2
            && number % 2 == 1
            && divisors.all(|divisor| !number.is_multiple_of(divisor)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_primes() {
        let primes: Vec<_> = (0..30).filter(|&number| is_prime(number)).collect();
        assert_eq!(primes, [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
    }

    #[test]
    fn there_are_as_many_items_as_was_said() {
        let text = text();
        let lines = lines(&text, 1);
        assert_eq!(lines.items.count() as u64, lines.count);
        let blocks = blocks(&text, 1);
        assert_eq!(blocks.items.count() as u64, blocks.count);
        let primes = primes(1);
        assert_eq!(primes.items.count() as u64, primes.count);
    }
}
