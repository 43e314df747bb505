//! Encoders of ADPCM: four bits for each sample, which say how far the next one is, in steps that
//! grow with what they say.

/// The step sizes of Oki's ADPCM and of ADPCM-A: each a tenth more than the one before.
const STEPS: [i32; 49] = [
    16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130,
    143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796,
    876, 963, 1060, 1166, 1282, 1411, 1552,
];

/// Encodes samples of 16 bits for the MSM6258, which takes the low half of a byte first.
pub fn oki(wave: &[i32]) -> Vec<u8> {
    let nibbles = twelve_bits(wave, [-1, -1, -1, -1, 2, 4, 6, 8]);
    bytes(&nibbles, |first, second| second << 4 | first)
}

/// Encodes samples of 16 bits as ADPCM-A: Oki's, with other moves and the high half first.
pub fn adpcm_a(wave: &[i32]) -> Vec<u8> {
    let nibbles = twelve_bits(wave, [-1, -1, -1, -1, 2, 5, 7, 9]);
    bytes(&nibbles, |first, second| first << 4 | second)
}

/// Encodes samples of 16 bits as ADPCM-B, which multiplies its step and does not look it up.
pub fn adpcm_b(wave: &[i32]) -> Vec<u8> {
    /// What a step is multiplied with, in sixty-fourths.
    const FACTORS: [i32; 8] = [57, 57, 57, 57, 77, 102, 128, 153];
    let (mut value, mut size) = (0_i32, 127_i32);
    let nibbles: Vec<u8> = wave
        .iter()
        .map(|&sample| {
            let (amount, change, sign) = step(sample - value, size);
            value = (value + change).clamp(-32_768, 32_767);
            size = (size * FACTORS[amount] / 64).clamp(127, 24_576);
            amount as u8 | sign
        })
        .collect();
    bytes(&nibbles, |first, second| first << 4 | second)
}

fn twelve_bits(wave: &[i32], moves: [i32; 8]) -> Vec<u8> {
    let (mut value, mut place) = (0_i32, 0_i32);
    wave.iter()
        .map(|&sample| {
            let (amount, change, sign) = step(sample / 16 - value, STEPS[place as usize]);
            value = (value + change).clamp(-2048, 2047);
            place = (place + moves[amount]).clamp(0, 48);
            amount as u8 | sign
        })
        .collect()
}

/// The amount that says best how far the next sample is, from 0 to 7; what the decoder adds for it;
/// and the bit for its sign.
fn step(way: i32, size: i32) -> (usize, i32, u8) {
    let amount = (way.abs() * 4 / size).min(7);
    let change = size * (2 * amount + 1) / 8;
    if way < 0 {
        (amount as usize, -change, 8)
    } else {
        (amount as usize, change, 0)
    }
}

fn bytes(nibbles: &[u8], pair: impl Fn(u8, u8) -> u8) -> Vec<u8> {
    nibbles
        .chunks(2)
        .map(|two| pair(two[0], two.get(1).copied().unwrap_or(0)))
        .collect()
}
