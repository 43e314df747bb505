//! What holds for any writes.

use super::*;
use proptest::prelude::*;

/// A write, and how many frames follow it.
type Event = (u8, u8, usize);

fn events() -> impl Strategy<Value = Vec<Event>> {
    proptest::collection::vec((0..3_u8, any::<u8>(), 0..400_usize), 0..60)
}

fn any_chip() -> impl Strategy<Value = Sn76489> {
    (any::<u16>(), 0..=32_u8, any::<u8>(), any::<u32>()).prop_filter_map(
        "the header is valid",
        |(taps, width, flags, clock)| {
            let config = Sn76489Config::from_header(taps, width, flags).ok()?;
            Some(Sn76489::new(clock, config))
        },
    )
}

proptest! {
    #[test]
    fn any_header_is_taken_or_refused(taps: u16, width: u8, flags: u8) {
        let is_taken = Sn76489Config::from_header(taps, width, flags).is_ok();
        let width = if width == 0 { 16 } else { u32::from(width) };
        prop_assert_eq!(is_taken, width <= 32 && (taps == 0 || taps.trailing_zeros() < width));
    }

    #[test]
    fn the_output_is_bounded(mut chip in any_chip(), events in events()) {
        prop_assert!(chip.rate() > 0);
        for (port, byte, count) in events {
            chip.write(port, byte, byte);
            for [left, right] in frames(&mut chip, count) {
                prop_assert!(left.abs() <= 32_764 && right.abs() <= 32_764);
            }
        }
    }

    #[test]
    fn blocks_equal_single_frames(
        mut chip in any_chip(),
        events in events(),
        block in 1..200_usize,
    ) {
        let mut single = chip.clone();
        let mut blocks = chip.clone();
        for (port, byte, count) in events {
            for chip in [&mut chip, &mut single, &mut blocks] {
                chip.write(port, 0, byte);
            }
            let whole = frames(&mut chip, count);
            let singles: Vec<[i32; 2]> = (0..count).map(|_| frames(&mut single, 1)[0]).collect();
            let mut parts = vec![[0; 2]; count];
            parts.chunks_mut(block).for_each(|part| blocks.generate(part));
            prop_assert_eq!(&whole, &singles);
            prop_assert_eq!(&whole, &parts);
        }
    }
}

#[test]
fn four_loud_channels_reach_the_bound() {
    let mut chip = chip(0);
    for tone in 0..3 {
        write_all(&mut chip, &period(tone, 1));
        write_all(&mut chip, &[attenuation(tone, 0)]);
    }
    write_all(&mut chip, &[0xE4, attenuation(3, 0)]);
    assert_eq!(left(&mut chip, 5_000).into_iter().max(), Some(32_764));
}
