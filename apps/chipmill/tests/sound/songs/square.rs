//! Songs for the YM2413 and the AY8910. `vgmrender` keeps two outputs of each of them apart.

use super::{NOTES, Outputs, Player, Song};

/// Melody and rhythm.
pub fn ym2413() -> Song {
    let mut player = Player::new(0x10, 3_579_545, &[0x51]);
    for register in 0..8 {
        let value = player.random.bits(0xff);
        player.write(0, register, value);
    }
    // The frequencies and levels of the drums.
    for (register, value) in [
        (0x16, 0x20),
        (0x17, 0x50),
        (0x18, 0xc0),
        (0x26, 0x05),
        (0x27, 0x05),
        (0x28, 0x01),
        (0x36, 0x03),
        (0x37, 0x44),
        (0x38, 0x44),
        (0x0e, 0x20),
    ] {
        player.write(0, register, value);
    }
    player.settle(18);
    player.apart = true;
    for _ in 0..NOTES {
        let random = &mut player.random;
        let channel = random.below(6) as u8;
        let instrument = random.bits(0xf0) | (2 + random.bits(3));
        let low = random.bits(0xff);
        let high = (2 + random.bits(3)) << 1 | random.bits(1);
        let drums = random.bits(0x1f);
        player.write(0, 0x20 + channel, high);
        player.write(0, 0x30 + channel, instrument);
        player.write(0, 0x10 + channel, low);
        player.write(0, 0x20 + channel, high | 0x10);
        player.write(0, 0x0e, 0x20);
        player.write(0, 0x0e, 0x20 | drums);
        player.hold();
    }
    Song {
        level: 2.0,
        outputs: Outputs::Apart,
        ..player.finish("YM2413")
    }
}

/// Two channels: `vgmrender` does not play the third.
pub fn ay8910() -> Song {
    let mut player = Player::new(0x74, 1_789_773, &[0xa0]);
    player.write(0, 10, 0);
    player.write(0, 11, 0x80);
    player.write(0, 12, 0x02);
    player.settle(3);
    player.apart = true;
    for _ in 0..NOTES {
        let random = &mut player.random;
        let channel = random.below(2) as u8;
        let low = random.bits(0xff);
        let high = 1 + random.bits(1);
        // The third one is off, and noise is rare.
        let mixer = 0x3c & !(u8::from(random.below(8) == 0) << (3 + channel));
        let volume = random.one_of(&[8, 10, 12, 13, 14, 15, 16]);
        let noise = random.bits(0x1f);
        let shape = random.one_of(&[0, 8, 10, 13, 14]);
        player.write(0, 6, noise);
        player.write(0, 7, mixer);
        player.write(0, 2 * channel, low);
        player.write(0, 2 * channel + 1, high);
        player.write(0, 8 + channel, volume);
        player.write(0, 13, shape);
        player.hold();
    }
    Song {
        level: 0.5,
        outputs: Outputs::Apart,
        starts_phases: false,
        ..faster(player.finish("AY8910"))
    }
}

/// `vgmrender` gets a clock that is 8 times as fast. Its YM2149 has a frame for each 64 ticks of
/// it, and makes the one of 8 ticks, so that it would sound three octaves low.
fn faster(mut song: Song) -> Song {
    let clock = &mut song.reference[0x74..0x78];
    clock.copy_from_slice(&(8 * 1_789_773_u32).to_le_bytes());
    song
}

/// The envelope as a wave, which each note begins anew.
pub fn ay8910_envelope() -> Song {
    let mut player = Player::new(0x74, 1_789_773, &[0xa0]);
    // Neither tones nor noise.
    for (register, value) in [(7, 0x3f), (8, 16), (9, 16), (10, 0), (12, 0)] {
        player.write(0, register, value);
    }
    player.settle(5);
    player.apart = true;
    for _ in 0..NOTES {
        let period = 20 + player.random.bits(0x1f);
        let shape = player.random.one_of(&[8, 10, 12, 14]);
        player.write(0, 11, period);
        player.write(0, 13, shape);
        player.hold();
    }
    Song {
        level: 0.5,
        outputs: Outputs::Apart,
        ..faster(player.finish("AY8910 env"))
    }
}
