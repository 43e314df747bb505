//! The sound of drums, made of noise and falling tones, and of a string.

use super::adpcm;
use super::dice::Dice;
use super::score::Drum;

/// Bytes per second of the drums' PCM.
pub const PCM_RATE: u32 = 8_820;

/// Where a drum is in its bank.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub start: u32,
    pub len: u32,
}

/// The drums in a bank: the bytes, and where each is.
pub struct Kit {
    pub data: Vec<u8>,
    places: [Place; 3],
}

impl Kit {
    /// PCM of 8 bits without a sign.
    pub fn pcm(dice: &mut Dice) -> Self {
        Self::of(
            dice,
            |wave| {
                wave.iter()
                    .map(|&value| (value / 256 + 128) as u8)
                    .collect()
            },
            1,
        )
    }

    /// The MSM6258's ADPCM.
    pub fn oki(dice: &mut Dice) -> Self {
        Self::of(dice, adpcm::oki, 1)
    }

    /// ADPCM-A, in the pages that the YM2610 addresses.
    pub fn adpcm_a(dice: &mut Dice) -> Self {
        Self::of(dice, adpcm::adpcm_a, 256)
    }

    /// ADPCM-B, in the pages that the YM2608 addresses.
    pub fn adpcm_b(dice: &mut Dice) -> Self {
        Self::of(dice, adpcm::adpcm_b, 32)
    }

    fn of(dice: &mut Dice, encode: impl Fn(&[i32]) -> Vec<u8>, page: usize) -> Self {
        let mut data = Vec::new();
        let places = [Drum::Kick, Drum::Snare, Drum::Hat].map(|drum| {
            let start = data.len() as u32;
            data.extend(encode(&wave(drum, dice)));
            data.resize(data.len().next_multiple_of(page), 0x80);
            Place {
                start,
                len: data.len() as u32 - start,
            }
        });
        Kit { data, places }
    }

    /// The bytes of each drum, in the order of the bank.
    pub fn drums(&self) -> impl Iterator<Item = &[u8]> {
        self.places
            .iter()
            .map(|place| &self.data[place.start as usize..(place.start + place.len) as usize])
    }

    /// Where a drum is.
    pub fn place(&self, drum: Drum) -> Place {
        self.places[drum as usize]
    }
}

/// A drum as samples of 16 bits, a tenth of a second or less.
fn wave(drum: Drum, dice: &mut Dice) -> Vec<i32> {
    let (len, noise, tone): (i32, i32, i32) = match drum {
        Drum::Kick => (880, 2_000, 22_000),
        Drum::Snare => (700, 15_000, 6_000),
        Drum::Hat => (300, 9_000, 0),
    };
    let mut phase = 0;
    (0..len)
        .map(|at| {
            let left = len - at;
            // A triangle with a pitch that falls.
            phase += 80 + 500 * left / len;
            let triangle = triangle(phase);
            let hiss = dice.below(2 * noise as u32 + 1) as i32 - noise;
            (triangle * tone / 2048 + hiss) * left / len
        })
        .collect()
}

/// The samples of a wave of the string.
pub const STRING_WAVE: u32 = 64;

/// A plucked string as samples of 16 bits: a triangle and its octave, which fade out.
pub fn string() -> Vec<i32> {
    const WAVES: i32 = 400;
    let wave = STRING_WAVE as i32;
    let len = WAVES * wave;
    (0..len)
        .map(|at| {
            let phase = at * (8192 / wave);
            let left = len - at;
            (5 * triangle(phase) + 2 * triangle(2 * phase)) * (left / wave) / WAVES
        })
        .collect()
}

/// A triangle from -2048 to 2048, of which a wave has 8192 steps.
fn triangle(phase: i32) -> i32 {
    (phase % 8192 - 4096).abs() - 2048
}
