//! A song for the YM2151.

use super::{NOTES, Player, Song};

/// Eight channels, and noise in the last one.
pub fn ym2151() -> Song {
    let mut player = Player::new(0x30, 3_579_545, &[0x54]);
    for channel in 0..8 {
        instrument(&mut player, channel);
    }
    for (register, value) in [(0x18, 0xc0), (0x19, 0x20), (0x19, 0x90), (0x1b, 0x02)] {
        player.write(0, register, value);
    }
    player.settle(8 * 26 + 4);
    player.apart = true;
    for note in 0..NOTES {
        let random = &mut player.random;
        let channel = random.bits(7);
        let code = (2 + random.bits(3)) << 4 | random.bits(0x0f);
        let fraction = random.bits(0xfc);
        let pitch = random.bits(0x1f);
        player.write(0, 0x08, channel);
        player.write(0, 0x28 + channel, code);
        player.write(0, 0x30 + channel, fraction);
        player.write(0, 0x08, 0x78 | channel);
        if note % 16 < 2 {
            player.write(0, 0x0f, (0x80 * u8::from(note % 16 == 0)) | pitch);
        }
        player.hold();
    }
    player.finish("YM2151")
}

fn instrument(player: &mut Player, channel: u8) {
    let random = &mut player.random;
    let sides = random.one_of(&[0x40, 0x80, 0xc0]);
    let algorithm = random.bits(0x3f);
    let modulation = random.bits(0x31);
    player.write(0, 0x20 + channel, sides | algorithm);
    player.write(0, 0x38 + channel, modulation);
    for slot in 0..4 {
        let operator = channel + 8 * slot;
        let random = &mut player.random;
        let values = [
            random.bits(0x73),
            0x14 + random.bits(0x0f),
            0x10 | random.bits(0xcf),
            random.bits(0x8f),
            random.bits(0x47),
            random.bits(0x7f) | 0x04,
        ];
        for (value, register) in values.into_iter().zip((0x40..).step_by(0x20)) {
            player.write(0, register + operator, value);
        }
    }
}
