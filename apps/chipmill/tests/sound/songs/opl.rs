//! Songs for OPL, OPL2, OPL3 and OPL4.

use super::{NOTES, Player, Song};

/// The first operator of each channel; the second one is 3 further.
const OPERATORS: [u8; 9] = [0, 1, 2, 8, 9, 10, 16, 17, 18];

/// OPL.
pub fn ym3526() -> Song {
    let mut player = Player::new(0x54, 3_579_545, &[0x5b]);
    instruments(&mut player, 1, 0);
    play(&mut player, 1, |_, _| ());
    player.finish("YM3526")
}

/// OPL2.
pub fn ym3812() -> Song {
    let mut player = Player::new(0x50, 3_579_545, &[0x5a]);
    player.write(0, 0x01, 0x20);
    instruments(&mut player, 1, 3);
    play(&mut player, 1, |_, _| ());
    player.finish("YM3812")
}

/// OPL with ADPCM, from ROM.
pub fn y8950() -> Song {
    let mut player = Player::new(0x58, 3_579_545, &[0x5c]);
    let data = player.samples(0x4000);
    player.memory(0x88, 0x4_0000, 0, &data);
    instruments(&mut player, 1, 0);
    // ROM; the end of the limit.
    player.write(0, 0x08, 0x01);
    player.settle(1);
    play(&mut player, 1, |player, note| {
        if note.is_multiple_of(20) {
            let delta = 0x30 + player.random.bits(0x3f);
            for (register, value) in [
                (0x07, 0x01),
                (0x07, 0x20),
                (0x09, 0x00),
                (0x0a, 0x00),
                (0x0b, 0x1f),
                (0x0c, 0x00),
                (0x10, 0x00),
                (0x11, delta),
                (0x12, 0x80),
                (0x07, 0xa0),
            ] {
                player.write(0, register, value);
            }
        }
    });
    player.finish("Y8950")
}

/// OPL3.
pub fn ymf262() -> Song {
    let mut player = Player::new(0x5c, 14_318_180, &[0x5e, 0x5f]);
    player.write(1, 0x05, 0x01);
    // Two channels with four operators.
    player.write(1, 0x04, 0x09);
    instruments(&mut player, 2, 7);
    play(&mut player, 2, |_, _| ());
    player.finish("YMF262")
}

/// OPL4: FM, and samples of the wave memory.
pub fn ymf278b() -> Song {
    const WAVES: usize = 8;
    const BYTES: usize = 0x1000;
    let mut player = Player::new(0x60, 33_868_800, &[0xd0]);
    let mut memory = Vec::new();
    for wave in 0..WAVES {
        let [_, high, middle, low] = (0x1000 + (wave * BYTES) as u32).to_be_bytes();
        let format = [0, 0x40, 0x80][wave % 3];
        // 0x300 samples from the start to the end, which is complemented; then envelopes.
        memory.extend([format | high, middle, low, 0, 0x40, 0xfc, 0xff]);
        memory.extend([0x00, 0xf4, 0x24, 0xf6, 0x00]);
    }
    memory.resize(0x1000, 0);
    for _ in 0..WAVES {
        let samples = player.samples(BYTES);
        memory.extend(samples);
    }
    player.memory(0x84, 0x20_0000, 0, &memory);
    write278(&mut player, 1, 0x05, 0x03);
    write278(&mut player, 2, 0xf8, 0x1b);
    write278(&mut player, 2, 0xf9, 0x12);
    instruments(&mut player, 2, 7);
    play(&mut player, 2, |player, _| {
        let random = &mut player.random;
        let channel = random.below(24) as u8;
        let wave = random.below(WAVES as u32) as u8;
        let octave = random.one_of(&[0xe0, 0xf0, 0x00]);
        let pitch = random.bits(0x07);
        let pan = random.one_of(&[0, 2, 4, 12, 14]);
        for (register, value) in [
            (0x68, 0x00),
            (0x20, 0x00),
            (0x08, wave),
            (0x38, octave | pitch),
            (0x50, 0x51),
            (0x68, 0x80 | pan),
        ] {
            write278(player, 2, register + channel, value);
        }
    });
    player.finish("YMF278B")
}

fn write278(player: &mut Player, port: u8, register: u8, value: u8) {
    player.command(&[0xd0, port, register, value]);
}

/// Writes to a chip with FM channels at some ports.
fn write(player: &mut Player, port: u8, register: u8, value: u8) {
    match player.ports {
        [0xd0] => write278(player, port, register, value),
        _ => player.write(port.into(), register, value),
    }
}

/// Random instruments for all channels; the waves have these bits.
fn instruments(player: &mut Player, ports: u8, waves: u8) {
    for port in 0..ports {
        for (channel, first) in (0..).zip(OPERATORS) {
            for operator in [first, first + 3] {
                let random = &mut player.random;
                let modulator = operator == first;
                let values = [
                    (0x20, random.bits(0xe3) | random.bits(1)),
                    (0x40, random.bits(0x0f) + 0x08 * u8::from(modulator)),
                    (0x60, 0x80 | random.bits(0x77)),
                    (0x80, random.bits(0x7f) | 0x04),
                    (0xe0, random.bits(waves)),
                ];
                for (register, value) in values {
                    write(player, port, register + operator, value);
                }
            }
            let random = &mut player.random;
            let sides = random.one_of(&[0x10, 0x20, 0x30]);
            let feedback = random.bits(0x0f);
            write(player, port, 0xc0 + channel, sides | feedback);
        }
        player.settle(9 * 11 + 5);
    }
}

/// Plays random notes, and some drums.
fn play(player: &mut Player, ports: u8, mut more: impl FnMut(&mut Player, usize)) {
    player.apart = true;
    for note in 0..NOTES {
        let random = &mut player.random;
        let port = random.below(ports.into()) as u8;
        let channel = random.below(9) as u8;
        let low = random.bits(0xff);
        let high = (2 + random.bits(3)) << 2 | random.bits(3);
        let drums = random.bits(0xdf) | 0x20;
        write(player, port, 0xb0 + channel, high);
        write(player, port, 0xa0 + channel, low);
        write(player, port, 0xb0 + channel, high | 0x20);
        if note.is_multiple_of(5) {
            write(player, 0, 0xbd, 0x20);
            write(player, 0, 0xbd, drums);
        }
        more(player, note);
        player.hold();
    }
}
