//! Counts of the short texts of one length in a long one, as in *k-nucleotide* of the Benchmarks
//! Game: on generated nucleotides, with a table for each length.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::thread;

use crate::machine::cores_available;

/// The lengths that are counted.
pub const LENGTHS: [u32; 7] = [18, 12, 6, 4, 3, 2, 1];

/// How many nucleotides a piece of the text has.
const PIECE: usize = 64 << 10;

/// The generator of the Benchmarks Game.
struct Lcg(u32);

impl Lcg {
    const MODULUS: u32 = 139_968;

    /// A number from 0 on, below 1.
    fn next(&mut self) -> f64 {
        self.0 = (self.0 * 3_877 + 29_573) % Self::MODULUS;
        f64::from(self.0) / f64::from(Self::MODULUS)
    }
}

/// A text of nucleotides with the frequencies of those of man, in pieces. Each is a number below 4.
pub fn text(nucleotides: usize) -> Vec<Arc<[u8]>> {
    const UP_TO: [f64; 3] = [
        0.302_954_942_668_0,
        0.302_954_942_668_0 + 0.197_988_300_492_1,
        0.302_954_942_668_0 + 0.197_988_300_492_1 + 0.197_547_347_319_8,
    ];
    let mut random = Lcg(42);
    let mut next = || {
        let place = random.next();
        UP_TO.iter().take_while(|&&up_to| place >= up_to).count() as u8
    };
    let all: Vec<u8> = (0..nucleotides).map(|_| next()).collect();
    all.chunks(PIECE).map(Arc::from).collect()
}

/// Multiplies, and takes the upper half: the keys are few bits, and all different.
#[derive(Clone, Copy, Debug, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("keys are numbers of 64 bits");
    }

    fn write_u64(&mut self, key: u64) {
        let product = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

/// Counts the texts of one length in what it is handed, piece by piece.
#[derive(Clone, Debug)]
pub struct KmerCounter {
    length: u32,
    /// The last nucleotides, two bits each.
    last: u64,
    /// How many are missing before there is a first text.
    missing: u32,
    counts: HashMap<u64, u32, BuildHasherDefault<KeyHasher>>,
}

impl KmerCounter {
    fn new(length: u32) -> Self {
        Self {
            length,
            last: 0,
            missing: length - 1,
            counts: HashMap::default(),
        }
    }

    /// One for each length, the most expensive ones first.
    pub fn all() -> Vec<Self> {
        LENGTHS.into_iter().map(Self::new).collect()
    }

    /// Counts what comes with the next piece.
    pub fn count(&mut self, piece: &[u8]) {
        let mask = (1 << (2 * self.length)) - 1;
        for &nucleotide in piece {
            self.last = (self.last << 2 | u64::from(nucleotide)) & mask;
            if self.missing > 0 {
                self.missing -= 1;
            } else {
                *self.counts.entry(self.last).or_default() += 1;
            }
        }
    }

    /// Counts what comes with all of these.
    pub fn count_all(&mut self, pieces: &[Arc<[u8]>]) {
        pieces.iter().for_each(|piece| self.count(piece));
    }

    /// A number for all that has been counted.
    pub fn digest(&self) -> u64 {
        let each = self.counts.iter().map(|(&key, &count)| {
            let mixed = (key ^ u64::from(self.length) << 48).wrapping_mul(0xff51_afd7_ed55_8ccd);
            (mixed ^ mixed >> 29).wrapping_mul(u64::from(count))
        });
        each.fold(0, u64::wrapping_add)
    }
}

/// How many threads share this many counters. A thread for each is the natural program, and where
/// the jobs are all cores the cores are what limits it. With fewer jobs than cores the threads
/// themselves must be fewer, because nothing else keeps the others from running.
pub fn counting_threads(jobs: usize, counters: usize) -> usize {
    threads_on(cores_available().unwrap_or(usize::MAX), jobs, counters)
}

fn threads_on(cores: usize, jobs: usize, counters: usize) -> usize {
    if jobs < cores {
        jobs.min(counters)
    } else {
        counters
    }
}

/// Deals the counters to this many threads, and sends all pieces to each thread through a channel
/// of its own. Returns the counters.
pub fn count_in_threads<S, R, E>(
    pieces: &[Arc<[u8]>],
    counters: Vec<KmerCounter>,
    threads: usize,
    channel: impl Fn() -> (S, R),
    send: impl Fn(&mut S, Arc<[u8]>) -> Result<(), E>,
) -> Vec<KmerCounter>
where
    R: IntoIterator<Item = Arc<[u8]>> + Send + 'static,
{
    let start = |mut share: Vec<KmerCounter>| {
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            for piece in receiver {
                for counter in &mut share {
                    counter.count(&piece);
                }
            }
            share
        });
        (sender, thread)
    };
    // One after another, so that the expensive ones, which come first, are apart.
    let mut shares = vec![Vec::new(); threads];
    for (index, counter) in counters.into_iter().enumerate() {
        shares[index % threads].push(counter);
    }
    let (mut senders, threads): (Vec<_>, Vec<_>) = shares.into_iter().map(start).unzip();
    for piece in pieces {
        for sender in &mut senders {
            // A counter that has panicked is missed when its thread is joined.
            let _ = send(sender, Arc::clone(piece));
        }
    }
    drop(senders);
    let joined = threads.into_iter().map(thread::JoinHandle::join);
    joined
        .flat_map(|share| share.expect("a counter does not panic"))
        .collect()
}

/// A number for the counts of all lengths, in any order.
pub fn digest(counters: &[KmerCounter]) -> u64 {
    let digests = counters.iter().map(KmerCounter::digest);
    digests.fold(counters.len() as u64, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::mpsc::{SyncSender, sync_channel};

    use super::*;

    #[test]
    fn pieces_are_no_borders() {
        let text: Vec<u8> = text(1_000).concat();
        for mut counter in KmerCounter::all() {
            let mut whole = counter.clone();
            whole.count(&text);
            for piece in text.chunks(7) {
                counter.count(piece);
            }
            assert_eq!(counter.digest(), whole.digest());
            let length = counter.length as usize;
            let mut expected: HashMap<&[u8], u32> = HashMap::new();
            for kmer in text.windows(length) {
                *expected.entry(kmer).or_default() += 1;
            }
            assert_eq!(counter.counts.len(), expected.len());
            for (kmer, count) in expected {
                let key = kmer.iter().fold(0, |key, &next| key << 2 | u64::from(next));
                assert_eq!(counter.counts[&key], count);
            }
        }
    }

    /// By hand: 0.375 is a C, 0.729 a T, 0.636 a G.
    #[test]
    fn the_text_is_that_of_the_generator() {
        let mut random = Lcg(42);
        let first = [0; 3].map(|_| (random.next() * f64::from(Lcg::MODULUS)).round() as u32);
        assert_eq!(first, [52_439, 102_040, 89_085]);
        assert_eq!(text(3).concat(), [1, 3, 2]);
    }

    #[test]
    fn fewer_jobs_than_cores_are_as_many_threads() {
        let all = LENGTHS.len();
        assert_eq!(threads_on(2, 1, all), 1);
        assert_eq!(threads_on(64, 4, all), 4);
        assert_eq!(threads_on(64, 32, all), all);
        // No more than the cores can run at once.
        assert_eq!(threads_on(2, 2, all), all);
        assert_eq!(threads_on(1, 1, all), all);
    }

    /// Each thread has a channel of its own, so the channels tell how many there are.
    #[test]
    fn threads_that_share_counters_count_the_same() {
        let text = text(3_000).concat();
        let pieces: Vec<Arc<[u8]>> = text.chunks(1_000).map(Arc::from).collect();
        let mut expected = KmerCounter::all();
        for counter in &mut expected {
            counter.count_all(&pieces);
        }
        for threads in [1, 2, 3, LENGTHS.len()] {
            let made = Cell::new(0);
            let channel = || {
                made.set(made.get() + 1);
                sync_channel(1)
            };
            let counters = KmerCounter::all();
            let send = |sender: &mut SyncSender<_>, piece| sender.send(piece);
            let counted = count_in_threads(&pieces, counters, threads, channel, send);
            assert_eq!(made.get(), threads);
            assert_eq!(digest(&counted), digest(&expected));
        }
    }

    #[test]
    fn a_lost_piece_is_seen() {
        let text = text(3_000).concat();
        let pieces: Vec<Arc<[u8]>> = text.chunks(1_000).map(Arc::from).collect();
        let count = |pieces: &[Arc<[u8]>]| {
            let mut counters = KmerCounter::all();
            for counter in &mut counters {
                counter.count_all(pieces);
            }
            digest(&counters)
        };
        assert_ne!(count(&pieces), count(&pieces[..2]));
        assert_ne!(count(&pieces[..2]), count(&pieces[1..]));
    }
}
