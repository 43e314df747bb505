//! Writes text with words that are as frequent as in a language: the one at rank n comes about 1/n
//! as often as the first.
//!
//! ```sh
//! cargo run --release -p wordfreq --bin zipf-text -- 200000000 > text
//! ```

use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;

/// Writes random text with the word frequencies of a language: always the same for the same
/// options.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// About how many bytes.
    bytes: u64,
    /// How many different words there are.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    words: u32,
    /// Another number is another text.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A generator of random numbers: splitmix.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// Between 0 and 1.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// The word at a rank; frequent ones are short.
fn word(rank: u32, random: &mut Random) -> Vec<u8> {
    const LETTERS: &[u8] = b"etaoinshrdlcumwfgypbvk";
    let least = 1 + (rank + 2).ilog2() as u64 / 3;
    let length = least + random.next() % 6;
    (0..length)
        .map(|_| {
            let (a, b) = (random.next() % 22, random.next() % 22);
            LETTERS[a.min(b) as usize]
        })
        .collect()
}

fn write(options: &Options, out: &mut impl Write) -> io::Result<()> {
    let mut random = Random(options.seed);
    let words: Vec<_> = (0..options.words)
        .map(|rank| word(rank, &mut random))
        .collect();
    let scale = f64::from(options.words + 1).ln();
    let (mut written, mut in_line) = (0, 0);
    while written < options.bytes {
        let rank = (random.fraction() * scale).exp() as usize - 1;
        let word = &words[rank.min(words.len() - 1)];
        out.write_all(word)?;
        in_line += word.len() + 1;
        let is_line = in_line > 70;
        out.write_all(if is_line { b"\n" } else { b" " })?;
        if is_line {
            in_line = 0;
        }
        written += word.len() as u64 + 1;
    }
    out.write_all(b"\n")?;
    out.flush()
}

fn main() -> ExitCode {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    match write(&Options::parse(), &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader has seen enough: `zipf-text … | head`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Without standard error there is no place for the message.
            let message = format!("zipf-text: cannot write to standard output: {error}\n");
            let _ = io::stderr().write_all(message.as_bytes());
            ExitCode::FAILURE
        }
    }
}
