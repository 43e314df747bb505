//! Songs for OPN, OPNA, OPNB and OPN2.

use super::{Log, NOTES, Player, Song, memory_block};

/// The bytes of ADPCM in a memory.
const ADPCM: usize = 0x2000;

/// OPN: three channels of FM, and square waves.
pub fn ym2203() -> Song {
    let mut player = Player::new(0x44, 3_993_600, &[0x55]);
    fm_instruments(&mut player, &[0, 1, 2]);
    square_waves(&mut player);
    player.apart = true;
    for _ in 0..NOTES {
        fm_note(&mut player, &[0, 1, 2]);
        square_note(&mut player);
        player.hold();
    }
    player.finish("YM2203")
}

/// OPNA: six channels, square waves, and ADPCM-B from ROM.
pub fn ym2608() -> Song {
    let mut player = Player::new(0x48, 7_987_200, &[0x56, 0x57]);
    let data = player.samples(ADPCM);
    player.memory(0x81, 0x4_0000, 0, &data);
    player.write(0, 0x29, 0x80);
    fm_instruments(&mut player, &[0, 1, 2, 4, 5, 6]);
    square_waves(&mut player);
    player.apart = true;
    for note in 0..NOTES {
        fm_note(&mut player, &[0, 1, 2, 4, 5, 6]);
        square_note(&mut player);
        if note.is_multiple_of(16) {
            let pitch = 0x30 + player.random.bits(0x3f);
            // ROM of one bit more than 8; start and end in units of 32 bytes.
            for (register, value) in [
                (0x00, 0x01),
                (0x00, 0x20),
                (0x01, 0xc1),
                (0x02, 0x00),
                (0x03, 0x00),
                (0x04, 0xff),
                (0x05, 0x00),
                (0x0c, 0xff),
                (0x0d, 0xff),
                (0x09, 0x00),
                (0x0a, pitch),
                (0x0b, 0x80),
                (0x00, 0xa0),
            ] {
                player.write(1, register, value);
            }
        }
        player.hold();
    }
    player.finish("YM2608")
}

/// OPNB: four or six channels, square waves, ADPCM-A and ADPCM-B.
pub fn ym2610(six: bool) -> Song {
    let variant = if six { 1 << 31 } else { 0 };
    let mut player = Player::new(0x4c, 8_000_000 | variant, &[0x58, 0x59]);
    let (a, b) = (player.samples(ADPCM), player.samples(ADPCM));
    player.memory(0x82, 0x10_0000, 0, &a);
    player.memory(0x83, 0x10_0000, 0, &b);
    let channels: &[u8] = if six {
        &[0, 1, 2, 4, 5, 6]
    } else {
        &[1, 2, 5, 6]
    };
    opnb(&mut player, channels, NOTES);
    player.finish(if six { "YM2610B" } else { "YM2610" })
}

/// Two OPNB, which play different notes of the same memories.
pub fn two_ym2610() -> Song {
    let mut player = Player::new(0x4c, 8_000_000 | 1 << 30, &[0x58, 0x59]);
    let (a, b) = (player.samples(ADPCM), player.samples(ADPCM));
    let a = memory_block(0x10_0000, 0, &a);
    let b = memory_block(0x10_0000, 0, &b);
    for _ in 0..10 {
        player.ports = &[0x58, 0x59];
        opnb(&mut player, &[1, 2, 5, 6], NOTES / 20);
        player.ports = &[0xa8, 0xa9];
        opnb(&mut player, &[1, 2, 5, 6], NOTES / 20);
    }
    let with_blocks = |chips: &[u8]| {
        let mut log = Log::new();
        log.set(0x4c, 8_000_000 | 1 << 30);
        let commands = log.bytes.len();
        for &chip in chips {
            for (kind, block) in [(0x82, &a), (0x83, &b)] {
                let length = log.bytes.len() + 6;
                log.block(kind, block);
                // The highest bit of the length.
                log.bytes[length] |= chip << 7;
            }
        }
        log.push(&player.log.bytes[commands..]);
        log.finish()
    };
    let (file, reference) = (with_blocks(&[0, 1]), with_blocks(&[0]));
    Song {
        file,
        reference,
        ..player.finish("two YM2610")
    }
}

/// OPN2: six channels, the last of which is the DAC at times.
pub fn ym2612() -> Song {
    let mut player = Player::new(0x2c, 7_670_454, &[0x52, 0x53]);
    let data = player.samples(ADPCM + 8);
    player.log.block(0, &data);
    player.write(0, 0x22, 0x0b);
    fm_instruments(&mut player, &[0, 1, 2, 4, 5, 6]);
    player.apart = true;
    for note in 0..NOTES {
        fm_note(&mut player, &[0, 1, 2, 4, 5, 6]);
        if note.is_multiple_of(8) {
            player.settle(10);
            player.write(0, 0x2b, 0x80);
            let from = player.random.below(ADPCM as u32 / 2);
            player.log.push(&[0xe0]);
            player.log.push(&from.to_le_bytes());
            // `vgmrender` skips these.
            player.log.push(&[0x32, 0, 0x32, 0]);
            for _ in 0..200 {
                player.log.push(&[0x84 + (note % 4) as u8]);
            }
            player.write(0, 0x2b, 0x00);
        }
        player.hold();
    }
    player.finish("YM2612")
}

fn opnb(player: &mut Player, channels: &[u8], notes: usize) {
    fm_instruments(player, channels);
    square_waves(player);
    player.write(1, 0x01, 0x30);
    player.apart = true;
    for note in 0..notes {
        fm_note(player, channels);
        square_note(player);
        if note.is_multiple_of(4) {
            let channel = player.random.below(6) as u8;
            let sides = player.random.one_of(&[0x40, 0x80, 0xc0]);
            // Start and end in units of 256 bytes.
            let start = player.random.bits(0x0f);
            for (register, value) in [
                (0x08, sides | 0x18),
                (0x10, start),
                (0x18, 0x00),
                (0x20, start + 4),
                (0x28, 0x00),
            ] {
                player.write(1, register + channel, value);
            }
            player.write(1, 0x00, 1 << channel);
        }
        if note.is_multiple_of(16) {
            let pitch = 0x30 + player.random.bits(0x3f);
            for (register, value) in [
                (0x10, 0x01),
                (0x10, 0x00),
                (0x11, 0xc0),
                (0x12, 0x00),
                (0x13, 0x00),
                (0x14, 0x1f),
                (0x15, 0x00),
                (0x19, 0x00),
                (0x1a, pitch),
                (0x1b, 0x60),
                (0x10, 0x80),
            ] {
                player.write(0, register, value);
            }
        }
        player.hold();
    }
}

/// Random instruments. A channel's third bit is its port.
fn fm_instruments(player: &mut Player, channels: &[u8]) {
    for &channel in channels {
        let (port, place) = (usize::from(channel >> 2), channel & 3);
        let random = &mut player.random;
        let algorithm = random.bits(0x3f);
        let sides = random.one_of(&[0x40, 0x80, 0xc0]);
        let modulation = random.bits(0x13);
        player.write(port, 0xb0 + place, algorithm);
        player.write(port, 0xb4 + place, sides | modulation);
        for operator in 0..4 {
            let random = &mut player.random;
            let values = [
                random.bits(0x73),
                0x18 + random.bits(0x0f),
                0x10 | random.bits(0xcf),
                random.bits(0x8f),
                random.bits(0x07),
                random.bits(0x7f) | 0x04,
            ];
            for (value, register) in values.into_iter().zip((0x30..).step_by(0x10)) {
                player.write(port, register + 4 * operator + place, value);
            }
        }
        player.settle(26);
    }
}

fn fm_note(player: &mut Player, channels: &[u8]) {
    let random = &mut player.random;
    let channel = random.one_of(channels);
    let high = ((2 + random.bits(3)) << 3) | (2 + random.bits(1));
    let low = random.bits(0xff);
    let (port, place) = (usize::from(channel >> 2), channel & 3);
    player.write(0, 0x28, channel);
    player.write(port, 0xa4 + place, high);
    player.write(port, 0xa0 + place, low);
    player.write(0, 0x28, 0xf0 | channel);
}

fn square_waves(player: &mut Player) {
    for (register, value) in [(7, 0x38), (8, 0), (9, 0), (10, 0)] {
        player.write(0, register, value);
    }
    player.settle(4);
}

fn square_note(player: &mut Player) {
    let random = &mut player.random;
    let channel = random.below(3) as u8;
    let low = random.bits(0xff);
    let high = 1 + random.bits(1);
    // Quiet beside the FM: its waves begin anew with each note, and these do not.
    let volume = random.one_of(&[2, 3, 4, 5, 6]);
    player.write(0, 2 * channel, low);
    player.write(0, 2 * channel + 1, high);
    player.write(0, 8 + channel, volume);
}
