//! Songs that a program makes: for tests and measurements, as real music is not ours to ship.
//!
//! ```text
//! seed ─► dice ─► score (form, chords, notes) ─► machine (patches, registers) ─► log (bytes)
//! ```
//! The same seed gives the same bytes everywhere: all sums are those of integers, and the
//! frequencies of notes come from one table.

mod adpcm;
mod dice;
mod fm;
mod log;
mod machine;
mod psg;
mod samples;
mod score;
#[cfg(test)]
mod tests;

pub use machine::Machine;

use dice::Dice;
use score::Score;

/// A song.
#[derive(Debug, Clone)]
pub struct Composed {
    /// Its title.
    pub name: String,
    /// The machine that it is for.
    pub machine: Machine,
    /// The register log (VGM), not compressed.
    pub bytes: Vec<u8>,
}

/// Composes a song, of which all but the intro repeats. Its length is within a second of
/// `seconds`; the shortest song has four bars (6 to 9 seconds), and the longest an hour.
///
/// ```
/// use chipmill::compose::{Machine, compose};
/// use chipmill::song::{MissingChips, Song};
///
/// let song = compose(7, Machine::MegaDrive, 20);
/// let song = Song::parse(&song.bytes, MissingChips::Refuse)?;
/// assert!(song.loop_start.is_some());
/// # Ok::<(), chipmill::song::SongError>(())
/// ```
pub fn compose(seed: u64, machine: Machine, seconds: u32) -> Composed {
    let mut dice = Dice::new(seed);
    let score = Score::new(&mut dice, seconds);
    let name = score.name.clone();
    Composed {
        bytes: machine.play(&score, &mut dice),
        name,
        machine,
    }
}

/// Composes an album: machine after machine, songs of one to six minutes, short ones more often
/// than long ones.
pub fn album(seed: u64, count: u32) -> impl Iterator<Item = Composed> {
    (0..count).map(move |number| {
        let mut dice = Dice::new(seed.wrapping_add(u64::from(number) << 32));
        let machine = Machine::ALL[number as usize % Machine::ALL.len()];
        // The product of two throws is low more often than it is high.
        let long = dice.below(1001) * dice.below(1001) / 1000;
        compose(dice.next(), machine, 60 + 300 * long / 1000)
    })
}
