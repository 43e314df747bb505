//! The sound of drums, made of noise and falling tones.

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

    /// ADPCM as the MSM6258 has it: two samples a byte, the low half first.
    pub fn oki(dice: &mut Dice) -> Self {
        Self::of(
            dice,
            |wave| encode(wave, &OKI_STEPS, [-1, -1, -1, -1, 2, 4, 6, 8], false),
            1,
        )
    }

    /// ADPCM-A as the YM2610 has it: the high half first, in pages of 256 bytes.
    pub fn adpcm_a(dice: &mut Dice) -> Self {
        Self::of(
            dice,
            |wave| encode(wave, &OKI_STEPS, [-1, -1, -1, -1, 2, 5, 7, 9], true),
            256,
        )
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
            // A triangle whose pitch falls.
            phase += 80 + 500 * left / len;
            let triangle = (phase % 8192 - 4096).abs() - 2048;
            let hiss = dice.below(2 * noise as u32 + 1) as i32 - noise;
            (triangle * tone / 2048 + hiss) * left / len
        })
        .collect()
}

/// The step sizes of ADPCM-A and of Oki's ADPCM: each a tenth more than the one before.
const OKI_STEPS: [i32; 49] = [
    16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130,
    143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
    876, 963, 1060, 1166, 1282, 1411, 1552,
];

/// ADPCM of 12 bits: four bits for each sample, which say how far the next one is, in steps that
/// grow with what they say.
fn encode(wave: &[i32], steps: &[i32; 49], moves: [i32; 8], high_first: bool) -> Vec<u8> {
    let (mut value, mut step) = (0_i32, 0_i32);
    let nibbles: Vec<u8> = wave
        .iter()
        .map(|&sample| {
            let size = steps[step as usize];
            let way = sample / 16 - value;
            let amount = (way.abs() * 4 / size).min(7);
            let change = size * (2 * amount + 1) / 8;
            value = (value + if way < 0 { -change } else { change }).clamp(-2048, 2047);
            step = (step + moves[amount as usize]).clamp(0, 48);
            amount as u8 | if way < 0 { 8 } else { 0 }
        })
        .collect();
    nibbles
        .chunks(2)
        .map(|pair| {
            let (first, second) = (pair[0], pair.get(1).copied().unwrap_or(0));
            if high_first {
                first << 4 | second
            } else {
                second << 4 | first
            }
        })
        .collect()
}
